/* ocr_fuzz.c - any bytes as the words of OCR: whatever they are,
 * its words lie on the page and are UTF-8, and what is refused is a warning. */
#include "tests/fuzz/played.h" /* first: it wants more of libc */

#include "tests/fuzz/fuzz.h"

/* a program of its own beside the real ones, which the unit tests link, too */
#define ocr_languages_check  fuzz_ocr_languages_check
#define ocr_languages_folder fuzz_ocr_languages_folder
#define ocr_languages_list   fuzz_ocr_languages_list
#define ocr_new              fuzz_ocr_new
#define ocr_free             fuzz_ocr_free
#define ocr_is_available     fuzz_ocr_is_there
#define ocr_start            fuzz_ocr_warm
#define ocr_read             fuzz_ocr_read
#define ocr_send             fuzz_ocr_send
#define ocr_receive          fuzz_ocr_receive
#define ocr_has_answered     fuzz_ocr_has_answered
#define ocr_doctor           fuzz_ocr_doctor
#include "stages/print/ocr.c"

#include <assert.h>
#include <math.h>

#include "vlm/base/utf8.h"

enum { SIDE = 32, PAGES = 3 };

void ocr_languages_check(const struct settings *settings, struct err *err)
{
    (void)settings;
    (void)err;
}

const char *ocr_languages_folder(const struct settings *settings)
{
    (void)settings;
    return "/";
}

void ocr_languages_list(const struct settings *settings, struct buf *out)
{
    (void)settings;
    buf_add_text(out, "eng");
}

static void check_page(const struct ocr_page *page, unsigned want)
{
    const struct words *w = &page->words;
    assert(w->n_word >= 0 && w->n_word <= PACKED_WORDS_MAX);
    assert((want & OCR_WORDS) || w->n_word == 0);
    for (int i = 0; i < w->n_word; i++) {
        const struct word *word = &w->word[i];
        assert(word->x >= 0 && word->w > 0 && word->x + word->w <= 1);
        assert(word->y >= 0 && word->h > 0 && word->y + word->h <= 1);
        assert(word->confidence >= 0 && word->confidence <= 1);
        assert(*word->text);
        for (const char *at = word->text; *at;)
            assert(utf8_take(&at) != UTF8_BAD);
    }
    assert(strlen(page->script.name) < sizeof page->script.name);
    assert(page->script.confidence >= 0 && page->script.confidence <= 1);
}

int ocr_fuzz(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    struct settings settings = {.ocr = "always",
                                .ocr_program = "/bin/sh",
                                .ocr_languages = "eng",
                                .ocr_engine = "tesseract",
                                .ocr_models = "",
                                .sandbox = data[0] & 4 ? "best" : "strict",
                                .page_timeout_s = 60};
    unsigned want = data[0] & 3 ? data[0] & 3 : OCR_WORDS;
    struct err err = {0};
    struct image page = image_new(SIDE, SIDE, data[0] & 8 ? 3 : 1, &err);
    struct document *doc = document_new("fuzz", "fuzz", -1);
    play(data + 1, size - 1);
    struct ocr *s = ocr_new(doc, &settings, NULL);
    for (int i = 1; i <= PAGES; i++) {
        struct ocr_page out = {.words = {.n_word = 0}};
        int n_warning = doc->warnings->n;
        if (ocr_read(s, i, &page, 150, want, &out))
            check_page(&out, want);
        else
            assert(doc->warnings->n > n_warning || !ocr_is_available(s));
    }
    ocr_free(s);
    document_free(doc);
    image_free(&page);
    play_end();
    return 0;
}
