/* grids.c - see grids.h. */
#include "vlm/tensor/formats/grids.h"

#include "vlm/tensor/formats/grids_iq1.h"
#include "vlm/tensor/formats/grids_iq2.h"

#define AS_THEY_ARE(...) __VA_ARGS__,

const uint16_t quant_iq2_xxs_grid[256 + 1] = {QUANT_IQ2_XXS_LIST(AS_THEY_ARE)};
const uint16_t quant_iq2_xs_grid[512 + 1] = {QUANT_IQ2_XS_LIST(AS_THEY_ARE)};
const uint16_t quant_iq2_s_grid[1024 + 1] = {QUANT_IQ2_S_LIST(AS_THEY_ARE)};
const uint16_t quant_iq1_grid[2048 + 1] = {QUANT_IQ1_LIST(AS_THEY_ARE)};
const uint16_t quant_iq3_xxs_grid[256 + 1] = {QUANT_IQ3_XXS_LIST(AS_THEY_ARE)};
const uint16_t quant_iq3_s_grid[512 + 1] = {QUANT_IQ3_S_LIST(AS_THEY_ARE)};

/* Values of a digit, as constant expressions. */
#define IQ2_VALUE(d)     (8 + 17 * (d) + (d) / 2)
#define IQ1_VALUE(d)     (2 + 8 * (d))
#define IQ3_XXS_VALUE(d) (4 + 8 * (d) + 2 * ((d) / 7))
#define IQ3_S_VALUE(d)   (1 + 2 * (d))

/* Digit j of e as byte j. */
#define TWO(value, e, j)   ((uint64_t)value((e) >> 2 * (j)&3) << 8 * (j))
#define THREE(value, e, j) ((uint32_t)value((e) >> 3 * (j)&7) << 8 * (j))
#define OF_TWO(v, e)                                                           \
    TWO(v, e, 0) | TWO(v, e, 1) | TWO(v, e, 2) | TWO(v, e, 3) | TWO(v, e, 4) | \
        TWO(v, e, 5) | TWO(v, e, 6) | TWO(v, e, 7)
#define OF_THREE(v, e) \
    THREE(v, e, 0) | THREE(v, e, 1) | THREE(v, e, 2) | THREE(v, e, 3)
#define EACH(of, v, a, b, c, d, e, f, g, h)                               \
    of(v, a), of(v, b), of(v, c), of(v, d), of(v, e), of(v, f), of(v, g), \
        of(v, h),
#define OF_IQ2(...)     EACH(OF_TWO, IQ2_VALUE, __VA_ARGS__)
#define OF_IQ1(...)     EACH(OF_TWO, IQ1_VALUE, __VA_ARGS__)
#define OF_IQ3_XXS(...) EACH(OF_THREE, IQ3_XXS_VALUE, __VA_ARGS__)
#define OF_IQ3_S(...)   EACH(OF_THREE, IQ3_S_VALUE, __VA_ARGS__)

const uint64_t quant_iq2_xxs_wide[256] = {QUANT_IQ2_XXS_LIST(OF_IQ2)};
const uint64_t quant_iq2_xs_wide[512] = {QUANT_IQ2_XS_LIST(OF_IQ2)};
const uint64_t quant_iq2_s_wide[1024] = {QUANT_IQ2_S_LIST(OF_IQ2)};
const uint64_t quant_iq1_wide[2048] = {QUANT_IQ1_LIST(OF_IQ1)};
const uint32_t quant_iq3_xxs_wide[256] = {QUANT_IQ3_XXS_LIST(OF_IQ3_XXS)};
const uint32_t quant_iq3_s_wide[512] = {QUANT_IQ3_S_LIST(OF_IQ3_S)};

const int8_t quant_iq2_value[16] = {8, 25, 43};
const int8_t quant_iq3_xxs_value[16] = {4, 12, 20, 28, 36, 44, 52, 62};
const int8_t quant_iq3_s_value[16] = {1, 3, 5, 7, 9, 11, 13, 15};
const int8_t quant_iq1_value[16] = {-7, 1, 9, 0, -9, -1, 7};
const int8_t quant_iq1_small[16] = {2, 10, 18};
const int8_t quant_odd_bit[16] = {0, -128, -128, 0, -128, 0,    0, -128, -128,
                                  0, 0,    -128, 0, -128, -128, 0};
