/* common_words.c - see common_words.h. */
#include "stages/searchable/common_words.h"

#include <stdlib.h>
#include <string.h>

#include "stages/print/fold.h"
#include "vlm/base/sort.h"

struct folded_words {
    const char **word;
    int n;
};

/* Adds the word's letters and digits; nothing if it has none. */
static void add(struct folded_words *list, const char *word,
                struct arena *arena)
{
    const char *folded = fold_text(word, arena).byte;
    if (!*folded) return;
    *MEM_ADD(list->word, list->n) = folded;
}

static void add_text(struct folded_words *list, const char *text,
                     struct arena *arena)
{
    static const char between[] = " \t\r\n|<>*_`#";
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t n = strcspn(text, between);
        add(list, arena_copy(arena, (struct span){text, n}), arena);
        text += n;
    }
}

static void sort(struct folded_words *list)
{
    if (list->n)
        qsort(list->word, (size_t)list->n, sizeof *list->word, sort_by_text);
}

struct common_words common_words_count(struct span text,
                                       const struct words *page)
{
    struct arena *arena = arena_new();
    struct folded_words a = {NULL, 0}, b = {NULL, 0};
    add_text(&a, arena_copy(arena, text), arena);
    for (int i = 0; i < page->n_word; i++)
        add_text(&b, page->word[i].text, arena);
    sort(&a);
    sort(&b);
    struct common_words out = {.n_text = a.n, .n_page = b.n};
    for (int i = 0, k = 0; i < a.n && k < b.n;) {
        int order = strcmp(a.word[i], b.word[k]);
        out.n_common += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    mem_free(a.word);
    mem_free(b.word);
    arena_free(arena);
    return out;
}
