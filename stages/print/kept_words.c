/* kept_words.c - see kept_words.h. */
#include "stages/print/kept_words.h"

#include "stages/page/text_lines.h"

struct kept_words *kept_words_of(struct document *doc, int index)
{
    if (!doc->want_kept_words || index < 0 || index >= doc->n_page) return NULL;
    if (!doc->kept_words)
        doc->kept_words = arena_array(doc->arena, (size_t)doc->n_page,
                                      sizeof *doc->kept_words);
    return &doc->kept_words[index];
}

/* Whether a word of the list is at the word's middle. */
static bool is_among(const struct word *word, const struct words *words)
{
    double x = word->x + word->w / 2, y = word->y + word->h / 2;
    for (int i = 0; words && i < words->n_word; i++) {
        const struct word *w = &words->word[i];
        if (x >= w->x && x <= w->x + w->w && y >= w->y && y <= w->y + w->h)
            return true;
    }
    return false;
}

/* Turns the words so that most of them are upright. */
static void turn_words(struct kept_words *kept)
{
    struct words *words = &kept->words;
    for (int i = 0; i < words->n_word; i++)
        words->word[i] = text_lines_word_back(words->word[i], 4 - words->turns);
    if (words->turns % 2 && words->aspect > 0)
        words->aspect = 1 / words->aspect;
    kept->quarter_turns = (kept->quarter_turns + words->turns) % 4;
    words->turns = 0;
}

void kept_words_set(struct document *doc, int index, const struct words *words,
                    const struct words *layer, bool has_layer)
{
    struct kept_words *kept = kept_words_of(doc, index);
    if (!kept) return;
    size_t n = (size_t)words->n_word;
    unsigned char *shown = arena_array(doc->arena, n + 1, sizeof *shown);
    kept->known = true;
    kept->has_layer = has_layer;
    kept->words = *words;
    kept->words.shown = shown;
    kept->words.word = arena_array(doc->arena, n + 1, sizeof *words->word);
    for (size_t i = 0; i < n; i++) {
        struct word *copy = &kept->words.word[i];
        *copy = words->word[i];
        copy->text = arena_copy(doc->arena, span_of(copy->text));
        shown[i] = is_among(copy, layer) ? WORD_HIDDEN : WORD_SHOWN;
    }
    if (words->turns) turn_words(kept);
}

bool kept_words_are_complete(struct document *doc)
{
    for (int i = 0; i < doc->n_page; i++) {
        const struct kept_words *kept = kept_words_of(doc, i);
        if (!kept || !kept->known) return false;
    }
    return true;
}
