/* searchable_text.c - plain text and Markdown, see searchable.h. */
#include <string.h>

#include "stages/document/words_line.h"
#include "stages/print/kept_words.h"
#include "stages/searchable/searchable.h"

static void add_plain(struct buf *out, const char *word)
{
    buf_add_text(out, word);
}

/* What would be a mark of Markdown, also at the start of a line, is none. */
static void add_escaped(struct buf *out, const char *word)
{
    static const char marks[] = "\\`*_{}[]<>#|~+-";
    for (; *word; word++) {
        if (strchr(marks, *word)) buf_add(out, "\\", 1);
        buf_add(out, word, 1);
    }
}

static void add_page(struct buf *out, const struct words *words,
                     void (*add)(struct buf *out, const char *word),
                     const char *line_end)
{
    for (int i = 0, to = 0; i < words->n_word; i++) {
        if (i == to) to = words_line_end(words, i);
        add(out, words->word[i].text);
        buf_add_text(out, i + 1 < to ? " " : line_end);
    }
}

void searchable_text(struct document *doc, struct buf *out)
{
    for (int i = 0; i < doc->n_page; i++) {
        if (i) buf_add_text(out, "\f");
        add_page(out, &kept_words_of(doc, i)->words, add_plain, "\n");
    }
}

void searchable_markdown(struct document *doc, struct buf *out)
{
    for (int i = 0; i < doc->n_page; i++) {
        if (i) buf_print(out, "\n<!-- page %d -->\n\n", doc->page[i].number);
        add_page(out, &kept_words_of(doc, i)->words, add_escaped, "  \n");
    }
}
