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
    uint32_t turns;      /* clockwise quarter turns that may make it upright */
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

/* Reads the page again, turned clockwise by quarters * 90 degrees, and puts the
 * words in place of `found` if they are confident (ocr_words_are_sure), as it is
 * for a page that was read upside down. Their boxes are of the page as it
 * was. */
void ocr_tesseract_read_turned(struct ocr_tesseract *s, struct image *page,
                               int dpi, uint32_t quarters,
                               struct ocr_result *found);

/* Detects script and orientation of most of the page; needs no languages. */
void ocr_tesseract_script(struct ocr_tesseract *s, const struct image *page,
                          int dpi, struct ocr_script *script);

#endif
