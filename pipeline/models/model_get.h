/* model_get.h - platen model get, list and rm. */
#ifndef PIPELINE_MODELS_MODEL_GET_H
#define PIPELINE_MODELS_MODEL_GET_H

#include "pipeline/config/command.h"
#include "vlm/base/arena.h"

/* Paths of the downloaded files. */
struct model_got {
    const char *model;  /* the first part of a split model; NULL: nothing */
    const char *mmproj; /* vision file, or NULL */
};

/* Downloads `what`, a name (model_named.h), hf:OWNER/REPO[:QUANT] or a URL, and
 * the repository's vision file. Texts live as long as `arena`. FAIL: as
 * model_fetch.h; ERR_ARGS if a named model does not fit into memory, or if
 * several models match and there is no terminal to ask on: they are then listed
 * on stdout. */
struct model_got model_get(const struct command_line *line, const char *what,
                           struct arena *arena, struct err *err);

/* Writes both paths to the platen.conf in use, else to the user's own. */
void model_get_use(const struct command_line *line, struct model_got got,
                   struct err *err);

/* Likewise the folder of OCR models (model_ocr.h). */
void model_get_use_ocr(const struct command_line *line, const char *folder,
                       struct err *err);

/* Prints size (GB) and path of each model in the cache, one per line. */
void model_get_list(struct err *err);

/* Removes models from the cache: a path, all of a name or hf:OWNER/REPO[:QUANT],
 * or ocr. FAIL: ERR_ARGS if none matches. */
void model_get_remove(const char *what, struct err *err);

#endif
