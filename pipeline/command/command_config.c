/* command_config.c - platen config: the effective settings and their origin. */
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/completion.h"
#include "pipeline/config/config.h"
#include "stages/document/reason.h"
#include "stages/document/warnings.h"

enum { MANUAL_WIDTH = 78 };

/* The meaning and the remedy of a code. tests/support/docs.py needs the comment
 * between them. */
static void add_meaning(struct buf *out, const char *meaning,
                        const char *remedy)
{
    command_wrap(meaning, MANUAL_WIDTH, out);
    buf_add_text(out, ".\\\" remedy\n");
    command_wrap(remedy, MANUAL_WIDTH, out);
}

/* The reasons for platen(1). */
static void print_reasons(struct buf *out)
{
    buf_add_text(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; reason_at(i); i++) {
        const struct reason *r = reason_at(i);
        buf_print(out, ".It Li %s%s\n", r->code,
                  r->fate == FATE_WAIT ? " No *" : "");
        add_meaning(out, r->meaning, r->remedy);
        buf_print(out, "Exit status %d.\n", (int)r->exit);
    }
    buf_add_text(out, ".El\n");
}

/* The codes of warnings for platen-record(5). */
static void print_warnings(struct buf *out)
{
    buf_add_text(out, ".Bl -tag -width Ds\n");
    for (int i = 0; i < WARNING_CODES; i++) {
        enum warning_code code = (enum warning_code)i;
        buf_print(out, ".It Li %s\n", warnings_name(code));
        add_meaning(out, warnings_meaning(code), warnings_remedy(code));
    }
    buf_add_text(out, ".El\n");
}

static int config_command(const struct command_line *line, struct err *err)
{
    struct buf out = buf_limit(1 << 18);
    if (command_value(line, "mdoc"))
        config_manual(&out);
    else if (command_value(line, "mdoc-reasons"))
        print_reasons(&out);
    else if (command_value(line, "mdoc-warnings"))
        print_warnings(&out);
    else if (command_value(line, "completion"))
        completion_print(command_value(line, "completion"), &out, err);
    else
        config_print(line->config, &out);
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
    if (command_value(line, "check")) config_check(line->config, err);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"check", NULL, "also check model, schemas and rasteriser", 0},
    {"mdoc", NULL, "print the keys for platen.conf(5)", 0},
    {"mdoc-reasons", NULL, "print the reason codes for platen(1)", 0},
    {"mdoc-warnings", NULL, "print the warning codes for platen-record(5)", 0},
    {"completion", "SHELL", "print the completion for bash, zsh or fish", 0},
    {0},
};

const struct command command_config_row = {
    .name = "config",
    .usage = "[--check] [--config FILE]",
    .summary = "print the effective configuration and the origin of each value",
    .help =
        "Prints every key with its value and origin: flag, environment "
        "(PLATEN_KEY), file and line, or default, in this order of precedence. "
        "The output is a valid platen.conf, except that passwords in addresses "
        "are shown as ***. A section [schema.NAME] of the file sets model, "
        "endpoint, examples or max_pixels for documents of that schema. The "
        "file is the "
        "first of --config FILE, "
        "$PLATEN_CONFIG, ./platen.conf, $XDG_CONFIG_HOME/platen/platen.conf "
        "and /etc/platen/platen.conf.\n"
        "\n"
        "With --check it exits with 3 or 9 if something is missing or wrong.",
    .flag = flags,
    .run = config_command,
};
