/* pretoken.h - pre-tokeniser: normalisation and splitting of text before
 * merges.
 *
 * THREADS  Read-only once open. SOURCE  MODEL.md, "Words".
 */
#ifndef VLM_TEXT_PRETOKEN_H
#define VLM_TEXT_PRETOKEN_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct pretoken;

/* Lives as long as the arena. FAIL: ERR_SYSTEM if this PCRE2 cannot compile the
 * pattern. */
struct pretoken *pretoken_open(struct arena *arena, struct err *err);

/* The text in normalisation form C; `text` itself if nothing changes. FAIL:
 * ERR_INPUT for invalid UTF-8 (with the offset) and for more than 1,000
 * combining marks in a row. */
struct span pretoken_normalise(struct span text, struct arena *arena,
                               struct err *err);

/* Iterates over the pieces of normalised text, which cover it without gaps.
 * pretoken_next returns false after the last. FAIL: ERR_LIMIT. */
struct pretoken_walk;
struct pretoken_walk *pretoken_begin(const struct pretoken *p, struct span text,
                                     struct arena *arena);
bool pretoken_next(struct pretoken_walk *w, struct span *piece,
                   struct err *err);

#endif
