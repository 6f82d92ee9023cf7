/* command_ocr.c - platen ocr: files to plain text, with the schema `page`. */
#include <stdio.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/process/signals.h"
#include "stages/confidence/confidence.h"
#include "stages/reason.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"

enum { LINES_LISTED = 10, LINES_TEXT_MAX = 4096 };

/* Pages are separated by a form feed, as in pdftotext. */
static void print_pages(const struct document *doc, bool *first)
{
    for (int i = 0; i < doc->n_page; i++) {
        if (!*first) putchar('\f');
        *first = false;
        if (doc->page_text && doc->page_text[i])
            fputs(doc->page_text[i], stdout);
    }
}

static bool is_doubtful(const struct confidence *t, const struct field *f)
{
    return t->verdict == CONFIDENCE_UNREAD ||
           confidence_value(f, t) < t->review_threshold;
}

/* Lists on stderr which of the printed lines are doubtful. */
static void warn_of_lines(const struct document *doc, const char *path)
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
        log_warn("%s: %lld of %lld lines are doubtful (confidence below %.2f): "
                 "line %s%s%s",
                 path, n_low, n_line, t->review_threshold,
                 buf_span(&lines).data, n_low > LINES_LISTED ? " ..." : "",
                 t->verdict == CONFIDENCE_UNREAD
                     ? ". The model cannot read this document; a larger one "
                       "may help (platen model get)"
                     : "");
    buf_free(&lines);
}

static int ocr_command(const struct command_line *line, struct err *err)
{
    bool first = true;
    int n_failed = 0;
    signals_open();
    struct extract_files *o = extract_files_open(line->config, "page", 0, err);
    extract_files_expect(o, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct err one = {0};
        struct document *doc = extract_files_read(o, line->operand[i], &one);
        if (doc) print_pages(doc, &first);
        if (doc && fflush(stdout) != 0)
            err_errno(err, "cannot write to stdout");
        if (doc) warn_of_lines(doc, line->operand[i]);
        document_free(doc);
        if (!err_failed(&one)) continue;
        n_failed++;
        if (line->n_operand == 1 || extract_files_hopeless(&one))
            *err = one;
        else
            reason_log(&one);
    }
    extract_files_close(o);
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

const struct command command_ocr_row = {
    .name = "ocr",
    .usage = "FILE... [--pages LIST]",
    .summary = "read documents as plain text",
    .help = "Prints the text of each page, line by line, with a form feed "
            "between pages. Uses the\n"
            "schema `page`, page by page. A warning on stderr lists lines "
            "whose confidence is\n"
            "below review_threshold.\n"
            "\n"
            "  platen ocr letter.tiff\n"
            "  platen ocr book.pdf --pages 3 | less",
    .least = 1,
    .most = -1,
    .run = ocr_command,
};
