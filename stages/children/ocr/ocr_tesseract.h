/* ocr_tesseract.h - words and script of a page, read by Tesseract; the only user
 * of libtesseract.
 *
 * LIFE  ocr_tesseract_open .. the end of the process.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_TESSERACT_H
#define STAGES_CHILDREN_OCR_OCR_TESSERACT_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/children/ocr/ocr_words.h"
#include "vlm/base/image.h"

struct ocr_tesseract;

struct ocr_script {
    char name[32];       /* Tesseract's name (Latin, Kannada); "": unknown */
    uint32_t hundredths; /* confidence, of Tesseract's measure */
};

/* Uses the tables of the folder, which must stay readable; "": there are
 * none. */
struct ocr_tesseract *ocr_tesseract_open(const char *folder);

/* Loads languages ("eng+kan"); false if one cannot be loaded. */
bool ocr_tesseract_load(struct ocr_tesseract *s, const char *languages);

/* Whether the table that ocr_tesseract_script needs is installed. */
bool ocr_tesseract_tells_script(const struct ocr_tesseract *s);

/* The version of Tesseract. */
const char *ocr_tesseract_version(void);

/* Reads the words of a grey page with the languages; dpi 0: unknown. Free the
 * result with ocr_words_free. False if Tesseract fails. */
bool ocr_tesseract_read(struct ocr_tesseract *s, const struct image *page,
                        int dpi, struct ocr_result *found);

/* Detects the script of most of the page; needs no languages. */
void ocr_tesseract_script(struct ocr_tesseract *s, const struct image *page,
                          int dpi, struct ocr_script *script);

#endif
