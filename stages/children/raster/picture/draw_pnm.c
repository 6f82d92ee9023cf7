/* draw_pnm.c - PBM, PGM and PPM images (netpbm), binary and as text; of several
 * in one file the first.
 *
 * The format is a few numbers, so there is no library: leptonica, which reads
 * it, does not draw row by row.
 */
#include "stages/children/raster/picture/job.h"

#include <stdio.h>
#include <string.h>

#include "stages/children/raster/picture/rows.h"
#include "vlm/base/arena.h"

enum { VALUE_MAX = 65535 };

struct draw_pnm {
    struct span file;
    size_t at;
    int kind; /* the digit after P: 1 to 6 */
    int width, height, n_channel;
    int white; /* the largest value */
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_text(const struct draw_pnm *p)
{
    return p->kind <= 3;
}

static bool is_bitmap(const struct draw_pnm *p)
{
    return p->kind == 1 || p->kind == 4;
}

/* Skips blanks and comments, which end with their line. */
static void skip_blanks(struct draw_pnm *p)
{
    bool comment = false;
    for (; p->at < p->file.size; p->at++) {
        char c = p->file.data[p->at];
        if (c == '#') comment = true;
        if (c == '\n' || c == '\r') comment = false;
        if (!comment && !is_blank(c)) return;
    }
}

/* The next number, or -1. A bitmap's digits in text need no blanks between
 * them. */
static int read_number(struct draw_pnm *p, bool one_digit)
{
    int n = -1;
    skip_blanks(p);
    for (; p->at < p->file.size; p->at++) {
        char c = p->file.data[p->at];
        if (c < '0' || c > '9') break;
        n = (n < 0 ? 0 : n) * 10 + (c - '0');
        if (n > 100000000) return -1;
        if (one_digit) {
            p->at++;
            break;
        }
    }
    return n;
}

static void *open_pnm(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_pnm *p = mem_alloc(1, sizeof *p);
    p->file = job_read(job, err);
    if (err_failed(err)) return p;
    p->kind = p->file.size > 2 ? p->file.data[1] - '0' : 0;
    p->at = 2;
    p->n_channel = p->kind == 3 || p->kind == 6 ? 3 : 1;
    p->width = read_number(p, false);
    p->height = read_number(p, false);
    p->white = is_bitmap(p) ? 1 : read_number(p, false);
    p->at++; /* one blank before the pixels */
    if (p->kind < 1 || p->kind > 6 || p->width < 0 || p->height < 0 ||
        p->white < 1 || p->white > VALUE_MAX)
        err_reason(err, ERR_INPUT, "damaged", "the PNM header is damaged");
    job_check_size(job, (uint32_t)p->width, (uint32_t)p->height, err);
    *n_page = 1;
    return p;
}

static void close_pnm(void *handle)
{
    struct draw_pnm *p = handle;
    job_forget(p->file);
    mem_free(p);
}

static uint8_t scale(const struct draw_pnm *p, int value)
{
    if (value > p->white) value = p->white;
    return (uint8_t)((value * 255 + p->white / 2) / p->white);
}

static bool text_row(struct draw_pnm *p, uint8_t *out)
{
    for (int i = 0; i < p->width * p->n_channel; i++) {
        int value = read_number(p, is_bitmap(p));
        if (value < 0 || (is_bitmap(p) && value > 1)) {
            p->at = p->file.size; /* nothing after it can be trusted */
            return false;
        }
        *out++ = is_bitmap(p) ? (value ? 0 : 255) : scale(p, value);
    }
    return true;
}

/* 1 is black. */
static void unpack_bits(const uint8_t *in, int n, uint8_t *out)
{
    for (int x = 0; x < n; x++)
        out[x] = in[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
}

static bool pnm_row(void *decoder, int y, uint8_t *out)
{
    (void)y;
    struct draw_pnm *p = decoder;
    if (is_text(p)) return text_row(p, out);
    size_t n = (size_t)p->width * (size_t)p->n_channel;
    size_t size = is_bitmap(p) ? (n + 7) / 8 : p->white > 255 ? 2 * n : n;
    if (p->at > p->file.size || p->file.size - p->at < size) {
        p->at = p->file.size;
        return false;
    }
    const uint8_t *in = (const uint8_t *)p->file.data + p->at;
    p->at += size;
    if (is_bitmap(p))
        unpack_bits(in, p->width, out);
    else if (p->white > 255)
        for (size_t i = 0; i < n; i++)
            out[i] = scale(p, in[2 * i] << 8 | in[2 * i + 1]);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = scale(p, in[i]);
    return true;
}

/* Whether another picture follows: binary files can simply be joined. */
static bool has_more(struct draw_pnm *p)
{
    if (is_text(p)) return false;
    skip_blanks(p);
    const char *next = p->file.data + p->at;
    return p->at + 3 < p->file.size && next[0] == 'P' && next[1] >= '1' &&
           next[1] <= '6' && is_blank(next[2]);
}

static void page_pnm(void *handle, const struct job *job, int number,
                     struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_pnm *p = handle;
    struct rows rows = {.type = "PNM",
                        .width = p->width,
                        .height = p->height,
                        .n_channel = p->n_channel,
                        .decoder = p,
                        .row = pnm_row};
    rows_draw(&rows, job, sheet, err);
    if (!err_failed(err) && has_more(p))
        snprintf(sheet_unread(sheet, RASTER_NOTE_PICTURES), SHEET_TEXT_MAX,
                 "the file has several pictures; only the first was read");
}

const struct codec draw_pnm_codec = {
    .type = "pnm", .open = open_pnm, .page = page_pnm, .close = close_pnm};
