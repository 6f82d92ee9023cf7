/* export_chat.h - a document as a training pair: what a model is asked, and what
 * it should have answered. One line of the form that TRL and ms-swift document for
 * chats about pictures: "messages" whose content has {"type": "image"} where a
 * picture stands, and the pictures' paths in "images".
 */
#ifndef PIPELINE_EXPORT_EXPORT_CHAT_H
#define PIPELINE_EXPORT_EXPORT_CHAT_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* The value as a model writes it under the schema: compact, in the order of the
 * schema. FAIL: ERR_INPUT where it is not valid. */
void export_chat_answer(const struct schema *schema, const cJSON *data,
                        struct buf *out, struct err *err);

/* What an engine puts in front of the pages: of one that knows outlines alone, or
 * any other. FAIL: as prompt_outline. */
void export_chat_question(const struct schema *schema, const char *prompt,
                          bool outline, struct buf *out, struct err *err);

/* The line, with its end. */
void export_chat_line(const char *question, const char *const *picture,
                      int n_picture, const char *answer, struct buf *out);

#endif
