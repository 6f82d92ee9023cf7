/* command_review.c - platen review: a web page for checking doubtful values. */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/server_flags.h"
#include "pipeline/config/config.h"
#include "pipeline/process/signals.h"
#include "pipeline/review/label_studio/label_studio_import.h"
#include "pipeline/supervisor/hooks.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

/* Imports a Label Studio export as corrections, without serving a page. */
static int import_file(struct spool *spool, const struct config *config,
                       const char *path, struct err *err)
{
    struct studio_counts n;
    label_studio_import_file(spool, config, path, &n, err);
    if (err_failed(err)) return EXIT_OTHER;
    printf("%d documents imported, %d values changed, %d documents skipped "
           "(corrected later), %d tasks without an annotation\n",
           n.n_document, n.n_change, n.n_behind, n.n_skipped);
    return n.n_behind ? EXIT_SOME_FAILED : EXIT_OK;
}

static int import_command(const struct command_line *line, const char *path,
                          struct err *err)
{
    struct spool spool;
    signals_open();
    spool_open(&spool, line->operand[0], false, err);
    hooks_arm(&spool, line->config);
    int code = import_file(&spool, line->config, path, err);
    bool unsure = spool.unsure;
    spool_close(&spool);
    if (!unsure) return code;
    reason_log(err);
    *err = (struct err){0};
    return EXIT_ENVIRONMENT;
}

static int review_command(const struct command_line *line, struct err *err)
{
    const char *import = command_value(line, "import");
    return import ? import_command(line, import, err)
                  : server_flags_serve(line, false, err);
}

static const struct command_flag flags[] = {
    SERVER_FLAGS,
    {"import", "FILE", "import a Label Studio export, and exit", 0},
    {0},
};

const struct command command_review_row = {
    .name = "review",
    .usage = "SPOOL " SERVER_FLAGS_USAGE " | SPOOL --import FILE",
    .summary = "serve a web page for checking doubtful values",
    .help =
        "Prints an address on this machine and serves a web page there until "
        "it is stopped: values that need review, the least certain first, each "
        "next to its place on the page. Enter accepts and goes to the next "
        "value; typing changes it; F2 means not on the page (null); clicking a "
        "word inserts it; ? shows all keys. Amounts and dates may be typed as "
        "people write them (4.137,60; 13 April 2025). Failed documents can be "
        "retried or filled in by hand. The list can be searched.\n"
        "\n"
        "Each correction is in done/ID/review.jsonl, on disk, before the page "
        "shows \"saved\"; record.json never changes. platen export and out/ "
        "give the corrected record.\n"
        "\n"
        "The address contains a secret, new at each start: anyone who has it "
        "can change records as you. The server listens on 127.0.0.1 only. From "
        "other machines use ssh (below), or let it listen on another address: "
        "this needs a certificate and its key, and a file of users, NAME:HASH "
        "per line (mkpasswd -m yescrypt, or openssl passwd -6), not readable "
        "by others. Browsers ask for user name and password; the name is "
        "stored with each correction.\n"
        "\n"
        "With --import FILE nothing is served: FILE is a JSON export of Label "
        "Studio with the tasks of platen export --to ls. It is checked "
        "completely, against the schemas, before anything is stored; a bad "
        "file changes nothing. Later corrections are kept and listed, and the "
        "exit status is 16. Values left unchanged count as confirmed.\n"
        "\n"
        "  platen review spool --port 8017\n"
        "  ssh -L 8017:127.0.0.1:8017 HOST    # and open the address there",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = review_command,
};
