/* grammar.h - a schema compiled once into an automaton over bytes.
 *
 * What is written under it is compact JSON, with nothing between the tokens of
 * JSON and keys in the schema's order; grammar_rules.h says what else is
 * decided here.
 * THREADS  Read-only once made, and may be shared.
 */
#ifndef VLM_GRAMMAR_GRAMMAR_H
#define VLM_GRAMMAR_GRAMMAR_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;
struct grammar;

/* The grammar keeps nothing of the schema, which may be freed before it.
 * FAIL: ERR_CONFIG, "schema-refused", with pointer and keyword. */
struct grammar *grammar_compile(const struct schema *schema, struct err *err);
void grammar_free(struct grammar *g); /* NULL is fine */

/* What the grammar cannot enforce while generating ("checked after" lines),
 * one a line: pointer, keyword, why. Empty when everything is enforced. */
void grammar_report(const struct grammar *g, struct buf *out);

/* The objects that are closed while generating although the schema leaves them
 * open, one a line: pointer, what is accepted and never written. Empty when
 * there are none. */
void grammar_openings(const struct grammar *g, struct buf *out);

/* The smallest instance that the schema admits, as compact JSON (null where
 * null is allowed, else shortest). Used by --engine null. */
void grammar_smallest(const struct grammar *g, struct buf *out,
                      struct err *err);

#endif
