/* metadata.h - what a model file says of itself, from the checkpoint's sizes. */
#ifndef VLM_CONVERT_METADATA_H
#define VLM_CONVERT_METADATA_H

#include "vlm/convert/gguf_write.h"
#include "vlm/convert/hf_config.h"

/* The keys of MODEL.md, "The container and its tensors": of the text model
 * (without its tokenizer), of the vision file. `file_type` is llama.cpp's
 * number for the types in it. */
void metadata_text(struct gguf_writer *w, const struct hf_config *f,
                   int file_type);
void metadata_vision(struct gguf_writer *w, const struct hf_config *f,
                     int file_type);

#endif
