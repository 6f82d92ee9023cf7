/* command.c - see command.h. */
#include "pipeline/config/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/atomic_file.h"

enum { HELP_WIDTH = 88, INDENT = 8 };

/* One line of the text, of `size` bytes. */
static void wrap_line(const char *text, size_t size, size_t width,
                      struct buf *out)
{
    const char *tab = memchr(text, '\t', size);
    size_t indent = tab ? INDENT : 0;
    if (tab) {
        buf_print(out, "%-*.*s", INDENT, (int)(tab - text), text);
        size -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    while (*text != ' ' && indent + size > width) {
        size_t n = width - indent;
        while (n > 1 && text[n] != ' ')
            n--;
        buf_add(out, text, n);
        buf_print(out, "\n%*s", (int)indent, "");
        n += strspn(text + n, " ");
        text += n;
        size -= n;
    }
    buf_add(out, text, size);
    buf_add_text(out, "\n");
}

void command_wrap(const char *text, size_t width, struct buf *out)
{
    for (bool more = true; more;) {
        size_t n = strcspn(text, "\n");
        wrap_line(text, n, width, out);
        more = text[n];
        text += n + more;
    }
}

void command_help(const struct command *command)
{
    struct buf out = buf_limit(65536);
    buf_print(&out, "usage: platen %s %s\n\n", command->name, command->usage);
    command_wrap(command->help, HELP_WIDTH, &out);
    const struct command_flag *f = command->flag;
    if (f && f->name) buf_add_text(&out, "\nFlags:\n");
    for (; f && f->name; f++) {
        char flag[64], letter[5] = "";
        if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
        snprintf(flag, sizeof flag, "%s--%s%s%s", letter, f->name,
                 f->value_name ? " " : "", f->value_name ? f->value_name : "");
        buf_print(&out, "  %-22s %s\n", flag, f->help);
    }
    if (!command->raw)
        buf_add_text(&out, "\nEvery key of platen.conf is a flag as well "
                           "(--engine null): platen help config.\n");
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
}

const char *command_value(const struct command_line *line, const char *flag)
{
    const struct command_flag *f = line->command->flag;
    for (size_t i = 0; f && f[i].name; i++)
        if (!strcmp(f[i].name, flag)) return line->value[i];
    return NULL;
}

int command_number(const struct command_line *line, const char *flag, int most,
                   int otherwise, struct err *err)
{
    if (err_failed(err)) return otherwise;
    const char *text = command_value(line, flag);
    if (!text) return otherwise;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < 1 || n > most)
        err_set(err, ERR_ARGS, "--%s %s: must be a number from 1 to %d", flag,
                text, most);
    return (int)n;
}

void command_write(const char *path, struct span bytes, struct err *err)
{
    if (err_failed(err)) return;
    if (path)
        atomic_file_write(path, bytes, err);
    else if (fwrite(bytes.data, 1, bytes.size, stdout) != bytes.size ||
             fflush(stdout) != 0)
        err_errno(err, "cannot write to stdout");
}
