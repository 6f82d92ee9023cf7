/* ocr_words.h - words and script of a page by Tesseract; the only user of
 * libtesseract and leptonica.
 *
 * LIFE  ocr_words_open .. the end of the process.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_WORDS_H
#define STAGES_CHILDREN_OCR_OCR_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/children/packed_words.h"
#include "vlm/base/image.h"

struct ocr_words;

struct second_script {
    char name[32]; /* as Tesseract calls it (Latin, Kannada); "": cannot tell */
    uint32_t hundredths; /* of its measure of how sure it is */
};

/* As packed_words.h has them; `sure` is 0..100 of each. */
struct second_found {
    struct packed_word *word;
    uint8_t *sure;
    char *byte;
    uint32_t n_word, n_byte;
    bool cut;
};

/* Loads these languages ("eng+kan") of the folder, which is read again when a
 * script is asked for. NULL where one cannot be loaded. */
struct ocr_words *ocr_words_open(const char *folder, const char *languages);

/* Whether the table is there by which ocr_words_script tells. */
bool ocr_words_tells_script(const struct ocr_words *s);

/* The version of Tesseract. */
const char *ocr_words_version(void);

/* The words of a grey page; dpi 0: not known. False where Tesseract fails. What
 * is found is to be freed by ocr_words_free. */
bool ocr_words_read(struct ocr_words *s, const struct image *page, int dpi,
                    struct second_found *found);
void ocr_words_free(struct second_found *found);

/* Whether the words tell their script themselves (SECOND_SURE). */
bool ocr_words_are_sure(const struct second_found *found);

/* The script of most of the page. */
void ocr_words_script(struct ocr_words *s, const struct image *page, int dpi,
                      struct second_script *script);

#endif
