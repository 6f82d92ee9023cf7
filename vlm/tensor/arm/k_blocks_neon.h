/* k_blocks_neon.h - definitions for k_blocks.h with NEON. */
#define VW   4
#define TURN 0u

typedef uint32_t vu __attribute__((vector_size(16)));
typedef int32_t vs __attribute__((vector_size(16)));
typedef float vf __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) void piece(
    const uint8_t *const *row, size_t at, vu out[4])
{
    uint32x4_t r0 = vreinterpretq_u32_u8(vld1q_u8(row[0] + at));
    uint32x4_t r1 = vreinterpretq_u32_u8(vld1q_u8(row[1] + at));
    uint32x4_t r2 = vreinterpretq_u32_u8(vld1q_u8(row[2] + at));
    uint32x4_t r3 = vreinterpretq_u32_u8(vld1q_u8(row[3] + at));
    uint64x2_t a = vreinterpretq_u64_u32(vzip1q_u32(r0, r1));
    uint64x2_t b = vreinterpretq_u64_u32(vzip1q_u32(r2, r3));
    uint64x2_t c = vreinterpretq_u64_u32(vzip2q_u32(r0, r1));
    uint64x2_t d = vreinterpretq_u64_u32(vzip2q_u32(r2, r3));
    out[0] = (vu)vzip1q_u64(a, b);
    out[1] = (vu)vzip2q_u64(a, b);
    out[2] = (vu)vzip1q_u64(c, d);
    out[3] = (vu)vzip2q_u64(c, d);
}

static inline __attribute__((always_inline)) vf half(vu v)
{
    float16x4_t h = vreinterpret_f16_u16(vmovn_u32((uint32x4_t)v));
    return (vf)vcvt_f32_f16(h);
}

static inline __attribute__((always_inline)) vu lookup(vu v,
                                                       const int8_t *table)
{
    return (vu)vqtbl1q_s8(vld1q_s8(table), (uint8x16_t)v);
}

static inline __attribute__((always_inline)) vu fetch(const uint16_t *table,
                                                      vu index)
{
    uint32_t v[VW];
    for (int i = 0; i < VW; i++)
        memcpy(&v[i], table + index[i], sizeof v[i]);
    return (vu)vld1q_u32(v);
}

static inline __attribute__((always_inline)) vu negate(vu v, vu signs, int byte,
                                                       int nibble)
{
    static const uint8_t word[16] = {0, 0, 0, 0, 4,  4,  4,  4,
                                     8, 8, 8, 8, 12, 12, 12, 12};
    uint8x16_t spread = vaddq_u8(vld1q_u8(word), vdupq_n_u8((uint8_t)byte));
    uint8x16_t bits =
        vreinterpretq_u8_u32(vdupq_n_u32(0x08040201u << 4 * nibble));
    uint8x16_t set = vtstq_u8(vqtbl1q_u8((uint8x16_t)signs, spread), bits);
    return (vu)vsubq_u8(veorq_u8((uint8x16_t)v, set), set);
}

static inline __attribute__((always_inline)) int8x16_t word_of(const int8_t *x)
{
    int32_t word;
    memcpy(&word, x, sizeof word);
    return vreinterpretq_s8_s32(vdupq_n_s32(word));
}

static inline __attribute__((always_inline)) vs dot4(vs sum, vu v,
                                                     const int8_t *x)
{
    return (vs)vdotq_s32((int32x4_t)sum, (int8x16_t)v, word_of(x));
}

static inline __attribute__((always_inline)) vs dot4_small(vs sum, vu v,
                                                           const int8_t *x)
{
    return dot4(sum, v, x);
}

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline void store_rows(float *y, vf v, int n)
{
    if (n >= VW)
        memcpy(y, &v, sizeof v);
    else if (n > 0)
        memcpy(y, &v, (size_t)n * sizeof *y);
}
