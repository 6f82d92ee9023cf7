/* chat.h - markup of a chat turn: ChatML without thinking. It is defined only
 * here; there is no template engine, and the model file's template is not used.
 *
 *   CHAT_USER_BEGINS text and images CHAT_ANSWER_BEGINS answer
 *
 * Both are fed as special text (vlm.h). Text between them is not, so
 * "<|im_end|>" printed on a page or in a question has no effect. The family's
 * template writes the empty think block for enable_thinking = false. MODEL.md
 * has the whole template.
 */
#ifndef VLM_TEXT_CHAT_H
#define VLM_TEXT_CHAT_H

#define CHAT_USER_BEGINS "<|im_start|>user\n"
#define CHAT_ANSWER_BEGINS \
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"

#endif
