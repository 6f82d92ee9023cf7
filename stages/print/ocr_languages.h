/* ocr_languages.h - the tables of Tesseract on this machine: where they lie,
 * which languages they are for.
 */
#ifndef STAGES_PRINT_OCR_LANGUAGES_H
#define STAGES_PRINT_OCR_LANGUAGES_H

#include "stages/settings.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

/* The folder of *.traineddata: ocr_data where it is set, else the
 * first of those that distributions have; "" where there is none. */
const char *ocr_languages_folder(const struct settings *settings);

/* FAIL: ERR_CONFIG where the table of a language of ocr_languages
 * cannot be read, naming the Debian package that brings it, and for what is no
 * list of languages ("eng+kan"). */
void ocr_languages_check(const struct settings *settings, struct err *err);

/* What is installed, "eng, kan, osd". */
void ocr_languages_list(const struct settings *settings, struct buf *out);

#endif
