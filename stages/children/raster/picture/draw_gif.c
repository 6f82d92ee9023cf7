/* draw_gif.c - GIF images; of an animation the first frame.
 *
 * leptonica decodes all frames before it gives one, and draws transparent
 * pixels in any colour, so the blocks and the run of codes (LZW) are read here.
 * Transparent pixels are white.
 */
#include "stages/children/raster/picture/job.h"

#include <string.h>

#include "stages/children/raster/picture/rows.h"
#include "vlm/base/arena.h"
#include "vlm/base/cursor.h"

enum {
    HEADER = 6, /* GIF89a */
    CODE_BITS_MAX = 12,
    CODES = 1 << CODE_BITS_MAX,
    NO_CODE = -1,
    BLOCK_IMAGE = 0x2c,
    BLOCK_EXTENSION = 0x21,
    EXTENSION_CONTROL = 0xf9,
    HAS_TABLE = 0x80,
    IS_INTERLACED = 0x40
};

struct draw_gif {
    struct span file;
    struct cursor c;
    const unsigned char *colour; /* n_colour * 3 bytes */
    int n_colour;
    int transparent; /* colour, or -1 */
    int width, height;
    bool interlaced;
    uint8_t *index; /* the pixels, in the order of the file */
    size_t n_pixel; /* that were decoded */
    int n_picture;
};

/* The colour table that the flags announce, if they do. */
static void read_table(struct draw_gif *g, unsigned flags)
{
    if (!(flags & HAS_TABLE)) return;
    int n = 2 << (flags & 7);
    g->colour = cursor_read(&g->c, 3u * (unsigned)n);
    g->n_colour = g->colour ? n : 0;
}

static void skip_sub_blocks(struct cursor *c)
{
    uint64_t n;
    while ((n = cursor_uint(c, 1)) > 0)
        cursor_read(c, n);
}

/* A control extension says which colour of the next picture is transparent. */
static void read_extension(struct draw_gif *g)
{
    bool control = cursor_uint(&g->c, 1) == EXTENSION_CONTROL;
    const unsigned char *data =
        g->c.at < g->c.size ? g->c.bytes + g->c.at : NULL;
    if (control && data && data[0] >= 4 && cursor_left(&g->c) > 4)
        g->transparent = data[1] & 1 ? data[4] : -1;
    skip_sub_blocks(&g->c);
}

/* Reads up to the next picture's descriptor; false: there is none. */
static bool find_picture(struct draw_gif *g)
{
    while (!g->c.overrun) {
        unsigned block = (unsigned)cursor_uint(&g->c, 1);
        if (block == BLOCK_IMAGE) return true;
        if (block != BLOCK_EXTENSION) return false; /* the end, or damage */
        read_extension(g);
    }
    return false;
}

static void read_header(struct draw_gif *g, struct err *err)
{
    if (err_failed(err)) return;
    g->c = (struct cursor){.bytes = (const unsigned char *)g->file.data,
                           .size = g->file.size};
    cursor_read(&g->c, HEADER + 4); /* and the size of the screen */
    unsigned flags = (unsigned)cursor_uint(&g->c, 1);
    cursor_read(&g->c, 2); /* background, aspect */
    read_table(g, flags);
    g->transparent = -1;
    if (!find_picture(g)) {
        err_reason(err, ERR_INPUT, "damaged",
                   "the GIF ends before its first picture");
        return;
    }
    cursor_read(&g->c, 4); /* its place on the screen */
    g->width = cursor_u16le(&g->c);
    g->height = cursor_u16le(&g->c);
    flags = (unsigned)cursor_uint(&g->c, 1);
    g->interlaced = flags & IS_INTERLACED;
    read_table(g, flags);
    if (g->c.overrun || !g->colour)
        err_reason(err, ERR_INPUT, "damaged",
                   "the GIF ends before its pixels, or has no colours");
}

static void *open_gif(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_gif *g = mem_alloc(1, sizeof *g);
    g->file = job_read(job, err);
    read_header(g, err);
    job_check_size(job, (uint32_t)g->width, (uint32_t)g->height, err);
    *n_page = 1;
    return g;
}

static void close_gif(void *handle)
{
    struct draw_gif *g = handle;
    job_forget(g->file);
    mem_free(g->index);
    mem_free(g);
}

/* --- codes ------------------------------------------------------------------ */

/* The bits of the sub-blocks, the lowest first. */
struct gif_bits {
    struct cursor *c;
    const unsigned char *block;
    uint64_t n_left; /* bytes of the block */
    uint32_t held;
    int n_held;
};

static int read_code(struct gif_bits *b, int n_bit)
{
    while (b->n_held < n_bit) {
        if (!b->n_left) {
            b->n_left = cursor_uint(b->c, 1);
            b->block = cursor_read(b->c, b->n_left);
            if (!b->block || !b->n_left) return NO_CODE;
        }
        b->held |= (uint32_t)*b->block++ << b->n_held;
        b->n_left--;
        b->n_held += 8;
    }
    int code = (int)(b->held & ((1u << n_bit) - 1));
    b->held >>= n_bit;
    b->n_held -= n_bit;
    return code;
}

/* Each code is a string: that of an earlier code and one more pixel. */
struct gif_strings {
    int16_t prefix[CODES];
    uint16_t length[CODES];
    uint8_t first[CODES], last[CODES];
    int n; /* codes with a string */
};

static void start_strings(struct gif_strings *s, int n_colour)
{
    for (int i = 0; i < n_colour; i++) {
        s->first[i] = s->last[i] = (uint8_t)i;
        s->length[i] = 1;
        s->prefix[i] = NO_CODE;
    }
    s->n = n_colour + 2; /* clear and end have none */
}

static void add_string(struct gif_strings *s, int before, uint8_t last)
{
    if (s->n == CODES) return;
    s->prefix[s->n] = (int16_t)before;
    s->first[s->n] = s->first[before];
    s->last[s->n] = last;
    s->length[s->n++] = (uint16_t)(s->length[before] + 1);
}

/* Writes the string of a code behind the pixels, as far as it fits. */
static void put_string(struct draw_gif *g, const struct gif_strings *s,
                       int code, size_t n_pixel)
{
    size_t end = g->n_pixel + s->length[code];
    for (size_t at = end; code >= 0 && at > g->n_pixel; code = s->prefix[code])
        if (--at < n_pixel) g->index[at] = s->last[code];
    g->n_pixel = end < n_pixel ? end : n_pixel;
}

/* Decodes until all pixels are known, or the data end or make no sense. */
static void decode(struct draw_gif *g, struct gif_strings *s, size_t n_pixel)
{
    struct gif_bits bits = {.c = &g->c};
    int least = (int)cursor_uint(&g->c, 1); /* bits of a colour */
    if (g->c.overrun || least < 1 || least > 8) return;
    int clear = 1 << least, n_bit = least + 1, before = NO_CODE;
    start_strings(s, clear);
    while (g->n_pixel < n_pixel) {
        int code = read_code(&bits, n_bit);
        if (code == NO_CODE || code == clear + 1) return;
        if (code == clear) {
            start_strings(s, clear);
            n_bit = least + 1;
            before = NO_CODE;
            continue;
        }
        /* the code that comes next is the one before and its own first pixel */
        bool next = code == s->n && before != NO_CODE;
        if ((code > s->n || (code == s->n && !next)) ||
            (before == NO_CODE && code > clear))
            return;
        if (before != NO_CODE)
            add_string(s, before, s->first[next ? before : code]);
        if (code >= s->n) return; /* the table is full */
        put_string(g, s, code, n_pixel);
        before = code;
        if (s->n == 1 << n_bit && n_bit < CODE_BITS_MAX) n_bit++;
    }
}

static void unpack(struct draw_gif *g, struct err *err)
{
    if (err_failed(err)) return;
    size_t n = (size_t)g->width * (size_t)g->height;
    g->index = mem_try_aligned(n);
    if (!g->index) {
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for a GIF of %d x %d px", g->width,
                   g->height);
        return;
    }
    struct gif_strings *s = mem_alloc(1, sizeof *s);
    decode(g, s, n);
    mem_free(s);
}

/* Counts the pictures: this one, and those after it. */
static void count_pictures(struct draw_gif *g)
{
    g->n_picture = 1;
    skip_sub_blocks(&g->c);
    while (find_picture(g)) {
        cursor_read(&g->c, 8);
        unsigned flags = (unsigned)cursor_uint(&g->c, 1);
        if (flags & HAS_TABLE) cursor_read(&g->c, 6u << (flags & 7));
        cursor_read(&g->c, 1);
        skip_sub_blocks(&g->c);
        g->n_picture += !g->c.overrun;
    }
}

/* --- rows ------------------------------------------------------------------- */

/* Where row y is in the file: interlaced pictures have every eighth first. */
static int place_of(const struct draw_gif *g, int y)
{
    if (!g->interlaced) return y;
    int h = g->height, eighth = (h + 7) / 8, fourth = (h + 3) / 8;
    if (y % 8 == 0) return y / 8;
    if (y % 8 == 4) return eighth + y / 8;
    if (y % 4 == 2) return eighth + fourth + y / 4;
    return eighth + fourth + (h + 1) / 4 + y / 2;
}

static bool gif_row(void *decoder, int y, uint8_t *out)
{
    const struct draw_gif *g = decoder;
    size_t from = (size_t)place_of(g, y) * (size_t)g->width;
    if (from + (size_t)g->width > g->n_pixel) return false;
    for (int x = 0; x < g->width; x++, out += 3) {
        int colour = g->index[from + (size_t)x];
        if (colour == g->transparent)
            memset(out, 255, 3);
        else if (colour < g->n_colour)
            memcpy(out, g->colour + 3 * colour, 3);
        else
            memset(out, 0, 3);
    }
    return true;
}

static void page_gif(void *handle, const struct job *job, int number,
                     struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_gif *g = handle;
    int transparent = g->transparent;
    unpack(g, err);
    count_pictures(g);
    g->transparent = transparent; /* of the first picture again */
    struct rows rows = {.type = "GIF",
                        .width = g->width,
                        .height = g->height,
                        .n_channel = 3,
                        .decoder = g,
                        .row = gif_row};
    rows_draw(&rows, job, sheet, err);
    job_note_pictures(sheet, g->n_picture);
}

const struct codec draw_gif_codec = {
    .type = "gif", .open = open_gif, .page = page_gif, .close = close_gif};
