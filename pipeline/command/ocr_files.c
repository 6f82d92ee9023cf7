/* ocr_files.c - see ocr_files.h. */
#include "pipeline/command/ocr_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/local/extract_files.h"
#include "pipeline/local/out_names.h"
#include "pipeline/process/atomic_file.h"
#include "pipeline/process/document_work.h"
#include "pipeline/process/signals.h"
#include "stages/input/identify.h"
#include "stages/reason.h"
#include "stages/record_files.h"
#include "stages/searchable/searchable.h"
#include "vlm/base/log.h"

unsigned ocr_files_format(const char *to)
{
    const struct record_file *file;
    for (size_t i = 0; (file = record_files_at(i)); i++)
        if (!strcmp(file->key, to) && file->format & FORMATS_OF_WORDS)
            return file->format;
    return 0;
}

/* --- in the process that reads the document ------------------------------- */

struct work {
    unsigned format;
    const char *path; /* of the output; NULL: stdout */
};

static void put_bytes(void *out, struct span bytes)
{
    document_work_add(out, bytes);
}

static void read_document(void *arg, struct document *doc,
                          const struct settings *settings,
                          struct document_work_output *out, struct err *err)
{
    const struct work *w = arg;
    struct buf text = buf_drained(SIZE_MAX, put_bytes, out);
    doc->want_kept_words = true;
    identify_document(doc, settings, err);
    searchable_read(doc, settings, NULL, err);
    if (w->format == FORMAT_PDF) searchable_pdf(doc, settings, &text, err);
    if (!err_failed(err) && w->format == FORMAT_HOCR)
        searchable_hocr(doc, &text);
    if (!err_failed(err) && w->format == FORMAT_ALTO)
        searchable_alto(doc, &text);
    for (int i = 0; i < doc->warnings->n; i++)
        log_warn("%s: %s", doc->name, doc->warnings->row[i].text);
    if (err_failed(err)) return;
    buf_flush(&text);
    document_work_end(out, 0);
    buf_free(&text);
}

/* --- in the command ------------------------------------------------------- */

static void take_file(void *arg, int number, struct span bytes, struct err *err)
{
    const struct work *w = arg;
    (void)number;
    if (w->path)
        atomic_file_write(w->path, bytes, err);
    else if (fwrite(bytes.data, 1, bytes.size, stdout) != bytes.size ||
             fflush(stdout) != 0)
        err_errno(err, "cannot write to stdout");
}

static void write_file(const char *path, const struct settings *settings,
                       struct work *w, struct err *err)
{
    int fd = extract_files_open_file(path, settings->max_document_bytes, err);
    const char *slash = strrchr(path, '/');
    document_work_run(&(struct document_work){.name = slash ? slash + 1 : path,
                                              .fd = fd,
                                              .settings = settings,
                                              .run = read_document,
                                              .take = take_file,
                                              .arg = w},
                      err);
    if (fd >= 0) close(fd);
    if (!err_failed(err)) return;
    if (err->page) err_context(err, "page %d", err->page);
    err_context(err, "%s", path);
}

static void check_output(const struct command_line *line, unsigned format,
                         const char *out, struct err *err)
{
    if (!out && line->n_operand > 1)
        err_set(err, ERR_ARGS,
                "several files do not fit on stdout: add --out DIR");
    else if (!out && format == FORMAT_PDF && isatty(STDOUT_FILENO))
        err_set(err, ERR_ARGS,
                "a PDF is not for a terminal: add --out DIR, or > FILE.pdf");
    else if (out && mkdir(out, 0777) != 0 && errno != EEXIST)
        err_errno(err, "%s", out);
}

int ocr_files_write(const struct command_line *line, unsigned format,
                    const char *out, struct err *err)
{
    if (err_failed(err)) return EXIT_OTHER;
    char path[4700];
    int n_failed = 0;
    struct out_names names = {.arena = arena_new()};
    check_output(line, format, out, err);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct err one = {0};
        struct work w = {format, out ? path : NULL};
        if (out)
            snprintf(path, sizeof path, "%.4096s/%.500s%s", out,
                     out_names_take(&names, line->operand[i], 0),
                     record_files_of(format)->ending);
        write_file(line->operand[i], &line->config->stage, &w, &one);
        if (!err_failed(&one)) continue;
        n_failed++;
        if (line->n_operand == 1 || extract_files_hopeless(&one))
            *err = one;
        else
            reason_log(&one);
    }
    out_names_free(&names);
    arena_free(names.arena);
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}
