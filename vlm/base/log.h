/* log.h - one line per event on stderr; stdout carries data only. */
#ifndef VLM_BASE_LOG_H
#define VLM_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/err.h"

/* Numbers as in syslog(3) and the journal. */
enum log_level { LOG_LEVEL_ERR = 3, LOG_LEVEL_WARN = 4, LOG_LEVEL_NOTE = 6 };

/* Format of lines; plain text without priorities until log_as is called, once,
 * before threads start. */
struct log_form {
    bool json;     /* one object per line: time, level, message, and fields */
    bool priority; /* "<4>" prefix, for the journal */
    bool wipes;    /* stderr is a terminal that can erase a line */
};
void log_as(struct log_form form);

/* A structured field of an event. */
struct log_field {
    const char *key;
    const char *text; /* NULL: a number */
    double number;
};

/* Is stderr a terminal that can erase a line? Then each message replaces an
 * unfinished line, such as progress. */
bool log_on_terminal(void);

/* "platen: warning: text", control characters escaped, one line. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As log_note, at a level, with fields in JSON format. */
void log_event(enum log_level level, const struct log_field *field, size_t n,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* "platen: text [reason]" for a failure. */
void log_err(const struct err *err);

#endif
