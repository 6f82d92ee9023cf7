/* export_chat.h - a document as a training pair: question and correct answer.
 * One line in the format that TRL and ms-swift document for chats about
 * pictures: "messages" with {"type": "image"} for each picture, and the
 * pictures' paths in "images".
 */
#ifndef PIPELINE_EXPORT_EXPORT_CHAT_H
#define PIPELINE_EXPORT_EXPORT_CHAT_H

#include <cjson/cJSON.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Prints the answer as a model should write it: compact, in the order of the
 * schema. FAIL: ERR_INPUT if it is not valid. */
void export_chat_answer(const struct schema *schema, const cJSON *data,
                        struct buf *out, struct err *err);

/* Prints the prompt before the pages; outline: that of the embedded model.
 * FAIL: as prompt_outline. */
void export_chat_question(const struct schema *schema, const char *prompt,
                          bool outline, struct buf *out, struct err *err);

/* Prints the line, with a newline. */
void export_chat_line(const char *question, const char *const *picture,
                      int n_picture, const char *answer, struct buf *out);

#endif
