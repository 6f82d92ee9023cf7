/* log.h - one line per event on stderr; stdout carries data only. */
#ifndef VLM_BASE_LOG_H
#define VLM_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/err.h"

/* As syslog(3) and the journal number them. */
enum log_level { LOG_LEVEL_ERR = 3, LOG_LEVEL_WARN = 4, LOG_LEVEL_NOTE = 6 };

/* How lines are written; text without priorities until log_as was called, once,
 * before there are threads. */
struct log_form {
    bool json;     /* an object a line: time, level, message, and its fields */
    bool priority; /* "<4>" in front: what reads stderr is the journal */
    bool wipes;    /* a terminal there can wipe a line */
};
void log_as(struct log_form form);

/* What a program wants to know of an event besides its words. */
struct log_field {
    const char *key;
    const char *text; /* NULL: it is a number */
    double number;
};

/* Is stderr a terminal on which a line can be wiped? Then what is said here takes
 * the place of a line that stands there without its end. */
bool log_on_terminal(void);

/* "platen: warning: text", control characters escaped, one line. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same as log_note, at a level, with fields where the form is JSON. */
void log_event(enum log_level level, const struct log_field *field, size_t n,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* "platen: text [reason]" for a failure. */
void log_err(const struct err *err);

#endif
