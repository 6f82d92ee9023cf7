/* grids.h - the tables of types that store a group of values as one number: an
 * entry of a list of the groups that may occur (MODEL.md, "Blocks of weights").
 *
 * An entry is packed: digit j says which value of the type's row of values the
 * group's value j is. Digits have two bits (eight values an entry) or three
 * (four values). One entry more is readable than there are, so that an entry
 * may be read as 32 bits.
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

/* The same entries with their values in place of digits, a byte each, for sets
 * that read one faster than they spread it; of IQ1 nine more, without sign. */
extern const uint64_t quant_iq2_xxs_wide[256];
extern const uint64_t quant_iq2_xs_wide[512];
extern const uint64_t quant_iq2_s_wide[1024];
extern const uint64_t quant_iq1_wide[2048];
extern const uint32_t quant_iq3_xxs_wide[256];
extern const uint32_t quant_iq3_s_wide[512];

/* What a digit means; the sign is stored beside. */
extern const int8_t quant_iq2_value[16];
extern const int8_t quant_iq3_xxs_value[16];
extern const int8_t quant_iq3_s_value[16];

/* Of IQ1, in eighths: -1, 0, 1 and an eighth more, or less from the fourth on. */
extern const int8_t quant_iq1_value[16];

/* Nine more, of those with an eighth more: 0 to 18. */
extern const int8_t quant_iq1_small[16];

/* Top bit: an odd number of bits is set in the index. Signs of IQ2_XXS, IQ2_XS
 * and IQ3_XXS are seven bits of eight: an even number of all is set. */
extern const int8_t quant_odd_bit[16];

#endif
