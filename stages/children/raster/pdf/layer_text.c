/* layer_text.c - see layer_text.h. */
#include "stages/children/raster/pdf/layer_text.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/utf8.h"

enum {
    CODES_MAX = 65000,
    CHARACTERS = 0x110000,
    SPACE = 1, /* its code */
    WORD_MAX = 1024,
    MAP_BLOCK = 100 /* the most entries of a block in a CMap */
};

struct layer_codes layer_text_codes(void)
{
    struct layer_codes codes = {
        .code_of = mem_alloc(CHARACTERS, sizeof *codes.code_of),
        .character = mem_alloc(CODES_MAX, sizeof *codes.character),
        .n = SPACE + 1};
    codes.character[SPACE] = ' ';
    codes.code_of[' '] = SPACE;
    return codes;
}

void layer_text_free(struct layer_codes *codes)
{
    mem_free(codes->code_of);
    mem_free(codes->character);
    *codes = (struct layer_codes){.n = 0};
}

static uint16_t code_of(struct layer_codes *codes, uint32_t character)
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
static struct vector turn(const struct layer_frame *f, struct vector v)
{
    switch (f->rotate) {
    case 90: return (struct vector){-v.y, v.x};
    case 180: return (struct vector){-v.x, -v.y};
    case 270: return (struct vector){v.y, -v.x};
    default: return v;
    }
}

/* A point on the page as displayed, from its lower left, in user space. */
static struct vector place(const struct layer_frame *f, struct vector p)
{
    struct vector v = turn(f, p);
    v.x += f->rotate == 90 || f->rotate == 180 ? f->x1 : f->x0;
    v.y += f->rotate == 180 || f->rotate == 270 ? f->y1 : f->y0;
    return v;
}

/* A word's size along and across its line, from that of its box: W cos + H sin
 * by W sin + H cos. */
static struct vector straighten(double w, double h, double slope)
{
    double c = cos(slope), s = fabs(sin(slope)), all = c * c - s * s;
    struct vector size = {(w * c - h * s) / all, (h * c - w * s) / all};
    if (size.x < w / 2 || size.y < h / 4) return (struct vector){w, h};
    return size;
}

static void add_matrix(const struct word *word, size_t n,
                       const struct layer_frame *f, double slope,
                       struct buf *out)
{
    bool lies = f->rotate == 90 || f->rotate == 270;
    double wide = lies ? f->y1 - f->y0 : f->x1 - f->x0;
    double high = lies ? f->x1 - f->x0 : f->y1 - f->y0;
    struct vector size = straighten(word->w * wide, word->h * high, slope);
    struct vector along = {cos(slope), -sin(slope)},
                  across = {sin(slope), cos(slope)};
    double down = size.y / 2 + size.y * LAYER_TEXT_DESCENT / 1000;
    struct vector at = {(word->x + word->w / 2) * wide - along.x * size.x / 2 -
                            across.x * down,
                        (1 - word->y - word->h / 2) * high -
                            along.y * size.x / 2 - across.y * down};
    double stretch = size.x / ((double)n * LAYER_TEXT_WIDTH / 1000);
    along = turn(f, along);
    across = turn(f, across);
    at = place(f, at);
    buf_print(out, "%.5f %.5f %.5f %.5f %.3f %.3f Tm ", along.x * stretch,
              along.y * stretch, across.x * size.y, across.y * size.y, at.x,
              at.y);
}

static void add_word(const struct word *word, const struct layer_frame *f,
                     double slope, struct layer_codes *codes, struct buf *out)
{
    uint32_t letter[WORD_MAX];
    size_t n = 0;
    for (const char *at = word->text; *at && n < WORD_MAX;) {
        uint32_t c = utf8_take(&at);
        if (c != UTF8_BAD && c != ' ' && code_of(codes, c)) letter[n++] = c;
    }
    if (!n) return;
    to_visual_order(letter, n);
    add_matrix(word, n, f, slope, out);
    buf_add_text(out, "<");
    for (size_t i = 0; i < n; i++)
        buf_print(out, "%04X", code_of(codes, letter[i]));
    buf_print(out, "%04X> Tj\n", SPACE);
}

void layer_text_content(const struct words *words,
                        const struct layer_frame *frame, const char *font,
                        struct layer_codes *codes, struct buf *out)
{
    double slope = words->skew_degrees * M_PI / 180;
    buf_print(out, "q BT 3 Tr /%s 1 Tf\n", font);
    for (int i = 0; i < words->n_word; i++)
        add_word(&words->word[i], frame, slope, codes, out);
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

void layer_text_map(const struct layer_codes *codes, struct buf *out)
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
    static const int rest[19] = {
        [1] = UNITS, [12] = LAYER_TEXT_WIDTH, [13] = UNITS, [15] = 8, [16] = 2};
    add_32(out, 0x10000); /* version */
    add_32(out, 0x10000); /* revision of the font */
    add_32(out, 0);       /* adjustment of the checksum */
    add_32(out, 0x5F0F3CF5);
    add_words(out, rest, sizeof rest / sizeof *rest);
}

static void add_table(struct buf *out, int table)
{
    static const int hhea[18] = {[0] = 1,
                                 [2] = LAYER_TEXT_ASCENT,
                                 [3] = LAYER_TEXT_DESCENT,
                                 [5] = LAYER_TEXT_WIDTH,
                                 [8] = LAYER_TEXT_WIDTH,
                                 [9] = 1,
                                 [17] = 1};
    static const int hmtx[] = {LAYER_TEXT_WIDTH, 0, 0};
    static const int maxp[16] = {[0] = 1, [2] = GLYPHS, [7] = 1};
    switch (table) {
    case 0: add_32(out, 0); break; /* glyf: a reader may want a byte */
    case 1: add_head(out); break;
    case 2: add_words(out, hhea, sizeof hhea / sizeof *hhea); break;
    case 3: add_words(out, hmtx, sizeof hmtx / sizeof *hmtx); break;
    case 4: add_words(out, (const int[GLYPHS + 1]){0}, GLYPHS + 1); break;
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

void layer_text_font(struct buf *out)
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
