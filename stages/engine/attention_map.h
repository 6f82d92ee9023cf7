/* attention_map.h - where the native engine's model looks while it writes values,
 * as places on the pages that were shown (document.h, struct field_look). */
#ifndef STAGES_ENGINE_ATTENTION_MAP_H
#define STAGES_ENGINE_ATTENTION_MAP_H

#include "stages/engine/engine.h"
#include "stages/engine/retrieval_heads.h"

struct vlm_session;
struct attention_map;

/* Watches these heads from now on. NULL, which all below take, where there are
 * none: nothing is asked then, and nothing costs. */
struct attention_map *attention_map_new(struct vlm_session *s,
                                        const struct retrieval_heads *heads);
void attention_map_free(struct attention_map *l);

/* A question begins; a page of it was shown (view->lines stay until its fields are
 * filled in); an answer begins. */
void attention_map_begin(struct attention_map *l);
void attention_map_page(struct attention_map *l, const struct view *view,
                        const struct err *err);
void attention_map_answer(struct attention_map *l);

/* Fills in doc->look, where the answer's fields were looked for, in
 * doc->scratch; NULL where nobody watched. */
void attention_map_fields(struct attention_map *l, struct document *doc);

#endif
