/* attention_map.h - where the native engine's model reads the values that it
 * writes, as places on the pages (document.h, struct field_look). */
#ifndef STAGES_ENGINE_ATTENTION_MAP_H
#define STAGES_ENGINE_ATTENTION_MAP_H

#include "stages/engine/engine.h"
#include "stages/engine/retrieval_heads.h"

struct vlm_session;
struct attention_map;

/* Starts watching these heads. NULL if there are none; all functions below
 * accept NULL and then do and cost nothing. */
struct attention_map *attention_map_new(struct vlm_session *s,
                                        const struct retrieval_heads *heads);
void attention_map_free(struct attention_map *l);

/* Call when a question begins, when a page of it was shown (view->lines stay
 * valid until attention_map_fields), and when an answer begins. */
void attention_map_begin(struct attention_map *l);
void attention_map_page(struct attention_map *l, const struct view *view,
                        const struct err *err);
void attention_map_answer(struct attention_map *l);

/* Fills in doc->look, the places of the answer's fields, in doc->scratch; NULL
 * if no heads are watched. */
void attention_map_fields(struct attention_map *l, struct document *doc);

#endif
