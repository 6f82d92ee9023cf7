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
    struct cprange *range; /* in the arena of the calls */
    int n, room;
};

/* Adds first..last, both inclusive, or all of another set; the set is not
 * tidy afterwards. */
void cpset_add(struct cpset *s, struct arena *arena, uint32_t first,
               uint32_t last);
void cpset_add_set(struct cpset *s, struct arena *arena,
                   const struct cpset *other);
void cpset_tidy(struct cpset *s); /* sorts and joins; wanted by the rest */
void cpset_negate(struct cpset *s, struct arena *arena); /* tidies as well */
bool cpset_has(const struct cpset *s, uint32_t c);       /* s is tidy */

/* The escapes \d \w \s of ECMA-262 (letter in lower case). */
void cpset_add_escape(struct cpset *s, struct arena *arena, char letter);

/* Sets of properties that were looked up before: each is a walk over all code
 * points. One of zeros but for its arena is empty. */
struct cpset_known {
    struct arena *arena;
    struct text_table set; /* struct cpset, by name */
};

/* A general category by its short or usual long name: "L", "Lu", "Letter",
 * "ASCII", "Any". False when it is none of these. `known` may be NULL. */
bool cpset_add_property(struct cpset *s, struct arena *arena, struct span name,
                        struct cpset_known *known);

#endif
