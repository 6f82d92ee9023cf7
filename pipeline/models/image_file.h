/* image_file.h - page images from a file, for commands that test a model. */
#ifndef PIPELINE_MODELS_IMAGE_FILE_H
#define PIPELINE_MODELS_IMAGE_FILE_H

#include "stages/document/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct vlm_info;

/* The first page of an image or PDF, rasterised for this model: upright, grey
 * or RGB, a whole number of patches. The caller frees it (image_free). FAIL:
 * as the raster stage, with the file's name. */
struct image image_file_read(const char *path, const struct settings *settings,
                             const struct vlm_info *info, struct err *err);

/* Calls fn(arg, page) for each page in order; `page` is valid only during the
 * call. FAIL: as image_file_read. */
void image_file_pages(const char *path, const struct settings *settings,
                      const struct vlm_info *info,
                      void (*fn)(void *arg, const struct image *page),
                      void *arg, struct err *err);

#endif
