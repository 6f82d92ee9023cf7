/* raster_words.h - the words of a page as the rasteriser sent them, checked. */
#ifndef STAGES_RASTER_WORDS_H
#define STAGES_RASTER_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "stages/page/words.h"
#include "stages/raster/protocol.h"
#include "vlm/base/arena.h"

/* Makes words of what came: n_word packed ones and their texts, n_byte bytes
 * one behind the other, all of it believed by nobody. False, and no words,
 * unless each box lies on the page, each text is UTF-8 without control
 * characters, and the sizes add up to n_byte. The words live in the arena. */
bool raster_words_take(const struct raster_word *packed, size_t n_word,
                       const char *text, size_t n_byte, struct arena *arena,
                       struct words *words);

#endif
