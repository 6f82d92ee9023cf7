/* ocr_words.c - see ocr_words.h.
 *
 * The first look at a page, at twice the size where print is coarse and without
 * its rules, lets Tesseract find the layout, which leaves out what stands alone:
 * a column of single digits. Where marks of the size of letters are left, or
 * words are doubtful, the page is looked at again as one block, in other ways:
 * words are taken from where none were seen, or some that were less sure. Of
 * ruled invoices with single digits, worn or not, the first look alone reads
 * 77 to 98 % of the words, all of them 98 to 100 %.
 */
#include "stages/children/ocr/ocr_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leptonica/allheaders.h>
#include <tesseract/capi.h>

#include "stages/children/ocr/ocr_protocol.h"
#include "stages/children/ocr/ocr_rules.h"
#include "stages/children/ocr/rect.h"
#include "stages/page/levels.h"
#include "vlm/base/arena.h"

enum {
    DPI_USUAL = 150,
    DPI_FINE = 200,  /* print is not coarse */
    TEXT_MAX = 1000, /* bytes of a word */
    PATH_SIZE = 4096,
    SURE = 60, /* below, a word is doubtful */
    SURER = 10 /* at least, what takes another's place */
};

struct ocr_words {
    TessBaseAPI *reader, *osd; /* osd: NULL until a script is asked for */
    const char *folder;
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

struct ocr_words *ocr_words_open(const char *folder, const char *languages)
{
    TessBaseAPI *reader = load(folder, languages, OEM_LSTM_ONLY);
    if (!reader) return NULL;
    struct ocr_words *s = mem_alloc(1, sizeof *s);
    s->reader = reader;
    s->folder = folder;
    return s;
}

bool ocr_words_tells_script(const struct ocr_words *s)
{
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/osd.traineddata", s->folder);
    FILE *table = n > 0 && n < PATH_SIZE ? fopen(path, "rb") : NULL;
    if (table) fclose(table);
    return table;
}

const char *ocr_words_version(void)
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

static PIX *pix_of(const struct image *page, int times, int dpi, bool erase)
{
    PIX *pix = pixCreateNoInit(page->width_px, page->height_px, 8);
    for (int y = 0; pix && y < page->height_px; y++) {
        l_uint32 *line = pixGetData(pix) + (size_t)y * (size_t)pixGetWpl(pix);
        const uint8_t *row = image_row(page, y);
        for (int x = 0; x < page->width_px; x++)
            SET_DATA_BYTE(line, x, row[x]);
    }
    if (pix && erase) {
        struct levels levels = levels_of(page, image_region(page), 4);
        ocr_rules_erase(pix, levels_paper(&levels), dpi / times);
    }
    PIX *shown = !pix || times == 1 ? pix : pixScaleGray2xLI(pix);
    if (shown != pix) pixDestroy(&pix);
    if (shown) pixSetResolution(shown, dpi, dpi);
    return shown;
}

/* --- words ---------------------------------------------------------------- */

struct sighting {
    struct rect box; /* in pixels of the picture shown */
    char *text;
    float sure; /* 0..100 */
    bool gone;  /* the second look saw better */
};

struct glance_at {
    struct sighting *seen;
    int n, room;
};

static void add_seen(struct glance_at *look, TessResultIterator *at)
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
        (struct sighting){.box = {.x = x1, .y = y1, .w = x2 - x1, .h = y2 - y1},
                          .text = text,
                          .sure = TessResultIteratorConfidence(at, RIL_WORD)};
}

static bool look_at(TessBaseAPI *api, TessPageSegMode mode,
                    struct glance_at *look)
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

static void forget(struct glance_at *look)
{
    for (int i = 0; i < look->n; i++)
        TessDeleteText(look->seen[i].text);
    mem_free(look->seen);
    *look = (struct glance_at){.n = 0};
}

/* --- what the first look left --------------------------------------------- */

static int compare_heights(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int usual_height(const struct glance_at *look, int dpi)
{
    if (look->n == 0) return dpi / 10;
    int *height = mem_alloc((size_t)look->n, sizeof *height);
    for (int i = 0; i < look->n; i++)
        height[i] = look->seen[i].box.h;
    qsort(height, (size_t)look->n, sizeof *height, compare_heights);
    int middle = height[look->n / 2];
    mem_free(height);
    return middle;
}

static bool is_letter(const struct rect *box, int height)
{
    return 2 * box->h >= height && box->h <= 2 * height &&
           8 * box->w >= height && box->w <= 3 * height;
}

/* Marks of the size of letters outside the words; NULL: none. */
static BOXA *marks_left(const PIX *all_ink, const struct glance_at *look,
                        int height)
{
    PIX *ink = pixCopy(NULL, all_ink);
    for (int i = 0; ink && i < look->n; i++) {
        BOX *box = rect_box(&look->seen[i].box);
        if (box) pixClearInRect(ink, box);
        boxDestroy(&box);
    }
    BOXA *all = ink ? pixConnCompBB(ink, 8) : NULL;
    BOXA *left = boxaCreate(16);
    for (int i = 0; all && left && i < boxaGetCount(all); i++) {
        struct rect box = rect_at(all, i);
        if (is_letter(&box, height)) boxaAddBox(left, rect_box(&box), L_INSERT);
    }
    boxaDestroy(&all);
    pixDestroy(&ink);
    if (left && boxaGetCount(left) == 0) boxaDestroy(&left);
    return left;
}

static int shared(const struct rect *a, const struct rect *b)
{
    int right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
    int low = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;
    int w = right - (a->x > b->x ? a->x : b->x);
    int h = low - (a->y > b->y ? a->y : b->y);
    return w > 0 && h > 0 ? w * h : 0;
}

/* Whether two boxes hold the same: a fifth of the smaller one. */
static bool meet(const struct rect *a, const struct rect *b)
{
    int one = a->w * a->h, two = b->w * b->h;
    return 5 * shared(a, b) > (one < two ? one : two);
}

static bool holds_a_mark(BOXA *marks, const struct rect *box)
{
    bool found = false;
    for (int i = 0; i < boxaGetCount(marks) && !found; i++) {
        struct rect mark = rect_at(marks, i);
        found = 2 * shared(&mark, box) > mark.w * mark.h;
    }
    return found;
}

/* Whether a word of the second look is to be taken: what the first saw there is
 * less sure (and goes), or it saw nothing there but a mark. */
static bool is_better(struct glance_at *first, int n_first,
                      const struct sighting *word, BOXA *marks)
{
    int n = 0;
    for (int i = 0; i < n_first; i++) {
        if (!meet(&first->seen[i].box, &word->box)) continue;
        if (first->seen[i].sure + SURER > word->sure) return false;
        n++;
    }
    if (n == 0) return marks && holds_a_mark(marks, &word->box);
    for (int i = 0; i < n_first; i++)
        if (meet(&first->seen[i].box, &word->box)) first->seen[i].gone = true;
    return true;
}

/* Moves what is better into the first look. The other saw the page `times`
 * smaller. */
static void join_looks(struct glance_at *first, struct glance_at *second,
                       BOXA *marks, int times)
{
    int n_first = first->n;
    first->room = first->n + second->n;
    first->seen =
        mem_grow(first->seen, (size_t)first->room, sizeof *first->seen);
    for (int i = 0; i < second->n; i++) {
        struct sighting *word = &second->seen[i];
        word->box.x *= times;
        word->box.y *= times;
        word->box.w *= times;
        word->box.h *= times;
        if (!is_better(first, n_first, word, marks)) continue;
        first->seen[first->n++] = *word;
        word->text = NULL;
    }
}

static bool is_doubtful(const struct glance_at *look)
{
    for (int i = 0; i < look->n; i++)
        if (!look->seen[i].gone && look->seen[i].sure < SURE) return true;
    return false;
}

/* How the page is looked at again. */
static const struct manner {
    bool large; /* as large as the first look had it */
    bool erase; /* without its rules */
} manners[] = {{false, true}, {true, false}};

/* `shown` dpi, and `times` the page's own size, is what the first look had. */
static void look_again(TessBaseAPI *api, const struct image *page, int shown,
                       int times, struct glance_at *look)
{
    PIX *ink = TessBaseAPIGetThresholdedImage(api);
    if (!ink) return;
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        BOXA *marks = marks_left(ink, look, usual_height(look, shown));
        int own = manners[i].large ? times : 1;
        struct glance_at more = {.n = 0};
        PIX *pix =
            marks || is_doubtful(look)
                ? pix_of(page, own, shown / times * own, manners[i].erase)
                : NULL;
        if (pix) {
            TessBaseAPISetImage2(api, pix);
            if (look_at(api, PSM_SINGLE_BLOCK, &more) && more.n > 0)
                join_looks(look, &more, marks, times / own);
        }
        forget(&more);
        pixDestroy(&pix);
        boxaDestroy(&marks);
    }
    pixDestroy(&ink);
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

/* Without white space and control characters, and without the joiners that
 * Tesseract leaves at the end of Kannada words; bytes. */
static size_t squeeze(char *text)
{
    char *to = text;
    for (const unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at == 0xC2 && at[1] >= 0x80 && at[1] <= 0xA0)
            at++;
        else if (*at > 0x20 && *at != 0x7F)
            *to++ = (char)*at;
    }
    while (to - text > 3 && !memcmp(to - 3, "\xE2\x80", 2) &&
           (to[-1] == '\x8C' || to[-1] == '\x8D'))
        to -= 3;
    *to = '\0';
    return (size_t)(to - text);
}

static void pack(const struct glance_at *look, const PIX *pix,
                 struct second_found *found)
{
    int width = pixGetWidth(pix), height = pixGetHeight(pix);
    size_t n_byte = 0;
    for (int i = 0; i < look->n; i++)
        n_byte += strlen(look->seen[i].text);
    found->word = mem_alloc((size_t)look->n + 1, sizeof *found->word);
    found->sure = mem_alloc((size_t)look->n + 1, 1);
    found->byte = mem_alloc(n_byte + 1, 1);
    for (int i = 0; i < look->n; i++) {
        struct sighting *seen = &look->seen[i];
        size_t size = seen->gone ? 0 : squeeze(seen->text);
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

bool ocr_words_read(struct ocr_words *s, const struct image *page, int dpi,
                    struct second_found *found)
{
    *found = (struct second_found){.n_word = 0};
    int times = enlargement(page, dpi);
    int shown = times * (dpi ? dpi : DPI_USUAL);
    PIX *pix = pix_of(page, times, shown, true);
    if (!pix) return false;
    struct glance_at look = {.n = 0};
    TessBaseAPISetImage2(s->reader, pix);
    bool done = look_at(s->reader, PSM_AUTO, &look);
    if (done) {
        look_again(s->reader, page, shown, times, &look);
        pack(&look, pix, found);
    }
    forget(&look);
    TessBaseAPIClear(s->reader);
    pixDestroy(&pix);
    return done;
}

void ocr_words_free(struct second_found *found)
{
    mem_free(found->word);
    mem_free(found->sure);
    mem_free(found->byte);
    *found = (struct second_found){.n_word = 0};
}

bool ocr_words_are_sure(const struct second_found *found)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t i = 0; i < found->n_word; i++) {
        sum += (uint64_t)found->word[i].size * found->sure[i];
        n += found->word[i].size;
    }
    return n > 0 && sum >= SECOND_SURE * n;
}

void ocr_words_script(struct ocr_words *s, const struct image *page, int dpi,
                      struct second_script *script)
{
    const char *name = NULL;
    int degrees;
    float turned, sure;
    *script = (struct second_script){.hundredths = 0};
    if (!s->osd) {
        s->osd = load(s->folder, "osd", OEM_TESSERACT_ONLY);
        if (s->osd) TessBaseAPISetPageSegMode(s->osd, PSM_OSD_ONLY);
    }
    PIX *pix = s->osd ? pix_of(page, 1, dpi ? dpi : DPI_USUAL, false) : NULL;
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
