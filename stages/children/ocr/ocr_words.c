/* ocr_words.c - see ocr_words.h. */
#include "stages/children/ocr/ocr_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/children/wire/ocr_protocol.h"
#include "vlm/base/arena.h"

/* Scales `from` to `from + size` of `side` pixels to PACKED_WORD_ONE-ths. */
static void scale_side(double from, double size, int side, uint32_t *at,
                       uint32_t *length)
{
    double one = PACKED_WORD_ONE;
    double first = fmin(fmax(floor(from * one / side), 0), one - 1);
    double last = fmin(fmax(ceil((from + size) * one / side), first + 1), one);
    *at = (uint32_t)first;
    *length = (uint32_t)(last - first);
}

/* Copies the text that is kept; returns its size. */
static size_t squeeze(const char *text, char *out)
{
    char *to = out;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == 0xC2 && at[1] >= 0x80 && at[1] <= 0xA0)
            at++;
        else if (*at > 0x20 && *at != 0x7F)
            *to++ = (char)*at;
    }
    while (to - out > 3 && !memcmp(to - 3, "\xE2\x80", 2) &&
           (to[-1] == '\x8C' || to[-1] == '\x8D'))
        to -= 3;
    return (size_t)(to - out);
}

void ocr_words_add(struct ocr_result *r, const struct ocr_place *place,
                   const char *text, double sure)
{
    size_t most = strlen(text);
    if (most == 0) return;
    if (r->n_word == PACKED_WORDS_MAX || r->n_byte + most > PACKED_TEXT_MAX)
        r->cut = true;
    if (r->cut) return;
    r->byte = mem_room(r->byte, r->n_byte, most, 1);
    size_t size = squeeze(text, r->byte + r->n_byte);
    if (size == 0) return;
    r->sure = mem_room(r->sure, r->n_word, 1, 1);
    r->sure[r->n_word] = (uint8_t)fmin(fmax(sure, 0), 100);
    struct packed_word *word = MEM_ADD(r->word, r->n_word);
    scale_side(place->x, place->w, place->width, &word->x, &word->w);
    scale_side(place->y, place->h, place->height, &word->y, &word->h);
    word->size = (uint32_t)size;
    r->n_byte += word->size;
}

void ocr_words_turn_back(struct ocr_result *r, uint32_t quarters)
{
    for (uint32_t i = 0; i < r->n_word; i++)
        for (uint32_t q = 0; q < quarters; q++) {
            struct packed_word *w = &r->word[i], was = *w;
            w->x = was.y;
            w->y = PACKED_WORD_ONE - was.x - was.w;
            w->w = was.h;
            w->h = was.w;
        }
    r->turns = quarters;
}

void ocr_words_free(struct ocr_result *r)
{
    mem_free(r->word);
    mem_free(r->sure);
    mem_free(r->byte);
    *r = (struct ocr_result){.n_word = 0};
}

uint32_t ocr_words_letters(const struct ocr_result *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_byte; i++) {
        unsigned char c = (unsigned char)r->byte[i];
        n += c >= 0x80 || isalpha(c);
    }
    return n;
}

bool ocr_words_are_sure(const struct ocr_result *r)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t i = 0; i < r->n_word; i++) {
        sum += (uint64_t)r->word[i].size * r->sure[i];
        n += r->word[i].size;
    }
    return n > 0 && sum >= OCR_SURE * n;
}
