/* command_extract.c - platen extract: files to records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/oneshot.h"
#include "pipeline/spool/name.h"
#include "pipeline/work/signals.h"
#include "stages/reason.h"
#include "stages/record/record.h"
#include "vlm/base/json.h"
#include "vlm/base/log.h"

struct extract {
    const struct config *config;
    struct oneshot *oneshot;
    const char *out;   /* folder, or NULL: stdout */
    bool lines;        /* stdout, one record a line */
    const char **stem; /* of the files before, for names that are taken */
    int n_stem;
    struct arena *arena;
};

/* A name that no earlier file of this call has: scan, scan-2, scan-3. */
static const char *free_stem(struct extract *x, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct buf stem = buf_limit(4096);
    name_stem(!strcmp(path, "-") ? "stdin" : slash ? slash + 1 : path, &stem);
    size_t size = stem.size;
    for (int n = 2;; n++) {
        int i = 0;
        while (i < x->n_stem && strcmp(x->stem[i], buf_span(&stem).data))
            i++;
        if (i == x->n_stem) break;
        buf_cut(&stem, size);
        buf_print(&stem, "-%d", n);
    }
    const char *kept = arena_copy(x->arena, buf_span(&stem));
    buf_free(&stem);
    x->stem[x->n_stem++] = kept;
    return kept;
}

/* Seen whole or not at all. */
static void write_file(const char *path, struct span text, struct err *err)
{
    char tmp[5000];
    if (err_failed(err)) return;
    snprintf(tmp, sizeof tmp, "%s.tmp", path);
    FILE *f = fopen(tmp, "we");
    bool ok = f && fwrite(text.data, 1, text.size, f) == text.size;
    if (f) ok = fflush(f) == 0 && ok;
    if (f) ok = fsync(fileno(f)) == 0 && ok;
    if (f) ok = fclose(f) == 0 && ok;
    if (!ok || rename(tmp, path) != 0) {
        err_errno(err, "cannot write %s", path);
        err->kind = ERR_SYSTEM;
    }
}

static void print_record(struct extract *x, const struct document *doc,
                         unsigned format, struct buf *text, struct err *err)
{
    const struct engine_facts *facts = oneshot_facts(x->oneshot);
    if (err_failed(err)) return;
    if (format == FORMAT_XML) {
        record_xml(doc, facts, text, err);
    } else if (x->lines) {
        cJSON *tree = record_tree(doc, facts);
        json_print(text, tree, 0);
        buf_add_text(text, "\n");
        cJSON_Delete(tree);
    } else {
        record_json(doc, facts, text);
    }
    if (text->full)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the record is longer than record_bytes_max");
}

static void put_record(struct extract *x, const char *path,
                       const struct document *doc, struct err *err)
{
    char file[4700];
    const char *stem = x->out ? free_stem(x, path) : "";
    for (unsigned format = FORMAT_JSON; format <= FORMAT_XML; format <<= 1) {
        if (!(x->config->formats & format)) continue;
        struct buf text = buf_limit((size_t)x->config->stage.record_bytes_max);
        print_record(x, doc, format, &text, err);
        snprintf(file, sizeof file, "%.4096s/%.500s.%s", x->out ? x->out : "",
                 stem, format == FORMAT_XML ? "xml" : "json");
        if (x->out)
            write_file(file, buf_span(&text), err);
        else if (!err_failed(err))
            fwrite(text.data, 1, text.size, stdout);
        buf_free(&text);
    }
    if (!x->out && fflush(stdout) != 0)
        err_errno(err, "cannot write to stdout");
}

static int extract_files(struct extract *x, const struct command_line *line,
                         struct err *err)
{
    int n_failed = 0;
    for (int i = 0; i < line->n_operand; i++) {
        struct err one = {0};
        struct document *doc = oneshot_read(x->oneshot, line->operand[i], &one);
        if (doc) {
            put_record(x, line->operand[i], doc, &one);
            for (int w = 0; w < doc->n_warning; w++)
                log_warn("%s: %s", line->operand[i], doc->warning[w]);
        }
        document_free(doc);
        if (!err_failed(&one)) continue;
        n_failed++;
        if (line->n_operand == 1 || oneshot_hopeless(&one)) {
            *err = one;
            return EXIT_OTHER;
        }
        reason_log(&one);
    }
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

static void check_flags(struct extract *x, const struct command_line *line,
                        struct err *err)
{
    bool both = x->config->formats == (FORMAT_JSON | FORMAT_XML);
    if (x->out) {
        if (mkdir(x->out, 0777) != 0 && errno != EEXIST) {
            err_errno(err, "%s", x->out);
            err->kind = ERR_SYSTEM;
        }
        return;
    }
    if (both || (line->n_operand > 1 && x->config->formats == FORMAT_XML))
        err_set(err, ERR_ARGS,
                "only one record in one format fits on stdout: add "
                "--out DIR");
    x->lines = line->n_operand > 1;
}

static int extract_command(const struct command_line *line, struct err *err)
{
    const char *schema = command_value(line, "schema");
    struct extract x = {.config = line->config,
                        .out = command_value(line, "out"),
                        .arena = arena_new()};
    x.stem = arena_array(x.arena, (size_t)line->n_operand, sizeof *x.stem);
    if (!schema) schema = line->config->default_schema;
    if (!*schema)
        err_set(err, ERR_ARGS,
                "say what it is: --schema NAME (see platen schema list)");
    if (!err_failed(err)) check_flags(&x, line, err);
    signals_open();
    x.oneshot = oneshot_open(line->config, schema, line->config->formats, err);
    int code = EXIT_OTHER;
    if (!err_failed(err)) code = extract_files(&x, line, err);
    oneshot_close(x.oneshot);
    arena_free(x.arena);
    return code;
}

static const struct command_flag flags[] = {
    {"schema", "NAME|FILE", "what kind of document it is", 's'},
    {"out", "DIR", "write DIR/<name>.json instead of stdout", 'o'},
    {0},
};

const struct command command_extract_row = {
    .name = "extract",
    .usage = "FILE... --schema NAME [--out DIR] [--format json,xml]",
    .summary = "read documents into records",
    .help =
        "Reads each file (PDF, TIFF, JPEG, PNG, WebP; - for stdin) and prints "
        "its record.\nWith several files and no --out: one record a line "
        "(JSON Lines).\n\n"
        "  platen extract scan.pdf --schema receipt\n"
        "  platen extract *.jpg --schema invoice --out records --format "
        "json,xml\n"
        "  platen extract book.pdf --schema letter --pages 1-3,7 --dpi 200\n"
        "  platen extract scan.pdf --schema receipt --engine endpoint "
        "--endpoint URL\n\n"
        "--schema auto: the model chooses among all schemas, by their titles "
        "and\ndescriptions; one of which it is not sure fails "
        "(unclear-kind). The embedded model\ncannot.\n\n"
        "Ends with the code of the failure where there is one file, with 16 "
        "where some of\nseveral failed.",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = extract_command,
};
