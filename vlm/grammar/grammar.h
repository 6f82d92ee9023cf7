/* grammar.h - a schema compiled into rules for generation.
 *
 * Generated JSON is compact: no white space between tokens, keys in the
 * schema's order. grammar_rules.h lists the other choices made here. THREADS
 * Read-only once made; can be shared.
 */
#ifndef VLM_GRAMMAR_GRAMMAR_H
#define VLM_GRAMMAR_GRAMMAR_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;
struct grammar;

/* The grammar keeps no reference to the schema, which can be freed first.
 * FAIL: ERR_CONFIG, "schema-refused", with pointer and keyword. */
struct grammar *grammar_compile(const struct schema *schema, struct err *err);
void grammar_free(struct grammar *g); /* NULL is fine */

/* Lists what the grammar cannot enforce during generation, one per line:
 * pointer, keyword, why. Empty if everything is enforced. */
void grammar_report(const struct grammar *g, struct buf *out);

/* Lists objects that allow further members which are never generated, one per
 * line: pointer, keyword, what is allowed. Empty if there are none. */
void grammar_openings(const struct grammar *g, struct buf *out);

/* Writes the smallest instance that the schema admits, as compact JSON (null
 * where allowed, else the shortest value). Used by --engine null. FAIL:
 * ERR_LIMIT (too large), ERR_CONFIG (no example found). */
void grammar_smallest(const struct grammar *g, struct buf *out,
                      struct err *err);

#endif
