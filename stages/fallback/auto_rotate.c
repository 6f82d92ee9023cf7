/* auto_rotate.c - see auto_rotate.h. */
#include "stages/fallback/auto_rotate.h"

#include <string.h>

#include "stages/confidence/confidence.h"
#include "stages/confidence/confidence_model.h"
#include "stages/engine/engine.h"
#include "stages/page/rotate90.h"
#include "vlm/json/json.h"

/* Half a turn first: a sheet that was fed the wrong way round. */
static const int quarters_of[AUTO_ROTATE_TRIES] = {2, 1, 3};

/* A page is read one way where its tokens have the p of a record that was read,
 * so much more than as it lies and than any other way, and some values. Measured
 * on drawn receipts and on foreign ones (docs/notes/embedded-model.md). */
static const double more_than_upright = 0.1, more_than_others = 0.04;
enum { VALUES_LEAST = 3 };

/* Words of which OCR is sure, level with the page: it lies right. */
static const double sure_word = 0.8, sure_share = 0.33;
enum { SURE_LETTERS = 3 };

void auto_rotate_begin(struct turning *t, struct document_run *r)
{
    *t = (struct turning){.r = r, .before = warnings_new(r->doc->arena)};
    warnings_join(t->before, r->doc->warnings);
}

/* --- is there reason to? ------------------------------------------------------- */

static bool is_sure(const struct word *w, double aspect)
{
    bool level = w->w * aspect > w->h;
    return level && (double)w->confidence >= sure_word &&
           strlen(w->text) >= SURE_LETTERS;
}

/* Does somebody read the page as it lies? The text layer, if it fits the ink. */
static bool is_read_level(const struct turning *t)
{
    struct page_words *reader = t->r->reader;
    if (!reader) return false;
    if (page_words_of_layer(reader, 0)->n_word) return true;
    const struct words *words = &page_words_get(reader, 0)->words;
    const struct page *page = t->r->doc->page;
    double aspect = (double)page->width_px / page->height_px;
    int n = 0;
    for (int i = 0; i < words->n_word; i++)
        n += is_sure(&words->word[i], aspect);
    return n && n >= sure_share * words->n_word;
}

static bool is_unread(struct turning *t)
{
    struct confidence so_far =
        confidence_so_far(t->r->doc, engine_facts(t->r->desk->engine));
    t->p = so_far.token_p;
    return so_far.verdict == CONFIDENCE_UNREAD && so_far.n_field;
}

bool auto_rotate_wanted(struct turning *t)
{
    const struct document_run *r = t->r;
    const struct document *doc = r->doc;
    if (err_failed(r->err) ||
        strcmp(r->desk->settings->auto_rotate, "auto") != 0)
        return false;
    return doc->n_page == 1 && !doc->page->blank && doc->data && is_unread(t) &&
           !is_read_level(t);
}

/* --- the tries ------------------------------------------------------------------- */

static struct auto_rotate_answer answer_of(const struct document *doc)
{
    return (struct auto_rotate_answer){
        .data = doc->data,
        .gaps = doc->gaps,
        .conflicts = doc->conflicts,
        .rows = doc->rows,
        .field = doc->field,
        .n_field = doc->n_field,
        .room_field = doc->room_field,
        .answer = doc->answer,
        .look = doc->look,
        .warnings = doc->warnings,
        .seed = doc->seed,
        .text = doc->page_text ? *doc->page_text : NULL,
    };
}

/* What a question leaves in the document, but for what adds up. */
static void swap_answer(struct turning *t)
{
    struct document *doc = t->r->doc;
    struct auto_rotate_answer now = answer_of(doc), *kept = &t->kept;
    doc->data = kept->data;
    doc->gaps = kept->gaps;
    doc->conflicts = kept->conflicts;
    doc->rows = kept->rows;
    doc->field = kept->field;
    doc->n_field = kept->n_field;
    doc->room_field = kept->room_field;
    doc->answer = kept->answer;
    doc->look = kept->look;
    doc->warnings = kept->warnings;
    doc->seed = kept->seed;
    if (doc->page_text) *doc->page_text = kept->text;
    *kept = now;
}

static void begin_tries(struct turning *t)
{
    struct document_run *r = t->r;
    t->reader = r->reader;
    t->page = *r->doc->page;
    t->whole_pixels = r->target.whole_pixels;
    t->squeezed = r->squeezed;
    r->target.whole_pixels = 0;
    r->reader = NULL;
    r->squeezed = false;
    t->kept = (struct auto_rotate_answer){.seed = r->doc->seed};
    swap_answer(t);
}

static void end_tries(struct turning *t)
{
    struct document *doc = t->r->doc;
    t->r->reader = t->reader;
    t->r->turn = 0;
    t->r->cramped = false;
    t->r->target.whole_pixels = t->whole_pixels;
    t->r->squeezed = t->squeezed;
    *doc->page = t->page;
    swap_answer(t);
}

static void clear(struct document *doc)
{
    document_drop_data(doc);
    cJSON_Delete(doc->gaps);
    cJSON_Delete(doc->conflicts);
    doc->gaps = doc->conflicts = NULL;
    doc->field = NULL;
    doc->n_field = doc->room_field = 0;
    doc->warnings = warnings_new(doc->arena);
}

bool auto_rotate_next(struct turning *t)
{
    if (!t->n_tried) begin_tries(t);
    clear(t->r->doc);
    if (t->n_tried == AUTO_ROTATE_TRIES || err_failed(t->r->err)) {
        end_tries(t);
        return false;
    }
    t->r->turn = t->tried = quarters_of[t->n_tried++];
    document_run_restart(t->r, 0);
    return true;
}

void auto_rotate_judge(struct turning *t)
{
    struct document_run *r = t->r;
    if (err_failed(r->err)) {
        if (r->err->kind != ERR_CANCELLED) *r->err = (struct err){0};
        return;
    }
    struct confidence so_far =
        confidence_so_far(r->doc, engine_facts(r->desk->engine));
    bool read = so_far.token_p >= so_far.model->doubtful &&
                so_far.n_value >= VALUES_LEAST;
    t->p_of[t->tried] = so_far.token_p;
    t->read[t->tried] = read;
}

/* --- what comes of it -------------------------------------------------------------- */

/* The one way that is clearly surer; 0: none is. */
static int best_of(const struct turning *t)
{
    int best = 1, quarters = 0;
    double other = 0;
    for (int q = 2; q < 4; q++)
        if (t->p_of[q] > t->p_of[best]) best = q;
    for (int q = 1; q < 4; q++)
        if (q != best && t->p_of[q] > other) other = t->p_of[q];
    if (t->read[best] && t->p_of[best] >= t->p + more_than_upright &&
        t->p_of[best] >= other + more_than_others)
        quarters = best;
    return quarters;
}

bool auto_rotate_accept(struct turning *t)
{
    struct document_run *r = t->r;
    int quarters = err_failed(r->err) ? 0 : best_of(t);
    if (!quarters) return false;
    clear(r->doc);
    warnings_join(r->doc->warnings, t->before);
    document_warn(r->doc,
                  &(struct warning){.code = WARN_AUTO_ROTATED,
                                    .page = r->doc->page->number},
                  "page %d: it was read turned by %d degrees clockwise, for "
                  "as it lies the reader guessed (a letter with %.2f, not "
                  "%.2f)",
                  r->doc->page->number, 90 * quarters, t->p, t->p_of[quarters]);
    page_words_drop(r->reader, 0);
    r->turn = quarters;
    r->target.whole_pixels = 0;
    r->squeezed = false;
    r->doc->n_kept = r->doc->n_read = 0;
    document_run_restart(r, 0);
    return true;
}

/* --- in the frame of the page as it was given -------------------------------------- */

static void auto_rotate_evidence(struct field *f, int quarters,
                                 struct arena *arena)
{
    size_t n = (size_t)f->n_evidence;
    if (!n) return;
    struct evidence *own = arena_widen(arena, f->evidence, n, n, sizeof *own);
    for (size_t i = 0; i < n; i++)
        if (own[i].page) own[i].box = rotate90_back(own[i].box, quarters);
    f->evidence = own;
}

void auto_rotate_back(struct document_run *r)
{
    struct document *doc = r->doc;
    if (!r->turn || err_failed(r->err)) return;
    for (int i = 0; i < doc->n_field; i++)
        auto_rotate_evidence(&doc->field[i], r->turn, doc->arena);
    document_run_swap_sides(r, 0);
}
