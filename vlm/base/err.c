/* err.c - see err.h. */
#include "vlm/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 4, 0)))
err_fill(struct err *err, enum err_kind kind, const char *reason,
         const char *fmt, va_list args)
{
    if (err_failed(err)) return;
    err->kind = kind;
    err->reason = reason;
    vsnprintf(err->text, sizeof err->text, fmt, args);
}

bool err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    err_fill(err, kind, NULL, fmt, args);
    va_end(args);
    return false;
}

bool err_reason(struct err *err, enum err_kind kind, const char *reason,
                const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    err_fill(err, kind, reason, fmt, args);
    va_end(args);
    return false;
}

bool err_errno(struct err *err, const char *fmt, ...)
{
    int sys = errno;
    if (err_failed(err)) return false;
    va_list args;
    va_start(args, fmt);
    err_fill(err, sys == ENOENT ? ERR_MISSING : ERR_SYSTEM, NULL, fmt, args);
    va_end(args);
    err->sys = sys;
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(sys));
    return false;
}

void err_context(struct err *err, const char *fmt, ...)
{
    if (!err_failed(err)) return;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n;
    if (used < sizeof err->text &&
        snprintf(err->text + used, sizeof err->text - used, ": %s", old) < 0)
        err->text[used] = '\0';
}
