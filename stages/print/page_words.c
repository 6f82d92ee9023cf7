/* page_words.c - see page_words.h. */
#include "stages/print/page_words.h"

#include <stdlib.h>
#include <string.h>

#include "stages/page/shrink_box.h"
#include "stages/page/text_lines.h"
#include "stages/pixels/deskew.h"
#include "stages/pixels/image_encode.h"
#include "stages/print/fold.h"
#include "stages/print/kept_words.h"
#include "stages/print/ocr.h"
#include "vlm/base/utf8.h"

enum { WANTED = OCR_WORDS | OCR_SCRIPT };

enum state { STATE_WAITS, STATE_IS_READ, STATE_DONE };

/* A page. If OCR fails, `seen` remains as it was. */
struct entry {
    struct entry *next;
    int index, number;
    double dpi;
    double skew_degrees; /* of the page as drawn */
    enum state state;
    bool by_second;
    bool was_read;         /* by OCR */
    bool dropped;          /* dropped while OCR reads it */
    struct packed picture; /* the image while it waits */
    struct page_seen seen;
    struct words layer;   /* the text layer, if usable */
    struct words shown;   /* the same, if the page was generated from it */
    struct words covered; /* words of a generated page that OCR is to read */
    struct words hidden;  /* those that nobody sees, unless OCR reads them */
    struct arena *arena;
};

struct page_words {
    struct document *doc;
    struct ocr *ocr;
    struct page_finer finer;
    bool wanted, always, doubts_layers;
    bool redo;           /* what others recognised is read anew */
    struct entry *first; /* in the order in which pages were added */
};

struct page_words *page_words_new(struct document *doc,
                                  const struct settings *settings,
                                  const struct child_process_stop *stop,
                                  bool wanted)
{
    struct page_words *p = mem_alloc(1, sizeof *p);
    p->doc = doc;
    p->ocr = ocr_new(doc, settings, stop);
    p->wanted = wanted && ocr_is_available(p->ocr);
    p->always = p->wanted && !strcmp(settings->ocr, "always");
    p->redo = p->wanted && settings->redo_ocr;
    return p;
}

void page_words_set_finer(struct page_words *p, const struct page_finer *finer)
{
    p->finer = *finer;
}

void page_words_doubt_layers(struct page_words *p)
{
    p->doubts_layers = true;
}

void page_words_start_ocr(struct page_words *p)
{
    if (p->wanted) ocr_start(p->ocr);
}

static void free_entry(struct entry *e)
{
    image_encode_drop(&e->picture);
    arena_free(e->arena);
    mem_free(e);
}

void page_words_free(struct page_words *p)
{
    if (!p) return;
    for (struct entry *next, *e = p->first; e; e = next) {
        next = e->next;
        free_entry(e);
    }
    ocr_free(p->ocr);
    mem_free(p);
}

static struct entry *find_entry(const struct page_words *p, int index)
{
    struct entry *e = p->first;
    while (e && (e->index != index || e->dropped))
        e = e->next;
    return e;
}

static struct entry *in_state(const struct page_words *p, enum state state)
{
    struct entry *e = p->first;
    while (e && e->state != state)
        e = e->next;
    return e;
}

static void unlink_entry(struct page_words *p, struct entry *e)
{
    struct entry **at = &p->first;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    free_entry(e);
}

static struct entry *add_entry(struct page_words *p, int index)
{
    struct entry **end = &p->first;
    while (*end)
        end = &(*end)->next;
    struct entry *e = *end = mem_alloc(1, sizeof *e);
    e->index = index;
    e->number = p->doc->page[index].number;
    e->dpi = p->doc->page[index].dpi;
    e->state = STATE_DONE;
    e->arena = arena_new();
    e->seen.words.partial = e->seen.tight.partial = true;
    return e;
}

/* --- OCR ------------------------------------------------------------------ */

/* Warns of hidden words, of which OCR may read some: they may be meant for programs, or what
 * a black bar should have removed. Their text is not repeated: it was hidden. */
static void warn_of_hidden(struct page_words *p, const struct entry *e)
{
    if (e->hidden.n_word)
        document_warn(
            p->doc,
            &(struct warning){.code = WARN_HIDDEN_TEXT, .page = e->number},
            "page %d: text that the page does not show was not used (words: "
            "%d)",
            e->number, e->hidden.n_word);
}

/* The page's words are final. */
static void finish(struct page_words *p, struct entry *e)
{
    bool usable = e->seen.layer == TEXT_LAYER_CHECK_DIGITAL ||
                  e->seen.layer == TEXT_LAYER_CHECK_SCAN;
    bool has_layer = usable || (!e->was_read && e->seen.words.n_word);
    e->state = STATE_DONE;
    kept_words_set(p->doc, e->index, &e->seen.words,
                   has_layer ? NULL : &e->layer, has_layer);
}

static void send_image(struct page_words *p, struct entry *e,
                       const struct image *image)
{
    if (ocr_send(p->ocr, e->number, image, e->dpi, WANTED))
        e->state = STATE_IS_READ;
    else
        finish(p, e);
}

static void send_next(struct page_words *p)
{
    struct entry *e;
    while (!in_state(p, STATE_IS_READ) && (e = in_state(p, STATE_WAITS))) {
        struct image image = {0};
        struct err err = {0};
        image_encode_unpack(&e->picture, &image, &err);
        if (err_failed(&err))
            finish(p, e);
        else
            send_image(p, e, &image);
        image_free(&image);
    }
}

static struct page_seen seen_by_ocr(const struct entry *e,
                                    const struct ocr_page *result)
{
    struct page_seen seen = {
        .words = shrink_box_words(&result->words, NULL, e->arena),
        .script = result->script,
        .layer = e->seen.layer};
    seen.words.partial = result->words.cut;
    seen.words.skew_degrees = e->skew_degrees;
    seen.words.turns = result->words.turns;
    seen.tight = shrink_box_of_ink(&seen.words, e->arena);
    text_lines_skew_words(&seen.words);
    text_lines_skew_words(&seen.tight);
    return seen;
}

/* Whether the words of a scan's layer stay the page's after OCR has read it. */
static bool keeps_layer(const struct page_words *p, struct entry *e,
                        const struct words *ocr)
{
    if (p->always || e->seen.layer != TEXT_LAYER_CHECK_SCAN) return false;
    enum text_layer_check_reading reading =
        text_layer_check_compare(&e->layer, ocr);
    bool same = reading == TEXT_LAYER_CHECK_SAME;
    e->seen.words.unchecked = e->seen.tight.unchecked = !same;
    return reading != TEXT_LAYER_CHECK_OTHER;
}

static void uncover(struct entry *e, const struct page_seen *read)
{
    text_layer_check_uncover(&e->seen.words, &e->covered, &read->words,
                             e->arena);
    text_layer_check_uncover(&e->seen.tight, &e->covered, &read->tight,
                             e->arena);
}

/* Takes back the warning of hidden words that OCR reads in their places. */
static void unhide(struct page_words *p, struct entry *e,
                   const struct words *ocr)
{
    int n = 0;
    for (int i = 0; i < e->hidden.n_word; i++)
        if (!text_layer_check_is_read(&e->hidden.word[i], ocr))
            e->hidden.word[n++] = e->hidden.word[i];
    if (n == e->hidden.n_word) return;
    e->hidden.n_word = n;
    warnings_drop(p->doc->warnings, WARN_HIDDEN_TEXT, e->number);
    warn_of_hidden(p, e);
}

/* Receives the result for the page that OCR reads. */
static void receive_entry(struct page_words *p, struct entry *e)
{
    struct ocr_page result;
    if (ocr_receive(p->ocr, &result)) {
        struct page_seen seen = seen_by_ocr(e, &result);
        unhide(p, e, &seen.words);
        bool uncovers = e->covered.n_word && !p->always;
        if (uncovers) uncover(e, &seen);
        e->was_read = !uncovers && !keeps_layer(p, e, &seen.words);
        if (e->was_read) e->seen = seen;
    }
    finish(p, e);
    if (e->dropped) unlink_entry(p, e);
}

void page_words_feed_ocr(struct page_words *p)
{
    struct entry *e = in_state(p, STATE_IS_READ);
    if (e && ocr_has_answered(p->ocr)) receive_entry(p, e);
    send_next(p);
}

static void send_page(struct page_words *p, struct entry *e,
                      const struct image *drawn)
{
    struct err err = {0};
    e->by_second = true;
    page_words_feed_ocr(p);
    if (!in_state(p, STATE_IS_READ)) {
        send_image(p, e, drawn);
        return;
    }
    struct image grey = image_to_grey(drawn, &err);
    if (!err_failed(&err)) e->picture = image_encode_pack(&grey);
    if (e->picture.data)
        e->state = STATE_WAITS;
    else
        finish(p, e);
    image_free(&grey);
}

/* A page drawn for a model with few pixels is too coarse for OCR, which reads
 * little on a page that is askew. */
static void start_ocr(struct page_words *p, struct entry *e,
                      const struct image *drawn)
{
    struct err err = {0};
    struct image finer = {0}, straight = {0};
    bool is_finer =
        p->finer.draw && p->finer.draw(p->finer.arg, e->index, &finer, &e->dpi);
    const struct image *image = is_finer ? &finer : drawn;
    if (e->skew_degrees != 0) {
        straight = image_to_grey(image, &err);
        deskew_turn(&straight, e->skew_degrees, &err);
        image = &straight;
    }
    if (!err_failed(&err))
        send_page(p, e, image);
    else
        finish(p, e);
    image_free(&straight);
    image_free(&finer);
}

/* --- hidden text ---------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    const char *const *one = a, *const *two = b;
    return strcmp(*one, *two);
}

/* The letters and digits of each visible word, sorted. */
static const char **visible_texts(const struct words *layer, size_t *n,
                                  struct arena *arena)
{
    const char **text =
        arena_array(arena, (size_t)layer->n_word + 1, sizeof *text);
    *n = 0;
    for (int i = 0; i < layer->n_word; i++)
        if (!words_is_hidden(layer, i))
            text[(*n)++] = fold_text(layer->word[i].text, arena).byte;
    qsort(text, *n, sizeof *text, by_text);
    return text;
}

/* Whether it is part of what TCPDF adds, hidden, to every file that it
 * writes. */
static bool is_mark(const char *text)
{
    static const char *const mark[] = {"Powered", "by", "TCPDF",
                                       "(www.tcpdf.org)"};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (!strcmp(text, mark[i])) return true;
    return false;
}

/* The hidden words whose letters and digits are not among those of the page's other
 * words. */
static struct words hidden_words(const struct words *layer, struct arena *own)
{
    struct arena *arena = arena_new();
    struct words out = {
        .word = arena_array(own, (size_t)layer->n_word + 1, sizeof *out.word)};
    size_t n;
    const char **visible = visible_texts(layer, &n, arena);
    for (int i = 0; i < layer->n_word; i++) {
        if (words_shown(layer, i) != WORD_HIDDEN ||
            is_mark(layer->word[i].text))
            continue;
        const char *text = fold_text(layer->word[i].text, arena).byte;
        if (!*text || bsearch(&text, visible, n, sizeof text, by_text))
            continue;
        out.word[out.n_word] = layer->word[i];
        out.word[out.n_word++].text =
            arena_copy(own, span_of(layer->word[i].text));
    }
    arena_free(arena);
    return out;
}

/* --- pages ---------------------------------------------------------------- */

static void keep_layer(struct entry *e,
                       const struct text_layer_check_verdict *verdict,
                       const struct page_view *view)
{
    const struct words *layer = &verdict->words;
    e->seen.words = shrink_box_words(layer, NULL, e->arena);
    e->seen.words.partial =
        verdict->kind == TEXT_LAYER_CHECK_PART || layer->cut;
    e->seen.words.skew_degrees = e->skew_degrees;
    e->seen.words.unchecked = verdict->kind == TEXT_LAYER_CHECK_SCAN;
    e->seen.tight = shrink_box_words(&e->seen.words, view, e->arena);
    script_of_words(&e->seen.words, &e->seen.script);
    e->layer = e->seen.words;
    if (verdict->kind == TEXT_LAYER_CHECK_DIGITAL && !layer->cut)
        e->shown = e->seen.tight;
}

/* Whether the layer was made by OCR, well or badly: most of it is hidden. */
static bool is_recognised(const struct text_layer_check_verdict *verdict,
                          const struct words *layer)
{
    int n_hidden = 0;
    for (int i = 0; i < layer->n_word; i++)
        n_hidden += words_is_hidden(layer, i);
    return verdict->kind == TEXT_LAYER_CHECK_SCAN ||
           (verdict->kind == TEXT_LAYER_CHECK_ROTTEN &&
            2 * n_hidden > layer->n_word);
}

/* Whether a word is one that others are over: even OCR may not read it. */
static bool has_covered(const struct words *layer)
{
    for (int i = 0; i < layer->n_word; i++)
        if (words_shown(layer, i) == WORD_COVERED) return true;
    return false;
}

/* Leaves of a scan's layer what is drawn as text, such as a stamp. */
static void keep_visible(struct text_layer_check_verdict *verdict,
                         const struct words *layer, struct arena *arena)
{
    struct words *kept = &verdict->words;
    *kept = *layer;
    kept->n_word = 0;
    kept->shown = NULL;
    kept->word =
        arena_array(arena, (size_t)layer->n_word + 1, sizeof *kept->word);
    for (int i = 0; i < layer->n_word; i++)
        if (!words_is_hidden(layer, i))
            kept->word[kept->n_word++] = layer->word[i];
    verdict->kind =
        kept->n_word ? TEXT_LAYER_CHECK_PART : TEXT_LAYER_CHECK_NONE;
}

void page_words_add(struct page_words *p, int index, const struct words *layer,
                    const struct page_view *view)
{
    struct err err = {0};
    struct text_layer_check_verdict verdict;
    if (find_entry(p, index)) return;
    struct entry *e = add_entry(p, index);
    e->skew_degrees = view->skew_degrees;
    struct arena *arena = arena_new();
    text_layer_check_judge(layer, view, arena, &verdict, &err);
    if (err_failed(&err)) verdict.kind = TEXT_LAYER_CHECK_NONE;
    if (p->redo && is_recognised(&verdict, layer))
        keep_visible(&verdict, layer, e->arena);
    e->seen.layer = verdict.kind;
    bool usable = text_layer_check_is_usable(&verdict);
    if (usable || verdict.kind == TEXT_LAYER_CHECK_PART)
        keep_layer(e, &verdict, view);
    if (verdict.kind == TEXT_LAYER_CHECK_DIGITAL) {
        e->hidden = hidden_words(layer, e->arena);
        warn_of_hidden(p, e);
        e->covered = text_layer_check_covered(layer, &verdict.words, view,
                                              e->arena, &err);
        if (has_covered(layer))
            e->seen.words.partial = e->seen.tight.partial = true;
    }
    bool covered = e->covered.n_word;
    arena_free(arena);
    bool doubted = verdict.kind == TEXT_LAYER_CHECK_SCAN && p->doubts_layers;
    if (p->always || (p->wanted && (!usable || doubted || covered)))
        start_ocr(p, e, &view->grey);
    else
        finish(p, e);
}

bool page_words_are_ocr(const struct page_words *p, int index)
{
    const struct entry *e = find_entry(p, index);
    return e && e->by_second && !e->covered.n_word;
}

void page_words_await(struct page_words *p)
{
    for (struct entry *e; (e = in_state(p, STATE_IS_READ));) {
        receive_entry(p, e);
        send_next(p);
    }
}

bool page_words_are_final(struct page_words *p, int index)
{
    page_words_feed_ocr(p);
    const struct entry *e = find_entry(p, index);
    return !e || e->state == STATE_DONE;
}

const struct page_seen *page_words_get(struct page_words *p, int index)
{
    static const struct page_seen nothing = {.words = {.partial = true},
                                             .tight = {.partial = true}};
    const struct entry *wanted = find_entry(p, index);
    if (!wanted) return &nothing;
    while (wanted->state != STATE_DONE) {
        struct entry *e = in_state(p, STATE_IS_READ);
        if (e) receive_entry(p, e);
        send_next(p);
    }
    return &wanted->seen;
}

const struct words *page_words_of_layer(const struct page_words *p, int index)
{
    static const struct words none = {.n_word = 0};
    const struct entry *e = find_entry(p, index);
    return e ? &e->layer : &none;
}

const struct words *page_words_shown(const struct page_words *p, int index)
{
    static const struct words none = {.n_word = 0};
    const struct entry *e = find_entry(p, index);
    return e ? &e->shown : &none;
}

void page_words_append_text(struct page_words *p, int index, const char *apart,
                            struct buf *out)
{
    page_words_feed_ocr(p);
    const struct entry *e = find_entry(p, index);
    if (!e) return;
    struct arena *arena = arena_new();
    struct text_lines lines;
    text_lines_of_words(e->layer.n_word ? &e->layer : &e->seen.words, arena,
                        &lines);
    text_lines_append_text(&lines, apart, out);
    arena_free(arena);
}

static void drop_entry(struct page_words *p, struct entry *e)
{
    e->dropped = true;
    bool kept = e->state == STATE_WAITS && p->doc->want_kept_words;
    if (e->state != STATE_IS_READ && !kept) unlink_entry(p, e);
}

void page_words_drop(struct page_words *p, int index)
{
    struct entry *e = find_entry(p, index);
    if (e) drop_entry(p, e);
}
