/* answers_text.h - an answer of an engine as a line of JSON, and back. */
#ifndef STAGES_ENGINE_ANSWERS_TEXT_H
#define STAGES_ENGINE_ANSWERS_TEXT_H

#include "stages/engine/engine.h"
#include "vlm/base/buf.h"

/* What a document had counted before the answer; `room` as it left the engine. */
struct answers_text {
    int n_prompt, n_sampled, n_forced, room;
};
struct answers_text answers_text_of(const struct document *doc);

/* What the answer gave to the document: members of an object, its end and a
 * newline. */
void answers_text_print(const struct answers_text *before,
                        const struct document *doc, struct buf *out);

/* The line gives the document the same once more, and *room. False, and nothing
 * given, where it is no such line. */
bool answers_text_take(struct span line, struct document *doc, int *room);

/* What of a page that is shown an answer may depend on, its pixels by their
 * hash. */
void answers_text_page(const struct view *view, const char *pixels,
                       struct buf *out);

#endif
