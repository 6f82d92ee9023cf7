/* log.h - one line per event on stderr; stdout carries data only. */
#ifndef VLM_BASE_LOG_H
#define VLM_BASE_LOG_H

#include <stdbool.h>

#include "vlm/base/err.h"

/* Is stderr a terminal? Then what is said here takes the place of a line that
 * stands there without its end. */
bool log_on_terminal(void);

/* "platen: warning: text", control characters escaped, one line. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "platen: text [reason]" for a failure. */
void log_err(const struct err *err);

#endif
