/* quant_grid.h - blocks of IQ1, IQ2 and IQ3 taken apart, for quant.c alone. */
#ifndef VLM_TENSOR_QUANT_GRID_H
#define VLM_TENSOR_QUANT_GRID_H

#include "vlm/tensor/quant.h"

/* quant_split for the types of grids.h; false for any other type. */
bool quant_split_grid(enum quant_type type, const uint8_t *block, int8_t *q,
                      float *scale);

#endif
