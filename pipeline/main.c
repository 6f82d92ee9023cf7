/* main.c - the command line and the table of commands; main() of platen. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/command.h"
#include "pipeline/config/config.h"
#include "pipeline/process/allocators.h"
#include "pipeline/process/service.h"
#include "stages/document/reason.h"
#include "stages/document/version.h"
#include "vlm/base/log.h"
#include "vlm/base/suggest.h"

static const struct command *const commands[] = {
#define ROW(name) &name##_row,
#include "pipeline/command/commands.def"
#undef ROW
};
enum { N_COMMAND = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMAND; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

/* " (did you mean ...?)", or "". */
struct hint {
    char text[80];
};

static struct hint hint_of(const char *before, const char *meant)
{
    struct hint h = {""};
    if (!meant) return h;
    snprintf(h.text, sizeof h.text, " (did you mean %s%s?)", before, meant);
    for (char *p = h.text; *before && *p; p++)
        if (*p == '_') *p = '-';
    return h;
}

static int report_unknown_command(const char *name)
{
    struct suggest near = suggest_begin(name);
    suggest_try(&near, "help");
    for (size_t i = 0; i < N_COMMAND; i++)
        suggest_try(&near, commands[i]->name);
    if (*name == '-')
        log_note("%s: flags come after the command: platen COMMAND %s ...; see "
                 "platen help",
                 name, name);
    else
        log_note("%s: no such command%s; see platen help", name,
                 hint_of("", near.best).text);
    return EXIT_ARGS;
}

static int print_buf(struct buf *out)
{
    fwrite(out->data, 1, out->size, stdout);
    buf_free(out);
    return EXIT_OK;
}

static int print_overview(void)
{
    struct buf out = buf_limit(65536);
    buf_add_text(&out,
                 "platen reads scanned documents into records that are valid "
                 "against a schema,\nwith its own model, on this machine.\n\n"
                 "usage: platen COMMAND [--KEY VALUE]... [ARGUMENT]...\n\n");
    for (size_t i = 0; i < N_COMMAND; i++)
        buf_print(&out, "  %-10s %s\n", commands[i]->name,
                  commands[i]->summary);
    buf_add_text(
        &out,
        "\nplaten COMMAND --help explains a command, platen help config lists "
        "every key.\nSettings can be given as flags (--stable-for 2), "
        "environment "
        "(PLATEN_STABLE_FOR=2) or platen.conf.\n\n"
        "A first try:\n"
        "  platen extract scan.pdf --schema receipt   one record on stdout\n"
        "  platen init SPOOL                          folders to drop files "
        "into\n"
        "  platen run SPOOL                           process them\n\n"
        "Exit codes: 0 ok, 1 arguments, 2 input, 3 missing dependency, "
        "4 invalid output,\n5 file access, 7 child process, 8 encrypted, "
        "9 configuration, 15 other,\n16 some documents failed, 17 queue on "
        "hold, 18 review (--exit-review),\n130 interrupted. See "
        "platen(1).\n");
    return print_buf(&out);
}

static int print_help(const char *topic)
{
    const struct command *c = topic ? find_command(topic) : NULL;
    if (!topic) return print_overview();
    if (!c) return report_unknown_command(topic);
    command_help(c);
    if (!strcmp(topic, "config")) {
        struct buf out = buf_limit(65536);
        buf_add_text(&out, "\nKeys, as flags (defaults in brackets):\n\n");
        config_help(&out);
        return print_buf(&out);
    }
    return EXIT_OK;
}

/* --- the command line --------------------------------------------------- */

struct parse {
    struct command_line line;
    const char *config_file; /* the value of --config, or NULL */
    struct {
        const char *key, *value;
    } setting[2 * CONFIG_KEY_MAX];
    int n_setting;
    bool help;
};

static void add_setting(struct parse *p, const char *key, const char *value,
                        struct err *err)
{
    if (p->n_setting == 2 * CONFIG_KEY_MAX) {
        err_set(err, ERR_ARGS, "too many flags");
        return;
    }
    p->setting[p->n_setting].key = key;
    p->setting[p->n_setting++].value = value;
}

static bool parse_own_flag(struct parse *p, const char *name, size_t size,
                           char ***at, char **end, const char *value,
                           struct err *err)
{
    const struct command_flag *f = p->line.command->flag;
    for (size_t i = 0; f && f[i].name; i++) {
        bool is_letter = size == 1 && f[i].letter == name[0];
        bool is_name =
            strlen(f[i].name) == size && !strncmp(f[i].name, name, size);
        if (!is_letter && !is_name) continue;
        if (!f[i].value_name && value)
            err_set(err, ERR_ARGS, "--%s takes no value", f[i].name);
        if (f[i].value_name && !value) {
            if (*at + 1 >= end)
                err_set(err, ERR_ARGS, "--%s needs a value: %s", f[i].name,
                        f[i].value_name);
            else
                value = *++*at;
        }
        p->line.value[i] = value ? value : "";
        const struct command *c = p->line.command;
        if (c->alias && !strcmp(f[i].name, c->alias))
            add_setting(p, c->key, p->line.value[i], err);
        return true;
    }
    return false;
}

/* Is it a value of a switch, as in --deskew no? */
static bool is_yes_or_no(const char *word)
{
    return !strcmp(word, "yes") || !strcmp(word, "no");
}

static void report_unknown_flag(const struct command *c, const char *name,
                                struct err *err)
{
    struct suggest near = suggest_begin(name);
    suggest_try(&near, "help");
    for (const struct command_flag *f = c->flag; f && f->name; f++)
        suggest_try(&near, f->name);
    const char *key = config_nearest(name);
    if (key) suggest_try(&near, key);
    err_set(err, ERR_ARGS, "--%s: no such flag%s; see platen %s --help", name,
            hint_of("--", near.best).text, c->name);
}

static void parse_config_flag(struct parse *p, const char *name, char ***at,
                              char **end, const char *value, struct err *err)
{
    bool is_switch, off = false;
    if (!strcmp(name, "config")) {
        if (!value && *at + 1 < end) value = *++*at;
        if (!value) err_set(err, ERR_ARGS, "--config needs a value: FILE");
        p->config_file = value;
        return;
    }
    if (!config_has(name, &is_switch) && !strncmp(name, "no-", 3) &&
        config_has(name + 3, &is_switch) && is_switch) {
        name += 3;
        off = true;
    }
    if (!config_has(name, &is_switch)) {
        report_unknown_flag(p->line.command, name, err);
        return;
    }
    if (is_switch && !value &&
        (off || *at + 1 >= end || !is_yes_or_no((*at)[1])))
        value = off ? "no" : "yes";
    if (!value && *at + 1 < end) value = *++*at;
    if (!value) {
        err_set(err, ERR_ARGS, "--%s needs a value", name);
        return;
    }
    add_setting(p, name, value, err);
}

/* Parses flags; moves operands to the front of argv. */
static void parse_arguments(struct parse *p, char **at, char **end,
                            struct err *err)
{
    bool flags = true;
    char name[64];
    p->line.operand = at;
    for (; at < end && !err_failed(err); at++) {
        char *text = *at;
        if (flags && !strcmp(text, "--")) {
            flags = false;
        } else if (!flags || text[0] != '-' || !text[1]) {
            p->line.operand[p->line.n_operand++] = text;
        } else if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            p->help = true;
            return;
        } else if (text[1] != '-') {
            if (!parse_own_flag(p, text + 1, strlen(text + 1), &at, end, NULL,
                                err))
                err_set(err, ERR_ARGS, "%s: no such flag; see platen %s --help",
                        text, p->line.command->name);
        } else {
            size_t n = strcspn(text + 2, "=");
            const char *value = text[2 + n] ? text + 3 + n : NULL;
            snprintf(name, sizeof name, "%.*s", (int)n, text + 2);
            if (parse_own_flag(p, name, strlen(name), &at, end, value, err))
                continue;
            /* a setting keeps its name, and argv outlives `name` */
            if (value) text[2 + n] = '\0';
            parse_config_flag(p, text + 2, &at, end, value, err);
        }
    }
    const struct command *c = p->line.command;
    if (!err_failed(err) && !p->help &&
        (p->line.n_operand < c->least ||
         (c->most >= 0 && p->line.n_operand > c->most)))
        err_set(err, ERR_ARGS, "usage: platen %s %s", c->name, c->usage);
}

static void warn_mistyped(const char *name, const char *meant)
{
    log_warn("%s is not a setting and is ignored (did you mean %s?)", name,
             meant);
}

/* An address that may hold a password is hidden from ps and from all processes
 * started later. */
static void hide_arguments(const struct parse *p)
{
    for (int i = 0; i < p->n_setting; i++) {
        const char *value = p->setting[i].value;
        if (!strcmp(p->setting[i].key, "fleet"))
            memset((void *)(uintptr_t)value, '*', strlen(value));
    }
}

static int run_command(const struct command *c, int argc, char **argv,
                       struct err *err)
{
    struct parse p = {.line = {.command = c}};
    if (c->raw) {
        p.line.operand = argv;
        p.line.n_operand = argc;
        p.help = argc == 1 && !strcmp(argv[0], "--help");
    } else {
        parse_arguments(&p, argv, argv + argc, err);
    }
    if (p.help) return print_help(c->name);
    if (err_failed(err)) return EXIT_ARGS;
    struct config *config = config_open(p.config_file, err);
    for (int i = 0; i < p.n_setting; i++) {
        bool was_fine = !err_failed(err);
        config_set(config, p.setting[i].key, p.setting[i].value, "flag", err);
        if (was_fine && err_failed(err)) err->kind = ERR_ARGS;
    }
    hide_arguments(&p);
    config_finish(config, err);
    int code = EXIT_CONFIG;
    if (!err_failed(err)) {
        bool json = !strcmp(config->log_format, "json");
        struct service service = service_read();
        log_as((struct log_form){json, service.journal, service.wipes});
        config_mistyped_environment(warn_mistyped);
        p.line.config = config;
        code = c->run(&p.line, err);
    }
    config_close(config);
    return code;
}

static int exit_code(const struct err *err, int code)
{
    if (!err_failed(err)) return code;
    if (err->kind == ERR_ARGS) return EXIT_ARGS;
    return (int)reason_of(err)->exit;
}

static int run_line(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (!strcmp(name, "--version") || !strcmp(name, "-V") ||
        !strcmp(name, "version")) {
        printf("platen %s\n", PLATEN_VERSION);
        return EXIT_OK;
    }
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return print_help(argc > 2 ? argv[2] : NULL);
    const struct command *c = find_command(name);
    if (!c) return report_unknown_command(name);
    struct err err = {0};
    int code = run_command(c, argc - 2, argv + 2, &err);
    if (err_failed(&err)) {
        reason_log(&err);
        code = exit_code(&err, code);
    }
    return code;
}

/* Commands do not check their writes to stdout: a failed one leaves an error
 * in the stream, which is reported here. */
static int check_output(int code)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0;
    if (flushed && !ferror(stdout)) return code;
    log_note("standard output: %s; what was printed is incomplete",
             flushed || !errno ? "write error" : strerror(errno));
    return code == EXIT_OK ? EXIT_ACCESS : code;
}

int main(int argc, char **argv)
{
    allocators_use();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f fails with EFBIG */
    return check_output(run_line(argc, argv));
}
