/* tiff_samples.h - unpacks rows of TIFF samples of any width into bytes. */
#ifndef STAGES_CHILDREN_RASTER_TIFF_SAMPLES_H
#define STAGES_CHILDREN_RASTER_TIFF_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unpacks n unsigned samples of `bits` (1 to 16, 24 or 32) as libtiff delivers
 * them: whole bytes in native order, other widths packed from the top bit.
 * Fewer than 8 bits are scaled to 0..255, of more the top 8 are kept; `raw`
 * keeps the number itself (8 bits at most). */
void tiff_samples_unpack(const uint8_t *in, size_t n, int bits, bool raw,
                         uint8_t *out);

/* Whether tiff_samples_unpack supports this width. */
bool tiff_samples_known(int bits);

#endif
