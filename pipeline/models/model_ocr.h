/* model_ocr.h - platen model get ocr: the models for ocr_engine = onnx. */
#ifndef PIPELINE_MODELS_MODEL_OCR_H
#define PIPELINE_MODELS_MODEL_OCR_H

#include <stdbool.h>

#include "pipeline/config/command.h"
#include "pipeline/config/hub_paths.h"
#include "vlm/base/arena.h"

/* Whether `what` is ocr or ocr:SCRIPT. */
bool model_ocr_is_asked(const char *what);

/* Downloads the models of ocr, and of the script if one is named, into --dir or
 * model_ocr_folder, from where they are published or from --mirror. Returns the
 * folder, which lives as long as `arena`. FAIL: as model_fetch.h, and ERR_ARGS
 * for an unknown script. */
const char *model_ocr_get(const struct command_line *line, const char *what,
                          struct arena *arena, struct err *err);

/* Their folder in the cache. */
const char *model_ocr_folder(const struct hub_paths *paths,
                             struct arena *arena);

#endif
