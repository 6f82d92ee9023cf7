/* k_gpu_blocks.h - decoding of every quantised type: pieces of 32 columns, in the
 * layout that gpu_args.h describes. All functions are given the form of a type, a
 * constant, and become what that type needs.
 */

#define GPU_FORM(type, X, bits, less, head, sub, act, has_min)     \
    enum {                                                         \
        type##_BITS = bits,                                        \
        type##_SUB = sub,                                          \
        type##_ACT = act,                                          \
        type##_HAS_MIN = has_min                                   \
    };                                                             \
    INSIDE struct gpu_form type##_form(void)                       \
    {                                                              \
        struct gpu_form f = {bits, less, head, sub, act, has_min}; \
        return f;                                                  \
    }
GPU_QUANTS(GPU_FORM, 0)
#undef GPU_FORM

/* A piece as it is stored: `bits` words, scales and minima, what these are multiplied
 * by. */
struct gpu_piece {
    uint32_t word[8], head[2], half;
};

INSIDE uint32_t gpu_at4(const uint8_t *p) /* at a multiple of 4 */
{
    return *(const uint32_t *)(const void *)p;
}

INSIDE uint32_t gpu_at2(const uint8_t *p) /* of 2 */
{
    return *(const uint16_t *)(const void *)p;
}

INSIDE void gpu_get2(uint32_t *to, const void *from)
{
    gpu_words2 v = *(const gpu_words2 *)from;
    UNROLL for (int i = 0; i < 2; i++) to[i] = v[i];
}

INSIDE void gpu_get4(uint32_t *to, const void *from)
{
    gpu_words4 v = *(const gpu_words4 *)from;
    UNROLL for (int i = 0; i < 4; i++) to[i] = v[i];
}

INSIDE void gpu_put4(void *to, const uint32_t *from)
{
    gpu_words4 v = {from[0], from[1], from[2], from[3]};
    *(gpu_words4 *)to = v;
}

/* Piece p of a row of n. */
INSIDE void gpu_get_piece(struct gpu_form f, const uint8_t *row, uint32_t n,
                          uint32_t p, struct gpu_piece *x)
{
    const uint32_t bits = (uint32_t)f.bits;
    const uint32_t size = (uint32_t)(f.head * (32 / f.sub) * (1 + f.has_min));
    if (bits == 8) gpu_get4(x->word, row + 32 * p);
    if (bits == 8) gpu_get4(x->word + 4, row + (32 * p + 16));
    if (bits >= 4 && bits < 8) gpu_get4(x->word, row + 16 * p);
    if (bits == 6) gpu_get2(x->word + 4, row + (16 * n + 8 * p));
    if (bits < 4) gpu_get2(x->word, row + 8 * p);
    if (bits % 2)
        x->word[bits - 1] = gpu_at4(row + (4 * (bits - 1) * n + 4 * p));
    const uint8_t *head = row + (4 * bits * n + size * p);
    if (size == 8) gpu_get2(x->head, head);
    if (size == 4) x->head[0] = gpu_at4(head);
    if (size == 2) x->head[0] = gpu_at2(head);
    if (size == 1) x->head[0] = *head;
    if (f.head != GPU_CODES) return;
    const uint8_t *half = row + (4 * bits + size) * n;
    x->half =
        f.has_min ? gpu_at4(half + 4 * (p / 8)) : gpu_at2(half + 2 * (p / 8));
}

/* The entries of a table of 16 bytes selected by four bytes below 16. */
INSIDE uint32_t gpu_table(uint32_t x, uint32_t t0, uint32_t t1, uint32_t t2,
                          uint32_t t3)
{
    uint32_t pick =
        (x & 15) | (x >> 4 & 0xf0) | (x >> 8 & 0xf00) | (x >> 12 & 0xf000);
    uint32_t low = gpu_bytes(t0, t1, pick & 0x7777);
    uint32_t high = gpu_bytes(t2, t3, pick & 0x7777);
    uint32_t upper = (x >> 3 & 0x01010101u) * 255u;
    return (low & ~upper) | (high & upper);
}

/* Values 4 j .. 4 j + 3 of a piece, as signed bytes. */
INSIDE uint32_t gpu_word(struct gpu_form f, const struct gpu_piece *x, int j)
{
    uint32_t v;
    if (f.bits == 8) return x->word[j];
    if (f.bits >= 4)
        v = x->word[j % 4] >> 4 * (j / 4) & 0x0f0f0f0fu;
    else
        v = x->word[j / 4] >> 2 * (j % 4) & 0x03030303u;
    if (f.bits == 6)
        v |= (x->word[4 + j / 4] >> 2 * (j % 4) & 0x03030303u) << 4;
    if (f.bits % 2)
        v |= (x->word[f.bits - 1] >> j & 0x01010101u) << (f.bits - 1);
    if (f.less == GPU_IQ4) /* quant_iq4_value */
        return gpu_table(v, 0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
    if (f.less == GPU_FP4) /* quant_fp4_value */
        return gpu_table(v, 0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);
    if (f.less == 0) return v;
    return (v + (uint32_t)(128 - f.less) * 0x01010101u) ^ 0x80808080u;
}

INSIDE void gpu_decode(struct gpu_form f, const struct gpu_piece *x,
                       uint32_t w[8])
{
    UNROLL for (int j = 0; j < 8; j++) w[j] = gpu_word(f, x, j);
}

/* Number i of the scales and minima of a piece. */
INSIDE float gpu_head(struct gpu_form f, const struct gpu_piece *x, int i,
                      uint32_t half)
{
    if (f.head == GPU_SINGLES) return gpu_float(x->head[i]);
    if (f.head == GPU_HALVES)
        return gpu_from_half((uint16_t)(x->head[i / 2] >> 16 * (i % 2)));
    return gpu_from_half((uint16_t)half) * (float)(int8_t)(x->head[0] >> 8 * i);
}

/* Of sub-block i of a piece; gpu_min is 0 without minima. */
INSIDE float gpu_scale(struct gpu_form f, const struct gpu_piece *x, int i)
{
    return gpu_head(f, x, i, x->half);
}
INSIDE float gpu_min(struct gpu_form f, const struct gpu_piece *x, int i)
{
    if (!f.has_min) return 0.0f;
    float y = gpu_head(f, x, 32 / f.sub + i, x->half >> 16);
    return f.head == GPU_CODES ? -y : y;
}

INSIDE float f32_at(const uint8_t *p, int k)
{
    return gpu_float(gpu_at4(p + 4 * k));
}

INSIDE float f16_at(const uint8_t *p, int k)
{
    return gpu_from_half((uint16_t)gpu_at2(p + 2 * k));
}

INSIDE float bf16_at(const uint8_t *p, int k)
{
    return gpu_float(gpu_at2(p + 2 * k) << 16);
}
