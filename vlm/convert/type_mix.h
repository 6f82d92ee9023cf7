/* type_mix.h - the type of each tensor of a file.
 *
 * The mixes are llama-quantize's, with publishers' experience of this family:
 * attention and delta-rule tensors get more bits than the feed-forward part,
 * which is most of a file. MODEL.md, "Making files", has the table.
 */
#ifndef VLM_CONVERT_TYPE_MIX_H
#define VLM_CONVERT_TYPE_MIX_H

#include "vlm/convert/tensor_plan.h"
#include "vlm/tensor/formats/quant.h"

struct type_mix {
    const char *name;     /* "q4_k_m" */
    enum quant_type base; /* type of most matrices */
    int file_type;        /* llama.cpp's number for general.file_type */
};

/* The mix of this name, or NULL. */
const struct type_mix *type_mix_find(const char *name);
extern const char type_mix_names[]; /* "f32, bf16, ..." */

/* The type of a planned tensor of the text model, or of the vision file. */
enum quant_type type_mix_type(const struct type_mix *m,
                              const struct tensor_plan *p,
                              const struct planned_tensor *t, bool vision);

/* general.file_type of a vision file. */
int type_mix_vision_file_type(const struct type_mix *m);

#endif
