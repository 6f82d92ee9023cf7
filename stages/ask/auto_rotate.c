/* auto_rotate.c - see auto_rotate.h. */
#include "stages/ask/auto_rotate.h"

#include <string.h>

#include "stages/confidence/confidence.h"
#include "stages/confidence/confidence_model.h"
#include "stages/engine/engine.h"
#include "stages/pixels/rotate90.h"
#include "vlm/json/json.h"

/* 180 degrees first: a sheet that was fed the wrong way round. */
static const int quarters_of[AUTO_ROTATE_TRIES] = {2, 1, 3};

/* A rotation is accepted if its tokens have the p of a record that was read, p
 * is higher by these margins than unrotated and than other rotations, and it
 * has some values. Measured on generated and on foreign receipts
 * (docs/notes/embedded-model.md). */
static const double more_than_upright = 0.1, more_than_others = 0.04;
enum { VALUES_LEAST = 3 };

/* With this share of sure, level OCR words the page is upright. */
static const double sure_word = 0.8, sure_share = 0.33;
enum { SURE_LETTERS = 3 };

void auto_rotate_begin(struct document_run *r)
{
    if (!engine_facts(r->context->engine)->prompt_is_keys || r->doc->turns)
        return;
    struct auto_rotate *t = arena_alloc(r->doc->arena, sizeof *t);
    *t = (struct auto_rotate){.r = r, .before = warnings_new(r->doc->arena)};
    warnings_join(t->before, r->doc->warnings);
    r->auto_rotate = t;
}

/* --- is a try needed? ---------------------------------------------------- */

static bool is_sure_word(const struct word *w, double aspect)
{
    bool level = w->w * aspect > w->h;
    return level && (double)w->confidence >= sure_word &&
           strlen(w->text) >= SURE_LETTERS;
}

/* Do text layer or OCR read the page as it is? OCR that reads it in another
 * direction tells which. */
static bool is_read_level(struct auto_rotate *t)
{
    struct page_words *source = t->r->words;
    if (!source) return false;
    if (page_words_of_layer(source, 0)->n_word) return true;
    const struct words *words = &page_words_get(source, 0)->words;
    t->printed_turns = words->turns;
    if (words->turns) return false;
    const struct page *page = t->r->doc->page;
    double aspect = (double)page->width_px / page->height_px;
    int n = 0;
    for (int i = 0; i < words->n_word; i++)
        n += is_sure_word(&words->word[i], aspect);
    return n && n >= sure_share * words->n_word;
}

static bool is_unread(struct auto_rotate *t)
{
    struct confidence so_far =
        confidence_so_far(t->r->doc, engine_facts(t->r->context->engine));
    t->p = so_far.token_p;
    return so_far.verdict == CONFIDENCE_UNREAD && so_far.n_field;
}

bool auto_rotate_wanted(struct auto_rotate *t)
{
    const struct document_run *r = t->r;
    const struct document *doc = r->doc;
    if (err_failed(r->err) ||
        strcmp(r->context->settings->auto_rotate, "auto") != 0)
        return false;
    if (doc->n_page != 1 || doc->page->blank || !doc->data) return false;
    bool is_read = !is_unread(t);
    return !is_read_level(t) && (!is_read || t->printed_turns);
}

/* --- tries --------------------------------------------------------------- */

static struct auto_rotate_answer current_answer(const struct document *doc)
{
    return (struct auto_rotate_answer){
        .data = doc->data,
        .gaps = doc->gaps,
        .conflicts = doc->conflicts,
        .rows = doc->rows,
        .field = doc->field,
        .n_field = doc->n_field,
        .field_capacity = doc->field_capacity,
        .answer = doc->answer,
        .warnings = doc->warnings,
        .seed = doc->seed,
        .text = doc->page_text ? *doc->page_text : NULL,
    };
}

/* Swaps the results of a question in the document, except counters. */
static void swap_answer(struct auto_rotate *t)
{
    struct document *doc = t->r->doc;
    struct auto_rotate_answer now = current_answer(doc), *kept = &t->kept;
    doc->data = kept->data;
    doc->gaps = kept->gaps;
    doc->conflicts = kept->conflicts;
    doc->rows = kept->rows;
    doc->field = kept->field;
    doc->n_field = kept->n_field;
    doc->field_capacity = kept->field_capacity;
    doc->answer = kept->answer;
    doc->warnings = kept->warnings;
    doc->seed = kept->seed;
    if (doc->page_text) *doc->page_text = kept->text;
    *kept = now;
}

static void begin_tries(struct auto_rotate *t)
{
    struct document_run *r = t->r;
    t->words = r->words;
    t->page = *r->doc->page;
    t->whole_pixels = r->target.whole_pixels;
    t->print_forced = r->print_forced;
    r->target.whole_pixels = 0;
    r->words = NULL;
    r->print_forced = false;
    t->kept = (struct auto_rotate_answer){.seed = r->doc->seed};
    swap_answer(t);
}

static void end_tries(struct auto_rotate *t)
{
    struct document *doc = t->r->doc;
    t->r->words = t->words;
    t->r->quarter_turns = 0;
    t->r->print_too_small = false;
    t->r->target.whole_pixels = t->whole_pixels;
    t->r->print_forced = t->print_forced;
    *doc->page = t->page;
    swap_answer(t);
}

static void clear_answer(struct document *doc)
{
    document_drop_data(doc);
    cJSON_Delete(doc->gaps);
    cJSON_Delete(doc->conflicts);
    doc->gaps = doc->conflicts = NULL;
    doc->field = NULL;
    doc->n_field = doc->field_capacity = 0;
    doc->warnings = warnings_new(doc->arena);
}

bool auto_rotate_next(struct auto_rotate *t)
{
    if (!t->n_tried) begin_tries(t);
    clear_answer(t->r->doc);
    int tries = t->printed_turns ? 1 : AUTO_ROTATE_TRIES;
    if (t->n_tried == tries || err_failed(t->r->err)) {
        end_tries(t);
        return false;
    }
    t->tried = t->printed_turns ? t->printed_turns : quarters_of[t->n_tried];
    t->n_tried++;
    t->r->quarter_turns = t->tried;
    document_run_restart(t->r, 0);
    return true;
}

void auto_rotate_judge(struct auto_rotate *t)
{
    struct document_run *r = t->r;
    if (err_failed(r->err)) {
        if (r->err->kind != ERR_CANCELLED) *r->err = (struct err){0};
        return;
    }
    struct confidence so_far =
        confidence_so_far(r->doc, engine_facts(r->context->engine));
    bool read = so_far.token_p >= so_far.model->doubtful &&
                so_far.n_value >= VALUES_LEAST;
    t->p_turned[t->tried] = so_far.token_p;
    t->read[t->tried] = read;
}

/* --- the result ---------------------------------------------------------- */

/* The quarter turns that are clearly better; 0: none. */
static int best_rotation(const struct auto_rotate *t)
{
    int best = 1, quarters = 0;
    double other = 0;
    for (int q = 2; q < 4; q++)
        if (t->p_turned[q] > t->p_turned[best]) best = q;
    for (int q = 1; q < 4; q++)
        if (q != best && t->p_turned[q] > other) other = t->p_turned[q];
    double more = t->printed_turns ? 0 : more_than_upright;
    if (t->read[best] && t->p_turned[best] >= t->p + more &&
        t->p_turned[best] >= other + more_than_others)
        quarters = best;
    return quarters;
}

bool auto_rotate_accept(struct auto_rotate *t)
{
    struct document_run *r = t->r;
    int quarters = err_failed(r->err) ? 0 : best_rotation(t);
    if (!quarters) return false;
    clear_answer(r->doc);
    warnings_join(r->doc->warnings, t->before);
    document_warn(r->doc,
                  &(struct warning){.code = WARN_AUTO_ROTATED,
                                    .page = r->doc->page->number},
                  "page %d: rotated by %d degrees clockwise and read again "
                  "(mean letter probability %.2f before, %.2f now)",
                  r->doc->page->number, 90 * quarters, t->p,
                  t->p_turned[quarters]);
    page_words_drop(r->words, 0);
    r->quarter_turns = quarters;
    r->target.whole_pixels = 0;
    r->print_forced = false;
    r->doc->n_kept = r->doc->n_read = 0;
    document_run_restart(r, 0);
    return true;
}

/* --- back to the page as given ------------------------------------------- */

void auto_rotate_evidence(struct field *f, int quarters, struct arena *arena)
{
    size_t n = (size_t)f->n_evidence;
    if (!n || !quarters) return;
    struct evidence *own = arena_widen(arena, f->evidence, n, n, sizeof *own);
    for (size_t i = 0; i < n; i++)
        if (own[i].page) own[i].box = rotate90_back(own[i].box, quarters);
    f->evidence = own;
}

void auto_rotate_back(struct document_run *r)
{
    struct document *doc = r->doc;
    if (!r->quarter_turns || err_failed(r->err)) return;
    for (int i = 0; i < doc->n_field; i++)
        auto_rotate_evidence(&doc->field[i], r->quarter_turns, doc->arena);
    for (int i = 0; i < doc->n_page; i++)
        document_run_swap_sides(r, i);
}
