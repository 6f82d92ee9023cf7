/* ocr_words.h - words and script of a page, read by Tesseract; the only user of
 * libtesseract and leptonica.
 *
 * LIFE  ocr_words_open .. the end of the process.
 */
#ifndef STAGES_CHILDREN_OCR_OCR_WORDS_H
#define STAGES_CHILDREN_OCR_OCR_WORDS_H

#include "stages/children/packed_words.h"
#include "vlm/base/image.h"
#include <stdbool.h>
#include <stdint.h>

struct ocr_words;

struct ocr_script {
    char name[32];       /* Tesseract's name (Latin, Kannada); "": unknown */
    uint32_t hundredths; /* confidence, of Tesseract's measure */
};

/* Words as in packed_words.h; `sure` is the confidence of each, 0..100. */
struct ocr_result {
    struct packed_word *word;
    uint8_t *sure;
    char *byte;
    uint32_t n_word, n_byte;
    bool cut;
};

/* Loads languages ("eng+kan") from the folder, which is read again when a
 * script is asked for. NULL if one cannot be loaded. */
struct ocr_words *ocr_words_open(const char *folder, const char *languages);

/* Whether the table that ocr_words_script needs is installed. */
bool ocr_words_tells_script(const struct ocr_words *s);

/* The version of Tesseract. */
const char *ocr_words_version(void);

/* Reads the words of a grey page; dpi 0: unknown. Free the result with
 * ocr_words_free. False if Tesseract fails. */
bool ocr_words_read(struct ocr_words *s, const struct image *page, int dpi,
                    struct ocr_result *found);
void ocr_words_free(struct ocr_result *found);

/* Whether the words are confident enough to give the script (OCR_SURE). */
bool ocr_words_are_sure(const struct ocr_result *found);

/* Detects the script of most of the page. */
void ocr_words_script(struct ocr_words *s, const struct image *page, int dpi,
                      struct ocr_script *script);

#endif
