/* native_look.h - where the native engine's model looks while it writes values,
 * as places on the pages that were shown (document.h, struct field_look). */
#ifndef STAGES_ENGINE_NATIVE_LOOK_H
#define STAGES_ENGINE_NATIVE_LOOK_H

#include "stages/engine/engine.h"
#include "stages/engine/heads.h"

struct vlm_session;
struct native_look;

/* Watches these heads from now on. NULL, which all below take, where there are
 * none: nothing is asked then, and nothing costs. */
struct native_look *native_look_new(struct vlm_session *s,
                                    const struct heads *heads);
void native_look_free(struct native_look *l);

/* A question begins; a page of it was shown (view->lines stay until its fields are
 * filled in); an answer begins. */
void native_look_begin(struct native_look *l);
void native_look_page(struct native_look *l, const struct view *view,
                      const struct err *err);
void native_look_answer(struct native_look *l);

/* Fills in doc->look, where the answer's fields were looked for, in
 * doc->scratch; NULL where nobody watched. */
void native_look_fields(struct native_look *l, struct document *doc);

#endif
