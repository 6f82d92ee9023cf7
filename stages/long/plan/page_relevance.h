/* page_relevance.h - how well a page fits the fields that are looked for.
 *
 * Pages of a long document are many and the model reads few of them for what
 * stands once: a page that says "invoice number" is a better place for
 * invoiceNumber than one that does not. Needs a text layer.
 */
#ifndef STAGES_LONG_PLAN_PAGE_RELEVANCE_H
#define STAGES_LONG_PLAN_PAGE_RELEVANCE_H

#include <cjson/cJSON.h>

#include "stages/print/words.h"
#include "vlm/base/arena.h"

struct page_relevance;

/* The labels of the scalar properties below `node`, a node of the schema
 * `root` (for "$ref" within it): names, split at case and underscores, titles
 * and the longer words of descriptions; those of arrays are left out. Lives in
 * the arena. */
struct page_relevance *page_relevance_new(const cJSON *root, const cJSON *node,
                                          struct arena *arena);

/* From 0, none of the labels, to 1, all of them as they are written. A page
 * without words is 0. */
double page_relevance(const struct page_relevance *match,
                      const struct words *words);

#endif
