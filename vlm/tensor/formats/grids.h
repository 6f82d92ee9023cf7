/* grids.h - tables of types that store a group of values as an index into a
 * list of the possible groups (MODEL.md, "Blocks of weights").
 *
 * An entry is packed: digit j is the index of the group's value j in the type's
 * list of values. Digits have two bits (eight values per entry) or three (four
 * values). One extra entry is readable, so that an entry can be read as 32
 * bits.
 */
#ifndef VLM_TENSOR_FORMATS_GRIDS_H
#define VLM_TENSOR_FORMATS_GRIDS_H

#include <stdint.h>

/* Eight values of two bits. */
extern const uint16_t quant_iq2_xxs_grid[256 + 1];
extern const uint16_t quant_iq2_xs_grid[512 + 1];
extern const uint16_t quant_iq2_s_grid[1024 + 1];
extern const uint16_t quant_iq1_grid[2048 + 1]; /* IQ1_S and IQ1_M */

/* Four values of three bits. */
extern const uint16_t quant_iq3_xxs_grid[256 + 1];
extern const uint16_t quant_iq3_s_grid[512 + 1];

/* The same entries with values instead of digits, a byte each, for instruction
 * sets that read them faster than they expand digits; for IQ1 nine more,
 * unsigned. */
extern const uint64_t quant_iq2_xxs_wide[256];
extern const uint64_t quant_iq2_xs_wide[512];
extern const uint64_t quant_iq2_s_wide[1024];
extern const uint64_t quant_iq1_wide[2048];
extern const uint32_t quant_iq3_xxs_wide[256];
extern const uint32_t quant_iq3_s_wide[512];

/* Values of the digits; signs are stored separately. */
extern const int8_t quant_iq2_value[16];
extern const int8_t quant_iq3_xxs_value[16];
extern const int8_t quant_iq3_s_value[16];

/* Values of IQ1, in eighths: -1, 0, 1 plus an eighth, or minus an eighth from
 * the fourth on. */
extern const int8_t quant_iq1_value[16];

/* The values plus an eighth, plus nine: 0 to 18. */
extern const int8_t quant_iq1_small[16];

/* Top bit: the index has an odd number of bits set. Signs of IQ2_XXS, IQ2_XS
 * and IQ3_XXS are stored as seven bits of eight: the total number set is
 * even. */
extern const int8_t quant_odd_bit[16];

#endif
