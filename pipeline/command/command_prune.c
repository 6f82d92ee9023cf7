/* command_prune.c - platen prune: what is done and old goes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/index.h"
#include "pipeline/spool/spool_prune.h"
#include "pipeline/work/hooks.h"
#include "stages/reason.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"

/* "90d" in seconds; 0 for what is none. */
static long long read_age(const char *text)
{
    static const struct {
        char letter;
        long long seconds;
    } unit[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    enum { AGE_MOST = 1000000 }; /* of any unit */
    char *end = NULL;
    if (*text < '0' || *text > '9') return 0;
    long n = strtol(text, &end, 10);
    if (n <= 0 || n > AGE_MOST || strlen(end) != 1) return 0;
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (unit[i].letter == *end) return n * unit[i].seconds;
    return 0;
}

struct pruning {
    bool lists;       /* each id on stdout */
    struct index *ix; /* NULL: it stays as it is */
};

static void tell(void *arg, const char *id, const char *what, const char *why)
{
    const struct pruning *p = arg;
    char *one[] = {(char *)(uintptr_t)id, NULL};
    if (why) {
        log_warn("done/%s stays: it %s", id, why);
        return;
    }
    if (p->lists) printf("%s\n", id);
    if (!strcmp(what, "document")) index_forget(p->ix, one, 1);
}

static void prune(struct spool *s, const struct command_line *line,
                  long long age, struct err *err)
{
    bool dry = command_value(line, "dry-run") != NULL;
    struct pruning p = {.lists = dry || command_value(line, "verbose"),
                        .ix = dry ? NULL : index_open(s, false)};
    struct spool_prune how = {
        .before = now_utc() - age,
        .keep_records = command_value(line, "keep-records") != NULL,
        .dry_run = dry,
        .most = (size_t)line->config->stage.record_bytes_max,
        .tell = tell,
        .arg = &p,
    };
    hooks_arm(s, line->config);
    size_t n = spool_prune(s, &how, err);
    index_close(p.ix);
    log_note("%zu document%s%s %s%s", n, n == 1 ? "" : "s",
             how.keep_records ? "' bytes" : "",
             dry      ? "would be pruned"
             : n == 1 ? "was pruned"
                      : "were pruned",
             how.keep_records ? ", the records stay" : "");
}

static int prune_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *text = command_value(line, "done-older");
    long long age = text ? read_age(text) : 0;
    if (!age) {
        err_set(err, ERR_ARGS,
                "--done-older wants an age, as 90d (s, m, h, d or w)");
        return EXIT_ARGS;
    }
    spool_open(&spool, line->operand[0], false, err);
    if (!err_failed(err)) prune(&spool, line, age, err);
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"done-older", "AGE", "what was delivered so long ago: 90d, 12h, 6w", 0},
    {"keep-records", NULL, "only the documents' bytes go, records stay", 0},
    {"dry-run", NULL, "list what would go, and change nothing", 'n'},
    {"verbose", NULL, "list what goes", 'v'},
    {0},
};

const struct command command_prune_row = {
    .name = "prune",
    .usage = "SPOOL --done-older AGE [--keep-records] [--dry-run]",
    .summary = "throw away what has long been done and delivered",
    .help =
        "Takes documents out of done/ whose record was delivered to out/ "
        "longer ago than AGE\n(a correction delivers anew). What is not done, "
        "not delivered, in use, waits for a\nhook, or lies beside a file that "
        "is not of platen stays. A stack goes with all of its\nparts or not "
        "at all. Links in out/ are whoever's collects them, and stay.\n\n"
        "With --keep-records record.json and what persons said of it stay in "
        "done/, and only\nthe document's bytes go: platen export still gives "
        "the record, platen show cannot\ndraw the page.\n\n"
        "Killed at any moment nothing is half there, and the next prune goes "
        "on.\n\n"
        "  platen prune /srv/scans --done-older 90d --dry-run\n"
        "  platen prune /srv/scans --done-older 2w --keep-records",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = prune_command,
};
