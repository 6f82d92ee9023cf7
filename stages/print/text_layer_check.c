/* text_layer_check.c - see text_layer_check.h. */
#include "stages/print/text_layer_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/print/fold.h"
#include "stages/print/thresholds.h"
#include "vlm/base/arena.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

enum {
    SAMPLE_MAX = 400, /* words used to test shifts */
    FIT_LEAST = 8,    /* words needed to judge positions */
    GRID = 512,       /* cells along a page's side */
    NEAR = 6,  /* steps per word height; a shift by one step is tolerated */
    STEPS = 12 /* steps in each direction */
};

/* --- the words' texts ----------------------------------------------------- */

static bool is_unassigned(uint32_t c)
{
    return c == UTF8_BAD || c == 0xFFFD || (c & 0xFFFE) == 0xFFFE ||
           (c >= 0xE000 && c <= 0xF8FF) || c >= 0xF0000;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(uint32_t c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(uint32_t c)
{
    return c >= 'A' && c <= 'Z';
}

/* A symbol that occurs within no word, and in no account number. */
static bool is_stray_symbol(uint32_t c)
{
    return c < 0x80 && strchr("~|^{}\\`", (int)c);
}

/* lnv0ice, tOtaI, p~id: typical OCR errors on a bad scan. */
static bool is_garbled(const char *text)
{
    int n = 0, odd = 0;
    for (uint32_t before = 0, c; *text; before = c) {
        c = utf8_take(&text);
        if (is_unassigned(c)) return true;
        n++;
        odd += is_stray_symbol(c) || (is_lower(before) && is_upper(c)) ||
               (is_lower(before) && is_digit(c)) ||
               (is_digit(before) && is_lower(c));
    }
    return n > 1 && 4 * odd >= n;
}

static double garbled_part(const struct words *words)
{
    int n = 0;
    for (int i = 0; i < words->n_word; i++)
        n += is_garbled(words->word[i].text);
    return (double)n / words->n_word;
}

/* --- where the ink is ----------------------------------------------------- */

static double density(const struct ink_map *ink, double x, double y, double w,
                      double h)
{
    double area, n = ink_map_in(ink, x, y, w, h, &area);
    return area > 0 ? n / area : 0;
}

static bool has_ink(const struct word *w, const struct ink_map *ink)
{
    double area;
    return ink_map_in(ink, w->x * ink->width, w->y * ink->height,
                      w->w * ink->width, w->h * ink->height, &area) >= 2;
}

static double inkless_part(const struct words *words, const struct ink_map *ink)
{
    int n = 0;
    for (int i = 0; i < words->n_word; i++)
        n += !has_ink(&words->word[i], ink);
    return (double)n / words->n_word;
}

/* --- whether the boxes lie on it ------------------------------------------ */

/* The usual height of a word, in pixels. */
static double word_height(const struct words *words, const struct ink_map *ink)
{
    double *height = mem_alloc((size_t)words->n_word, sizeof *height);
    for (int i = 0; i < words->n_word; i++)
        height[i] = words->word[i].h * ink->height;
    sort_doubles(height, (size_t)words->n_word);
    double middle = height[words->n_word / 2];
    mem_free(height);
    return middle;
}

/* Ink in the boxes shifted by (dx, dy), minus ink in the gaps next to them. */
static double lie_on_ink(const struct words *words, const struct ink_map *ink,
                         double dx, double dy)
{
    double sum = 0;
    int every = (words->n_word + SAMPLE_MAX - 1) / SAMPLE_MAX;
    for (int i = 0; i < words->n_word; i += every) {
        const struct word *word = &words->word[i];
        double x = word->x * ink->width + dx, w = word->w * ink->width;
        double y = word->y * ink->height + dy, h = word->h * ink->height;
        double gap = 0.2 * h;
        sum += density(ink, x, y, w, h) -
               0.5 * density(ink, x - gap, y, gap, h) -
               0.5 * density(ink, x + w, y, gap, h);
    }
    return sum;
}

static double fit_of(const struct words *words, const struct ink_map *ink)
{
    if (words->n_word < FIT_LEAST) return 1;
    double step = fmax(word_height(words, ink) / NEAR, 1), here = 0, best = 0;
    for (int y = -STEPS; y <= STEPS; y++)
        for (int x = -STEPS; x <= STEPS; x++) {
            double there = lie_on_ink(words, ink, x * step, y * step);
            best = fmax(best, there);
            if (abs(x) <= 1 && abs(y) <= 1) here = fmax(here, there);
        }
    return best > 0 ? here / best : 0;
}

/* --- the share of the print ----------------------------------------------- */

/* The page in GRID x GRID cells; those under words are set. A box adds to four
 * corners, which are then summed: the most words that a page can have
 * (packed_words.h; counts fit in 16 bits) cost no more than the cells. */
static struct ink_map cover_of(const struct words *words, struct err *err)
{
    struct ink_map cover = ink_map_blank(GRID, GRID, err);
    size_t side = GRID + 1;
    if (err_failed(err)) return cover;
    for (int i = 0; i < words->n_word; i++) {
        const struct word *w = &words->word[i];
        size_t x0 = (size_t)ink_map_within(floor(w->x * GRID), GRID);
        size_t y0 = (size_t)ink_map_within(floor(w->y * GRID), GRID);
        size_t x1 = (size_t)ink_map_within(ceil((w->x + w->w) * GRID), GRID);
        size_t y1 = (size_t)ink_map_within(ceil((w->y + w->h) * GRID), GRID);
        cover.sum[y0 * side + x0]++;
        cover.sum[y1 * side + x1]++;
        cover.sum[y0 * side + x1]--;
        cover.sum[y1 * side + x0]--;
    }
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            uint16_t *here = &cover.sum[y * side + x];
            *here = (uint16_t)(*here + (x ? here[-1] : 0) +
                               (y ? *(here - side) : 0) -
                               (x && y ? *(here - side - 1) : 0));
        }
    for (size_t y = side; y-- > 0;)
        for (size_t x = side; x-- > 0;)
            cover.sum[y * side + x] =
                x && y && cover.sum[(y - 1) * side + x - 1] > 0;
    ink_map_add_up(&cover);
    return cover;
}

/* The share of the page's letters that words cover. */
static double covered_part(const struct ink_map *cover,
                           const struct page_view *page, struct err *err)
{
    const struct text_lines *lines = page_view_lines(page, err);
    double all = 0, found = 0;
    for (int i = 0; i < lines->n_line; i++) {
        const struct line *line = &lines->line[i];
        for (int k = 0; k < line->n_word; k++) {
            struct box letter = page_view_to_page(page, &line->word[k]);
            double area;
            found += ink_map_in(cover, letter.x * GRID, letter.y * GRID,
                                letter.w * GRID, letter.h * GRID, &area);
            all += area;
        }
    }
    return all > 0 ? found / all : 1;
}

/* The length of a run of covered cells from column x of a row. */
static int run_of(const struct ink_map *cover, int x, int y)
{
    const uint16_t *sum = cover->sum + (size_t)(y + 1) * (GRID + 1) + x;
    int n = 0;
    while (x + n < GRID && sum[n + 1] > sum[n])
        n++;
    return n;
}

/* The share of the ink that is under words. */
static double part_under_words(const struct ink_map *cover,
                               const struct ink_map *ink)
{
    double area, found = 0, w = (double)ink->width / GRID;
    double h = (double)ink->height / GRID;
    double all = ink_map_in(ink, 0, 0, ink->width, ink->height, &area);
    for (int y = 0; y < GRID; y++)
        for (int x = 0, n; x < GRID; x += n + 1) {
            n = run_of(cover, x, y);
            if (n) found += ink_map_in(ink, x * w, y * h, n * w, h, &area);
        }
    return all > 0 ? found / all : 0;
}

/* The area of the words' boxes in pages; a hostile layer can have any. */
static double area_of(const struct words *words)
{
    double sum = 0;
    for (int i = 0; i < words->n_word; i++)
        sum += words->word[i].w * words->word[i].h;
    return sum;
}

static enum text_layer_check_kind kind_of(
    const struct text_layer_check_verdict *l, bool recognised)
{
    if (l->garbled > layer_bad_most || l->inkless > layer_bad_most ||
        l->fit < layer_fit_least)
        return TEXT_LAYER_CHECK_ROTTEN;
    if (l->covered < layer_covered_least) return TEXT_LAYER_CHECK_PART;
    return recognised ? TEXT_LAYER_CHECK_SCAN : TEXT_LAYER_CHECK_DIGITAL;
}

/* Judges by the page's ink; `cover`: cells under words. */
static void check_words(const struct words *words, const struct page_view *page,
                        const struct ink_map *cover, bool recognised,
                        struct text_layer_check_verdict *out, struct err *err)
{
    const struct ink_map *ink = page_view_ink(page, err);
    if (err_failed(err)) return;
    if (!recognised && out->garbled <= layer_bad_most && area_of(words) <= 1 &&
        part_under_words(cover, ink) >= layer_under_words) {
        out->kind = TEXT_LAYER_CHECK_DIGITAL;
        out->covered = 1;
        return;
    }
    out->inkless = inkless_part(words, ink);
    out->fit = fit_of(words, ink);
    out->covered = covered_part(cover, page, err);
    out->kind = kind_of(out, recognised);
}

/* --- hidden words --------------------------------------------------------- */

static bool overlap(const struct word *a, const struct word *b)
{
    double w = fmin(a->x + a->w, b->x + b->w) - fmax(a->x, b->x);
    double h = fmin(a->y + a->h, b->y + b->h) - fmax(a->y, b->y);
    double least = fmin(a->w * a->h, b->w * b->h);
    return w > 0 && h > 0 && w * h > layer_shared_most * least;
}

static bool is_over_any(const struct word *word, const struct words *words)
{
    for (int i = 0; i < words->n_word; i++)
        if (overlap(&words->word[i], word)) return true;
    return false;
}

/* Whether a hidden word can have been recognised from the page's image: it is
 * on ink, and not on a word drawn as text. */
static bool is_from_image(const struct word *word, const struct words *drawn,
                          const struct ink_map *ink)
{
    return has_ink(word, ink) && !is_over_any(word, drawn);
}

static struct words drawn_words(const struct words *words, struct arena *arena)
{
    struct words out = *words;
    out.n_word = 0;
    out.shown = NULL;
    out.word = arena_array(arena, (size_t)words->n_word + 1, sizeof *out.word);
    for (int i = 0; i < words->n_word; i++)
        if (!words_is_hidden(words, i)) out.word[out.n_word++] = words->word[i];
    return out;
}

/* The words drawn as text, and those that fit the page's image. */
static struct words recognised_words(const struct words *words,
                                     const struct words *drawn,
                                     const struct ink_map *ink,
                                     struct arena *arena)
{
    struct words out = *words;
    out.n_word = 0;
    out.shown = NULL;
    out.word = arena_array(arena, (size_t)words->n_word + 1, sizeof *out.word);
    for (int i = 0; i < words->n_word; i++)
        if (!words_is_hidden(words, i) ||
            is_from_image(&words->word[i], drawn, ink))
            out.word[out.n_word++] = words->word[i];
    return out;
}

void text_layer_check_judge(const struct words *words,
                            const struct page_view *page, struct arena *arena,
                            struct text_layer_check_verdict *out,
                            struct err *err)
{
    *out = (struct text_layer_check_verdict){.kind = TEXT_LAYER_CHECK_NONE,
                                             .fit = 1};
    if (err_failed(err) || words->n_word == 0) return;
    struct words drawn = drawn_words(words, arena);
    bool recognised = 2 * drawn.n_word < words->n_word;
    const struct words *judged = recognised ? words : &drawn;
    out->garbled = garbled_part(judged);
    struct ink_map cover = cover_of(judged, err);
    check_words(judged, page, &cover, recognised, out, err);
    mem_free(cover.sum);
    if (err_failed(err)) return;
    out->words = recognised ? recognised_words(words, &drawn,
                                               page_view_ink(page, err), arena)
                            : drawn;
}

struct words text_layer_check_covered(const struct words *layer,
                                      const struct words *drawn,
                                      const struct page_view *page,
                                      struct arena *arena, struct err *err)
{
    struct words out = {.n_word = 0};
    if (err_failed(err)) return out;
    const struct ink_map *ink = page_view_ink(page, err);
    out.word = arena_array(arena, (size_t)layer->n_word + 1, sizeof *out.word);
    for (int i = 0; i < layer->n_word && !err_failed(err); i++) {
        enum word_shown shown = words_shown(layer, i);
        if (shown != WORD_COVERED &&
            (shown != WORD_HIDDEN ||
             !is_from_image(&layer->word[i], drawn, ink)))
            continue;
        out.word[out.n_word] = layer->word[i];
        out.word[out.n_word++].text = "";
    }
    return out;
}

void text_layer_check_uncover(struct words *words, const struct words *covered,
                              const struct words *ocr, struct arena *arena)
{
    struct words own = *words;
    words->word = arena_array(
        arena, (size_t)own.n_word + (size_t)ocr->n_word + 1, sizeof *own.word);
    for (int i = 0; i < own.n_word; i++)
        words->word[i] = own.word[i];
    for (int i = 0; i < ocr->n_word; i++)
        if (is_over_any(&ocr->word[i], covered) &&
            !is_over_any(&ocr->word[i], &own))
            words->word[words->n_word++] = ocr->word[i];
}

/* --- hidden words and OCR -------------------------------------------------- */

enum { TOGETHER_MAX = 16, FOLDED_MAX = 64, COMPARED_MAX = 20000000 };

static int by_left(const void *a, const void *b)
{
    const struct word *one = *(const struct word *const *)a;
    const struct word *two = *(const struct word *const *)b;
    return (one->x > two->x) - (one->x < two->x);
}

/* Only letters and digits: OCR often takes a comma for a point. */
static const char *letters_of(const char *text, struct arena *arena)
{
    char *out = arena_copy(arena, span_of(fold_text(text, arena).byte));
    char *to = out;
    for (const char *at = out; *at; at++)
        if (!strchr(".,:/-'", *at)) *to++ = *at;
    *to = '\0';
    return out;
}

/* The letters and digits that OCR is sure of in the word's place, from the left;
 * "" for none. */
static const char *read_there(const struct word *word, const struct words *ocr,
                              struct arena *arena)
{
    const struct word *there[TOGETHER_MAX];
    char text[FOLDED_MAX * 4] = "";
    size_t n = 0, size = 0;
    for (int i = 0; i < ocr->n_word && n < TOGETHER_MAX; i++) {
        if (!overlap(word, &ocr->word[i])) continue;
        if (ocr->word[i].confidence < layer_ocr_sure) return "";
        there[n++] = &ocr->word[i];
    }
    qsort(there, n, sizeof *there, by_left);
    for (size_t i = 0; i < n; i++) {
        const char *more = letters_of(there[i]->text, arena);
        if (size + strlen(more) >= sizeof text) return "";
        memcpy(text + size, more, strlen(more) + 1);
        size += strlen(more);
    }
    return arena_copy(arena, span_of(text));
}

bool text_layer_check_is_read(const struct word *word, const struct words *ocr)
{
    struct arena *arena = arena_new();
    bool same =
        !strcmp(letters_of(word->text, arena), read_there(word, ocr, arena));
    arena_free(arena);
    return same;
}

/* The letters to add, remove or replace. */
static int distance(const char *a, const char *b)
{
    int row[FOLDED_MAX + 1];
    int n = (int)strlen(b);
    for (int k = 0; k <= n; k++)
        row[k] = k;
    for (int i = 1; *a; a++, i++)
        for (int k = 1, corner = row[0], left = row[0] = i; k <= n; k++) {
            int least = corner + (*a != b[k - 1]);
            corner = row[k];
            if (corner + 1 < least) least = corner + 1;
            if (left + 1 < least) least = left + 1;
            row[k] = left = least;
        }
    return row[n];
}

/* Figures differ by a digit; words by so many letters that it is no misreading.
 * Words can be cut in other places. */
static bool is_other(const char *word, const char *read)
{
    size_t n = strlen(word), m = strlen(read);
    if (strstr(read, word) || strstr(word, read)) return false;
    if (strpbrk(word, "0123456789")) return true;
    size_t longer = n > m ? n : m;
    return distance(word, read) > layer_other_most * (double)longer;
}

enum text_layer_check_reading text_layer_check_compare(
    const struct words *layer, const struct words *ocr)
{
    struct arena *arena = arena_new();
    int n_compared = 0, n = 0;
    bool other = (double)layer->n_word * ocr->n_word > COMPARED_MAX;
    for (int i = 0; i < layer->n_word && !other; i++) {
        arena_reset(arena);
        const char *word = letters_of(layer->word[i].text, arena);
        if (!*word || strlen(word) > FOLDED_MAX) continue;
        const char *read = read_there(&layer->word[i], ocr, arena);
        n++;
        if (!*read || strlen(read) > FOLDED_MAX) continue;
        n_compared++;
        other = is_other(word, read);
    }
    arena_free(arena);
    if (other) return TEXT_LAYER_CHECK_OTHER;
    return n_compared && n_compared >= layer_compared_least * n
               ? TEXT_LAYER_CHECK_SAME
               : TEXT_LAYER_CHECK_UNKNOWN;
}

bool text_layer_check_is_usable(const struct text_layer_check_verdict *layer)
{
    return layer->kind == TEXT_LAYER_CHECK_DIGITAL ||
           layer->kind == TEXT_LAYER_CHECK_SCAN;
}

const char *text_layer_check_name(enum text_layer_check_kind kind)
{
    static const char *const name[] = {"none", "digital", "scan", "part",
                                       "rotten"};
    return name[kind];
}
