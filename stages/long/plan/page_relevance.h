/* page_relevance.h - how well a page fits the fields that are wanted.
 *
 * Only a few pages of a long document are asked for values that occur once: a page
 * with the words "invoice number" is a better place for invoiceNumber than others.
 * Needs a text layer.
 */
#ifndef STAGES_LONG_PLAN_PAGE_RELEVANCE_H
#define STAGES_LONG_PLAN_PAGE_RELEVANCE_H

#include <cjson/cJSON.h>

#include "stages/document/words.h"
#include "vlm/base/arena.h"

struct page_relevance;

/* The labels of the scalar properties below `node` of the schema `root`: names, split
 * at case and underscores, titles, and the longer words of descriptions; not those of
 * arrays. Owned by the arena. */
struct page_relevance *page_relevance_new(const cJSON *root, const cJSON *node,
                                          struct arena *arena);

/* 0 (none of the labels, or no words) to 1 (all of them, as written). */
double page_relevance(const struct page_relevance *match,
                      const struct words *words);

#endif
