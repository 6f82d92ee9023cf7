/* completion.c - see completion.h. */
#include "pipeline/command/completion.h"

#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"

static const struct command *const commands[] = {
#define ROW(name) &name##_row,
#include "pipeline/command/commands.def"
#undef ROW
};
enum { N_COMMAND = sizeof commands / sizeof commands[0] };

/* --- words -------------------------------------------------------------- */

static void add_flag_word(void *arg, const char *flag, const char *words,
                          const char *help)
{
    (void)words;
    (void)help;
    buf_print(arg, " --%s", flag);
}

static void add_flags(struct buf *out, const struct command *c)
{
    for (const struct command_flag *f = c->flag; f && f->name; f++)
        buf_print(out, " --%s", f->name);
    buf_add_text(out, " --help");
}

/* One word, quoted by ', which all three shells understand. */
static void add_quoted(struct buf *out, const char *text)
{
    buf_add_text(out, "'");
    for (; *text; text++)
        if (*text == '\'')
            buf_add_text(out, "'\\''");
        else
            buf_add(out, *text == '\n' ? " " : text, 1);
    buf_add_text(out, "'");
}

/* --- bash, zsh ---------------------------------------------------------- */

static void add_cases(struct buf *out)
{
    for (size_t i = 0; i < N_COMMAND; i++) {
        buf_print(out, "    %s) words=\"", commands[i]->name);
        add_flags(out, commands[i]);
        buf_print(out, "%s\" ;;\n", commands[i]->raw ? "" : " $keys");
    }
}

static void add_choice(void *arg, const char *flag, const char *words,
                       const char *help)
{
    (void)help;
    if (!words) return;
    buf_print(arg, "    --%s) words=\"", flag);
    for (const char *p = words; *p; p++)
        buf_add(arg, *p == '|' ? " " : p, 1);
    buf_add_text(arg, "\" ;;\n");
}

static void print_bash(struct buf *out)
{
    buf_add_text(out, "# platen: completion for bash\n"
                      "_platen()\n{\n"
                      "    local words= keys=\"--config");
    config_each(add_flag_word, out);
    buf_add_text(out, "\"\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
                      "    if [ \"$COMP_CWORD\" = 1 ]; then words=\"help");
    for (size_t i = 0; i < N_COMMAND; i++)
        buf_print(out, " %s", commands[i]->name);
    buf_add_text(out, "\"\n    else\n    case ${COMP_WORDS[1]} in\n");
    add_cases(out);
    buf_add_text(out, "    esac\n"
                      "    [[ $word == -* ]] || words=\n"
                      "    case ${COMP_WORDS[COMP_CWORD - 1]} in\n");
    config_each(add_choice, out);
    buf_add_text(out, "    esac\n    fi\n"
                      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
                      "\"$word\")\n}\n"
                      "complete -o default -F _platen platen\n");
}

static void print_zsh(struct buf *out)
{
    buf_add_text(out, "#compdef platen\n# platen: completion for zsh\n"
                      "local -a commands keys flags\nkeys=(--config");
    config_each(add_flag_word, out);
    buf_add_text(out, ")\ncommands=(\n");
    for (size_t i = 0; i < N_COMMAND; i++) {
        struct buf one = buf_limit(1024);
        buf_print(&one, "%s:%s", commands[i]->name, commands[i]->summary);
        buf_add_text(out, "    ");
        add_quoted(out, buf_span(&one).data);
        buf_add_text(out, "\n");
        buf_free(&one);
    }
    buf_add_text(out, ")\nif (( CURRENT == 2 )); then\n"
                      "    _describe command commands\n    return\nfi\n"
                      "case $words[2] in\n");
    for (size_t i = 0; i < N_COMMAND; i++) {
        buf_print(out, "    %s) flags=(", commands[i]->name);
        add_flags(out, commands[i]);
        buf_print(out, "%s) ;;\n", commands[i]->raw ? "" : " $keys");
    }
    buf_add_text(out, "esac\n"
                      "if [[ $words[CURRENT] == -* ]]; then\n"
                      "    compadd -- $flags\nelse\n    _files\nfi\n");
}

/* --- fish --------------------------------------------------------------- */

static void add_fish_key(void *arg, const char *flag, const char *words,
                         const char *help)
{
    struct buf *out = arg;
    buf_print(out, "complete -c platen -n 'not __fish_use_subcommand' -l %s -r",
              flag);
    if (words) buf_add_text(out, " -f -a ");
    struct buf choice = buf_limit(256);
    for (const char *p = words ? words : ""; *p; p++)
        buf_add(&choice, *p == '|' ? " " : p, 1);
    if (words) add_quoted(out, buf_span(&choice).data);
    buf_free(&choice);
    buf_add_text(out, " -d ");
    add_quoted(out, help);
    buf_add_text(out, "\n");
}

static void add_fish_command(struct buf *out, const struct command *c)
{
    buf_print(out, "complete -c platen -n __fish_use_subcommand -f -a %s -d ",
              c->name);
    add_quoted(out, c->summary);
    buf_add_text(out, "\n");
    for (const struct command_flag *f = c->flag; f && f->name; f++) {
        buf_print(out,
                  "complete -c platen -n '__fish_seen_subcommand_from %s' "
                  "-l %s%s",
                  c->name, f->name, f->value_name ? " -r" : "");
        if (f->letter) buf_print(out, " -s %c", f->letter);
        buf_add_text(out, " -d ");
        add_quoted(out, f->help);
        buf_add_text(out, "\n");
    }
}

static void print_fish(struct buf *out)
{
    buf_add_text(out, "# platen: completion for fish\n");
    for (size_t i = 0; i < N_COMMAND; i++)
        add_fish_command(out, commands[i]);
    config_each(add_fish_key, out);
}

void completion_print(const char *shell, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    if (!strcmp(shell, "bash"))
        print_bash(out);
    else if (!strcmp(shell, "zsh"))
        print_zsh(out);
    else if (!strcmp(shell, "fish"))
        print_fish(out);
    else
        err_set(err, ERR_ARGS, "--completion %s: must be bash, zsh or fish",
                shell);
}
