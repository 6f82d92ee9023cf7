/* hf_tokenizer.h - conversion of tokenizer.json to the tokenizer metadata of a
 * GGUF. */
#ifndef VLM_CONVERT_HF_TOKENIZER_H
#define VLM_CONVERT_HF_TOKENIZER_H

#include "vlm/convert/gguf_write.h"
#include "vlm/convert/hf_config.h"

/* Writes tokens in order of id (ids without text are padding), merges, the
 * end-of-turn token and the chat template. FAIL: ERR_MISSING without a
 * tokenizer.json, ERR_CONFIG if it is damaged, ERR_UNSUPPORTED if it splits
 * text differently from this family. */
void hf_tokenizer_write(struct gguf_writer *w, const struct checkpoint *c,
                        const struct hf_config *f, struct arena *arena,
                        struct err *err);

#endif
