/* command_ocr.c - platen ocr: files to plain text, by the schema `page`. */
#include <stdio.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/oneshot.h"
#include "pipeline/work/signals.h"
#include "stages/reason.h"
#include "vlm/base/log.h"

/* Pages are parted by a form feed, as pdftotext does it. */
static void print_pages(const struct document *doc, bool *first)
{
    for (int i = 0; i < doc->n_page; i++) {
        if (!*first) putchar('\f');
        *first = false;
        if (doc->page_text && doc->page_text[i])
            fputs(doc->page_text[i], stdout);
    }
}

static int ocr_command(const struct command_line *line, struct err *err)
{
    bool first = true;
    int n_failed = 0;
    signals_open();
    struct oneshot *o = oneshot_open(line->config, "page", 0, err);
    oneshot_expect(o, (size_t)line->n_operand);
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct err one = {0};
        struct document *doc = oneshot_read(o, line->operand[i], &one);
        if (doc) print_pages(doc, &first);
        if (doc && fflush(stdout) != 0)
            err_errno(err, "cannot write to stdout");
        document_free(doc);
        if (!err_failed(&one)) continue;
        n_failed++;
        if (line->n_operand == 1 || oneshot_hopeless(&one))
            *err = one;
        else
            reason_log(&one);
    }
    oneshot_close(o);
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

const struct command command_ocr_row = {
    .name = "ocr",
    .usage = "FILE... [--pages LIST]",
    .summary = "read documents as plain text",
    .help = "Prints the text of each page, line by line, with a form feed "
            "between pages.\nReads by the schema `page`, page by page.\n\n"
            "  platen ocr letter.tiff\n"
            "  platen ocr book.pdf --pages 3 | less",
    .least = 1,
    .most = -1,
    .run = ocr_command,
};
