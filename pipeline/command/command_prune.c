/* command_prune.c - platen prune: deletes documents delivered long ago. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool_index.h"
#include "pipeline/spool/spool_prune.h"
#include "pipeline/supervisor/hooks.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S, LISTED_MAX = 20 };

/* "90d" in seconds; 0 if it is not an age. */
static long long read_age(const char *text)
{
    static const struct {
        const char *name;
        long long seconds;
    } unit[] = {{"h", HOUR_S},
                {"d", DAY_S},
                {"w", 7 * DAY_S},
                {"mo", 30 * DAY_S},
                {"y", 365 * DAY_S}};
    enum { AGE_MOST = 1000000 }; /* of any unit */
    char *end = NULL;
    if (*text < '0' || *text > '9') return 0;
    long n = strtol(text, &end, 10);
    if (n <= 0 || n > AGE_MOST) return 0;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (!strcmp(unit[i].name, end)) return n * unit[i].seconds;
    return 0;
}

struct pruning {
    bool lists;             /* print each id on stdout */
    struct spool_index *ix; /* to remove documents from, or NULL */
    size_t n_listed;        /* documents listed on stderr before the question */
};

static void report_deleted(void *arg, const char *id, const char *what,
                           const char *why)
{
    const struct pruning *p = arg;
    char *one[] = {(char *)(uintptr_t)id, NULL};
    if (why) {
        log_warn("done/%s is kept: it %s", id, why);
        return;
    }
    if (p->lists) printf("%s\n", id);
    if (!strcmp(what, "document")) spool_index_forget(p->ix, one, 1);
}

/* Lists the id and the name under which the document was dropped. */
static void list_document(struct spool *s, struct pruning *p, const char *id)
{
    struct document_folder_state state;
    struct buf name = buf_limit(4096);
    int fd =
        p->n_listed++ < LISTED_MAX ? spool_folder_fd(s, SPOOL_DONE, id) : -1;
    if (fd < 0) return;
    document_folder_read(fd, id, &state);
    file_name_escape(state.path, &name);
    if (*state.path) buf_add_text(&name, "/");
    file_name_escape(state.name, &name);
    fprintf(stderr, "  %s  %s\n", id, buf_span(&name).data);
    buf_free(&name);
    close(fd);
}

struct prune_question {
    struct spool *spool;
    struct pruning pruning;
};

static void list_for_question(void *arg, const char *id, const char *what,
                              const char *why)
{
    struct prune_question *q = arg;
    (void)what;
    if (!why) list_document(q->spool, &q->pruning, id);
}

/* Lists what would be deleted at the terminal, and asks. */
static bool user_agrees(struct spool *s, const struct spool_prune *how,
                        struct err *err)
{
    struct prune_question q = {.spool = s};
    struct spool_prune dry = *how;
    char answer[16] = "";
    dry.dry_run = true;
    dry.tell = list_for_question;
    dry.arg = &q;
    size_t n = spool_prune(s, &dry, err);
    if (err_failed(err) || !n) return !err_failed(err);
    if (n > LISTED_MAX) fprintf(stderr, "  and %zu more\n", n - LISTED_MAX);
    fprintf(stderr, "Delete %s%zu document%s for good? [y/N] ",
            how->keep_records ? "the files of these " : "these ", n,
            n == 1 ? "" : "s");
    fflush(stderr);
    bool yes = fgets(answer, sizeof answer, stdin) &&
               (*answer == 'y' || *answer == 'Y');
    if (!yes) log_note("nothing was deleted");
    return yes;
}

static bool needs_question(const struct command_line *line)
{
    return !command_value(line, "force") && !command_value(line, "dry-run") &&
           isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static void prune(struct spool *s, const struct command_line *line,
                  long long age, struct err *err)
{
    bool dry = command_value(line, "dry-run") != NULL;
    struct pruning p = {.lists = dry || command_value(line, "verbose")};
    struct spool_prune how = {
        .before = clock_utc() - age,
        .keep_records = command_value(line, "keep-records") != NULL,
        .dry_run = dry,
        .most = (size_t)line->config->stage.max_record_bytes,
        .config = line->config,
        .tell = report_deleted,
        .arg = &p,
    };
    hooks_arm(s, line->config);
    if (needs_question(line) && !user_agrees(s, &how, err)) return;
    if (!dry) p.ix = spool_index_open(s, false);
    size_t n = spool_prune(s, &how, err);
    spool_index_close(p.ix);
    log_note("%zu document%s%s %s%s", n, n == 1 ? "" : "s",
             how.keep_records ? "' files" : "",
             dry      ? "would be deleted"
             : n == 1 ? "was deleted"
                      : "were deleted",
             how.keep_records ? "; records are kept" : "");
}

static int prune_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *text = command_value(line, "done-older");
    long long age = text ? read_age(text) : 0;
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (text && digits && !strcmp(text + digits, "m"))
        err_set(err, ERR_ARGS,
                "--done-older %s: m is not a unit; use mo for months", text);
    else if (!age)
        err_set(err, ERR_ARGS,
                "--done-older needs an age such as 90d (h, d, w, mo or y)");
    else if (age < DAY_S && !command_value(line, "force") &&
             !command_value(line, "dry-run"))
        err_set(err, ERR_ARGS,
                "--done-older %s is less than a day: add --force if you mean "
                "it",
                text);
    if (err_failed(err)) return EXIT_ARGS;
    spool_open(&spool, line->operand[0], false, err);
    if (!err_failed(err)) prune(&spool, line, age, err);
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"done-older", "AGE", "delivered longer ago than AGE: 90d, 6w, 6mo, 1y", 0},
    {"keep-records", NULL, "delete only the documents' files, keep records", 0},
    {"dry-run", NULL, "list what would be deleted, and change nothing", 'n'},
    {"force", NULL, "do not ask, and allow an age of less than a day", 'f'},
    {"verbose", NULL, "list what is deleted", 'v'},
    {0},
};

const struct command command_prune_row = {
    .name = "prune",
    .usage = "SPOOL --done-older AGE [--keep-records] [--dry-run] [--force]",
    .summary = "delete documents delivered long ago",
    .help =
        "Deletes documents of done/ whose record was delivered to out/ longer "
        "ago than AGE (a correction delivers again). AGE is a number with h "
        "(hours), d (days), w (weeks), mo (months of 30 days) or y (years of "
        "365 days). Less than a day needs --force. On a terminal it lists the "
        "documents and asks first; --force does not ask.\n"
        "\n"
        "Not deleted are documents that are undelivered, in use, waiting for a "
        "hook, or in a folder with a file that is not platen's. A batch is "
        "deleted with all its parts or not at all. Links in out/ stay, and so "
        "does what platen archive shows.\n"
        "\n"
        "With --keep-records only the documents' files are deleted: records "
        "and corrections stay, platen export still works, and platen show "
        "cannot draw the page.\n"
        "\n"
        "If it is killed, no document is left half deleted, and the next prune "
        "continues.\n"
        "\n"
        "  platen prune /srv/scans --done-older 90d --dry-run\n"
        "  platen prune /srv/scans --done-older 2w --keep-records",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = prune_command,
};
