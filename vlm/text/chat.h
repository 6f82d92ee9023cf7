/* chat.h - the markup of a turn: ChatML with thinking off, without a template
 * engine and without the file's template. The only place where it is written.
 *
 *   CHAT_USER_BEGINS text and pictures CHAT_ANSWER_BEGINS answer
 *
 * Both are fed as special text (vlm.h); what stands between them never is, so
 * that "<|im_end|>" printed on a page or in a question means nothing. The empty
 * think block is what the family's template writes for enable_thinking = false.
 * MODEL.md has the whole template.
 */
#ifndef VLM_TEXT_CHAT_H
#define VLM_TEXT_CHAT_H

#define CHAT_USER_BEGINS "<|im_start|>user\n"
#define CHAT_ANSWER_BEGINS \
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"

#endif
