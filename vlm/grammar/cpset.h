/* cpset.h - sets of Unicode code points, as sorted ranges. */
#ifndef VLM_GRAMMAR_CPSET_H
#define VLM_GRAMMAR_CPSET_H

#include <stdint.h>

#include "vlm/base/text_table.h"

enum { CPSET_MAX = 0x10FFFF };

struct cprange {
    uint32_t first, last;
};

struct cpset {
    struct cprange *range; /* in the arena passed to the calls */
    int n;
};

/* Adds first..last, inclusive, or all of another set. Call cpset_normalise
 * before any other use. */
void cpset_add(struct cpset *s, struct arena *arena, uint32_t first,
               uint32_t last);
void cpset_add_set(struct cpset *s, struct arena *arena,
                   const struct cpset *other);
void cpset_normalise(struct cpset *s); /* sorts and merges the ranges */
void cpset_negate(struct cpset *s, struct arena *arena); /* also normalises */
bool cpset_has(const struct cpset *s, uint32_t c);       /* s is normalised */

/* Adds the class of \d, \w or \s in ECMA-262; `letter` is in lower case. */
void cpset_add_escape(struct cpset *s, struct arena *arena, char letter);

/* Cache of property sets: computing one is a loop over all code points. All
 * zero except for `arena`: empty. */
struct cpset_known {
    struct arena *arena;
    struct text_table set; /* struct cpset, by name */
};

/* Adds a general category, by its short or usual long name ("L", "Lu",
 * "Letter"), "ASCII" or "Any". False for any other name. `known` can be
 * NULL. */
bool cpset_add_property(struct cpset *s, struct arena *arena, struct span name,
                        struct cpset_known *known);

#endif
