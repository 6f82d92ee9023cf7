/* prophet.h - a model whose block of multi-token prediction knows what it will say. */
#ifndef TESTS_SUPPORT_PROPHET_H
#define TESTS_SUPPORT_PROPHET_H

#include "vlm/vlm.h"

/* For a model of random weights: the layers of the delta rule do nothing, and
 * the block that guesses is the layer with attention, which goes on from the
 * token alone. Without such a block (mtp_off) it says the same. */
void prophet_make(struct vlm *v);

/* Of a receipt, whose answers its words and the grammar both foretell in part. */
extern const char prophet_schema[];

#endif
