/* command_ocr.c - platen ocr: files with their whole text, without a model; plain
 * text with the schema `page`, and Markdown, by models that can
 * write them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/command.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/local/out_names.h"
#include "pipeline/process/document_work.h"
#include "pipeline/process/signals.h"
#include "stages/confidence/confidence.h"
#include "stages/document/reason.h"
#include "stages/engine/engine.h"
#include "stages/input/identify.h"
#include "stages/print/kept_words.h"
#include "stages/searchable/common_words.h"
#include "stages/searchable/searchable.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"
#include "vlm/base/make_folders.h"

/* --- ocr markdown ------------------------------------------------------ */

/* Platen ocr --to markdown: pages with headings, lists and
 * tables, as the model writes them. */

enum { SHARES_TEXT_MAX = 1 << 20 };
enum { MARKDOWN = READER_CUSTOM, SHARES };

/* --- in the process that reads the document ------------------------------- */

/* The text inside a fence around all of it, or else the whole text; without
 * empty lines at its ends. */
static struct span unfenced(const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    const char *first = strchr(text, '\n');
    if (n < 8 || strncmp(text, "```", 3) != 0 || !first ||
        strncmp(text + n - 4, "\n```", 4) != 0 || text + n - 4 < first)
        return (struct span){text, n};
    return (struct span){first + 1, (size_t)(text + n - 3 - first - 1)};
}

static struct span text_of(const struct document *doc, int index)
{
    const char *text = doc->page_text ? doc->page_text[index] : NULL;
    return unfenced(text ? text : "");
}

/* A comment before each page but the first is shown by no reader of
 * Markdown. */
static void print_markdown_pages(const struct document *doc, struct buf *out)
{
    for (int i = 0; i < doc->n_page; i++) {
        struct span page = text_of(doc, i);
        if (i) buf_print(out, "\n<!-- page %d -->\n\n", doc->page[i].number);
        buf_add(out, page.data, page.size);
        if (page.size && page.data[page.size - 1] != '\n')
            buf_add_text(out, "\n");
    }
}

static void print_share(const struct document *doc, int index, struct buf *out)
{
    const struct kept_words *page = &doc->kept_words[index];
    struct span text = text_of(doc, index);
    struct common_words c = common_words_count(text, &page->words);
    buf_print(out, "page %d: ", doc->page[index].number);
    if (!c.n_page)
        buf_print(out, "no words to compare the model's %d with\n", c.n_text);
    else
        buf_print(out,
                  "%d of the model's %d words are among the %d of %s (%.0f %% "
                  "in common)\n",
                  c.n_common, c.n_text, c.n_page,
                  page->has_layer ? "the text layer" : "OCR",
                  200.0 * c.n_common / (c.n_text + c.n_page));
}

static void print_markdown(const struct document *doc, int what,
                           struct buf *out)
{
    if (what == MARKDOWN) print_markdown_pages(doc, out);
    for (int i = 0; what == SHARES && doc->kept_words && i < doc->n_page; i++)
        print_share(doc, i, out);
}

/* --- in the command ------------------------------------------------------- */

struct markdown {
    struct extract_files *files;
    const char *path; /* of the output; NULL: stdout */
    size_t text_most;
    bool only; /* only one file was given */
    int n_failed;
    struct err *err; /* ends the command */
};

static void tell_shares(struct markdown *m, struct err *err)
{
    struct buf text = buf_limit(SHARES_TEXT_MAX);
    extract_files_print(m->files, SHARES, &text, err);
    for (const char *at = buf_span(&text).data, *end;
         (end = strchr(at, '\n')) != NULL; at = end + 1)
        fprintf(stderr, "%s: %.*s\n", extract_files_place(m->files),
                (int)(end - at), at);
    buf_free(&text);
}

static void write_markdown(struct markdown *m, struct err *err)
{
    struct buf text = buf_limit(m->text_most);
    extract_files_print(m->files, MARKDOWN, &text, err);
    command_write(m->path, buf_span(&text), err);
    buf_free(&text);
}

static bool take_markdown(void *arg, int number, struct err *err)
{
    struct markdown *m = arg;
    (void)number;
    if (!err_failed(err)) write_markdown(m, err);
    if (!err_failed(err)) tell_shares(m, err);
    if (!err_failed(err)) return true;
    m->n_failed++;
    if (m->only || extract_files_hopeless(err))
        *m->err = *err;
    else
        reason_log(err);
    return false;
}

static void check(const struct command_line *line, const char *out,
                  struct err *err)
{
    if (!out && line->n_operand > 1)
        err_set(err, ERR_ARGS,
                "several files do not fit on stdout: add --out DIR");
    make_folders_one(out, err);
}

/* Writes each file of the command line, to DIR/<name>.md (`out`), or one to
 * stdout (NULL); stderr tells for each page how many words OCR has, too. Returns
 * the exit status. FAIL: ERR_ARGS for several files on stdout; as extract_files_open
 * and, for a single file, extract_files_read. */
static int ocr_markdown_write(const struct command_line *line, const char *out,
                              struct err *err)
{
    if (err_failed(err)) return EXIT_OTHER;
    char schema[4200], path[4700];
    const struct settings *settings = &line->config->stage;
    struct out_names names = {.arena = arena_new()};
    check(line, out, err);
    snprintf(schema, sizeof schema, "%.4096s/ocr/markdown.schema.json",
             settings->schemas);
    struct markdown m = {.path = out ? path : NULL,
                         .text_most = (size_t)settings->max_record_bytes,
                         .only = line->n_operand == 1,
                         .err = err};
    /* hOCR stands for the words of all pages, with which the text is
     * compared */
    if (!err_failed(err))
        m.files = extract_files_open(line->config, schema, FORMAT_HOCR, err);
    if (m.files) extract_files_own(m.files, print_markdown);
    extract_files_expect(m.files, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        if (out)
            snprintf(path, sizeof path, "%.4096s/%.500s.md", out,
                     out_names_take(&names, line->operand[i], 0));
        extract_files_read(m.files, line->operand[i], take_markdown, &m);
    }
    extract_files_close(m.files);
    out_names_free(&names);
    arena_free(names.arena);
    return m.n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

/* --- command ocr ------------------------------------------------------- */

enum { LINES_LISTED = 10, LINES_TEXT_MAX = 4096, DOUBTS_TEXT_MAX = 1 << 13 };
enum what { TEXT = READER_CUSTOM, DOUBTS };

/* --- in the process that reads the document ------------------------------- */

/* Pages are separated by a form feed, as in pdftotext. */
static void print_pages(const struct document *doc, struct buf *out)
{
    for (int i = 0; i < doc->n_page; i++) {
        if (i) buf_add_text(out, "\f");
        if (doc->page_text && doc->page_text[i])
            buf_add_text(out, doc->page_text[i]);
    }
}

static bool is_doubtful(const struct confidence *t, const struct field *f)
{
    return t->verdict == CONFIDENCE_UNREAD ||
           confidence_value(f, t) < t->review_threshold;
}

/* Lists which of the printed lines are doubtful. */
static void print_doubts(const struct document *doc, struct buf *out)
{
    const struct confidence *t = doc->trust;
    struct document_walk walk = {0};
    const struct field *field;
    struct buf lines = buf_limit(LINES_TEXT_MAX);
    long long n_low = 0, n_line = 0;
    int n = 0;
    while (t && (field = document_next_fields(doc, &walk, &n)))
        for (int i = 0; i < n; i++) {
            n_line++;
            if (!is_doubtful(t, &field[i]) || ++n_low > LINES_LISTED) continue;
            buf_print(&lines, "%s%lld (%.2f)", n_low > 1 ? ", " : "", n_line,
                      confidence_value(&field[i], t));
        }
    if (n_low)
        buf_print(out,
                  "%lld of %lld lines are doubtful (confidence below %.2f): "
                  "line %s%s%s",
                  n_low, n_line, t->review_threshold, buf_span(&lines).data,
                  n_low > LINES_LISTED ? " ..." : "",
                  t->verdict == CONFIDENCE_UNREAD
                      ? ". The model cannot read this document; a larger one "
                        "may help (platen model get)"
                      : "");
    buf_free(&lines);
}

static void print(const struct document *doc, int what, struct buf *out)
{
    if (what == TEXT)
        print_pages(doc, out);
    else
        print_doubts(doc, out);
}

/* --- in the command ------------------------------------------------------- */

struct reading {
    struct extract_files *files;
    size_t text_most;
    bool first, only; /* nothing is printed yet; only one file was given */
    int n_failed;
    struct err *err; /* ends the command */
};

static void write_bytes(void *file, struct span bytes)
{
    fwrite(bytes.data, 1, bytes.size, file);
}

static void write_text(struct reading *r, struct err *err)
{
    struct buf text = buf_drained(r->text_most, write_bytes, stdout);
    struct buf doubts = buf_limit(DOUBTS_TEXT_MAX);
    if (!r->first) putchar('\f');
    r->first = false;
    extract_files_print(r->files, TEXT, &text, err);
    buf_flush(&text);
    if (fflush(stdout) != 0) err_errno(r->err, "cannot write to stdout");
    extract_files_print(r->files, DOUBTS, &doubts, err);
    if (doubts.size)
        log_warn("%s: %s", extract_files_place(r->files),
                 buf_span(&doubts).data);
    buf_free(&text);
    buf_free(&doubts);
}

static bool take(void *arg, int number, struct err *err)
{
    struct reading *r = arg;
    (void)number;
    if (!err_failed(err)) write_text(r, err);
    if (!err_failed(err)) return true;
    r->n_failed++;
    if (r->only || extract_files_hopeless(err))
        *r->err = *err;
    else
        reason_log(err);
    return false;
}

static int print_text(const struct command_line *line, struct err *err)
{
    struct extract_files *o = extract_files_open(line->config, "page", 0, err);
    struct reading r = {.files = o,
                        .text_most =
                            (size_t)line->config->stage.max_record_bytes,
                        .first = true,
                        .only = line->n_operand == 1,
                        .err = err};
    extract_files_own(o, print);
    extract_files_expect(o, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++)
        extract_files_read(o, line->operand[i], take, &r);
    extract_files_close(o);
    return r.n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

/* --- the whole text, without a model ---------------------------------------- */

/* A value of --to. */
struct words_format {
    const char *to, *ending;
    void (*write)(struct document *doc, struct buf *out); /* NULL: a PDF */
    bool by_model; /* which can write it, the embedded one cannot */
};

/* NULL: there is none. */
static const struct words_format *format_of(const char *to)
{
    static const struct words_format table[] = {
        {"pdf", ".searchable.pdf", NULL, false},
        {"hocr", ".hocr", searchable_hocr, false},
        {"alto", ".alto.xml", searchable_alto, false},
        {"text", "", searchable_text, true},
        {"markdown", ".md", searchable_markdown, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].to, to)) return &table[i];
    return NULL;
}

struct words_work {
    const struct words_format *format;
    const char *path; /* of the output; NULL: stdout */
    bool later;       /* something is on stdout */
};

static void put_bytes(void *out, struct span bytes)
{
    document_work_add(out, bytes);
}

static void read_document(void *arg, struct document *doc,
                          const struct settings *settings,
                          struct document_work_output *out, struct err *err)
{
    const struct words_work *w = arg;
    struct buf text = buf_drained(SIZE_MAX, put_bytes, out);
    doc->want_kept_words = true;
    identify_document(doc, settings, err);
    if (!err_failed(err) && document_is_xml_invoice(doc))
        err_reason(err, ERR_INPUT, "no-pages",
                   "an e-invoice in XML has no pages; use a schema for "
                   "invoices");
    searchable_read(doc, settings, NULL, err);
    if (!w->format->write)
        searchable_pdf(doc, settings, &text, err);
    else if (!err_failed(err))
        w->format->write(doc, &text);
    for (int i = 0; i < doc->warnings->n; i++)
        log_warn("%s: %s", doc->name, doc->warnings->row[i].text);
    if (err_failed(err)) return;
    buf_flush(&text);
    document_work_end(out, 0);
    buf_free(&text);
}

static void take_file(void *arg, int number, struct span bytes, struct err *err)
{
    struct words_work *w = arg;
    (void)number;
    if (!w->path && w->later) putchar('\f');
    w->later = true;
    command_write(w->path, bytes, err);
}

static void write_file(const char *path, const struct settings *settings,
                       struct words_work *w, struct err *err)
{
    struct document_work work = {.settings = settings,
                                 .run = read_document,
                                 .take = take_file,
                                 .arg = w};
    extract_files_work(path, &work, err);
}

static void check_output(const struct command_line *line,
                         const struct words_format *format, const char *out,
                         struct err *err)
{
    if (!out && line->n_operand > 1 && *format->ending)
        err_set(err, ERR_ARGS,
                "several files do not fit on stdout: add --out DIR");
    else if (!out && !format->write && isatty(STDOUT_FILENO))
        err_set(err, ERR_ARGS,
                "a PDF is not for a terminal: add --out DIR, or > FILE.pdf");
    make_folders_one(out, err);
}

static int write_files(const struct command_line *line,
                       const struct words_format *format, const char *out,
                       struct err *err)
{
    char path[4700];
    struct words_work w = {format, out ? path : NULL, false};
    int n_failed = 0;
    struct out_names names = {.arena = arena_new()};
    check_output(line, format, out, err);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct err one = {0};
        if (out)
            snprintf(path, sizeof path, "%.4096s/%.500s%s", out,
                     out_names_take(&names, line->operand[i], 0),
                     format->ending);
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

/* --- the command ------------------------------------------------------------ */

static int ocr_command(const struct command_line *line, struct err *err)
{
    const char *to = command_value(line, "to");
    const char *out = command_value(line, "out");
    if (!to) to = "text";
    const struct words_format *format = format_of(to);
    signals_open();
    if (!format)
        err_set(err, ERR_ARGS,
                "--to: text, markdown, pdf, hocr or alto, found \"%s\"", to);
    else if (out && !*format->ending)
        err_set(err, ERR_ARGS, "--out needs --to markdown, pdf, hocr or alto");
    if (err_failed(err)) return EXIT_OTHER;
    bool embedded =
        format->by_model && engine_asks_outline(&line->config->stage, err);
    if (err_failed(err)) return EXIT_OTHER;
    if (format->by_model && !embedded)
        return strcmp(to, "text") != 0 ? ocr_markdown_write(line, out, err)
                                       : print_text(line, err);
    if (!strcmp(to, "markdown"))
        log_warn("the embedded model cannot write headings, lists and tables: "
                 "Qwen3.5 4B or larger can (platen model get 4b --use), or "
                 "--engine endpoint");
    return write_files(line, format, out, err);
}

static const struct command_flag flags[] = {
    {"to", "FORMAT", "text (default), markdown, pdf, hocr or alto", 0},
    {"out", "DIR", "write DIR/<name>.searchable.pdf (.hocr, .alto.xml, .md)",
     'o'},
    {0},
};

const struct command command_ocr_row = {
    .name = "ocr",
    .usage = "FILE... [--to text|markdown|pdf|hocr|alto] [--out DIR] "
             "[--pages LIST]",
    .summary = "read documents as text, or make them searchable",
    .flag = flags,
    .help = "Prints the text of each page, line by line, with a form feed "
            "between pages.\n"
            "\n"
            "--to pdf, hocr and alto use no model: the words are those of the "
            "file's text layer, or of OCR on pages where it is not usable. "
            "With the embedded model text and markdown are these words, too. "
            "Other models write them: text with the schema `page` (lines whose "
            "confidence is below review_threshold are listed on stderr), "
            "Markdown with headings, lists and tables (stderr tells how many "
            "of its words are those of OCR or the text layer).\n"
            "\n"
            "A PDF keeps its pages and gets invisible text where they have "
            "none; pictures become pages, a JPEG without being encoded again.\n"
            "\n"
            "  platen ocr letter.tiff\n"
            "  platen ocr book.pdf --pages 3 | less\n"
            "  platen ocr report.pdf --to markdown > report.md\n"
            "  platen ocr scan.pdf --to pdf > searchable.pdf\n"
            "  platen ocr *.jpg --to alto --out texts",
    .least = 1,
    .most = -1,
    .run = ocr_command,
};
