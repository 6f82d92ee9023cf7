/* command_fsck.c - platen fsck: checks the integrity of a spool. */
#include <stdio.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/fsck.h"
#include "pipeline/spool/spool_archive.h"
#include "pipeline/spool/spool_index.h"
#include "stages/document/reason.h"

static void print_finding(void *arg, bool fault, const char *line)
{
    (void)arg;
    printf("%s: %s\n", fault ? "fault" : "note", line);
}

static bool rebuild(struct spool *s, const struct config *config)
{
    struct err err = {0};
    struct spool_index *index = spool_index_open(s, true);
    struct spool_archive *archive = spool_archive_new(s, config, false);
    spool_archive_rebuild(archive, &err);
    printf("index.db %s\n", index ? "was rebuilt" : "could not be rebuilt");
    printf("%s %s%s\n",
           *config->fleet ? "its part of the fleet's archive" : "archive.db",
           err_failed(&err) ? "could not be rebuilt: " : "was rebuilt",
           err.text);
    spool_archive_free(archive);
    spool_index_close(index);
    return index && !err_failed(&err);
}

static int fsck_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    int code = EXIT_OTHER;
    bool quick = command_value(line, "quick") != NULL;
    spool_open(&spool, line->operand[0], false, err);
    spool.flat = !line->config->recursive;
    spool.ignore = line->config->ignore;
    if (!err_failed(err)) {
        struct fsck_result r =
            fsck_spool(&spool, (size_t)line->config->stage.max_record_bytes,
                       quick, print_finding, NULL, err);
        bool unread = r.n_unread && r.n_unread == r.n_fault;
        if (r.n_nested)
            printf("%zu file%s in nested folders of in/, which are not read\n",
                   r.n_nested, r.n_nested == 1 ? " is" : "s are");
        printf("in %zu, work %zu, done %zu, failed %zu, undelivered %zu: %s "
               "(%zu faults, %zu notes)\n",
               r.n_in, r.n_work, r.n_done, r.n_failed, r.n_undelivered,
               unread      ? "not verified"
               : r.n_fault ? "damaged"
               : quick     ? "clean, but documents were not read"
                           : "clean",
               r.n_fault, r.n_foreign);
        code = unread ? EXIT_ACCESS : r.n_fault ? EXIT_OUTPUT : EXIT_OK;
        if (command_value(line, "rebuild-index") &&
            !rebuild(&spool, line->config) && code == EXIT_OK)
            code = EXIT_ACCESS;
    }
    spool_close(&spool);
    return code;
}

static const struct command_flag flags[] = {
    {"quick", NULL, "do not read the documents (no SHA-256)", 0},
    {"rebuild-index", NULL,
     "rebuild index.db and archive.db (or its part of the fleet's archive) "
     "from "
     "the folders",
     0},
    {0},
};

const struct command command_fsck_row = {
    .name = "fsck",
    .usage = "SPOOL [--quick] [--rebuild-index]",
    .summary = "check the integrity of a spool",
    .help =
        "Checks that each document is in exactly one place, that documents in "
        "done/ have a complete record bound to their bytes (SHA-256), and that "
        "those in failed/ have a reason with a known code. It reads every "
        "document completely and repairs nothing: the next run repairs what "
        "can be repaired. It can run while platen watch does: a suspected "
        "fault is checked again before it is reported. Foreign files, "
        "unfinished work of a crash, and undelivered records are notes.\n"
        "\n"
        "--quick checks everything but the bytes of the documents: for a "
        "routine look at a spool of many large files. It cannot see that a "
        "document was changed.\n"
        "\n"
        "Exits with 0 (clean), 4 (faults, one line each) or 5 (a folder cannot "
        "be read, so the result is incomplete).",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = fsck_command,
};
