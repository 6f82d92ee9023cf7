/* log.c - see log.h. */
#include "vlm/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool log_on_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

/* A name from outside must not start a line or move the terminal's cursor. */
static void print_line(const char *mark, const char *text, const char *reason)
{
    char line[2000];
    /* on a terminal a line of progress may stand there, of any process */
    const char *wipe = log_on_terminal() ? "\r\033[K" : "";
    size_t n = (size_t)snprintf(line, sizeof line, "%splaten: %s", wipe, mark);
    for (const char *p = text; *p && n < sizeof line - 80; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f)
            n += (size_t)snprintf(line + n, 5, "\\x%02x", c);
        else
            line[n++] = (char)c;
    }
    if (reason)
        n += (size_t)snprintf(line + n, sizeof line - n, " [%s]", reason);
    line[n++] = '\n';
    fwrite(line, 1, n, stderr); /* one call: lines of threads do not mix */
}

static void __attribute__((format(printf, 2, 0)))
print_args(const char *mark, const char *fmt, va_list args)
{
    char text[1500];
    vsnprintf(text, sizeof text, fmt, args);
    print_line(mark, text, NULL);
}

void log_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_args("warning: ", fmt, args);
    va_end(args);
}

void log_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_args("", fmt, args);
    va_end(args);
}

void log_err(const struct err *err)
{
    if (err_failed(err)) print_line("", err->text, err->reason);
}
