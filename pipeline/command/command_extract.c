/* command_extract.c - platen extract: files to records. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/local/out_names.h"
#include "pipeline/process/signals.h"
#include "pipeline/show/show_pages.h"
#include "stages/document/reason.h"
#include "stages/document/record_files.h"
#include "stages/input/split.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/log.h"
#include "vlm/base/make_folders.h"
#include "vlm/json/json.h"

enum { WARNINGS_BYTES_MAX = 1 << 22 };

struct extract {
    const struct config *config;
    struct extract_files *files;
    const char *out;  /* folder, or NULL: stdout */
    const char *show; /* folder for pictures of pages, or NULL */
    bool lines;       /* JSON Lines: one record per line on stdout */
    bool split;       /* one of the files can be a stack */
    struct out_names names;
    const char *path; /* the present file */
    int n_failed;
    bool single;      /* only one file was given */
    bool wants_check; /* n_review is wanted */
    bool quiet;       /* no warnings */
    int n_review;     /* records that a person should check */
    struct err *err;
};

static void write_bytes(void *file, struct span bytes)
{
    fwrite(bytes.data, 1, bytes.size, file);
}

static void print_record(struct extract *x, unsigned format, struct buf *text,
                         struct err *err)
{
    int what =
        x->lines && format == FORMAT_JSON ? READER_JSON_LINE : (int)format;
    extract_files_print(x->files, what, text, err);
    if (text->full)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the record is longer than max_record_bytes");
}

/* The file appears complete or not at all; a PDF that cannot be made is
 * empty, and a warning. */
static void write_file(struct extract *x, unsigned format, const char *path,
                       struct err *err)
{
    struct atomic_file file;
    atomic_file_begin(&file, path, err);
    struct buf text =
        buf_drained(reader_print_most(&x->config->stage, (int)format),
                    write_bytes, file.file);
    if (!err_failed(err)) print_record(x, format, &text, err);
    if (!err_failed(err)) buf_flush(&text);
    buf_free(&text);
    if (!err_failed(err) && file.file && ftello(file.file) == 0)
        atomic_file_drop(&file);
    atomic_file_end(&file, err);
}

/* Only when the record is complete: no part of one that fails is on stdout. */
static void write_stdout(struct extract *x, unsigned format, struct err *err)
{
    struct buf text =
        buf_limit(reader_print_most(&x->config->stage, (int)format));
    print_record(x, format, &text, err);
    if (!err_failed(err)) write_bytes(stdout, buf_span(&text));
    buf_free(&text);
    if (fflush(stdout) != 0) err_errno(err, "cannot write to stdout");
}

/* Where the pictures of a document go. */
struct pictures {
    const char *folder, *stem;
};

static void write_picture(void *arg, int page, struct span png, struct err *err)
{
    const struct pictures *p = arg;
    char file[4700];
    snprintf(file, sizeof file, "%.4096s/%.500s.page%d.png", p->folder, p->stem,
             page);
    atomic_file_write(file, png, err);
}

/* Draws the pages with their values, from the file. The record is written
 * already. */
static void write_pictures(struct extract *x, const char *stem, struct err *err)
{
    const struct settings *settings = &x->config->stage;
    struct pictures where = {x->show, stem};
    struct buf text = buf_limit((size_t)settings->max_record_bytes);
    if (err_failed(err)) return;
    extract_files_print(x->files, READER_JSON_LINE, &text, err);
    int fd =
        extract_files_open_file(x->path, settings->max_document_bytes, err);
    struct show_pages s = {.record = buf_span(&text),
                           .fd = fd,
                           .name = x->path,
                           .settings = settings,
                           .take = write_picture,
                           .arg = &where};
    show_pages_draw(&s, SHOW_PAGES_WITH_VALUES, err);
    err_context(err, "its record was written, but not all pictures");
    if (fd >= 0) close(fd);
    buf_free(&text);
}

static void write_record(struct extract *x, int number, struct err *err)
{
    char file[4700];
    const char *stem =
        x->out || x->show ? out_names_take(&x->names, x->path, number) : "";
    const struct record_file *row;
    for (size_t i = 0; (row = record_files_at(i)); i++) {
        if (!(x->config->formats & row->format)) continue;
        snprintf(file, sizeof file, "%.4096s/%.500s%s", x->out ? x->out : "",
                 stem, row->ending);
        if (x->out)
            write_file(x, row->format, file, err);
        else
            write_stdout(x, row->format, err);
    }
    if (x->show) write_pictures(x, stem, err);
}

/* Also if the record could not be written. */
static void show_warnings(const struct extract *x)
{
    struct err none = {0};
    if (x->quiet) return;
    struct buf text = buf_limit(WARNINGS_BYTES_MAX);
    extract_files_print(x->files, READER_WARNINGS, &text, &none);
    for (const char *at = buf_span(&text).data, *end;
         (end = strchr(at, '\n')) != NULL; at = end + 1)
        log_warn("%s: %.*s", extract_files_place(x->files), (int)(end - at),
                 at);
    buf_free(&text);
}

/* Counts a record that a person should check. */
static void count_review(struct extract *x, struct err *err)
{
    struct buf text = buf_limit((size_t)x->config->stage.max_record_bytes);
    if (!x->wants_check || err_failed(err)) return;
    extract_files_print(x->files, READER_JSON_LINE, &text, err);
    cJSON *record = err_failed(err) ? NULL : json_parse(buf_span(&text), err);
    x->n_review += cJSON_IsTrue(json_get(record, "review"));
    cJSON_Delete(record);
    buf_free(&text);
}

/* A document that was read, unless err says why it was not. False: stop. */
static bool handle_document(void *arg, int number, struct err *err)
{
    struct extract *x = arg;
    bool read = !err_failed(err);
    if (read) write_record(x, number, err);
    if (read) count_review(x, err);
    if (read) show_warnings(x);
    if (!err_failed(err)) return true;
    x->n_failed++;
    if ((x->single && !number) || extract_files_hopeless(err))
        *x->err = *err;
    else
        reason_log(err);
    return !err_failed(x->err);
}

static void extract_file(struct extract *x)
{
    if (split_is_wanted(&x->config->stage, x->path))
        extract_files_read_each(x->files, x->path, handle_document, x);
    else
        extract_files_read(x->files, x->path, handle_document, x);
}

static int extract_files(struct extract *x, const struct command_line *line)
{
    x->single = line->n_operand == 1;
    extract_files_expect(x->files, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(x->err); i++) {
        x->path = line->operand[i];
        extract_file(x);
    }
    return err_failed(x->err) ? EXIT_OTHER
           : x->n_failed      ? EXIT_SOME_FAILED
           : x->n_review      ? EXIT_REVIEW
                              : EXIT_OK;
}

static void check_show(const struct extract *x, const struct command_line *line,
                       struct err *err)
{
    for (int i = 0; x->show && i < line->n_operand && !err_failed(err); i++)
        if (!strcmp(line->operand[i], "-"))
            err_set(err, ERR_ARGS,
                    "--show needs to read the document twice, which stdin does "
                    "not allow: name a file");
    make_folders_one(x->show, err);
}

/* A record in XML must not replace an e-invoice of its name. */
static void check_out(const struct extract *x, const struct command_line *line,
                      struct err *err)
{
    struct stat out, folder;
    if (!x->out || !(x->config->formats & FORMAT_XML) || stat(x->out, &out))
        return;
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        const char *path = line->operand[i], *slash = strrchr(path, '/');
        size_t n = strlen(path);
        if (n < 4 || strcasecmp(path + n - 4, ".xml") != 0) continue;
        const char *own = ".";
        if (slash)
            own = arena_text(x->names.arena, "%.*s", (int)(slash - path) + 1,
                             path);
        if (!stat(own, &folder) && folder.st_dev == out.st_dev &&
            folder.st_ino == out.st_ino)
            err_set(err, ERR_ARGS,
                    "--out %s has %s, which a record in XML could replace: "
                    "choose another folder",
                    x->out, path);
    }
}

static void check_flags(struct extract *x, const struct command_line *line,
                        struct err *err)
{
    unsigned formats = x->config->formats;
    bool both = formats & (formats - 1); /* more than one */
    check_show(x, line, err);
    make_folders_one(x->out, err);
    check_out(x, line, err);
    if (x->out || err_failed(err)) return;
    bool several = line->n_operand > 1 || x->split;
    if (both || (several && formats != FORMAT_JSON))
        err_set(err, ERR_ARGS,
                "several records in %s, or in two formats, do not fit on "
                "stdout: add --out DIR",
                formats & FORMAT_XML ? "XML" : "another format than JSON");
    x->lines = several;
}

static int extract_command(const struct command_line *line, struct err *err)
{
    const char *schema = command_value(line, "schema");
    struct extract x = {.config = line->config,
                        .out = command_value(line, "out"),
                        .show = command_value(line, "show"),
                        .wants_check =
                            command_value(line, "exit-review") != NULL,
                        .quiet = command_value(line, "quiet") != NULL,
                        .names.arena = arena_new(),
                        .err = err};
    for (int i = 0; i < line->n_operand; i++)
        x.split |= split_is_wanted(&line->config->stage, line->operand[i]);
    if (!schema) schema = line->config->default_schema;
    if (!*schema)
        err_set(err, ERR_ARGS,
                "which schema? Add --schema NAME (see platen schema list)");
    if (!err_failed(err)) check_flags(&x, line, err);
    signals_open();
    x.files =
        extract_files_open(line->config, schema, line->config->formats, err);
    int code = EXIT_OTHER;
    if (!err_failed(err)) code = extract_files(&x, line);
    extract_files_close(x.files);
    arena_free(x.names.arena);
    out_names_free(&x.names);
    return code;
}

static const struct command_flag flags[] = {
    {"schema", "NAME|FILE", "the schema of the documents", 's'},
    {"out", "DIR", "write DIR/<name>.json (.xml, ...) instead of stdout", 'o'},
    {"show", "DIR", "write pictures of pages with boxes, DIR/<name>.page1.png",
     0},
    {"exit-review", NULL, "exit with 18 if a record needs review", 0},
    {"quiet", NULL, "failures only: warnings stay in the record", 'q'},
    {0},
};

const struct command command_extract_row = {
    .name = "extract",
    .usage =
        "FILE... --schema NAME [--out DIR] [--show DIR] [--format json,xml]",
    .summary = "read documents into records",
    .help =
        "Reads each file (PDF, TIFF, JPEG, PNG, WebP, HEIC, AVIF, JPEG 2000, "
        "BMP, GIF, PNM, e-invoice in XML; - for stdin) and prints its record; "
        "of an e-mail (.eml) the attached files. With several files and "
        "without --out: one record per line (JSON Lines).\n"
        "\n"
        "  platen extract scan.pdf --schema receipt\n"
        "  platen extract *.jpg --schema invoice --out records --format "
        "json,xml\n"
        "  platen extract book.pdf --schema letter --pages 1-3,7 --dpi 200\n"
        "  platen extract scan.pdf --schema receipt --engine endpoint "
        "--endpoint URL\n"
        "  platen extract stack.pdf --schema letter --split barcode --out "
        "records\n"
        "\n"
        "--format pdf, hocr or alto writes the whole text: see platen ocr "
        "--to.\n"
        "\n"
        "--show DIR: pictures of the pages with a box around each value and "
        "the value in the margin (see platen show --help).\n"
        "\n"
        "--schema auto: the model chooses among all schemas by their titles "
        "and descriptions; if it is not sure the document fails "
        "(unclear-schema). The embedded model cannot choose.\n"
        "\n"
        "Exits with the code of the failure for one file, with 16 if some of "
        "several files, or of the documents of a batch, failed. --exit-review: "
        "with 18 if none failed, but a record needs review (its member review "
        "is true).",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = extract_command,
};
