/* packed_words.c - see packed_words.h. */
#include "stages/children/wire/packed_words.h"

#include <string.h>

#include "stages/document/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/utf8.h"

/* Whether a side of a box is within 0..PACKED_WORD_ONE and not empty. */
static bool is_inside(uint32_t at, uint32_t size)
{
    return size >= 1 && size <= PACKED_WORD_ONE && at <= PACKED_WORD_ONE - size;
}

bool packed_words_is_plain(const char *text)
{
    while (*text) {
        size_t n = utf8_size(text);
        const unsigned char *c = (const unsigned char *)text;
        bool control = c[0] < 0x20 || c[0] == 0x7F ||
                       (c[0] == 0xC2 && n == 2 && c[1] < 0xA0);
        if (n == 0 || control) return false;
        text += n;
    }
    return true;
}

static bool unpack_word(const struct packed_word *packed, const char *text,
                        struct arena *arena, struct word *word)
{
    double one = PACKED_WORD_ONE;
    char *own = arena_copy(arena, (struct span){text, packed->size});
    *word = (struct word){packed->x / one,
                          packed->y / one,
                          packed->w / one,
                          packed->h / one,
                          own,
                          1};
    return is_inside(packed->x, packed->w) && is_inside(packed->y, packed->h) &&
           strlen(own) == packed->size && packed_words_is_plain(own);
}

bool packed_words_unpack(const struct packed_word *packed, size_t n_word,
                         const char *text, size_t n_byte, struct arena *arena,
                         struct words *words)
{
    struct word *word = arena_array(arena, n_word, sizeof *word);
    size_t at = 0;
    *words = (struct words){.n_word = 0};
    for (size_t i = 0; i < n_word; i++) {
        size_t size = packed[i].size;
        if (size < 1 || size > n_byte - at) return false;
        if (!unpack_word(&packed[i], text + at, arena, &word[i])) return false;
        at += size;
    }
    if (at != n_byte) return false;
    words->word = word;
    words->n_word = (int)n_word;
    return true;
}
