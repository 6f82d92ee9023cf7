/* command_archive.c - platen archive: what earlier documents say of senders. */
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/spool_archive.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

struct archive_list {
    size_t n;
    bool senders; /* only their names */
};

/* The day of an id. */
static void print_day(const char *id)
{
    printf("%.4s-%.2s-%.2s", id, id + 4, id + 6);
}

static void print_row(void *arg, const struct spool_archive_row *row)
{
    struct archive_list *list = arg;
    if (!list->senders && !list->n) printf("%s\n", row->name);
    list->n++;
    if (list->senders)
        printf("%s: ", row->name);
    else
        printf("  %s: %s%s", row->key, row->text, *row->text ? ", " : "");
    printf("%lld document%s, ", row->n, row->n == 1 ? "" : "s");
    print_day(row->first);
    printf(" to ");
    print_day(row->last);
    printf("\n");
}

static void forget(struct spool_archive *a, const char *name, struct err *err)
{
    int n = spool_archive_forget(a, name, err);
    if (!err_failed(err))
        log_note("\"%s\" is forgotten: %d document%s", name, n,
                 n == 1 ? "" : "s");
}

static void show(struct spool_archive *a, const char *name, struct err *err)
{
    struct archive_list list = {.senders = !name};
    spool_archive_list(a, name, print_row, &list, err);
    if (name && !list.n && !err_failed(err))
        err_set(err, ERR_ARGS,
                "nothing is known about \"%s\"; platen archive SPOOL lists the "
                "names, platen fsck --rebuild-index reads all records again",
                name);
}

static int archive_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *forgotten = command_value(line, "forget");
    const char *name = line->n_operand > 1 ? line->operand[1] : NULL;
    if (forgotten && name)
        err_set(err, ERR_ARGS, "either NAME or --forget NAME");
    if (err_failed(err)) return EXIT_ARGS;
    spool_open(&spool, line->operand[0], false, err);
    if (!err_failed(err)) {
        struct spool_archive *a =
            spool_archive_new(&spool, line->config, false);
        if (forgotten)
            forget(a, forgotten, err);
        else
            show(a, name, err);
        spool_archive_free(a);
    }
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"forget", "NAME", "delete what is known about this sender", 0},
    {0},
};

const struct command command_archive_row = {
    .name = "archive",
    .usage = "SPOOL [NAME | --forget NAME]",
    .summary = "show or forget what earlier documents say of a sender",
    .help =
        "Lists the senders that documents were compared by (\"unique\" and "
        "\"same\" in a schema's x-platen-check), or the values of one: which, "
        "in "
        "how many documents, from when to when. A NAME fits whatever its case, "
        "accents, punctuation and company form.\n"
        "\n"
        "Known are confirmed values only: those that a person has reviewed, or "
        "that text layer, OCR or an e-invoice shows, too. They outlive platen "
        "prune. New documents are compared with them while they are read; see "
        "duplicates and examples in platen.conf(5) and the warnings duplicate "
        "and "
        "differs-from-earlier in platen-record(5).\n"
        "\n"
        "--forget deletes what is known about a sender, also of pruned "
        "documents. Documents of before are not read for it again; later ones "
        "are. It has no examples any more. Records and documents stay.\n"
        "\n"
        "With the key fleet, as for platen watch, this is what all spools that "
        "feed the fleet know.\n"
        "\n"
        "  platen archive /srv/scans\n"
        "  platen archive /srv/scans \"Kestrel Werkzeuge GmbH\"\n"
        "  platen archive /srv/scans --forget \"Kestrel Werkzeuge GmbH\"",
    .flag = flags,
    .least = 1,
    .most = 2,
    .run = archive_command,
};
