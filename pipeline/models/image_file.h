/* image_file.h - one picture from a file, for commands that try a model. */
#ifndef PIPELINE_MODELS_IMAGE_FILE_H
#define PIPELINE_MODELS_IMAGE_FILE_H

#include "stages/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct vlm_info;

/* The first page of a picture or PDF as it is drawn for this model: upright,
 * grey or RGB, of whole patches. The caller frees it. FAIL: reasons of the
 * raster stage, with the file's name. */
struct image image_file_read(const char *path, const struct settings *settings,
                             const struct vlm_info *info, struct err *err);

/* Every page, one after the other: fn(arg, page), whose page lasts as long as
 * the call. */
void image_file_pages(const char *path, const struct settings *settings,
                      const struct vlm_info *info,
                      void (*fn)(void *arg, const struct image *page),
                      void *arg, struct err *err);

#endif
