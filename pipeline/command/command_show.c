/* command_show.c - platen show: draws a page with its values boxed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/process/signals.h"
#include "pipeline/show/show_pages.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_names.h"
#include "stages/document/reason.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/file_map.h"

/* A record, in JSON, and its document. */
struct shown_record {
    struct span record;
    int fd, unlocked; /* as in struct document */
    const char *name;
    struct arena *arena;
};

/* The only document of done/ that `what` names. */
static const char *find_one(const struct spool *s, const char *what,
                            struct arena *arena, struct err *err)
{
    char **id = spool_named(s, SPOOL_DONE, what, arena, err);
    int n = 0;
    struct buf text = buf_limit(4096);
    while (id[n])
        buf_print(&text, " %s", id[n++]);
    if (n > 1)
        err_set(err, ERR_ARGS, "%s: %d documents have this name:%.*s", what, n,
                (int)buf_span(&text).size, buf_span(&text).data);
    buf_free(&text);
    return id[0];
}

/* Opens a document in done/ of a spool. */
static void open_spool(struct shown_record *r, const char *path,
                       const char *what, const struct settings *settings,
                       struct err *err)
{
    struct spool spool;
    spool_open(&spool, path, false, err);
    if (err_failed(err)) return;
    const char *id = find_one(&spool, what, r->arena, err);
    int folder = err_failed(err) ? -1 : spool_folder_fd(&spool, SPOOL_DONE, id);
    if (err_failed(err)) {
        spool_close(&spool);
        return;
    }
    if (folder < 0)
        err_set(err, ERR_ARGS,
                "%s has no document %s in done/ (see platen status)", path, id);
    else
        r->record = spool_read(folder, "record.json",
                               (size_t)settings->max_record_bytes, r->arena);
    if (folder >= 0) r->fd = openat(folder, "doc", O_RDONLY | O_CLOEXEC);
    if (folder >= 0)
        r->unlocked = openat(folder, SPOOL_UNLOCKED, O_RDONLY | O_CLOEXEC);
    if (!err_failed(err) && !r->record.size)
        err_set(err, ERR_ARGS, "done/%s has no complete record.json", id);
    else if (!err_failed(err) && r->fd < 0)
        err_reason(err, ERR_INPUT, "unreadable", "done/%s has no doc", id);
    if (folder >= 0) close(folder);
    spool_close(&spool);
    r->name = arena_text(r->arena, "done/%s/doc", id);
}

/* Looks for the document of a record: in the record's folder, by its name or as
 * `doc`; in done/ of the spool whose out/ has the record; in the current
 * folder; in the record's parent folder. Its SHA-256 is compared later. */
static const char *find_document(const struct shown_record *r,
                                 const struct show_pages_source *source,
                                 const char *path)
{
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path + 1) : 0;
    const char *id = source->id, *name = source->name;
    bool named = *name, known = *id;
    const struct {
        bool usable;
        const char *path;
    } place[] = {
        {named, arena_text(r->arena, "%.*s%s", n, path, name)},
        {known, arena_text(r->arena, "%.*sdoc", n, path)},
        {known, arena_text(r->arena, "%.*s../../done/%s/doc", n, path, id)},
        {known, arena_text(r->arena, "%.*s../done/%s/doc", n, path, id)},
        {named, name},
        {named, arena_text(r->arena, "%.*s../%s", n, path, name)},
    };
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        if (place[i].usable && access(place[i].path, F_OK) == 0)
            return place[i].path;
    return NULL;
}

static void open_record(struct shown_record *r, const char *path,
                        const char *document, const struct settings *settings,
                        struct err *err)
{
    r->record =
        file_map_read(path, (size_t)settings->max_record_bytes, r->arena, err);
    if (err_failed(err)) return;
    struct show_pages_source source =
        show_pages_source(r->record, settings, r->arena, err);
    err_context(err, "%s is not one record in JSON", path);
    if (err_failed(err)) return;
    r->name = document ? document : find_document(r, &source, path);
    if (!r->name) {
        const char *name = source.name;
        err_reason(err, ERR_INPUT, "unreadable",
                   "the document of this record (%.200s) was not found: platen "
                   "show %s --document FILE",
                   *name ? name : "no name", path);
        return;
    }
    r->fd = extract_files_open_file(r->name, settings->max_document_bytes, err);
    err_context(err, "%s", r->name);
}

static void write_picture(void *arg, int page, struct span png, struct err *err)
{
    (void)page;
    command_write(arg, png, err);
}

static void draw_record(const struct shown_record *r, const char *out, int page,
                        const struct settings *settings, struct err *err)
{
    struct show_pages s = {.record = r->record,
                           .fd = r->fd,
                           .unlocked = r->unlocked,
                           .name = r->name,
                           .settings = settings,
                           .take = write_picture,
                           .arg = (void *)out};
    show_pages_draw(&s, page ? page : SHOW_PAGES_FIRST, err);
}

static int show_command(const struct command_line *line, struct err *err)
{
    const struct settings *settings = &line->config->stage;
    const char *out = command_value(line, "output");
    const char *document = command_value(line, "document");
    struct shown_record r = {.fd = -1, .arena = arena_new()};
    int page = command_number(line, "page", 1000000, 0, err);
    if (!out && isatty(STDOUT_FILENO) && !err_failed(err))
        err_set(err, ERR_ARGS, "the picture is a PNG file: add -o FILE");
    if (document && line->n_operand == 2 && !err_failed(err))
        err_set(err, ERR_ARGS,
                "--document cannot be used with a spool, which has its "
                "documents");
    signals_open();
    if (!err_failed(err) && line->n_operand == 2)
        open_spool(&r, line->operand[0], line->operand[1], settings, err);
    else if (!err_failed(err))
        open_record(&r, line->operand[0], document, settings, err);
    draw_record(&r, out, page, settings, err);
    if (r.fd >= 0) close(r.fd);
    if (r.unlocked > 0) close(r.unlocked);
    arena_free(r.arena);
    return err_failed(err) ? EXIT_OTHER : EXIT_OK;
}

static const struct command_flag flags[] = {
    {"output", "FILE", "the picture (default: stdout)", 'o'},
    {"page", "N", "the page (default: the record's first)", 0},
    {"document", "FILE", "the record's document, if it is not found", 0},
    {0},
};

const struct command command_show_row = {
    .name = "show",
    .usage = "RECORD|SPOOL ID|NAME [--page N] [-o page.png]",
    .summary = "draw a page with a box around each value",
    .help = "Draws a page of a record's document with a box around each value "
            "and the value in the margin.\n"
            "\n"
            "  green, tick             confirmed by OCR, or confidence of\n"
            "                          review_threshold or more\n"
            "  orange, question mark   confidence below review_threshold, a "
            "warning, or several\n"
            "                          possible places\n"
            "  red, cross              OCR read something else\n"
            "\n"
            "Values without a known place are listed below the page.\n"
            "\n"
            "A document in a spool is named by its id, its file name or a "
            "pattern that fits one.\n"
            "\n"
            "RECORD is one record in a JSON file. Its document is looked for "
            "by name in the folder of the record, one folder up and in the "
            "current folder, and in the spool if the record is in its out/ or "
            "done/. Its SHA-256 must be that of the record.\n"
            "\n"
            "  platen show records/scan.json --document scan.pdf -o scan.png\n"
            "  platen show spool 20261122T080110Z-7481aa2ca3febe3f --page 2 -o "
            "page2.png\n"
            "  platen extract scan.pdf --schema receipt --out records --show "
            "pictures",
    .flag = flags,
    .least = 1,
    .most = 2,
    .run = show_command,
};
