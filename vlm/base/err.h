/* err.h - what went wrong, said once.
 *
 * A `struct err` is the last parameter of every function that may fail. The
 * first failure wins; a function whose `err` has failed already returns at
 * once, so that a chain of calls is written straight down and looked at once.
 * THREADS  An err belongs to one thread at a time.
 */
#ifndef VLM_BASE_ERR_H
#define VLM_BASE_ERR_H

#include <stdbool.h>

/* Who has to act. ERR_NONE is 0, so that `struct err err = {0};` is ready. */
enum err_kind {
    ERR_NONE,
    ERR_ARGS,        /* the caller's command line */
    ERR_CONFIG,      /* configuration, schema or model file is unusable */
    ERR_INPUT,       /* the document (or the given file) is bad */
    ERR_UNSUPPORTED, /* well-formed, but nothing here can read it */
    ERR_LIMIT,       /* a documented limit was passed */
    ERR_ANSWER,      /* the model's answer is unusable */
    ERR_SYSTEM,      /* the machine: disk, memory, permissions; try later */
    ERR_MISSING,     /* a file or program this needs is not there */
    ERR_CHILD,       /* a child process died or broke its protocol */
    ERR_REMOTE,      /* an endpoint did not answer */
    ERR_CANCELLED    /* somebody asked to stop */
};

struct err {
    enum err_kind kind;
    int sys;            /* errno at the time, or 0 */
    int page;           /* page the failure belongs to, from 1; 0: none */
    const char *reason; /* a code of stages/reason.h, or NULL; static text */
    char text[480];     /* one line, outermost context first, no final stop */
};

/* Has something failed already? The first question of every function that
 * takes an err. */
static inline bool err_failed(const struct err *err)
{
    return err->kind != ERR_NONE;
}

/* Records a failure: what is wrong with which thing, where, and the remedy if
 * a person has one. Keeps an earlier failure. Always returns false. */
bool err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set, with a reason code such as "encrypted" (static text). */
bool err_reason(struct err *err, enum err_kind kind, const char *reason,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* As err_set from errno: appends ": " and its text, and keeps the number.
 * The kind is ERR_SYSTEM, except ENOENT: ERR_MISSING. */
bool err_errno(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the text; does nothing on success. */
void err_context(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
