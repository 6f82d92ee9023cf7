/* ocr_markdown.c - see ocr_markdown.h. */
#include "pipeline/command/ocr_markdown.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/local/extract_files.h"
#include "pipeline/local/out_names.h"
#include "stages/document/reason.h"
#include "stages/print/kept_words.h"
#include "stages/searchable/common_words.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"
#include "vlm/base/make_folders.h"

enum { SHARES_TEXT_MAX = 1 << 20 };
enum what { TEXT = READER_CUSTOM, SHARES };

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
static void print_pages(const struct document *doc, struct buf *out)
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

static void print(const struct document *doc, int what, struct buf *out)
{
    if (what == TEXT) print_pages(doc, out);
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

static void write_text(struct markdown *m, struct err *err)
{
    struct buf text = buf_limit(m->text_most);
    extract_files_print(m->files, TEXT, &text, err);
    command_write(m->path, buf_span(&text), err);
    buf_free(&text);
}

static bool take(void *arg, int number, struct err *err)
{
    struct markdown *m = arg;
    (void)number;
    if (!err_failed(err)) write_text(m, err);
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

int ocr_markdown_write(const struct command_line *line, const char *out,
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
    if (m.files) extract_files_own(m.files, print);
    extract_files_expect(m.files, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        if (out)
            snprintf(path, sizeof path, "%.4096s/%.500s.md", out,
                     out_names_take(&names, line->operand[i], 0));
        extract_files_read(m.files, line->operand[i], take, &m);
    }
    extract_files_close(m.files);
    out_names_free(&names);
    arena_free(names.arena);
    return m.n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}
