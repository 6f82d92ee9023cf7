/* second_words.c - see second_words.h.
 *
 * Two looks at a page. The first lets Tesseract find the layout, which leaves
 * out what stands alone: a column of single digits, a line between two rules.
 * Where marks of the size of letters are left, the page is read once more as
 * one block, and words are taken from where the first look saw none.
 */
#include "stages/second/second_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leptonica/allheaders.h>
#include <tesseract/capi.h>

#include "vlm/base/arena.h"

enum { DPI_USUAL = 150, DPI_FINE = 200, TEXT_MAX = 1000 };

struct second_words {
    TessBaseAPI *reader, *osd; /* osd: NULL where scripts cannot be told */
};

static TessBaseAPI *load(const char *folder, const char *languages,
                         TessOcrEngineMode mode)
{
    TessBaseAPI *api = TessBaseAPICreate();
    TessBaseAPISetVariable(api, "debug_file", "/dev/null"); /* it chatters */
    if (!TessBaseAPIInit2(api, folder, languages, mode)) return api;
    TessBaseAPIDelete(api);
    return NULL;
}

struct second_words *second_words_open(const char *folder,
                                       const char *languages)
{
    TessBaseAPI *reader = load(folder, languages, OEM_LSTM_ONLY);
    if (!reader) return NULL;
    struct second_words *s = mem_take(1, sizeof *s);
    s->reader = reader;
    s->osd = load(folder, "osd", OEM_TESSERACT_ONLY);
    if (s->osd) TessBaseAPISetPageSegMode(s->osd, PSM_OSD_ONLY);
    return s;
}

bool second_words_tells_script(const struct second_words *s)
{
    return s->osd;
}

const char *second_words_version(void)
{
    return TessVersion();
}

/* --- the picture ---------------------------------------------------------- */

/* How many times as large the page is shown: coarse print is read better. */
static int enlargement(const struct image *page, int dpi)
{
    int64_t area = (int64_t)page->width_px * page->height_px;
    return (dpi ? dpi : DPI_USUAL) < DPI_FINE && area < 6000000 ? 2 : 1;
}

static PIX *pix_of(const struct image *page, int times, int dpi)
{
    PIX *pix = pixCreateNoInit(page->width_px, page->height_px, 8);
    for (int y = 0; pix && y < page->height_px; y++) {
        l_uint32 *line = pixGetData(pix) + (size_t)y * (size_t)pixGetWpl(pix);
        const uint8_t *row = image_row(page, y);
        for (int x = 0; x < page->width_px; x++)
            SET_DATA_BYTE(line, x, row[x]);
    }
    PIX *shown = !pix || times == 1 ? pix : pixScaleGray2xLI(pix);
    if (shown != pix) pixDestroy(&pix);
    if (shown) pixSetResolution(shown, dpi, dpi);
    return shown;
}

/* --- words ---------------------------------------------------------------- */

struct seen {
    BOX box; /* in pixels of the picture shown */
    char *text;
    float sure;
};

struct look {
    struct seen *seen;
    int n, room;
};

static void add_seen(struct look *look, TessResultIterator *at)
{
    int x1, y1, x2, y2;
    const TessPageIterator *place = TessResultIteratorGetPageIteratorConst(at);
    char *text = TessResultIteratorGetUTF8Text(at, RIL_WORD);
    bool is_there =
        text && strlen(text) <= TEXT_MAX &&
        TessPageIteratorBoundingBox(place, RIL_WORD, &x1, &y1, &x2, &y2) &&
        x2 > x1 && y2 > y1;
    if (!is_there) {
        TessDeleteText(text);
        return;
    }
    if (look->n == look->room) {
        look->room = 2 * look->room + 256;
        look->seen =
            mem_grow(look->seen, (size_t)look->room, sizeof *look->seen);
    }
    look->seen[look->n++] =
        (struct seen){.box = {.x = x1, .y = y1, .w = x2 - x1, .h = y2 - y1},
                      .text = text,
                      .sure = TessResultIteratorConfidence(at, RIL_WORD)};
}

static bool look_at(TessBaseAPI *api, TessPageSegMode mode, struct look *look)
{
    TessBaseAPISetPageSegMode(api, mode);
    if (TessBaseAPIRecognize(api, NULL)) return false;
    TessResultIterator *at = TessBaseAPIGetIterator(api);
    while (at && look->n < 2 * PACKED_WORDS_MAX) {
        add_seen(look, at);
        if (!TessResultIteratorNext(at, RIL_WORD)) break;
    }
    if (at) TessResultIteratorDelete(at);
    return true;
}

static void forget(struct look *look)
{
    for (int i = 0; i < look->n; i++)
        TessDeleteText(look->seen[i].text);
    mem_give(look->seen);
    *look = (struct look){.n = 0};
}

/* --- what the first look left --------------------------------------------- */

static int compare_heights(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int usual_height(const struct look *look, int dpi)
{
    if (look->n == 0) return dpi / 10;
    int *height = mem_take((size_t)look->n, sizeof *height);
    for (int i = 0; i < look->n; i++)
        height[i] = look->seen[i].box.h;
    qsort(height, (size_t)look->n, sizeof *height, compare_heights);
    int middle = height[look->n / 2];
    mem_give(height);
    return middle;
}

static bool is_letter(const BOX *box, int height)
{
    return 2 * box->h >= height && box->h <= 2 * height &&
           8 * box->w >= height && box->w <= 3 * height;
}

/* Marks of the size of letters outside the words; NULL: none. */
static BOXA *marks_left(TessBaseAPI *api, const struct look *look, int height)
{
    PIX *ink = TessBaseAPIGetThresholdedImage(api);
    for (int i = 0; ink && i < look->n; i++) {
        BOX box = look->seen[i].box;
        pixClearInRect(ink, &box);
    }
    BOXA *all = ink ? pixConnCompBB(ink, 8) : NULL;
    BOXA *left = boxaCreate(16);
    for (int i = 0; all && left && i < boxaGetCount(all); i++) {
        BOX *box = boxaGetBox(all, i, L_CLONE);
        if (is_letter(box, height)) boxaAddBox(left, box, L_COPY);
        boxDestroy(&box);
    }
    boxaDestroy(&all);
    pixDestroy(&ink);
    if (left && boxaGetCount(left) == 0) boxaDestroy(&left);
    return left;
}

static int shared(const BOX *a, const BOX *b)
{
    int right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
    int low = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;
    int w = right - (a->x > b->x ? a->x : b->x);
    int h = low - (a->y > b->y ? a->y : b->y);
    return w > 0 && h > 0 ? w * h : 0;
}

static bool was_seen(const struct look *look, int n, const BOX *box)
{
    for (int i = 0; i < n; i++)
        if (5 * shared(&look->seen[i].box, box) > box->w * box->h) return true;
    return false;
}

static bool holds_a_mark(BOXA *marks, const BOX *box)
{
    bool found = false;
    for (int i = 0; i < boxaGetCount(marks) && !found; i++) {
        BOX *mark = boxaGetBox(marks, i, L_CLONE);
        found = 2 * shared(mark, box) > mark->w * mark->h;
        boxDestroy(&mark);
    }
    return found;
}

/* Moves what the second look saw on a mark, where the first saw no word. */
static void join_looks(struct look *first, struct look *second, BOXA *marks)
{
    int n_before = first->n;
    first->room = first->n + second->n;
    first->seen =
        mem_grow(first->seen, (size_t)first->room, sizeof *first->seen);
    for (int i = 0; i < second->n; i++) {
        struct seen *seen = &second->seen[i];
        if (was_seen(first, n_before, &seen->box) ||
            !holds_a_mark(marks, &seen->box))
            continue;
        first->seen[first->n++] = *seen;
        seen->text = NULL;
    }
}

static void look_again(TessBaseAPI *api, PIX *pix, int dpi, struct look *look)
{
    BOXA *marks = marks_left(api, look, usual_height(look, dpi));
    struct look second = {.n = 0};
    if (!marks) return;
    TessBaseAPISetImage2(api, pix);
    if (look_at(api, PSM_SINGLE_BLOCK, &second) && second.n > 0)
        join_looks(look, &second, marks);
    forget(&second);
    boxaDestroy(&marks);
}

/* --- packing -------------------------------------------------------------- */

/* `from` to `from + size` pixels of `side`. */
static void scale_side(int from, int size, int side, uint32_t *at,
                       uint32_t *length)
{
    double one = PACKED_WORD_ONE;
    double first = fmin(fmax(floor(from * one / side), 0), one - 1);
    double last = fmin(fmax(ceil((from + size) * one / side), first + 1), one);
    *at = (uint32_t)first;
    *length = (uint32_t)(last - first);
}

/* Without white space and control characters; bytes. */
static size_t squeeze(char *text)
{
    char *to = text;
    for (const unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at == 0xC2 && at[1] >= 0x80 && at[1] <= 0xA0)
            at++;
        else if (*at > 0x20 && *at != 0x7F)
            *to++ = (char)*at;
    }
    *to = '\0';
    return (size_t)(to - text);
}

static void pack(const struct look *look, const PIX *pix,
                 struct second_found *found)
{
    int width = pixGetWidth(pix), height = pixGetHeight(pix);
    size_t n_byte = 0;
    for (int i = 0; i < look->n; i++)
        n_byte += strlen(look->seen[i].text);
    found->word = mem_take((size_t)look->n + 1, sizeof *found->word);
    found->sure = mem_take((size_t)look->n + 1, 1);
    found->byte = mem_take(n_byte + 1, 1);
    for (int i = 0; i < look->n; i++) {
        struct seen *seen = &look->seen[i];
        size_t size = squeeze(seen->text);
        if (found->n_word == PACKED_WORDS_MAX ||
            found->n_byte + size > PACKED_TEXT_MAX)
            found->cut = true;
        if (size == 0 || found->cut) continue;
        struct packed_word *word = &found->word[found->n_word];
        scale_side(seen->box.x, seen->box.w, width, &word->x, &word->w);
        scale_side(seen->box.y, seen->box.h, height, &word->y, &word->h);
        word->size = (uint32_t)size;
        memcpy(found->byte + found->n_byte, seen->text, size);
        found->n_byte += word->size;
        found->sure[found->n_word++] =
            (uint8_t)fminf(fmaxf(seen->sure, 0), 100);
    }
}

bool second_words_read(struct second_words *s, const struct image *page,
                       int dpi, struct second_found *found)
{
    *found = (struct second_found){.n_word = 0};
    int times = enlargement(page, dpi);
    int shown = times * (dpi ? dpi : DPI_USUAL);
    PIX *pix = pix_of(page, times, shown);
    if (!pix) return false;
    struct look look = {.n = 0};
    TessBaseAPISetImage2(s->reader, pix);
    bool done = look_at(s->reader, PSM_AUTO, &look);
    if (done) {
        look_again(s->reader, pix, shown, &look);
        pack(&look, pix, found);
    }
    forget(&look);
    TessBaseAPIClear(s->reader);
    pixDestroy(&pix);
    return done;
}

void second_words_free(struct second_found *found)
{
    mem_give(found->word);
    mem_give(found->sure);
    mem_give(found->byte);
    *found = (struct second_found){.n_word = 0};
}

void second_words_script(struct second_words *s, const struct image *page,
                         int dpi, struct second_script *script)
{
    const char *name = NULL;
    int degrees;
    float turned, sure;
    *script = (struct second_script){.hundredths = 0};
    PIX *pix = s->osd ? pix_of(page, 1, dpi ? dpi : DPI_USUAL) : NULL;
    if (!pix) return;
    TessBaseAPISetImage2(s->osd, pix);
    if (TessBaseAPIDetectOrientationScript(s->osd, &degrees, &turned, &name,
                                           &sure) &&
        name) {
        snprintf(script->name, sizeof script->name, "%s", name);
        script->hundredths = (uint32_t)(fminf(fmaxf(sure, 0), 1e6F) * 100);
    }
    TessBaseAPIClear(s->osd);
    pixDestroy(&pix);
}
