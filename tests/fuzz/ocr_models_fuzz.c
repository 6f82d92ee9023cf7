/* ocr_models_fuzz.c - any bytes as what OCR models put out: a map of lines, and
 * probabilities of characters. Lines lie on the map, words have characters of
 * their line and lie in its picture, and what is packed fits its limits. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "stages/children/ocr/ctc.h"
#include "stages/children/ocr/line_crop.h"
#include "stages/children/ocr/ocr_words.h"
#include "stages/children/ocr/text_map.h"
#include "vlm/base/arena.h"

enum { LINE = 48, STEPS_MAX = 64, WIDE = 8 * STEPS_MAX };

/* A map of the bytes, `side` wide, and an image of the same. */
static void read_lines(const uint8_t *data, size_t size, int side)
{
    struct text_box *box = NULL;
    struct err err = {0};
    int height = (int)(size / (size_t)side);
    if (height < 1) return;
    struct image page = image_new(side, height, 1, &err);
    float *map = mem_alloc(size, sizeof *map);
    memcpy(page.data, data, (size_t)side * (size_t)height);
    for (size_t i = 0; i < size; i++)
        map[i] = (float)data[i] / 255;
    int n = text_map_lines(map, side, height, &box);
    assert(n >= 0 && n <= TEXT_MAP_LINES_MAX);
    for (int i = 0; i < n; i++) {
        uint8_t out[LINE * LINE];
        assert(box[i].x >= 0 && box[i].x <= side + 1);
        assert(box[i].y >= 0 && box[i].y <= height + 1);
        assert(box[i].w >= 5 && box[i].h >= 5 && box[i].w < 1e6);
        if (i < 4) line_crop_draw(&page, &box[i], LINE, LINE, out);
    }
    mem_free(box);
    mem_free(map);
    image_free(&page);
}

/* The bytes as probabilities of a dictionary of its own. */
static void read_text(const uint8_t *data, size_t size)
{
    static const char list[] = "a\n1\n\xE3\x80\x80\n\n.";
    static uint8_t picture[LINE * WIDE];
    struct ctc_dictionary d = ctc_dictionary_new(list, sizeof list - 1);
    int n_class = d.n + 2, n_step = (int)(size / (size_t)n_class);
    if (n_step > STEPS_MAX) n_step = STEPS_MAX;
    float *p = mem_alloc(size + 1, sizeof *p);
    struct ctc_character *c = mem_alloc(CTC_LINE_MAX, sizeof *c);
    struct line_word *word = mem_alloc(CTC_LINE_MAX, sizeof *word);
    struct ocr_result found = {.n_word = 0};
    for (size_t i = 0; i < size; i++)
        p[i] = (float)data[i] / 255;
    for (size_t i = 0; size && i < sizeof picture; i++)
        picture[i] = data[i % size];
    int n = ctc_decode(&d, p, n_step, n_class, c);
    assert(n >= 0 && n <= n_step);
    int n_word = line_crop_words(picture, WIDE, LINE, 8, c, n, word);
    assert(n_word <= n);
    for (int i = 0; i < n_word; i++) {
        const struct line_word *w = &word[i];
        const struct text_box box = {0, 0, WIDE, LINE, 0.3};
        double at[4];
        assert(w->n > 0 && w->first >= 0 && w->first + w->n <= n);
        assert(w->left >= 0 && w->left < w->right && w->right <= WIDE);
        assert(w->top >= 0 && w->top < w->bottom && w->bottom <= LINE);
        line_crop_place(&box, WIDE, LINE, w, at);
        assert(at[0] < at[2] && at[1] < at[3]);
        ocr_words_add(&found,
                      &(struct ocr_place){at[0], at[1], at[2] - at[0],
                                          at[3] - at[1], WIDE, LINE},
                      c[w->first].text, 100 * w->p);
    }
    for (uint32_t i = 0; i < found.n_word; i++) {
        const struct packed_word *w = &found.word[i];
        assert(w->size && w->w && w->h && found.sure[i] <= 100);
        assert(w->x + w->w <= PACKED_WORD_ONE &&
               w->y + w->h <= PACKED_WORD_ONE);
    }
    ocr_words_free(&found);
    mem_free(p);
    mem_free(c);
    mem_free(word);
    ctc_dictionary_free(&d);
}

int ocr_models_fuzz(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    read_lines(data + 1, size - 1, 1 + data[0] % 64);
    read_text(data + 1, size - 1);
    return 0;
}
