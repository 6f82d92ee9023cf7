/* hidden_text.c - see hidden_text.h. */
#include "stages/print/hidden_text.h"

#include <stdlib.h>
#include <string.h>

#include "stages/print/fold.h"
#include "vlm/base/buf.h"
#include "vlm/base/utf8.h"

enum { SHOWN_MAX = 80 /* bytes of hidden text */ };

static int by_text(const void *a, const void *b)
{
    const char *const *one = a, *const *two = b;
    return strcmp(*one, *two);
}

/* The letters and digits of each visible word, sorted. */
static const char **visible_texts(const struct words *layer, size_t *n,
                                  struct arena *arena)
{
    const char **text =
        arena_array(arena, (size_t)layer->n_word + 1, sizeof *text);
    *n = 0;
    for (int i = 0; i < layer->n_word; i++)
        if (!words_is_hidden(layer, i))
            text[(*n)++] = fold_text(layer->word[i].text, arena).byte;
    qsort(text, *n, sizeof *text, by_text);
    return text;
}

/* Whether it is part of what TCPDF adds, hidden, to every file that it
 * writes. */
static bool is_mark(const char *text)
{
    static const char *const mark[] = {"Powered", "by", "TCPDF",
                                       "(www.tcpdf.org)"};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (!strcmp(text, mark[i])) return true;
    return false;
}

/* Appends a word, cut at SHOWN_MAX. */
static void show(struct buf *out, const char *text)
{
    if (out->size > SHOWN_MAX) return;
    if (out->size) buf_add_text(out, " ");
    while (*text && out->size <= SHOWN_MAX) {
        size_t n = utf8_size(text);
        buf_add(out, text, n ? n : 1);
        text += n ? n : 1;
    }
    if (out->size > SHOWN_MAX) buf_add_text(out, "...");
}

void hidden_text_warn(struct document *doc, int number,
                      const struct words *layer)
{
    struct arena *arena = arena_new();
    struct buf hidden = buf_limit(2 * SHOWN_MAX);
    size_t n;
    const char **visible = visible_texts(layer, &n, arena);
    for (int i = 0; i < layer->n_word && hidden.size <= SHOWN_MAX; i++) {
        if (!words_is_hidden(layer, i) || is_mark(layer->word[i].text))
            continue;
        const char *text = fold_text(layer->word[i].text, arena).byte;
        if (*text && !bsearch(&text, visible, n, sizeof text, by_text))
            show(&hidden, layer->word[i].text);
    }
    if (hidden.size)
        document_warn(
            doc, &(struct warning){.code = WARN_HIDDEN_TEXT, .page = number},
            "page %d: text that the page does not show was not used: %.*s",
            number, (int)hidden.size, hidden.data);
    buf_free(&hidden);
    arena_free(arena);
}
