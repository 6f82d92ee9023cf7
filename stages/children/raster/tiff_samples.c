/* tiff_samples.c - see tiff_samples.h. */
#include "stages/children/raster/tiff_samples.h"

#include <string.h>

bool tiff_samples_known(int bits)
{
    return (bits >= 1 && bits <= 16) || bits == 24 || bits == 32;
}

/* One sample of up to 16 bits from a row packed from the top bit. */
static uint32_t packed_at(const uint8_t *in, size_t i, int bits)
{
    size_t at = i * (size_t)bits, first = at / 8;
    int shift = (int)(at % 8), n_byte = (shift + bits + 7) / 8;
    uint32_t v = 0;
    for (int k = 0; k < n_byte; k++)
        v = v << 8 | in[first + (size_t)k];
    return v >> (n_byte * 8 - shift - bits) & ((1u << bits) - 1);
}

static void unpack_bits(const uint8_t *in, size_t n, bool raw, uint8_t *out)
{
    uint8_t one = raw ? 1 : 255;
    for (size_t i = 0; i < n; i++)
        out[i] = in[i / 8] >> (7 - i % 8) & 1 ? one : 0;
}

static void unpack_top_byte(const uint8_t *in, size_t n, int bytes,
                            uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *sample = in + i * (size_t)bytes;
        const uint16_t probe = 1;
        bool is_little = *(const uint8_t *)&probe;
        out[i] = sample[is_little ? bytes - 1 : 0];
    }
}

void tiff_samples_unpack(const uint8_t *in, size_t n, int bits, bool raw,
                         uint8_t *out)
{
    if (bits == 8) {
        memcpy(out, in, n);
    } else if (bits == 1) {
        unpack_bits(in, n, raw, out);
    } else if (bits % 8 == 0) {
        unpack_top_byte(in, n, bits / 8, out);
    } else {
        uint32_t most = (1u << bits) - 1;
        for (size_t i = 0; i < n; i++) {
            uint32_t v = packed_at(in, i, bits);
            if (!raw)
                v = bits < 8 ? (v * 255 + most / 2) / most : v >> (bits - 8);
            out[i] = (uint8_t)v;
        }
    }
}
