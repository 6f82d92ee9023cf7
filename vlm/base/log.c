/* log.c - see log.h. */
#include "vlm/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/clock.h"
#include "vlm/base/utf8.h"

enum { TEXT_MAX = 1500, PIECE_MAX = 160, LINE_MAX_BYTES = 1 << 14 };

/* Set once, before threads start; global, as stderr is. */
static struct log_form form;

void log_as(struct log_form how)
{
    form = how;
}

bool log_on_terminal(void)
{
    return form.wipes && isatty(STDERR_FILENO) == 1;
}

/* A line allocates nothing: running out of memory must be reported, too. */
struct log_line {
    char text[LINE_MAX_BYTES];
    size_t size;
};

/* Appends all of it, or nothing if it does not fit. */
static void append_text(struct log_line *l, const char *text, size_t n)
{
    if (n >= sizeof l->text - l->size) return;
    memcpy(l->text + l->size, text, n);
    l->size += n;
}

static void __attribute__((format(printf, 2, 3)))
print(struct log_line *l, const char *fmt, ...)
{
    char piece[PIECE_MAX];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(piece, sizeof piece, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof piece) append_text(l, piece, (size_t)n);
}

static void add_json(struct log_line *out, const char *text)
{
    append_text(out, "\"", 1);
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t n = utf8_size(text);
        if (c < 0x20 || c == 0x7f || n == 0)
            print(out, "\\u%04x", n == 0 && c >= 0x80 ? 0xfffdu : c);
        else if (c == '"' || c == '\\')
            print(out, "\\%c", c);
        else
            append_text(out, text, n);
        text += n ? n : 1;
    }
    append_text(out, "\"", 1);
}

static const char *name_of(enum log_level level)
{
    return level == LOG_LEVEL_ERR    ? "error"
           : level == LOG_LEVEL_WARN ? "warning"
                                     : "info";
}

static void print_json(struct log_line *out, enum log_level level,
                       const char *text, const struct log_field *field,
                       size_t n)
{
    char now[21];
    clock_utc_text(now);
    print(out, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", now,
          name_of(level));
    add_json(out, text);
    for (size_t i = 0; i < n; i++) {
        print(out, ",\"%s\":", field[i].key);
        if (field[i].text)
            add_json(out, field[i].text);
        else
            print(out, "%.10g", field[i].number);
    }
    append_text(out, "}", 1);
}

/* Text from outside must not start a line or move the terminal's cursor. */
static void print_text(struct log_line *out, const char *mark, const char *text,
                       const char *reason)
{
    /* a progress line of any process can be on the terminal */
    if (log_on_terminal()) print(out, "\r\033[K");
    print(out, "platen: %s", mark);
    for (const char *p = text; *p;) {
        size_t n = utf8_shown(p);
        if (n)
            append_text(out, p, n);
        else
            print(out, "\\x%02x", (unsigned char)*p);
        p += n ? n : 1;
    }
    if (reason) print(out, " [%s]", reason);
}

static void print_line(enum log_level level, const char *text,
                       const char *reason, const struct log_field *field,
                       size_t n)
{
    struct log_field why = {.key = "reason", .text = reason};
    /* an event with fields has no prefix */
    const char *mark = level == LOG_LEVEL_WARN && !n ? "warning: " : "";
    struct log_line line = {.size = 0};
    if (form.priority) print(&line, "<%d>", level);
    if (form.json && reason)
        print_json(&line, level, text, &why, 1);
    else if (form.json)
        print_json(&line, level, text, field, n);
    else
        print_text(&line, mark, text, reason);
    append_text(&line, "\n", 1);
    /* one call, so that lines of threads do not mix */
    fwrite(line.text, 1, line.size, stderr);
}

static void __attribute__((format(printf, 4, 0)))
print_event(enum log_level level, const struct log_field *field, size_t n,
            const char *fmt, va_list args)
{
    char text[TEXT_MAX];
    vsnprintf(text, sizeof text, fmt, args);
    print_line(level, text, NULL, field, n);
}

void log_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_event(LOG_LEVEL_WARN, NULL, 0, fmt, args);
    va_end(args);
}

void log_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_event(LOG_LEVEL_NOTE, NULL, 0, fmt, args);
    va_end(args);
}

void log_event(enum log_level level, const struct log_field *field, size_t n,
               const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_event(level, field, n, fmt, args);
    va_end(args);
}

void log_err(const struct err *err)
{
    if (err_failed(err))
        print_line(LOG_LEVEL_ERR, err->text, err->reason, NULL, 0);
}
