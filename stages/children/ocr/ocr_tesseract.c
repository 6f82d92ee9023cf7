/* ocr_tesseract.c - see ocr_tesseract.h.
 *
 * In the first pass, without rules and at twice the size if print is coarse,
 * Tesseract finds the layout; this omits isolated print, such as a column of
 * single digits. If marks of the size of letters are left, or words are
 * doubtful, more passes read the page as one block, with other variants of the
 * image. Their words are added where none were found, or replace less confident
 * ones. On ruled invoices with single digits, clean or worn, the first pass
 * alone reads 77 to 98 % of the words, all passes together 98 to 100 %.
 */
#include "stages/children/ocr/ocr_tesseract.h"

#include <leptonica/allheaders.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tesseract/capi.h>

#include "stages/children/ocr/ocr_pix.h"
#include "stages/children/ocr/rect.h"
#include "stages/pixels/levels.h"
#include "stages/pixels/rotate90.h"
#include "vlm/base/arena.h"
#include "vlm/base/sort.h"

struct Pix;

/* --- ocr rules ------------------------------------------------------------- */

/* Removes rules from an image of print. */

enum { CONTRAST = 30 }; /* smallest difference between paper and a rule */

static l_int32 ink_in(PIX *ink, l_int32 x, l_int32 y, l_int32 w, l_int32 h)
{
    BOX *box = rect_box(&(struct rect){x, y, w, h});
    PIX *part = box ? pixClipRectangle(ink, box, NULL) : NULL;
    l_int32 n = 0;
    if (part) pixCountPixels(part, &n, NULL);
    pixDestroy(&part);
    boxDestroy(&box);
    return n;
}

/* Whether less than a fourth of the pixels at distance `near` along either side
 * of a line is ink. */
static l_int32 is_free(PIX *ink, const struct rect *line, l_int32 near)
{
    l_int32 across = line->w > line->h;
    l_int32 length = across ? line->w : line->h;
    l_int32 before = across ? ink_in(ink, line->x, line->y - near, line->w, 1)
                            : ink_in(ink, line->x - near, line->y, 1, line->h);
    l_int32 behind =
        across ? ink_in(ink, line->x, line->y + line->h - 1 + near, line->w, 1)
               : ink_in(ink, line->x + line->w - 1 + near, line->y, 1, line->h);
    return 4 * before < length && 4 * behind < length;
}

/* Paints over the thin lines in the opened image that touch no print. */
static void erase_lines(PIX *grey, PIX *ink, PIX *opened, l_int32 dpi,
                        l_int32 paper)
{
    l_int32 thick = dpi / 25, margin = dpi / 100 + 1;
    BOXA *lines = opened ? pixConnCompBB(opened, 8) : NULL;
    for (l_int32 i = 0; lines && i < boxaGetCount(lines); i++) {
        struct rect line = rect_at(lines, i);
        l_int32 thin = line.w < line.h ? line.w : line.h;
        if (thin > thick || !is_free(ink, &line, margin + 1)) continue;
        BOX *over = boxCreate(line.x - margin, line.y - margin,
                              line.w + 2 * margin, line.h + 2 * margin);
        pixSetInRectArbitrary(grey, over, (l_uint32)paper);
        boxDestroy(&over);
    }
    boxaDestroy(&lines);
}

/* Paints long thin horizontal and vertical lines that touch no print with
 * `paper`, the grey of the paper: Tesseract takes faint ones for parts of the
 * words next to them. A bar that letters hang from (Devanagari) is kept. */
static void ocr_rules_erase(PIX *grey, int paper, int dpi)
{
    l_int32 length = dpi / 2, gap = dpi / 30 + 1;
    if (paper <= CONTRAST) return;
    PIX *ink = pixThresholdToBinary(grey, paper - CONTRAST);
    PIX *across = ink ? pixCloseBrick(NULL, ink, gap, 1) : NULL;
    PIX *down = ink ? pixCloseBrick(NULL, ink, 1, gap) : NULL;
    if (across) pixOpenBrick(across, across, length, 1);
    if (down) pixOpenBrick(down, down, 1, length);
    erase_lines(grey, ink, across, dpi, paper);
    erase_lines(grey, ink, down, dpi, paper);
    pixDestroy(&across);
    pixDestroy(&down);
    pixDestroy(&ink);
}

/* --- ocr tesseract --------------------------------------------------------- */

enum {
    DPI_USUAL = 150,
    DPI_FINE = 200,  /* from here on print is not coarse */
    TEXT_MAX = 1000, /* bytes of a word */
    PATH_SIZE = 4096,
    SURE = 60,        /* words below this are doubtful */
    JOINED_MOST = 12, /* heights of a line that joined letters are wide */
    ALONE_MOST = 200, /* words of a page that are read alone */
    SURER = 10        /* how much more confident a replacement must be */
};

struct ocr_tesseract {
    TessBaseAPI *api; /* NULL until languages are loaded */
    TessBaseAPI *osd; /* NULL until a script is asked for */
    const char *folder;
};

static TessBaseAPI *load(const char *folder, const char *languages,
                         TessOcrEngineMode mode)
{
    TessBaseAPI *api = TessBaseAPICreate();
    TessBaseAPISetVariable(api, "debug_file", "/dev/null"); /* no log output */
    if (!TessBaseAPIInit2(api, folder, languages, mode)) return api;
    TessBaseAPIDelete(api);
    return NULL;
}

struct ocr_tesseract *ocr_tesseract_open(const char *folder)
{
    struct ocr_tesseract *s = mem_alloc(1, sizeof *s);
    s->folder = folder;
    return s;
}

bool ocr_tesseract_load(struct ocr_tesseract *s, const char *languages)
{
    s->api = *s->folder ? load(s->folder, languages, OEM_LSTM_ONLY) : NULL;
    return s->api;
}

bool ocr_tesseract_tells_script(const struct ocr_tesseract *s)
{
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/osd.traineddata", s->folder);
    FILE *table = n > 0 && n < PATH_SIZE ? fopen(path, "rb") : NULL;
    if (table) fclose(table);
    return table;
}

const char *ocr_tesseract_version(void)
{
    return TessVersion();
}

/* --- the picture ---------------------------------------------------------- */

/* The factor by which the page is enlarged: Tesseract reads coarse print
 * better. */
static int enlargement(const struct image *page, int dpi)
{
    int64_t area = (int64_t)page->width_px * page->height_px;
    return (dpi ? dpi : DPI_USUAL) < DPI_FINE && area < 6000000 ? 2 : 1;
}

static PIX *page_pix(const struct image *page, int times, int dpi, bool erase)
{
    PIX *pix = ocr_pix_of(page);
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

struct found_word {
    struct rect box; /* in pixels of the enlarged image */
    char *text;
    float sure;    /* 0..100 */
    bool replaced; /* replaced by a word of a later pass */
    int at;        /* where it is read: as the word that it replaced */
};

struct ocr_pass {
    struct found_word *word;
    int n;
    double length[4]; /* of the words, by the quarter turns of their print */
};

static void add_word(struct ocr_pass *pass, TessResultIterator *at)
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
    int n = pass->n;
    *MEM_ADD(pass->word, pass->n) = (struct found_word){
        .at = n,
        .box = {.x = x1, .y = y1, .w = x2 - x1, .h = y2 - y1},
        .text = text,
        .sure = TessResultIteratorConfidence(at, RIL_WORD)};
}

/* By how many quarters a word's print is turned clockwise: Tesseract reads
 * blocks on their sides where they are, and takes lines that run down for
 * vertical writing. */
static unsigned turns_of(TessResultIterator *at)
{
    TessOrientation orientation = ORIENTATION_PAGE_UP;
    TessWritingDirection direction = WRITING_DIRECTION_LEFT_TO_RIGHT;
    TessTextlineOrder order;
    float slope;
    TessPageIteratorOrientation(TessResultIteratorGetPageIterator(at),
                                &orientation, &direction, &order, &slope);
    if (direction == WRITING_DIRECTION_TOP_TO_BOTTOM) return 1;
    return (unsigned)orientation & 3;
}

/* The quarter turns that may make most of the text upright. */
static uint32_t turns_for(const struct ocr_pass *pass)
{
    const double *n = pass->length;
    for (uint32_t q = 1; q < 4; q++)
        if (3 * n[q] > 2 * (n[0] + n[1] + n[2] + n[3])) return 4 - q;
    return 0;
}

/* Trims the boxes, in pixels `times` as large as the ink's, to the ink:
 * Tesseract gives some words the height of their row, blank space included, so
 * that they overlap those of the next row. */
static void trim_boxes(struct ocr_pass *pass, PIX *ink, int times)
{
    for (int i = 0; i < pass->n; i++) {
        struct rect *r = &pass->word[i].box;
        r->x *= times;
        r->y *= times;
        r->w *= times;
        r->h *= times;
        BOX *box = rect_box(r), *own = NULL;
        if (box) pixClipBoxToForeground(ink, box, NULL, &own);
        if (own) boxGetGeometry(own, &r->x, &r->y, &r->w, &r->h);
        boxDestroy(&own);
        boxDestroy(&box);
    }
}

static bool run_pass(TessBaseAPI *api, TessPageSegMode mode,
                     struct ocr_pass *pass)
{
    TessBaseAPISetPageSegMode(api, mode);
    if (TessBaseAPIRecognize(api, NULL)) return false;
    TessResultIterator *at = TessBaseAPIGetIterator(api);
    while (at && pass->n < 2 * PACKED_WORDS_MAX) {
        int n = pass->n;
        add_word(pass, at);
        if (pass->n > n)
            pass->length[turns_of(at)] += (double)strlen(pass->word[n].text);
        if (!TessResultIteratorNext(at, RIL_WORD)) break;
    }
    if (at) TessResultIteratorDelete(at);
    return true;
}

static void free_pass(struct ocr_pass *pass)
{
    for (int i = 0; i < pass->n; i++)
        TessDeleteText(pass->word[i].text);
    mem_free(pass->word);
    *pass = (struct ocr_pass){.n = 0};
}

/* --- what the first pass left --------------------------------------------- */

static int usual_height(const struct ocr_pass *pass, int dpi)
{
    if (pass->n == 0) return dpi / 10;
    int *height = mem_alloc((size_t)pass->n, sizeof *height);
    for (int i = 0; i < pass->n; i++)
        height[i] = pass->word[i].box.h;
    sort_ints(height, (size_t)pass->n);
    int middle = height[pass->n / 2];
    mem_free(height);
    return middle;
}

/* A letter, or letters that a blurred scan joins. */
static bool is_letter(const struct rect *box, int height)
{
    return 2 * box->h >= height && box->h <= 2 * height &&
           8 * box->w >= height && box->w <= JOINED_MOST * height;
}

/* Marks of the size of letters outside the words; NULL: none. */
static BOXA *marks_left(const PIX *all_ink, const struct ocr_pass *pass,
                        int height)
{
    PIX *ink = pixCopy(NULL, all_ink);
    for (int i = 0; ink && i < pass->n; i++) {
        if (pass->word[i].replaced) continue;
        BOX *box = rect_box(&pass->word[i].box);
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

static int overlap_area(const struct rect *a, const struct rect *b)
{
    int right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
    int low = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;
    int w = right - (a->x > b->x ? a->x : b->x);
    int h = low - (a->y > b->y ? a->y : b->y);
    return w > 0 && h > 0 ? w * h : 0;
}

/* Whether two boxes overlap by at least a fifth of the smaller one. */
static bool overlaps(const struct rect *a, const struct rect *b)
{
    int one = a->w * a->h, two = b->w * b->h;
    return 5 * overlap_area(a, b) > (one < two ? one : two);
}

static bool holds_mark(BOXA *marks, const struct rect *box)
{
    bool found = false;
    for (int i = 0; i < boxaGetCount(marks) && !found; i++) {
        struct rect mark = rect_at(marks, i);
        found = 2 * overlap_area(&mark, box) > mark.w * mark.h;
    }
    return found;
}

/* Whether the word has less than half of what the other one has: "0" of "10)". */
static bool is_less(const struct found_word *word,
                    const struct found_word *other)
{
    const struct rect *own = &word->box, *all = &other->box;
    return strlen(word->text) < strlen(other->text) &&
           2 * overlap_area(own, all) < all->w * all->h;
}

/* Whether to use a word of a later pass: it replaces less confident words of
 * the first (which are marked as replaced), or is where only a mark was
 * found, and then read last. */
static bool is_better(struct ocr_pass *first, int n_first,
                      struct found_word *word, BOXA *marks)
{
    int n = 0;
    word->at = INT_MAX;
    for (int i = 0; i < n_first; i++) {
        if (!overlaps(&first->word[i].box, &word->box)) continue;
        if (first->word[i].sure + SURER > word->sure ||
            is_less(word, &first->word[i]))
            return false;
        n++;
    }
    if (n == 0) return marks && holds_mark(marks, &word->box);
    for (int i = 0; i < n_first; i++) {
        struct found_word *less = &first->word[i];
        if (!overlaps(&less->box, &word->box)) continue;
        less->replaced = true;
        if (less->at < word->at) word->at = less->at;
    }
    return true;
}

/* Moves better words into the first pass. */
static void merge_passes(struct ocr_pass *first, struct ocr_pass *second,
                         BOXA *marks)
{
    int n_first = first->n;
    for (int i = 0; i < second->n; i++) {
        struct found_word *word = &second->word[i];
        if (!is_better(first, n_first, word, marks)) continue;
        *MEM_ADD(first->word, first->n) = *word;
        word->text = NULL;
    }
}

static bool is_doubtful(const struct ocr_pass *pass)
{
    for (int i = 0; i < pass->n; i++)
        if (!pass->word[i].replaced && pass->word[i].sure < SURE) return true;
    return false;
}

/* Image variants for the later passes. */
static const struct variant {
    bool large; /* same size as in the first pass */
    bool erase; /* rules removed */
} variants[] = {{false, true}, {true, false}};

/* shown, times: dpi and enlargement of the first pass, whose ink it is. */
static void run_more_passes(TessBaseAPI *api, const struct image *page,
                            PIX *ink, int shown, int times,
                            struct ocr_pass *pass)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        BOXA *marks = marks_left(ink, pass, usual_height(pass, shown));
        int own = variants[i].large ? times : 1;
        struct ocr_pass more = {.n = 0};
        PIX *pix =
            marks || is_doubtful(pass)
                ? page_pix(page, own, shown / times * own, variants[i].erase)
                : NULL;
        if (pix) {
            TessBaseAPISetImage2(api, pix);
            if (run_pass(api, PSM_SINGLE_BLOCK, &more) && more.n > 0) {
                trim_boxes(&more, ink, times / own);
                merge_passes(pass, &more, marks);
            }
        }
        free_pass(&more);
        pixDestroy(&pix);
        boxaDestroy(&marks);
    }
}

/* --- words alone ------------------------------------------------------------ */

/* Adds the boxes of marks that are side by side, joined. */
static void add_joined(PIX *ink, BOXA *marks, int height, BOXA *out)
{
    PIX *mask = pixCreateTemplate(ink);
    for (int i = 0; mask && i < boxaGetCount(marks); i++) {
        BOX *box = boxaGetBox(marks, i, L_CLONE);
        pixSetInRect(mask, box);
        boxDestroy(&box);
    }
    if (mask) pixCloseBrick(mask, mask, height | 1, 1);
    BOXA *joined = mask ? pixConnCompBB(mask, 8) : NULL;
    if (joined) boxaJoin(out, joined, 0, -1);
    boxaDestroy(&joined);
    pixDestroy(&mask);
}

/* What is still unread or doubtful; NULL: nothing, or too much. */
static BOXA *unread(PIX *ink, const struct ocr_pass *pass, BOXA *marks,
                    int height)
{
    BOXA *out = boxaCreate(16);
    if (out && marks) add_joined(ink, marks, height, out);
    for (int i = 0; out && i < pass->n; i++)
        if (!pass->word[i].replaced && pass->word[i].sure < SURE)
            boxaAddBox(out, rect_box(&pass->word[i].box), L_INSERT);
    int n = out ? boxaGetCount(out) : 0;
    if (n == 0 || n > ALONE_MOST) boxaDestroy(&out);
    return out;
}

/* Reads each word that is unread or doubtful alone, without the lines around
 * it. */
static void read_alone(TessBaseAPI *api, PIX *pix, PIX *ink, int dpi,
                       struct ocr_pass *pass)
{
    int height = usual_height(pass, dpi), margin = height / 3;
    BOXA *marks = marks_left(ink, pass, height);
    BOXA *each = unread(ink, pass, marks, height);
    struct ocr_pass more = {.n = 0};
    if (each) TessBaseAPISetImage2(api, pix);
    for (int i = 0; each && i < boxaGetCount(each); i++) {
        struct rect r = rect_at(each, i);
        int x = r.x > margin ? r.x - margin : 0;
        int y = r.y > margin ? r.y - margin : 0;
        int right = r.x + r.w + margin, bottom = r.y + r.h + margin;
        if (right > pixGetWidth(pix)) right = pixGetWidth(pix);
        if (bottom > pixGetHeight(pix)) bottom = pixGetHeight(pix);
        TessBaseAPISetRectangle(api, x, y, right - x, bottom - y);
        run_pass(api, PSM_SINGLE_LINE, &more);
    }
    if (more.n) merge_passes(pass, &more, marks);
    free_pass(&more);
    boxaDestroy(&each);
    boxaDestroy(&marks);
}

static int by_place(const void *one, const void *other)
{
    const struct found_word *a = one, *b = other;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return a->box.x < b->box.x ? -1 : a->box.x > b->box.x;
}

static void pack(const struct ocr_pass *pass, const PIX *pix,
                 struct ocr_result *found)
{
    if (pass->n)
        qsort(pass->word, (size_t)pass->n, sizeof *pass->word, by_place);
    for (int i = 0; i < pass->n; i++) {
        const struct found_word *from = &pass->word[i];
        const struct ocr_place place = {from->box.x,      from->box.y,
                                        from->box.w,      from->box.h,
                                        pixGetWidth(pix), pixGetHeight(pix)};
        if (!from->replaced)
            ocr_words_add(found, &place, from->text, (double)from->sure);
    }
}

bool ocr_tesseract_read(struct ocr_tesseract *s, const struct image *page,
                        int dpi, struct ocr_result *found)
{
    *found = (struct ocr_result){.n_word = 0};
    int times = enlargement(page, dpi);
    int shown = times * (dpi ? dpi : DPI_USUAL);
    PIX *pix = page_pix(page, times, shown, true);
    if (!pix) return false;
    struct ocr_pass pass = {.n = 0};
    TessBaseAPISetImage2(s->api, pix);
    bool done = run_pass(s->api, PSM_AUTO, &pass);
    if (done) {
        PIX *ink = TessBaseAPIGetThresholdedImage(s->api);
        found->turns = turns_for(&pass);
        if (ink) {
            trim_boxes(&pass, ink, 1);
            run_more_passes(s->api, page, ink, shown, times, &pass);
            read_alone(s->api, pix, ink, shown, &pass);
        }
        pixDestroy(&ink);
        pack(&pass, pix, found);
    }
    free_pass(&pass);
    TessBaseAPIClear(s->api);
    pixDestroy(&pix);
    return done;
}

void ocr_tesseract_read_turned(struct ocr_tesseract *s, struct image *page,
                               int dpi, uint32_t quarters,
                               struct ocr_result *found)
{
    struct err err = {0};
    struct ocr_result turned;
    rotate90_turn(page, (int)quarters, &err);
    if (err_failed(&err) || !ocr_tesseract_read(s, page, dpi, &turned)) return;
    if (ocr_words_are_sure(&turned)) {
        struct ocr_result worse = *found;
        ocr_words_turn_back(&turned, quarters);
        *found = turned;
        turned = worse;
    }
    ocr_words_free(&turned);
}

void ocr_tesseract_script(struct ocr_tesseract *s, const struct image *page,
                          int dpi, struct ocr_script *script)
{
    const char *name = NULL;
    int degrees;
    float turned, sure;
    *script = (struct ocr_script){.hundredths = 0};
    if (!s->osd && *s->folder) {
        s->osd = load(s->folder, "osd", OEM_TESSERACT_ONLY);
        if (s->osd) TessBaseAPISetPageSegMode(s->osd, PSM_OSD_ONLY);
    }
    PIX *pix = s->osd ? page_pix(page, 1, dpi ? dpi : DPI_USUAL, false) : NULL;
    if (!pix) return;
    TessBaseAPISetImage2(s->osd, pix);
    if (TessBaseAPIDetectOrientationScript(s->osd, &degrees, &turned, &name,
                                           &sure) &&
        name) {
        snprintf(script->name, sizeof script->name, "%s", name);
        script->hundredths = (uint32_t)(fminf(fmaxf(sure, 0), 1e6F) * 100);
        script->turns = (uint32_t)(4 - degrees / 90) & 3;
    }
    TessBaseAPIClear(s->osd);
    pixDestroy(&pix);
}
