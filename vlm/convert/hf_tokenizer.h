/* hf_tokenizer.h - tokenizer.json as the tokenizer's facts of a GGUF. */
#ifndef VLM_CONVERT_HF_TOKENIZER_H
#define VLM_CONVERT_HF_TOKENIZER_H

#include "vlm/convert/gguf_write.h"
#include "vlm/convert/hf_config.h"

/* Tokens in the order of their ids (ids without a text are padding), merges,
 * the end of a turn, the chat template. FAIL: ERR_MISSING without a
 * tokenizer.json, ERR_CONFIG for one that is damaged, ERR_UNSUPPORTED for one
 * that cuts text in another way than this family's. */
void hf_tokenizer_write(struct gguf_writer *w, const struct checkpoint *c,
                        const struct hf_config *f, struct arena *arena,
                        struct err *err);

#endif
