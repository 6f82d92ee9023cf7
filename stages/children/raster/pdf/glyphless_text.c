/* glyphless_text.c - see glyphless_text.h. */
#include "stages/children/raster/pdf/glyphless_text.h"

#include <math.h>
#include <string.h>

#include "stages/document/words_line.h"
#include "vlm/base/arena.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

enum {
    CODES_MAX = 65000,
    CHARACTERS = 0x110000,
    SPACE = 1, /* its code */
    WORD_MAX = 1024,
    MAP_BLOCK = 100 /* the most entries of a block in a CMap */
};

struct glyphless_codes glyphless_text_codes(void)
{
    struct glyphless_codes codes = {
        .code_of = mem_alloc(CHARACTERS, sizeof *codes.code_of),
        .character = mem_alloc(CODES_MAX, sizeof *codes.character),
        .n = SPACE + 1};
    codes.character[SPACE] = ' ';
    codes.code_of[' '] = SPACE;
    return codes;
}

void glyphless_text_free(struct glyphless_codes *codes)
{
    mem_free(codes->code_of);
    mem_free(codes->character);
    *codes = (struct glyphless_codes){.n = 0};
}

static uint16_t code_of(struct glyphless_codes *codes, uint32_t character)
{
    if (character >= CHARACTERS) return 0;
    uint16_t *code = &codes->code_of[character];
    if (!*code && codes->n < CODES_MAX) {
        codes->character[codes->n] = character;
        *code = (uint16_t)codes->n++;
    }
    return *code;
}

/* --- order of letters ------------------------------------------------------ */

/* Hebrew, Arabic and other scripts that are written from right to left. */
static bool is_leftward(uint32_t c)
{
    return (c >= 0x590 && c < 0x900) || (c >= 0xFB1D && c < 0xFE00) ||
           (c >= 0xFE70 && c < 0xFEFF) || (c >= 0x10800 && c < 0x11000) ||
           (c >= 0x1E800 && c < 0x1F000);
}

/* Digits are written from left to right in every script. */
static bool is_rightward(uint32_t c)
{
    return !is_leftward(c) || (c >= 0x660 && c <= 0x669) ||
           (c >= 0x6F0 && c <= 0x6F9);
}

static void reverse(uint32_t *c, size_t n)
{
    for (size_t i = 0; i + 1 < n - i; i++) {
        uint32_t kept = c[i];
        c[i] = c[n - 1 - i];
        c[n - 1 - i] = kept;
    }
}

/* Puts the letters of a word in the order in which they stand on the page,
 * from left to right: readers of PDFs turn them back. */
static void to_visual_order(uint32_t *c, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= is_leftward(c[i]) && !is_rightward(c[i]);
    if (!any) return;
    reverse(c, n);
    for (size_t from = 0, to; from < n; from = to + 1) {
        to = from;
        while (to < n && is_rightward(c[to]))
            to++;
        reverse(c + from, to - from);
    }
}

/* --- content --------------------------------------------------------------- */

struct vector {
    double x, y;
};

/* A direction on the page as displayed, y up, in user space. */
static struct vector turn(const struct glyphless_frame *f, struct vector v)
{
    switch (f->rotate) {
    case 90: return (struct vector){-v.y, v.x};
    case 180: return (struct vector){-v.x, -v.y};
    case 270: return (struct vector){v.y, -v.x};
    default: return v;
    }
}

/* A point on the page as displayed, from its lower left, in user space. */
static struct vector place(const struct glyphless_frame *f, struct vector p)
{
    struct vector v = turn(f, p);
    v.x += f->rotate == 90 || f->rotate == 180 ? f->x1 : f->x0;
    v.y += f->rotate == 180 || f->rotate == 270 ? f->y1 : f->y0;
    return v;
}

/* A word on the page as displayed, y up: its middle, and its size along and
 * across its line. */
struct place_of_word {
    struct vector middle, size;
};

/* The size comes from that of the box: W cos + H sin by W sin + H cos. */
static struct place_of_word place_word(const struct word *word,
                                       struct vector side, double slope)
{
    double c = cos(slope), s = fabs(sin(slope)), all = c * c - s * s;
    double w = word->w * side.x, h = word->h * side.y;
    struct place_of_word p = {{(word->x + word->w / 2) * side.x,
                               (1 - word->y - word->h / 2) * side.y},
                              {(w * c - h * s) / all, (h * c - w * s) / all}};
    if (p.size.x < w / 2 || p.size.y < h / 4) p.size = (struct vector){w, h};
    return p;
}

/* What the words of a line have in common: the middle of their print where the
 * line crosses x = 0, and the height of the tallest of it, about the type's. */
struct word_run {
    double middle, height, slope;
};

static const double same_height = 0.3, tallest = 1.5;

/* `last`: of the line before. If it has about the same height, it has the same:
 * readers take lines of one size for a paragraph, and in columns. */
static struct word_run run_of(const struct place_of_word *place, int n,
                              const struct word_run *last)
{
    double *value = mem_alloc((size_t)n, sizeof *value);
    struct word_run run = {.slope = last->slope};
    for (int i = 0; i < n; i++)
        value[i] = place[i].middle.y + tan(run.slope) * place[i].middle.x;
    sort_doubles(value, (size_t)n);
    run.middle = value[n / 2];
    for (int i = 0; i < n; i++)
        value[i] = place[i].size.y;
    sort_doubles(value, (size_t)n);
    run.height = fmin(value[n - 1], tallest * value[n / 2]);
    if (fabs(run.height - last->height) <
        same_height * fmax(run.height, last->height))
        run.height = last->height;
    mem_free(value);
    return run;
}

/* Glyphs stand upright, also along a line that slopes: readers take a sloping
 * word apart. */
static void add_matrix(const struct place_of_word *word, size_t n,
                       const struct glyphless_frame *f,
                       const struct word_run *run, struct buf *out)
{
    double size = run->height,
           stretch = word->size.x * 1000 / ((double)n * GLYPHLESS_TEXT_WIDTH);
    double middle = run->middle - tan(run->slope) * word->middle.x;
    if (fabs(middle - word->middle.y) > word->size.y / 2)
        middle = word->middle.y;
    struct vector along = turn(f, (struct vector){1, 0});
    struct vector across = turn(f, (struct vector){0, 1});
    struct vector at =
        place(f, (struct vector){word->middle.x - word->size.x / 2,
                                 middle - size / 2 -
                                     size * GLYPHLESS_TEXT_DESCENT / 1000});
    buf_print(out, "%.5f %.5f %.5f %.5f %.3f %.3f Tm ", along.x * stretch,
              along.y * stretch, across.x * size, across.y * size, at.x, at.y);
}

static void add_word(const char *text, const struct place_of_word *word,
                     const struct glyphless_frame *f,
                     const struct word_run *run, struct glyphless_codes *codes,
                     struct buf *out)
{
    uint32_t letter[WORD_MAX];
    size_t n = 0;
    for (const char *at = text; *at && n < WORD_MAX;) {
        uint32_t c = utf8_take(&at);
        if (c != UTF8_BAD && c != ' ' && code_of(codes, c)) letter[n++] = c;
    }
    if (!n) return;
    to_visual_order(letter, n);
    add_matrix(word, n, f, run, out);
    buf_add_text(out, "<");
    for (size_t i = 0; i < n; i++)
        buf_print(out, "%04X", code_of(codes, letter[i]));
    buf_print(out, "%04X> Tj\n", SPACE);
}

/* The width and height of the page as displayed. */
static struct vector sides_of(const struct glyphless_frame *f)
{
    bool lies = f->rotate == 90 || f->rotate == 270;
    return (struct vector){lies ? f->y1 - f->y0 : f->x1 - f->x0,
                           lies ? f->x1 - f->x0 : f->y1 - f->y0};
}

static void add_line(const struct word *word, int n,
                     const struct glyphless_frame *f, struct word_run *run,
                     struct glyphless_codes *codes, struct buf *out)
{
    struct place_of_word *place = mem_alloc((size_t)n, sizeof *place);
    for (int i = 0; i < n; i++)
        place[i] = place_word(&word[i], sides_of(f), run->slope);
    *run = run_of(place, n, run);
    for (int i = 0; i < n; i++)
        add_word(word[i].text, &place[i], f, run, codes, out);
    mem_free(place);
}

void glyphless_text_content(const struct words *words,
                            const struct glyphless_frame *frame,
                            const char *font, struct glyphless_codes *codes,
                            struct buf *out)
{
    struct words all = *words;
    struct word_run run = {.slope = words->skew_degrees * M_PI / 180};
    all.aspect = sides_of(frame).x / sides_of(frame).y;
    buf_print(out, "q BT 3 Tr /%s 1 Tf\n", font);
    for (int from = 0, to; from < all.n_word; from = to) {
        to = words_line_end(&all, from);
        add_line(all.word + from, to - from, frame, &run, codes, out);
    }
    buf_add_text(out, "ET Q\n");
}

/* --- the meaning of codes -------------------------------------------------- */

static void add_utf16(uint32_t c, struct buf *out)
{
    if (c < 0x10000)
        buf_print(out, "%04X", c);
    else
        buf_print(out, "%04X%04X", 0xD800 + ((c - 0x10000) >> 10),
                  0xDC00 + ((c - 0x10000) & 0x3FF));
}

void glyphless_text_map(const struct glyphless_codes *codes, struct buf *out)
{
    buf_add_text(out, "/CIDInit /ProcSet findresource begin\n"
                      "12 dict begin\nbegincmap\n"
                      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) "
                      "/Supplement 0 >> def\n"
                      "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
                      "1 begincodespacerange\n<0000> <FFFF>\n"
                      "endcodespacerange\n");
    for (uint32_t from = SPACE; from < codes->n; from += MAP_BLOCK) {
        uint32_t n = codes->n - from < MAP_BLOCK ? codes->n - from : MAP_BLOCK;
        buf_print(out, "%u beginbfchar\n", n);
        for (uint32_t i = from; i < from + n; i++) {
            buf_print(out, "<%04X> <", i);
            add_utf16(codes->character[i], out);
            buf_add_text(out, ">\n");
        }
        buf_add_text(out, "endbfchar\n");
    }
    buf_add_text(out, "endcmap\nCMapName currentdict /CMap defineresource pop\n"
                      "end\nend\n");
}

/* --- the font -------------------------------------------------------------- */

enum {
    TABLES = 6,
    FONT_DIRECTORY = 12 + 16 * TABLES,
    UNITS = 1000,
    GLYPHS = 2
};

static void add_16(struct buf *out, int value)
{
    uint8_t byte[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    buf_add(out, byte, sizeof byte);
}

static void add_32(struct buf *out, uint32_t value)
{
    add_16(out, (int)(value >> 16));
    add_16(out, (int)(value & 0xFFFF));
}

static void add_words(struct buf *out, const int *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_16(out, value[i]);
}

static void add_head(struct buf *out)
{
    static const int rest[19] = {[1] = UNITS,
                                 [11] = GLYPHLESS_TEXT_DESCENT,
                                 [12] = GLYPHLESS_TEXT_WIDTH,
                                 [13] = UNITS,
                                 [15] = 8,
                                 [16] = 2};
    add_32(out, 0x10000); /* version */
    add_32(out, 0x10000); /* revision of the font */
    add_32(out, 0);       /* adjustment of the checksum */
    add_32(out, 0x5F0F3CF5);
    add_words(out, rest, sizeof rest / sizeof *rest);
}

static void add_table(struct buf *out, int table)
{
    static const int hhea[18] = {[0] = 1,
                                 [2] = GLYPHLESS_TEXT_ASCENT,
                                 [3] = GLYPHLESS_TEXT_DESCENT,
                                 [5] = GLYPHLESS_TEXT_WIDTH,
                                 [8] = GLYPHLESS_TEXT_WIDTH,
                                 [9] = 1,
                                 [17] = 1};
    static const int hmtx[] = {GLYPHLESS_TEXT_WIDTH, 0, 0};
    static const int maxp[16] = {
        [0] = 1, [2] = GLYPHS, [3] = 2, [4] = 1, [7] = 1};
    /* one contour of two points, which is no area: its extent, the point that ends it, no
     * instructions, flags; right, up */
    static const int line[] = {1,
                               0,
                               GLYPHLESS_TEXT_DESCENT,
                               GLYPHLESS_TEXT_WIDTH,
                               GLYPHLESS_TEXT_ASCENT,
                               1,
                               0,
                               0x0101,
                               0,
                               GLYPHLESS_TEXT_WIDTH,
                               GLYPHLESS_TEXT_DESCENT,
                               GLYPHLESS_TEXT_ASCENT - GLYPHLESS_TEXT_DESCENT};
    switch (table) {
    case 0: /* glyf: without extent, PDFium drops text that runs up or down */
        add_words(out, line, sizeof line / sizeof *line);
        break;
    case 1: add_head(out); break;
    case 2: add_words(out, hhea, sizeof hhea / sizeof *hhea); break;
    case 3: add_words(out, hmtx, sizeof hmtx / sizeof *hmtx); break;
    case 4:
        add_words(out,
                  (const int[GLYPHS + 1]){[2] = sizeof line / sizeof *line},
                  GLYPHS + 1);
        break;
    default: add_words(out, maxp, sizeof maxp / sizeof *maxp); break;
    }
}

static uint32_t sum_of(const struct buf *table)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < table->size; i++)
        sum += (uint32_t)(uint8_t)table->data[i] << (8 * (3 - i % 4));
    return sum;
}

void glyphless_text_font(struct buf *out)
{
    static const char *const tag[TABLES] = {"glyf", "head", "hhea",
                                            "hmtx", "loca", "maxp"};
    struct buf all = buf_limit(1 << 12);
    add_32(out, 0x10000);
    add_words(out, (const int[]){TABLES, 64, 2, 16 * TABLES - 64}, 4);
    for (int i = 0; i < TABLES; i++) {
        struct buf one = buf_limit(1 << 10);
        add_table(&one, i);
        buf_add_text(out, tag[i]);
        add_32(out, sum_of(&one));
        add_32(out, (uint32_t)(FONT_DIRECTORY + all.size));
        add_32(out, (uint32_t)one.size);
        while (one.size % 4)
            buf_add(&one, "", 1);
        buf_add(&all, one.data, one.size);
        buf_free(&one);
    }
    buf_add(out, all.data, all.size);
    buf_free(&all);
}
