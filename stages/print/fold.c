/* fold.c - see fold.h. */
#include "stages/print/fold.h"

#include <stdint.h>
#include <string.h>

#include "vlm/base/utf8.h"

enum { FOLDED_MAX = 32 /* bytes of a character, folded */ };

/* State while a text is folded. */
struct folding {
    char *byte;
    int *from, *to;
    bool *edge;
    int n, capacity, size; /* size: of the text */
    bool left_out;
    struct arena *arena;
};

bool fold_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool fold_is_separator(char c)
{
    return c == '.' || c == ',' || c == ':' || c == '/' || c == '-' ||
           c == '\'';
}

/* The ASCII form of a separator between digits, or 0. */
static char separator_of(uint32_t c)
{
    if (c < 0x80) return fold_is_separator((char)c) ? (char)c : 0;
    if (c == 0x2019) return '\'';
    if (c == 0x066B || c == 0x066C) return c == 0x066B ? '.' : ',';
    return (c >= 0x2010 && c <= 0x2015) || c == 0x2212 ? '-' : 0;
}

/* Letters and digits of all scripts; not the marks of any. */
static bool is_letter(uint32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
    if (c == 0xD7 || c == 0xF7) return false;
    return !(c >= 0x2000 && c <= 0x206F) && !(c >= 0x20A0 && c <= 0x20CF) &&
           c != 0x066B && c != 0x066C && !(c >= 0x2190 && c <= 0x2BFF) &&
           !(c >= 0x3000 && c <= 0x3004) && !(c >= 0x3008 && c <= 0x3020) &&
           c != UTF8_BAD;
}

static void reserve_bytes(struct folding *f)
{
    if (f->n < f->capacity) return;
    struct folding old = *f;
    size_t n = (size_t)f->n, capacity = n ? 2 * n : (size_t)f->size + 1;
    f->byte = arena_alloc(f->arena, capacity + 1);
    f->from = arena_array(f->arena, capacity, sizeof *f->from);
    f->to = arena_array(f->arena, capacity, sizeof *f->to);
    f->edge = arena_alloc(f->arena, capacity);
    f->capacity = (int)capacity;
    if (!n) return;
    memcpy(f->byte, old.byte, n);
    memcpy(f->from, old.from, n * sizeof *f->from);
    memcpy(f->to, old.to, n * sizeof *f->to);
    memcpy(f->edge, old.edge, n);
}

static void add_byte(struct folding *f, char byte, int from, int to)
{
    reserve_bytes(f);
    f->byte[f->n] = byte;
    f->from[f->n] = from;
    f->to[f->n] = to;
    f->edge[f->n++] = f->left_out;
    f->left_out = false;
}

/* Adds the folded bytes of a letter. */
static void add_letter(struct folding *f, const char *at, uint32_t c, int from,
                       int to)
{
    if (c < 0x80) {
        bool upper = c >= 'A' && c <= 'Z';
        add_byte(f, (char)(upper ? c | 32 : c), from, to);
        return;
    }
    char one[UTF8_MAX + 1] = "", folded[FOLDED_MAX];
    memcpy(one, at, (size_t)(to - from));
    utf8_fold(one, folded, sizeof folded);
    for (const char *b = folded; *b; b++)
        if ((unsigned char)*b >= 0x80 || is_letter((unsigned char)*b))
            add_byte(f, *b, from, to);
}

static bool is_small_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

enum { UNIT_LETTERS = 2 };

/* The digit that is raised behind a unit, "m2" and "cm3", or 0: behind a longer
 * word it is the mark of a footnote. */
static char raised_digit(const struct folding *f, uint32_t c)
{
    int n = 0;
    while (n < f->n && !f->left_out && is_small_letter(f->byte[f->n - 1 - n]))
        if (f->edge[f->n - 1 - n++]) break;
    if (!n || n > UNIT_LETTERS) return 0;
    return c == 0xB2 ? '2' : c == 0xB3 ? '3' : 0;
}

struct folded fold_text(const char *text, struct arena *arena)
{
    struct folding f = {.arena = arena, .size = (int)strlen(text)};
    f.left_out = true;
    char kept = 0; /* a separator, kept if a digit follows */
    int kept_from = 0;
    for (const char *at = text; *at;) {
        const char *begin = at;
        uint32_t c = utf8_take(&at);
        int from = (int)(begin - text), to = (int)(at - text);
        if (raised_digit(&f, c)) {
            add_byte(&f, raised_digit(&f, c), from, to);
            continue;
        }
        if (is_letter(c)) {
            if (kept && utf8_digit(c) >= 0) {
                f.left_out = false;
                add_byte(&f, kept, kept_from, from);
            }
            add_letter(&f, begin, c, from, to);
            kept = 0;
            continue;
        }
        bool behind_digit =
            f.n && !f.left_out && fold_is_digit(f.byte[f.n - 1]);
        kept = behind_digit ? separator_of(c) : 0;
        kept_from = from;
        f.left_out = true;
    }
    reserve_bytes(&f);
    return (struct folded){f.byte, f.from, f.to, f.edge, f.n};
}
