/* command.c - see command.h. */
#include "pipeline/config/command.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/buf.h"

void command_help(const struct command *command)
{
    struct buf out = buf_limit(65536);
    buf_print(&out, "usage: platen %s %s\n\n%s\n", command->name,
              command->usage, command->help);
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
