/* ocr_digits.c - see ocr_digits.h. */
#include "stages/print/ocr_digits.h"

#include <math.h>
#include <string.h>

#include "stages/print/thresholds.h"
#include "vlm/base/arena.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "11.045,": a figure that must continue. */
static bool is_open(const char *text)
{
    size_t n = strlen(text);
    return n > 1 && (text[n - 1] == ',' || text[n - 1] == '.') &&
           is_digit(text[n - 2]);
}

/* "41", "045,41": digits that can follow a comma or point. */
static bool is_end(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return (digits == 2 || digits == 3) &&
           !text[digits + strspn(text + digits, "0123456789.,")];
}

/* Whether b continues a on the same line. */
static bool is_continued(const struct word *a, const struct word *b)
{
    double low = fmin(a->y + a->h, b->y + b->h), high = fmax(a->y, b->y);
    double digit = b->w / (double)strlen(b->text);
    return low - high > fmin(a->h, b->h) / 2 && b->x > a->x &&
           b->x + b->w > a->x + a->w - digit &&
           b->x - (a->x + a->w) <= digit_gap_most * digit;
}

/* The width, rounded so that from + width does not exceed `to`. */
static double span_of_side(double from, double to)
{
    double size = to - from;
    return from + size > to ? nextafter(size, 0) : size;
}

static void join_words(struct word *a, const struct word *b,
                       struct arena *arena)
{
    double right = fmax(a->x + a->w, b->x + b->w);
    double bottom = fmax(a->y + a->h, b->y + b->h);
    a->text = arena_text(arena, "%s%s", a->text, b->text);
    a->y = fmin(a->y, b->y);
    a->w = span_of_side(a->x, right);
    a->h = span_of_side(a->y, bottom);
    a->confidence = fminf(a->confidence, b->confidence);
}

void ocr_digits_join(struct words *words, struct arena *arena)
{
    int n = 0;
    for (int i = 0; i < words->n_word; i++) {
        const struct word *next = &words->word[i];
        struct word *last = n ? &words->word[n - 1] : NULL;
        if (last && is_open(last->text) && is_end(next->text) &&
            is_continued(last, next))
            join_words(last, next, arena);
        else
            words->word[n++] = *next;
    }
    words->n_word = n;
}
