/* metadata.h - metadata of a model file, from the checkpoint's config. */
#ifndef VLM_CONVERT_METADATA_H
#define VLM_CONVERT_METADATA_H

#include "vlm/convert/gguf_write.h"
#include "vlm/convert/hf_config.h"

/* Write the keys of MODEL.md, "The container and its tensors", for the text
 * model (without tokenizer) and for the vision file. `file_type` is
 * llama.cpp's number for the mix of types. */
void metadata_text(struct gguf_writer *w, const struct hf_config *f,
                   int file_type);
void metadata_vision(struct gguf_writer *w, const struct hf_config *f,
                     int file_type);

#endif
