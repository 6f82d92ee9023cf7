/* err.h - error handling: the first error of a chain of calls.
 *
 * A `struct err` is the last parameter of every function that can fail. The
 * first failure is kept; a function whose `err` has already failed returns at
 * once, so a chain of calls needs one check at its end.
 * THREADS  An err belongs to one thread at a time.
 */
#ifndef VLM_BASE_ERR_H
#define VLM_BASE_ERR_H

#include <stdbool.h>

/* Category of the error. ERR_NONE is 0, so `struct err err = {0};` is valid. */
enum err_kind {
    ERR_NONE,
    ERR_ARGS,        /* the caller's command line */
    ERR_CONFIG,      /* configuration, schema or model file is unusable */
    ERR_INPUT,       /* the document (or the given file) is invalid */
    ERR_UNSUPPORTED, /* well-formed, but not supported */
    ERR_LIMIT,       /* a documented limit was exceeded */
    ERR_ANSWER,      /* the model's answer is unusable */
    ERR_SYSTEM,   /* the machine: disk, memory, permissions; can be retried */
    ERR_MISSING,  /* a required file or program is missing */
    ERR_CHILD,    /* a child process died or broke its protocol */
    ERR_REMOTE,   /* an endpoint did not answer */
    ERR_CANCELLED /* cancelled by the user */
};

struct err {
    enum err_kind kind;
    int sys;  /* errno at the time, or 0 */
    int page; /* page of the failure, from 1; 0: none */
    const char
        *reason; /* a code of stages/document/reason.h, or NULL; static text */
    char text[480]; /* one line, outermost context first, no final stop */
};

/* Has a call failed already? Checked first by every function that takes an
 * err. */
static inline bool err_failed(const struct err *err)
{
    return err->kind != ERR_NONE;
}

/* Records a failure: what is wrong with which item, where, and the remedy if
 * the user has one. Keeps an earlier failure. Always returns false. */
bool err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set, with a reason code such as "encrypted" (static text). */
bool err_reason(struct err *err, enum err_kind kind, const char *reason,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* As err_set for errno: appends ": " and its text, and stores the number. The
 * kind is ERR_SYSTEM, or ERR_MISSING for ENOENT. */
bool err_errno(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the text; does nothing on success. */
void err_context(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
