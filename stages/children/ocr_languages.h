/* ocr_languages.h - Tesseract's language data on this machine: its folder and
 * languages.
 */
#ifndef STAGES_CHILDREN_OCR_LANGUAGES_H
#define STAGES_CHILDREN_OCR_LANGUAGES_H

#include "stages/document/settings.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

/* The folder of *.traineddata: ocr_data if set, else the first existing one of
 * those that distributions use; "" if there is none. */
const char *ocr_languages_folder(const struct settings *settings);

/* The languages for a locale ("de_DE.UTF-8"; NULL or "C": none): its own, if its
 * data is installed, and English. */
const char *ocr_languages_of_locale(const struct settings *settings,
                                    const char *locale, struct arena *arena);

/* FAIL: ERR_CONFIG if ocr_languages is not a list of languages ("eng+kan"), or
 * the data of one cannot be read and no model can read it instead (ocr_engine,
 * ocr_models); the error names the Debian package to install. */
void ocr_languages_check(const struct settings *settings, struct err *err);

/* Prints the installed languages, "eng, kan, osd". */
void ocr_languages_list(const struct settings *settings, struct buf *out);

#endif
