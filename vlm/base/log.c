/* log.c - see log.h. */
#include "vlm/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "vlm/base/buf.h"
#include "vlm/base/now.h"
#include "vlm/base/utf8.h"

enum { TEXT_MAX = 1500, LINE_MAX_BYTES = 1 << 14 };

/* Set once, before there is anybody to share it with; of the process, as its
 * stderr is. */
static struct log_form form;

void log_as(struct log_form how)
{
    form = how;
}

bool log_on_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

static void add_json(struct buf *out, const char *text)
{
    buf_add_text(out, "\"");
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t n = utf8_size(text);
        if (c < 0x20 || c == 0x7f || n == 0)
            buf_print(out, "\\u%04x", n == 0 && c >= 0x80 ? 0xfffdu : c);
        else if (c == '"' || c == '\\')
            buf_print(out, "\\%c", c);
        else
            buf_add(out, text, n);
        text += n ? n : 1;
    }
    buf_add_text(out, "\"");
}

static const char *name_of(enum log_level level)
{
    return level == LOG_LEVEL_ERR    ? "error"
           : level == LOG_LEVEL_WARN ? "warning"
                                     : "info";
}

static void print_json(struct buf *out, enum log_level level, const char *text,
                       const struct log_field *field, size_t n)
{
    char now[21];
    now_utc_text(now);
    buf_print(out, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", now,
              name_of(level));
    add_json(out, text);
    for (size_t i = 0; i < n; i++) {
        buf_print(out, ",\"%s\":", field[i].key);
        if (field[i].text)
            add_json(out, field[i].text);
        else
            buf_print(out, "%.10g", field[i].number);
    }
    buf_add_text(out, "}");
}

/* A name from outside must not start a line or move the terminal's cursor. */
static void print_text(struct buf *out, enum log_level level, const char *text,
                       const char *reason)
{
    /* on a terminal a line of progress may stand there, of any process */
    if (log_on_terminal()) buf_add_text(out, "\r\033[K");
    buf_print(out, "platen: %s", level == LOG_LEVEL_WARN ? "warning: " : "");
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f)
            buf_print(out, "\\x%02x", c);
        else
            buf_add(out, p, 1);
    }
    if (reason) buf_print(out, " [%s]", reason);
}

static void print_line(enum log_level level, const char *text,
                       const char *reason, const struct log_field *field,
                       size_t n)
{
    struct log_field why = {.key = "reason", .text = reason};
    struct buf line = buf_limit(LINE_MAX_BYTES);
    if (form.priority) buf_print(&line, "<%d>", level);
    if (form.json && reason)
        print_json(&line, level, text, &why, 1);
    else if (form.json)
        print_json(&line, level, text, field, n);
    else
        print_text(&line, level, text, reason);
    buf_add_text(&line, "\n");
    /* one call: lines of threads do not mix */
    fwrite(line.data, 1, line.size, stderr);
    buf_free(&line);
}

void log_warn(const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_line(LOG_LEVEL_WARN, text, NULL, NULL, 0);
}

void log_note(const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_line(LOG_LEVEL_NOTE, text, NULL, NULL, 0);
}

void log_event(enum log_level level, const struct log_field *field, size_t n,
               const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_line(level, text, NULL, field, n);
}

void log_err(const struct err *err)
{
    if (err_failed(err))
        print_line(LOG_LEVEL_ERR, err->text, err->reason, NULL, 0);
}
