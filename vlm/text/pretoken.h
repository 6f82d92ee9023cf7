/* pretoken.h - where text may be cut before merges, and its normal form.
 *
 * THREADS  Read-only once open. SOURCE  MODEL.md, "Words".
 */
#ifndef VLM_TEXT_PRETOKEN_H
#define VLM_TEXT_PRETOKEN_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct pretoken;

/* Lives as long as the arena. FAIL: ERR_SYSTEM when the pattern cannot be
 * compiled here. */
struct pretoken *pretoken_open(struct arena *arena, struct err *err);

/* Normalisation form C; `text` itself when nothing changes. FAIL: ERR_INPUT
 * for bytes that are not UTF-8, naming the first, and for more than 1,000
 * combining marks in a row. */
struct span pretoken_normalise(struct span text, struct arena *arena,
                               struct err *err);

/* Walks over the pieces of normalised text, which cover it without gaps. */
struct pretoken_walk;
struct pretoken_walk *pretoken_begin(const struct pretoken *p, struct span text,
                                     struct arena *arena);
bool pretoken_next(struct pretoken_walk *w, struct span *piece,
                   struct err *err);

#endif
