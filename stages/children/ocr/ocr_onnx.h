/* ocr_onnx.h - words of a page, read by models of the PP-OCR family with ONNX
 * Runtime: one that detects lines, one that reads them, and optionally one that
 * tells which way up they are.
 *
 * LIFE  ocr_onnx_find, before the sandbox; ocr_onnx_load in it .. the end of the
 *       process.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_ONNX_H
#define STAGES_CHILDREN_OCR_OCR_ONNX_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/children/ocr/ocr_words.h"
#include "vlm/base/image.h"

struct ocr_onnx;

/* Maps the models of a folder into memory, without looking into them: NAME.onnx
 * detects lines, reads them or tells their direction if "det", "rec" or "cls" is
 * in NAME. A model that reads without a dictionary in its metadata has NAME.txt.
 * NULL without ONNX Runtime, or models to detect and to read. */
struct ocr_onnx *ocr_onnx_find(const char *folder);

/* Loads the models: of those that read, the first in alphabetical order that
 * reads all `scripts` (ocr_scripts.h), else the first. False if they cannot be
 * used. */
bool ocr_onnx_load(struct ocr_onnx *s, uint32_t scripts);

/* The scripts that are read. */
uint32_t ocr_onnx_scripts(const struct ocr_onnx *s);

/* The version of ONNX Runtime and the name of the model that reads, into
 * out[size]. */
void ocr_onnx_describe(const struct ocr_onnx *s, char *out, size_t size);

/* Reads the words of a grey page, line by line; dpi 0: unknown. Free the result with
 * ocr_words_free. False if a model fails. */
bool ocr_onnx_read(struct ocr_onnx *s, const struct image *page, int dpi,
                   struct ocr_result *found);

#endif
