/* pdf_decode.c - see pdf_decode.h. */
#include "stages/children/raster/pdf/pdf_decode.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "vlm/base/text.h"

enum {
    BETWEEN_MAX = 256 << 20, /* bytes between two filters */
    CHUNK = 1 << 15,
    LZW_CODES = 4096,
    LZW_CLEAR = 256,
    LZW_END = 257
};

struct pdf_filter pdf_decode_filter(const char *name)
{
    static const struct {
        const char *name, *brief;
        enum pdf_filter_kind kind;
    } table[] = {
        {"FlateDecode", "Fl", PDF_FLATE},
        {"LZWDecode", "LZW", PDF_LZW},
        {"RunLengthDecode", "RL", PDF_RUN_LENGTH},
        {"ASCII85Decode", "A85", PDF_ASCII85},
        {"ASCIIHexDecode", "AHx", PDF_ASCII_HEX},
        {"Crypt", "Crypt", PDF_CRYPT},
        {"DCTDecode", "DCT", PDF_DCT},
        {"JPXDecode", "JPXDecode", PDF_JPX},
        {"CCITTFaxDecode", "CCF", PDF_CCITT},
        {"JBIG2Decode", "JBIG2Decode", PDF_JBIG2},
    };
    struct pdf_filter f = {.kind = PDF_UNKNOWN,
                           .predictor = 1,
                           .colours = 1,
                           .bits = 8,
                           .columns = -1,
                           .early = 1};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(name, table[i].name) || !strcmp(name, table[i].brief))
            f.kind = table[i].kind;
    return f;
}

/* --- where bytes go ------------------------------------------------------- */

struct sink {
    size_t n, most, capacity;
    bool keep, failed;
    uint8_t *bytes;
};

/* Appends bytes; false when there are enough. */
static bool sink_append(struct sink *s, const uint8_t *bytes, size_t n)
{
    if (n > s->most - s->n) n = s->most - s->n;
    if (s->keep && s->n + n > s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : CHUNK;
        while (capacity < s->n + n)
            capacity *= 2;
        uint8_t *more = realloc(s->bytes, capacity);
        if (!more) {
            s->failed = true;
            return false;
        }
        s->bytes = more;
        s->capacity = capacity;
    }
    if (s->keep && n) memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return s->n < s->most;
}

/* A filter: returns whether it reached the end of its data; *used: bytes
 * read. */
typedef bool filter_fn(const struct pdf_filter *f, const uint8_t *in,
                       size_t size, struct sink *out, size_t *used);

/* Stops after the last block: poppler does not verify the checksum, and some
 * writers omit it. */
static bool flate(const struct pdf_filter *f, const uint8_t *in, size_t size,
                  struct sink *out, size_t *used)
{
    (void)f;
    uint8_t chunk[CHUNK];
    if (size < 2 || (in[0] & 15) != 8 || (in[0] << 8 | in[1]) % 31 != 0 ||
        in[1] & 32)
        return false;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)(in + 2)};
    size_t left = size - 2;
    int status = Z_OK;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
    while (status == Z_OK) {
        if (z.avail_in == 0) {
            z.avail_in = left < CHUNK ? (uInt)left : CHUNK;
            left -= z.avail_in;
        }
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        status = inflate(&z, Z_NO_FLUSH);
        if (!sink_append(out, chunk, sizeof chunk - z.avail_out)) break;
    }
    *used = (size_t)(z.next_in - in);
    inflateEnd(&z);
    return status == Z_STREAM_END;
}

/* LZW codes as lengths and bytes: each string is the previous one in the output
 * and one byte more. */
struct lzw {
    uint8_t string[LZW_CODES][2]; /* last and first byte */
    uint16_t prefix[LZW_CODES];
    uint16_t length[LZW_CODES];
    int n, bits;
};

static void lzw_clear(struct lzw *t)
{
    for (int i = 0; i < 256; i++) {
        t->string[i][0] = t->string[i][1] = (uint8_t)i;
        t->length[i] = 1;
    }
    t->n = LZW_END + 1;
    t->bits = 9;
}

static void lzw_add(struct lzw *t, int prefix, uint8_t last)
{
    if (t->n >= LZW_CODES) return;
    t->prefix[t->n] = (uint16_t)prefix;
    t->length[t->n] = (uint16_t)(t->length[prefix] + 1);
    t->string[t->n][0] = last;
    t->string[t->n][1] = t->string[prefix][1];
    t->n++;
}

static bool lzw_append(const struct lzw *t, int code, struct sink *out)
{
    uint8_t text[LZW_CODES];
    size_t n = t->length[code];
    for (size_t i = n; i-- > 0; code = t->prefix[code])
        text[i] = t->string[code][0];
    return sink_append(out, text, n);
}

static bool lzw(const struct pdf_filter *f, const uint8_t *in, size_t size,
                struct sink *out, size_t *used)
{
    struct lzw *t = malloc(sizeof *t);
    uint32_t pending = 0;
    int n_held = 0, before = -1, code = -1;
    size_t at = 0;
    if (!t) return false;
    lzw_clear(t);
    while (code != LZW_END) {
        for (; n_held < t->bits && at < size; n_held += 8)
            pending = pending << 8 | in[at++];
        if (n_held < t->bits) break;
        code = (int)(pending >> (n_held - t->bits) & ((1u << t->bits) - 1));
        n_held -= t->bits;
        if (code == LZW_CLEAR) {
            lzw_clear(t);
            before = -1;
            continue;
        }
        if (code == LZW_END || code > t->n || (code == t->n && before < 0))
            break;
        if (before >= 0)
            lzw_add(t, before, t->string[code == t->n ? before : code][1]);
        if (code >= t->n || !lzw_append(t, code, out)) break;
        before = code;
        int next = t->n + (f->early != 0);
        t->bits = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9;
    }
    free(t);
    *used = at;
    return code == LZW_END;
}

static bool run_length(const struct pdf_filter *f, const uint8_t *in,
                       size_t size, struct sink *out, size_t *used)
{
    (void)f;
    size_t at = 0;
    bool ended = false, more = true;
    while (more && at < size && !ended) {
        unsigned n = in[at++];
        uint8_t run[128];
        if (n == 128) {
            ended = true;
        } else if (n < 128) {
            size_t here = size - at < n + 1 ? size - at : n + 1;
            more = sink_append(out, in + at, here);
            at += here;
        } else if (at < size) {
            memset(run, in[at++], sizeof run);
            more = sink_append(out, run, 257 - n);
        }
    }
    *used = at;
    return ended;
}

static bool is_white_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' ||
           c == '\0';
}

static bool ascii85(const struct pdf_filter *f, const uint8_t *in, size_t size,
                    struct sink *out, size_t *used)
{
    (void)f;
    size_t at = 0;
    uint32_t v = 0;
    int n = 0;
    bool more = true;
    for (; more && at < size && in[at] != '~'; at++) {
        uint8_t c = in[at];
        if (c == 'z' && n == 0) {
            more = sink_append(out, (const uint8_t *)"\0\0\0", 4);
        } else if (c >= '!' && c <= 'u') {
            v = v * 85 + (uint32_t)(c - '!');
            if (++n < 5) continue;
            const uint8_t four[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16),
                                    (uint8_t)(v >> 8), (uint8_t)v};
            more = sink_append(out, four, 4);
            v = 0;
            n = 0;
        } else if (!is_white_space(c)) {
            break;
        }
    }
    bool ended = at < size && in[at] == '~';
    if (more && n > 1) {
        for (int i = n; i < 5; i++)
            v = v * 85 + 84;
        const uint8_t rest[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16),
                                (uint8_t)(v >> 8)};
        sink_append(out, rest, (size_t)n - 1);
    }
    *used = ended ? at + 1 + (at + 1 < size && in[at + 1] == '>') : at;
    return ended;
}

static bool ascii_hex(const struct pdf_filter *f, const uint8_t *in,
                      size_t size, struct sink *out, size_t *used)
{
    (void)f;
    size_t at = 0;
    int high = -1;
    bool more = true;
    for (; more && at < size && in[at] != '>'; at++) {
        uint8_t c = in[at];
        int d = text_hex_digit(c);
        if (d < 0 && !is_white_space(c)) break;
        if (d < 0) continue;
        if (high >= 0)
            more = sink_append(out, &(uint8_t){(uint8_t)(high << 4 | d)}, 1);
        high = high < 0 ? d : -1;
    }
    bool ended = at < size && in[at] == '>';
    if (more && high >= 0)
        sink_append(out, &(uint8_t){(uint8_t)(high << 4)}, 1);
    *used = at + ended;
    return ended;
}

/* --- filters one after the other ------------------------------------------ */

static filter_fn *const filter_table[] = {[PDF_FLATE] = flate,
                                          [PDF_LZW] = lzw,
                                          [PDF_RUN_LENGTH] = run_length,
                                          [PDF_ASCII85] = ascii85,
                                          [PDF_ASCII_HEX] = ascii_hex};

static bool has_predictor(const struct pdf_filter *f)
{
    return (f->kind == PDF_FLATE || f->kind == PDF_LZW) && f->predictor > 1;
}

/* The size of a row before prediction, in bytes; 0: invalid. */
static size_t row_size(const struct pdf_filter *f)
{
    long long columns = f->columns < 0 ? 1 : f->columns;
    if (f->colours < 1 || f->colours > 32 || f->bits < 1 || f->bits > 16 ||
        columns < 1 || columns > 1 << 24)
        return 0;
    return (size_t)((columns * f->colours * f->bits + 7) / 8);
}

/* The size of n bytes after undoing the predictor: a PNG predictor has an extra
 * byte before each row. */
static size_t predicted(const struct pdf_filter *f, size_t n)
{
    size_t row = row_size(f);
    if (f->predictor < 10 || row == 0) return n;
    size_t rest = n % (row + 1);
    return n / (row + 1) * row + (rest ? rest - 1 : 0);
}

/* The number of bytes needed for `most` after the predictor. */
static size_t unpredicted(const struct pdf_filter *f, size_t most)
{
    size_t row = row_size(f);
    return f->predictor < 10 || row == 0 ? most : most + most / row + 1;
}

static bool is_ours(const struct pdf_filter *f)
{
    return f->kind < PDF_CRYPT;
}

struct pdf_decoded pdf_decode(const struct pdf_filters *filters,
                              const uint8_t *in, size_t size, size_t most,
                              bool keep)
{
    struct pdf_decoded out = {.n = size < most ? size : most, .ended = true};
    uint8_t *decoded = NULL;     /* output of the previous filter */
    int i = 0, last = -1, n = 0; /* last: last known filter; n: their number */
    for (; n < filters->n && filters->filter[n].kind <= PDF_CRYPT; n++)
        if (is_ours(&filters->filter[n])) last = n;
    bool coded = n < filters->n;
    for (; i < n; i++) {
        const struct pdf_filter *f = &filters->filter[i];
        if (!is_ours(f)) continue;
        bool is_last = i == last && !coded;
        struct sink sink = {.keep = keep || !is_last, .most = BETWEEN_MAX};
        if (is_last) sink.most = unpredicted(f, most);
        size_t used = 0;
        out.refused |= sink.keep && has_predictor(f);
        out.ended &= filter_table[f->kind](f, in, size, &sink, &used);
        out.refused |= sink.failed || (!is_last && sink.n == sink.most);
        if (i == 0) out.used = used;
        free(decoded);
        decoded = sink.bytes;
        in = decoded;
        size = sink.n;
        out.n = has_predictor(f) ? predicted(f, sink.n) : sink.n;
    }
    out.stopped_at = i;
    if (keep && !decoded) { /* no filter, or no output */
        decoded = malloc(size + 1);
        if (decoded && size) memcpy(decoded, in, size);
    }
    out.bytes = keep ? decoded : NULL;
    if (!keep) free(decoded);
    return out;
}
