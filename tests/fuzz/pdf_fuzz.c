/* pdf_fuzz.c - any bytes as a stream of a PDF: through filters, as a content
 * stream, as JBIG2 and as a fax. Whatever they are, no more comes than was asked
 * for, what is kept is as long as it says, and tokens lie in the stream.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/jbig2.h"
#include "stages/children/raster/pdf/pdf_decode.h"
#include "stages/children/raster/pdf/pdf_tokens.h"
#include "stages/children/raster/picture/fax.h"

enum { MOST = 1 << 20 };

static void decode(const uint8_t *how, const uint8_t *data, size_t size)
{
    static const char *const name[] = {"FlateDecode", "LZW",   "RL",  "A85",
                                       "AHx",         "Crypt", "DCT", "Any"};
    struct pdf_filters filters = {.n = how[0] % 3};
    for (int i = 0; i < filters.n; i++) {
        filters.filter[i] = pdf_decode_filter(name[how[1 + i] % 8]);
        filters.filter[i].predictor = how[3] % 16;
        filters.filter[i].columns = how[4];
        filters.filter[i].early = how[3] / 16 % 2;
    }
    size_t most = how[5] & 1 ? MOST : how[5];
    bool keep = how[5] & 2;
    struct pdf_decoded d = pdf_decode(&filters, data, size, most, keep);
    assert(d.used <= size && (keep || !d.bytes));
    assert(d.stopped_at <= filters.n);
    /* what is kept is there: a sanitizer looks */
    if (d.bytes && d.n && !d.refused)
        assert(d.bytes[0] + d.bytes[d.n - 1] >= 0);
    free(d.bytes);
}

static void read_tokens(const uint8_t *data, size_t size)
{
    struct pdf_tokens t = {data, data + size};
    struct pdf_token token;
    bool used[256] = {false};
    do {
        const uint8_t *before = t.at;
        pdf_tokens_next(&t, &token);
        assert(token.from >= before && token.to <= t.end &&
               token.from <= token.to);
        assert(token.kind == PDF_TOKEN_END || t.at > before);
        assert(strlen(token.text) < PDF_TOKEN_TEXT);
        if (token.kind == PDF_TOKEN_STRING) pdf_tokens_codes(&token, used);
    } while (token.kind != PDF_TOKEN_END);
}

int pdf_fuzz(const uint8_t *data, size_t size)
{
    enum { HEAD = 6 };
    if (size < HEAD) return 0;
    /* a block of its own, so that a sanitizer sees the byte behind it */
    size_t n = size - HEAD;
    uint8_t *own = malloc(n + 1);
    assert(own);
    memcpy(own + 1, data + HEAD, n);
    decode(data, own + 1, n);
    read_tokens(own + 1, n);
    jbig2_check(own + 1, n);
    struct fax fax = {.k = data[0] % 3 - 1,
                      .end_of_line = data[1] & 1,
                      .width = data[2],
                      .height = data[3],
                      .bytes = own + 1,
                      .size = n};
    fax_is_whole(&fax);
    free(own);
    return 0;
}
