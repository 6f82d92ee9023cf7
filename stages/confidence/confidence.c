/* confidence.c - see confidence.h. */
#include "stages/confidence/confidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/confidence/confidence_model.h"
#include "stages/engine/engine.h"
#include "stages/print/thresholds.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

static const double least_p = 1e-300;

/* Odds added for the verdict of the page's words: fitted to the embedded model
 * and Tesseract on pages in many fonts (docs/notes/confidence.md). fuzzy: equal
 * except for some letters; lenient: fuzzy, from an engine without
 * probabilities. */
static const struct {
    double agree, ambiguous, doubt, fuzzy, lenient, differ, unseen;
} words_odds = {3, 2.5, 0, 0, 2.5, -5, -3};

const char *confidence_verdict_name(enum confidence_verdict verdict)
{
    static const char *const name[] = {"read", "doubtful", "unread"};
    return name[verdict];
}

static struct confidence *confidence_of(struct document *doc)
{
    if (!doc->trust) doc->trust = arena_alloc(doc->arena, sizeof *doc->trust);
    return doc->trust;
}

void confidence_use_fit(struct document *doc, const struct calibration *fit)
{
    confidence_of(doc)->fit = *fit;
}

struct confidence confidence_of_answer(const struct engine_facts *facts,
                                       double review_threshold)
{
    return (struct confidence){.model = confidence_model_for(facts->model_hash),
                               .review_threshold = review_threshold};
}

/* --- values in checks ---------------------------------------------------- */

static void add_place(struct confidence_places *all, const char *pointer,
                      int check, struct arena *arena)
{
    if (all->n == all->capacity) {
        int capacity = 2 * all->capacity + 16;
        struct confidence_place *more =
            arena_array(arena, (size_t)capacity, sizeof *more);
        if (all->n) memcpy(more, all->place, (size_t)all->n * sizeof *more);
        all->place = more;
        all->capacity = capacity;
    }
    all->place[all->n++] =
        (struct confidence_place){arena_copy(arena, span_of(pointer)), check};
}

void confidence_note_check(struct document *doc, const char *const *pointer,
                           int n, bool holds)
{
    struct confidence *t = confidence_of(doc);
    for (int i = 0; i < n; i++)
        add_place(holds                      ? &t->held
                  : strstr(pointer[i], "/*") ? &t->broken_stars
                                             : &t->broken,
                  pointer[i], t->n_broken, doc->arena);
    t->n_broken += !holds;
}

static int by_text(const void *a, const void *b)
{
    const struct confidence_place *one = a, *two = b;
    return strcmp(one->pointer, two->pointer);
}

/* Does the pattern, in which a token can be a star, match the pointer? */
static bool matches(const char *pattern, const char *pointer)
{
    struct span wanted, token;
    while (json_pointer_next(&pattern, &wanted)) {
        if (!json_pointer_next(&pointer, &token)) return false;
        if (!span_equal(wanted, token) && !span_equal(wanted, span_of("*")))
            return false;
    }
    return !*pointer;
}

/* The next place from *at on that matches the pointer, or NULL. */
static const struct confidence_place *next_place(
    const struct confidence_places *all, const char *pointer, int *at)
{
    if (all->sorted && *at == 0) { /* binary search for the first */
        int low = 0, high = all->n;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (strcmp(all->place[middle].pointer, pointer) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        *at = low;
    }
    for (; *at < all->n; ++*at) {
        const struct confidence_place *p = &all->place[*at];
        bool same = all->sorted ? !strcmp(p->pointer, pointer)
                                : matches(p->pointer, pointer);
        if (same) return &all->place[(*at)++];
        if (all->sorted) break;
    }
    return NULL;
}

enum in_checks { IN_NONE, IN_HELD, IN_EXPLAINED, IN_BROKEN };

/* The worst kind of check that a value is in. `explain`: the value is doubtful
 * by itself, which explains why its checks are broken. */
static enum in_checks worst_check(const struct confidence *t,
                                  const char *pointer, bool explain_checks)
{
    const struct confidence_places *each[] = {&t->broken, &t->broken_stars};
    const struct confidence_place *p;
    enum in_checks worst = IN_NONE;
    int at = 0;
    if (next_place(&t->held, pointer, &at)) worst = IN_HELD;
    for (int i = 0; i < 2; i++)
        for (at = 0; (p = next_place(each[i], pointer, &at));) {
            if (explain_checks) t->explained[p->check] = true;
            /* confirmed values of a sum over many rows are not blamed */
            enum in_checks now =
                i == 1 && t->explained[p->check] ? IN_EXPLAINED : IN_BROKEN;
            if (now > worst) worst = now;
        }
    return worst;
}

/* --- a value ------------------------------------------------------------- */

/* Does the first evidence match the value in this way? */
static bool is_match(const struct field *f, enum evidence_match match)
{
    return !f->confirmed && f->n_evidence && f->evidence->match == match;
}

static double odds_of_agreement(const struct field *f)
{
    if (f->doubt) return words_odds.doubt;
    if (is_match(f, EVIDENCE_AMBIGUOUS)) return words_odds.ambiguous;
    if (!is_match(f, EVIDENCE_FUZZY)) return words_odds.agree;
    return f->unmeasured ? words_odds.lenient : words_odds.fuzzy;
}

static double odds_of_verdict(const struct field *f)
{
    switch (f->verdict) {
    case FIELD_AGREE: return odds_of_agreement(f);
    case FIELD_DIFFER: return words_odds.differ;
    case FIELD_UNSEEN: return words_odds.unseen;
    case FIELD_DERIVED: return f->confirmed ? words_odds.agree : 0;
    case FIELD_UNPROVEN:
    case FIELD_OVERLOOKED: break;
    }
    return 0;
}

/* Without p_min, the engine gives only p. */
static double p_min_of(const struct field *f)
{
    return f->p_min > 0 ? f->p_min : f->p;
}

static double odds_of_model(const struct field *f, const struct confidence *t,
                            const double *weight)
{
    double token_p = t && t->measured ? t->token_p : p_min_of(f);
    return weight[CONFIDENCE_ONE] +
           weight[CONFIDENCE_P] * confidence_odds(f->p) +
           weight[CONFIDENCE_P_MIN] * confidence_odds(p_min_of(f)) +
           weight[CONFIDENCE_P_KIN] * confidence_odds(f->p_min_of_siblings > 0
                                                          ? f->p_min_of_siblings
                                                          : p_min_of(f)) +
           weight[CONFIDENCE_LEGAL] * confidence_odds(f->p_legal) +
           weight[CONFIDENCE_TOKEN] * confidence_odds(token_p) +
           weight[CONFIDENCE_NULL] * f->is_null +
           weight[CONFIDENCE_FIGURE] * f->is_figure;
}

/* Odds from the model and the page's words, without the checks. */
static double odds_of_value(const struct field *f, const struct confidence *t)
{
    const double *weight = (t ? t->model : confidence_model_for(NULL))->weight;
    double odds = f->unmeasured ? 0 : odds_of_model(f, t, weight);
    return odds + odds_of_verdict(f);
}

/* Compared with the page's words, and not confirmed. */
static bool is_unconfirmed(const struct field *f)
{
    return f->verdict == FIELD_DIFFER || f->verdict == FIELD_UNSEEN ||
           field_is_doubtful(f);
}

static double limit_of_value(const struct field *f, const struct confidence *t)
{
    bool refuted = field_is_doubtful(f) && f->doubt != DOUBT_PLACE &&
                   f->doubt != DOUBT_LAYER;
    if (refuted || f->verdict == FIELD_OVERLOOKED) return broken_most;
    return is_unconfirmed(f) ? t->model->unconfirmed_most : 1;
}

static double unread_limit(const struct field *f, const struct confidence *t)
{
    return fmin(f->is_null ? null_unread_most : unread_most,
                t->review_threshold / 2);
}

double confidence_value(const struct field *f, const struct confidence *t)
{
    double odds = odds_of_value(f, t);
    if (!t) return confidence_chance(odds);
    double limit = limit_of_value(f, t);
    bool confirmed = f->verdict == FIELD_AGREE && !f->doubt;
    if (f->denied) limit = broken_most;
    switch (worst_check(t, f->pointer, false)) {
    case IN_BROKEN: limit = fmin(limit, broken_most); break;
    case IN_EXPLAINED:
        if (!confirmed) limit = fmin(limit, broken_most);
        odds += t->model->weight[CONFIDENCE_BROKEN];
        break;
    case IN_HELD: odds += t->model->weight[CONFIDENCE_HELD]; break;
    case IN_NONE: break;
    }
    /* what speaks for its print does so even if the model read nothing */
    double by_print = fmin(f->print_p, limit);
    double chance = fmax(fmin(confidence_chance(odds), limit), by_print);
    /* what the words decided is as sure as what decided it */
    if (f->unmeasured && f->print_p > 0 && f->print_p < 1)
        chance = f->doubt ? fmin(chance, by_print) : by_print;
    double fitted = calibration_apply(&t->fit, chance, f->is_null);
    return t->verdict == CONFIDENCE_UNREAD ? fmin(fitted, unread_limit(f, t))
                                           : fitted;
}

/* --- the record ---------------------------------------------------------- */

static void count_field(struct confidence *t, const struct field *f)
{
    double n_token = f->n_token > 0 ? f->n_token : 1;
    double share = n_token > TOKEN_MOST ? TOKEN_MOST / n_token : 1;
    t->n_dropped += f->dropped;
    if (f->is_null) {
        t->n_null++;
        return;
    }
    bool sure = f->print_p > 0 && f->print_p >= t->review_threshold;
    t->n_value++;
    t->n_agree += f->verdict == FIELD_AGREE || sure;
    t->n_differ += f->verdict == FIELD_DIFFER;
    t->n_unseen += f->verdict == FIELD_UNSEEN && !sure;
    if (f->unmeasured) return;
    t->measured = true;
    t->log_p += share * log(f->p > least_p ? f->p : least_p);
    t->n_token += share * n_token;
}

/* A value that is doubtful even without its checks explains broken ones. */
static void explain_checks(const struct confidence *t, const struct field *f)
{
    const struct confidence own = {.model = t->model};
    if (!t->n_broken) return;
    double chance =
        fmin(confidence_chance(odds_of_value(f, &own)), limit_of_value(f, t));
    if (chance < t->review_threshold) worst_check(t, f->pointer, true);
}

static void count_fields(struct document *doc, struct confidence *t)
{
    struct document_walk walk = {0};
    const struct field *field;
    int n = 0;
    while ((field = document_next_fields(doc, &walk, &n))) {
        t->n_row += walk.rows_begun;
        t->n_field += n;
        for (int i = 0; i < n; i++) {
            count_field(t, &field[i]);
            explain_checks(t, &field[i]);
        }
    }
    t->token_p = t->measured ? exp(t->log_p / t->n_token) : 0;
    t->is_seen = t->n_agree + t->n_differ + t->n_unseen > 0;
}

static bool holds_value(const cJSON *value)
{
    const cJSON *child = NULL;
    if (cJSON_IsNull(value)) return false;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) return true;
    cJSON_ArrayForEach(child, value)
    {
        if (holds_value(child)) return true;
    }
    return false;
}

/* Has the record any value? An engine without evidence leaves no fields. */
static bool has_values(const struct document *doc, const struct confidence *t)
{
    if (t->n_field) return t->n_value > 0;
    return t->n_row || holds_value(doc->data);
}

static bool all_blank(const struct document *doc)
{
    for (int i = 0; i < doc->n_page; i++)
        if (!doc->page[i].blank) return false;
    return true;
}

/* The verdict from the model's probabilities alone. */
static enum confidence_verdict verdict_of_model(const struct confidence *t)
{
    if (!t->measured) return CONFIDENCE_DOUBTFUL;
    if (t->token_p < t->model->unread) return CONFIDENCE_UNREAD;
    return t->token_p < t->model->doubtful ? CONFIDENCE_DOUBTFUL
                                           : CONFIDENCE_READ;
}

static enum confidence_verdict verdict_of_record(const struct document *doc,
                                                 const struct confidence *t)
{
    if (!has_values(doc, t))
        return all_blank(doc) ? CONFIDENCE_READ : CONFIDENCE_UNREAD;
    enum confidence_verdict own = verdict_of_model(t);
    if (doc->words_lack) return CONFIDENCE_DOUBTFUL;
    if (!t->is_seen) return own;
    double share =
        (double)t->n_agree / (double)(t->n_agree + t->n_differ + t->n_unseen);
    if (share >= agree_read)
        return own == CONFIDENCE_UNREAD && t->n_agree < AGREE_LEAST
                   ? CONFIDENCE_DOUBTFUL
                   : CONFIDENCE_READ;
    if (share < agree_unread && own != CONFIDENCE_READ)
        return CONFIDENCE_UNREAD;
    if (share < agree_doubtful && own == CONFIDENCE_READ)
        return CONFIDENCE_DOUBTFUL;
    return own;
}

/* Says what to do about a record that is unread. */
static void warn_unread(struct document *doc, const struct confidence *t,
                        const struct engine_facts *facts)
{
    const struct warning unread = {.code = WARN_UNREAD};
    if (facts->prompt_is_keys)
        document_warn(doc, &unread,
                      "unread: the embedded demonstration model cannot read "
                      "this document; for one that can: platen model get 4b "
                      "--use");
    else if (!t->n_value)
        document_warn(doc, &unread,
                      "unread: no value was found, although the pages are not "
                      "blank; a null may hide a value that is printed");
    else if (t->measured)
        document_warn(doc, &unread,
                      "unread: the model guessed much of it (mean letter "
                      "probability %.2f); check every value, and what is null; "
                      "use a larger model, or a better scan",
                      t->token_p);
    else
        document_warn(doc, &unread,
                      "unread: the words on the pages confirm %lld of %lld "
                      "values; check the others, and what is null; use a "
                      "larger model, or a better scan",
                      t->n_agree, t->n_value);
}

static void warn_of_record(struct document *doc, const struct confidence *t,
                           const struct engine_facts *facts)
{
    if (t->verdict == CONFIDENCE_UNREAD)
        warn_unread(doc, t, facts);
    else if (t->verdict == CONFIDENCE_DOUBTFUL && t->measured)
        document_warn(doc, &(struct warning){.code = WARN_DOUBTFUL},
                      "doubtful: much was guessed (mean letter probability "
                      "%.2f), or is not among the words on the pages (%lld of "
                      "%lld values are)",
                      t->token_p, t->n_agree, t->n_value);
}

/* Most values doubtful: the record is too, whatever their average. */
static void doubt_record(struct document *doc, struct confidence *t)
{
    bool mostly_low = t->n_value && t->n_low * 2 > t->n_field;
    if (t->verdict != CONFIDENCE_READ || !mostly_low) return;
    t->verdict = CONFIDENCE_DOUBTFUL;
    document_warn(doc, &(struct warning){.code = WARN_DOUBTFUL},
                  "doubtful: %lld of %lld values have a confidence below %.2f "
                  "(review_threshold)",
                  t->n_low, t->n_field, t->review_threshold);
}

/* The e-invoice's value is the last evidence, after that of the pages. */
static void warn_of_e_invoice(struct document *doc, const struct field *f)
{
    const struct evidence *last = &f->evidence[f->n_evidence - 1];
    document_warn(doc,
                  &(struct warning){.code = WARN_E_INVOICE_DIFFERS,
                                    .pointer = f->pointer,
                                    .page = f->page},
                  "review %s: the e-invoice in the file has %s (BT-%d)",
                  f->pointer, last->text, last->term);
}

/* Why the value is doubtful, for people; "": for no special reason. */
static const char *reason_of(const struct field *f)
{
    static const char *const doubt[] = {
        [DOUBT_NONE] = "",
        [DOUBT_PLACE] = ", the printed text may belong to another field",
        [DOUBT_SIGN] = ", the sign may be another",
        [DOUBT_DATE_ORDER] = ", day and month may be exchanged",
        [DOUBT_SCALE] = ", a separator may be that of thousands",
        [DOUBT_PARTIAL] = ", the print goes on",
        [DOUBT_LABEL] = ", the print has another label",
        [DOUBT_CHECK_DIGITS] = ", the check digits are wrong",
        [DOUBT_LAYER] = ", OCR has not checked these invisible words"};
    if (f->verdict == FIELD_OVERLOOKED)
        return ", it is null, but its label has print";
    return field_is_doubtful(f) ? doubt[f->doubt] : "";
}

static void warn_of_value(struct document *doc, struct confidence *t,
                          const struct field *f)
{
    double confidence = confidence_value(f, t);
    /* of one in XML einvoice_fill has said so */
    if (f->denied && f->n_evidence && !document_is_xml_invoice(doc))
        warn_of_e_invoice(doc, f);
    if (confidence >= t->review_threshold || f->dropped) return;
    t->n_low++;
    if (f->is_null && t->verdict == CONFIDENCE_UNREAD) return;
    document_warn(doc,
                  &(struct warning){.code = WARN_LOW_CONFIDENCE,
                                    .pointer = f->pointer,
                                    .page = f->page},
                  "review %s: confidence %.2f%s", f->pointer, confidence,
                  reason_of(f));
}

struct confidence confidence_so_far(struct document *doc,
                                    const struct engine_facts *facts)
{
    struct confidence t = confidence_of_answer(facts, 0);
    count_fields(doc, &t);
    t.verdict = verdict_of_record(doc, &t);
    return t;
}

bool confidence_is_guessed(struct document *doc,
                           const struct engine_facts *facts)
{
    struct confidence t = confidence_so_far(doc, facts);
    return t.verdict == CONFIDENCE_UNREAD ||
           t.n_agree < t.n_differ + t.n_unseen;
}

static bool asks_for_review(const struct warnings *all)
{
    static const enum warning_code code[] = {WARN_BLANK,
                                             WARN_SCRIPT_UNREAD,
                                             WARN_PAGE_INCOMPLETE,
                                             WARN_CONTENT_UNREAD,
                                             WARN_XFA_FORM,
                                             WARN_ATTACHMENTS,
                                             WARN_HIDDEN_LAYER,
                                             WARN_PICTURES_UNREAD,
                                             WARN_HIDDEN_TEXT,
                                             WARN_E_INVOICE_DIFFERS,
                                             WARN_E_INVOICE_UNFIT,
                                             WARN_CREDIT_NOTE,
                                             WARN_ROW_REPEATED,
                                             WARN_VALUE_MISFIT,
                                             WARN_FROM_EXAMPLE,
                                             WARN_E_INVOICE_INCOMPLETE,
                                             WARN_E_INVOICE_SEVERAL};
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        if (all->n_of[code[i]]) return true;
    return false;
}

void confidence_document(struct document *doc, const struct engine_facts *facts,
                         double review_threshold)
{
    struct confidence *t = confidence_of(doc);
    struct document_walk walk = {0};
    const struct field *field;
    int n = 0;
    t->model = confidence_model_for(facts->model_hash);
    t->review_threshold = review_threshold;
    if (t->broken.n)
        qsort(t->broken.place, (size_t)t->broken.n, sizeof *t->broken.place,
              by_text);
    t->broken.sorted = true;
    t->explained =
        arena_array(doc->arena, (size_t)t->n_broken + 1, sizeof *t->explained);
    count_fields(doc, t);
    t->verdict = verdict_of_record(doc, t);
    warn_of_record(doc, t, facts);
    while ((field = document_next_fields(doc, &walk, &n)))
        for (int i = 0; i < n; i++)
            warn_of_value(doc, t, &field[i]);
    doubt_record(doc, t);
    t->review = t->verdict != CONFIDENCE_READ || t->n_low || t->n_dropped ||
                t->n_broken || asks_for_review(doc->warnings) ||
                (doc->gaps && doc->gaps->child) ||
                (doc->conflicts && doc->conflicts->child);
}
