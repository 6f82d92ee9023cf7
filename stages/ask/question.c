/* question.c - see question.h. */
#include "stages/ask/question.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/leaf_values.h"
#include "stages/ask/endpoint_logprobs.h"
#include "stages/ask/leaked_markup.h"
#include "stages/ask/reask_nulls.h"
#include "stages/ask/required_evidence.h"
#include "stages/ask/second_opinion.h"
#include "stages/ask/unfence.h"
#include "stages/confidence/confidence.h"
#include "stages/document/reason.h"
#include "stages/einvoice/einvoice_check.h"
#include "stages/words/words_reader.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum { ANSWER_BYTES_MAX = 1 << 26 };
enum { FINDING_MAX = 5, FINDING_BYTES_MAX = 2000, WORDS_BYTES_MAX = 1 << 20 };
enum {
    BUDGET_GROWTH = 4,
    BUDGET_LEAST = 256,
    BUDGET_SHORT = 1000,
    BUDGET_MAX = 1 << 20,
    POINTER_MAX = 1 << 20
};

/* The page of a long document that gave the value; 0: unknown, or none. */
static int page_of_finding(const struct document *doc, const struct finding *f)
{
    return doc->rows ? doc->rows->page_of(doc->rows, f->instance) : 0;
}

/* The first findings as one line, for people and for the second try; pages
 * other than `page` are named. */
static const char *findings_text(struct document *doc, const struct findings *f,
                                 int page)
{
    struct buf text = buf_limit(FINDING_BYTES_MAX);
    for (int i = 0; i < f->n_finding && i < FINDING_MAX; i++) {
        const char *at = *f->finding[i].instance ? f->finding[i].instance : "/";
        int own = page_of_finding(doc, &f->finding[i]);
        buf_print(&text, "%s%s", i ? "; " : "", at);
        if (own && own != page) buf_print(&text, " (page %d)", own);
        buf_print(&text, ": found %s, wanted %s", f->finding[i].found,
                  f->finding[i].wanted);
    }
    const char *copy = arena_copy(doc->scratch, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* NULL when the value is valid, else what is wrong with it. */
static const char *describe_misfit(struct document *doc, const cJSON *value,
                                   struct err *err)
{
    struct findings found = {0};
    if (err_failed(err) ||
        schema_validate(doc->schema, value, doc->scratch, &found, err))
        return NULL;
    return findings_text(doc, &found, 0);
}

static bool check_value(struct document *doc, const cJSON *value,
                        struct err *err)
{
    const char *wrong = describe_misfit(doc, value, err);
    if (wrong) err_reason(err, ERR_ANSWER, "schema-invalid", "%s", wrong);
    return !err_failed(err);
}

bool question_check_data(struct document *doc, struct err *err)
{
    struct findings found = {0};
    if (err_failed(err)) return false;
    bool valid =
        schema_validate_stream(doc->schema, doc->data, document_stream(doc),
                               doc->scratch, &found, err);
    document_check_rows(doc, err);
    if (!valid && !err_failed(err)) {
        int page = found.n_finding ? page_of_finding(doc, found.finding) : 0;
        err_reason(err, ERR_ANSWER, "schema-invalid", "%s",
                   findings_text(doc, &found, page));
        err->page = page;
    }
    return !err_failed(err);
}

/* The only valid value in an answer that has text around its JSON. NULL, with
 * r->err unchanged, if there is not exactly one. If the text has exactly one
 * JSON value, and it is invalid, *wrong is its error: more useful than a
 * complaint about the text. */
static cJSON *value_in_text(struct document_run *r, struct span *payload,
                            const char **wrong)
{
    struct document *doc = r->doc;
    struct span part[UNFENCE_MAX];
    struct err bad = {0};
    cJSON *only = NULL;
    int n_json = 0, n_valid = 0, n = unfence_values(doc->answer, part, &bad);
    for (int i = 0; i < n && !err_failed(&bad); i++) {
        struct err none = {0};
        cJSON *value = json_parse(part[i], &none);
        if (!value) continue;
        n_json++;
        const char *finding = describe_misfit(doc, value, &bad);
        if (finding)
            *wrong = finding;
        else if (n_valid++ == 0 && !err_failed(&bad)) {
            only = value;
            *payload = part[i];
            continue;
        }
        cJSON_Delete(value);
    }
    if (n_json != 1 || n_valid || err_failed(&bad)) *wrong = NULL;
    if (n_valid == 1 && !err_failed(&bad)) return only;
    cJSON_Delete(only);
    return NULL;
}

/* The value if there are only wrappers around it, or NULL. */
static cJSON *value_only(struct document_run *r, struct span *payload)
{
    struct span inner = unfence(r->doc->answer, r->err);
    if (err_failed(r->err)) return NULL;
    cJSON *value = json_parse(inner, r->err);
    *payload = inner;
    if (value) return value;
    r->err->kind = ERR_ANSWER;
    r->err->reason = "model-invalid-json";
    return NULL;
}

/* The JSON value in the answer, not validated yet, and its text in *payload; or
 * NULL. */
static cJSON *value_of_answer(struct document_run *r, struct span *payload)
{
    const char *wrong = NULL;
    if (err_failed(r->err)) return NULL;
    cJSON *value = value_only(r, payload);
    if (value) return value;
    value = value_in_text(r, payload, &wrong);
    if (!value && !wrong) return NULL;
    *r->err = (struct err){0};
    if (value)
        document_warn(r->doc, &(struct warning){.code = WARN_TEXT_IGNORED},
                      "text around the JSON was ignored");
    else
        err_reason(r->err, ERR_ANSWER, "schema-invalid", "%s", wrong);
    return value;
}

/* --- values of a wrong form --------------------------------------------------- */

enum { MISFITS_MAX = 16 };

/* Values that the schema does not admit and that were taken out. */
struct misfits {
    const char *pointer[MISFITS_MAX];
    const char *text[MISFITS_MAX]; /* what was found and wanted */
    int n;
};

/* Makes a scalar null; a null, which is not admitted either, is removed from
 * its object. False: neither is possible. */
static bool take_out(cJSON *value, const char *pointer, struct arena *arena)
{
    cJSON *leaf = (cJSON *)(uintptr_t)json_pointer_find(value, pointer);
    const char *slash = strrchr(pointer, '/');
    if (!leaf || !slash || cJSON_IsObject(leaf) || cJSON_IsArray(leaf))
        return false;
    if (!cJSON_IsNull(leaf)) {
        leaf->type = cJSON_NULL;
        cJSON_free(leaf->valuestring);
        leaf->valuestring = NULL;
        return true;
    }
    struct span above = {pointer, (size_t)(slash - pointer)};
    cJSON *parent =
        (cJSON *)(uintptr_t)json_pointer_find(value, arena_copy(arena, above));
    if (!cJSON_IsObject(parent)) return false;
    cJSON_Delete(cJSON_DetachItemViaPointer(parent, leaf));
    return true;
}

/* Notes the finding, once for each value. False: there are too many. */
static bool note_misfit(struct misfits *m, const struct finding *f,
                        struct arena *arena)
{
    for (int i = 0; i < m->n; i++)
        if (!strcmp(m->pointer[i], f->instance)) return true;
    if (m->n == MISFITS_MAX) return false;
    m->pointer[m->n] = f->instance;
    m->text[m->n++] =
        arena_text(arena, "found %s, wanted %s", f->found, f->wanted);
    return true;
}

/* Takes out the values of a wrong form: a string for a number, a date of
 * another country. False: the rest does not fit the schema either; the value is
 * unusable then. */
static bool drop_misfits(struct document *doc, cJSON *value,
                         struct misfits *out, struct err *err)
{
    for (int i = 0; i < 2 * MISFITS_MAX; i++) {
        struct findings found = {0};
        if (schema_validate(doc->schema, value, doc->scratch, &found, err))
            return true;
        if (err_failed(err) || !found.n_finding ||
            !note_misfit(out, found.finding, doc->scratch) ||
            !take_out(value, found.finding->instance, doc->scratch))
            return false;
    }
    return false;
}

/* Warns of the values that were taken out, and marks or adds their fields. */
static void mark_misfits(struct document *doc, const struct misfits *m,
                         const cJSON *value, int page)
{
    size_t n = (size_t)doc->n_field, n_more = (size_t)m->n;
    if (!m->n) return;
    doc->field = arena_widen(doc->scratch, doc->field, n, n + n_more,
                             sizeof *doc->field);
    for (int i = 0; i < m->n; i++) {
        struct field *f = doc->field, *end = f + doc->n_field;
        const cJSON *leaf = json_pointer_find(value, m->pointer[i]);
        if (leaf && !cJSON_IsNull(leaf)) continue; /* asked by name since */
        document_warn(doc,
                      &(struct warning){.code = WARN_VALUE_MISFIT,
                                        .pointer = m->pointer[i],
                                        .page = page},
                      "dropped %s: %s", m->pointer[i], m->text[i]);
        while (f < end && strcmp(f->pointer, m->pointer[i]) != 0)
            f++;
        if (!leaf && f < end) {
            *f = end[-1];
            doc->n_field--;
        } else if (leaf && f == end) {
            *f = (struct field){.pointer = m->pointer[i],
                                .p = 1,
                                .p_legal = 1,
                                .unmeasured = true};
            doc->n_field++;
        }
        if (leaf) f->dropped = f->is_null = true;
    }
}

/* --- answers ------------------------------------------------------------------- */

/* Cuts leaked markup out of the embedded model's texts: null instead of an empty
 * text, where the schema admits it. */
static cJSON *without_markup(struct document_run *r, cJSON *value)
{
    struct document *doc = r->doc;
    if (!value || !engine_facts(r->context->engine)->prompt_is_keys)
        return value;
    cJSON *cut = cJSON_Duplicate(value, true);
    int n = leaked_markup_cut(cut, true);
    if (n && describe_misfit(doc, cut, r->err))
        leaked_markup_cut(value, false);
    else if (n) {
        for (int i = 0; i < doc->n_field; i++)
            if (cJSON_IsNull(json_pointer_find(cut, doc->field[i].pointer)))
                doc->field[i].is_null = true;
        cJSON_Delete(value);
        return cut;
    }
    cJSON_Delete(cut);
    return value;
}

/* The valid value of the answer; or NULL, and its error in *finding. With
 * `misfits` (the last try), values of a wrong form are taken out. */
static cJSON *accept_answer(struct document_run *r, const char **finding,
                            struct misfits *misfits)
{
    struct span payload = {NULL, 0};
    document_run_enter(r, "unfence");
    cJSON *value = without_markup(r, value_of_answer(r, &payload));
    document_run_enter(r, "validate");
    bool valid = check_value(r->doc, value, r->err);
    if (r->doc->token_probs.n && payload.size && (valid || misfits))
        endpoint_logprobs_fields(r->doc, payload, value);
    struct err failed = *r->err;
    if (!valid && misfits && value && payload.size && failed.reason &&
        !strcmp(failed.reason, "schema-invalid")) {
        *r->err = (struct err){0};
        valid = drop_misfits(r->doc, value, misfits, r->err);
        if (!valid && !err_failed(r->err)) *r->err = failed;
    }
    if (valid) {
        schema_order(r->doc->schema, value);
        return value;
    }
    if (misfits) misfits->n = 0;
    cJSON_Delete(value);
    *finding = arena_copy(r->doc->scratch, span_of(r->err->text));
    return NULL;
}

bool question_was_too_large(const struct err *err)
{
    static const char *const code[] = {"model-truncated", "model-loop",
                                       "context-full"};
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        if (err->reason && !strcmp(err->reason, code[i])) return true;
    return false;
}

int question_budget(const struct document_run *r, const struct question *q)
{
    int most = r->context->settings->max_tokens;
    if (r->budget && r->budget < most) most = r->budget;
    int n_ctx = engine_facts(r->context->engine)->n_ctx;
    int n_left = n_ctx - q->n_token;
    if (!n_ctx || !q->n_token || n_left >= most) return most;
    if (n_left >= BUDGET_LEAST) return n_left;
    return most < BUDGET_LEAST ? most : BUDGET_LEAST;
}

static bool is_truncated(const struct err *err)
{
    return err->reason && !strcmp(err->reason, "model-truncated");
}

/* Tokens for the next try after an answer that was cut off at `budget`; 0: the
 * context has no room for more. */
static int larger_budget(struct document_run *r, int budget)
{
    int n_left = r->context->engine->room;
    int most = budget < BUDGET_MAX / BUDGET_GROWTH ? budget * BUDGET_GROWTH
                                                   : BUDGET_MAX;
    if (n_left > 0 && n_left < most) most = n_left;
    return most > budget ? most : 0;
}

/* Tokens for the first try. A part of a page whose answer was cut off gets the
 * larger budget at once. */
static int first_budget(struct document_run *r, const struct question *q)
{
    int budget = question_budget(r, q);
    if (!q->part || !r->n_cut_off) return budget;
    int more = larger_budget(r, budget);
    int n_ctx = engine_facts(r->context->engine)->n_ctx;
    if (n_ctx && more > n_ctx - q->n_token) more = n_ctx - q->n_token;
    return more > budget ? more : budget;
}

/* Appends a further fact to the failure's text. */
static void append_to_failure(struct err *err, const char *more)
{
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, "; %s", more);
}

/* Halves the budget if the endpoint refused the question as too long: it adds
 * the answer's maximum to the question, and need not say how long its context
 * is. False: another failure, or too little would be left. */
static bool lower_budget(struct document_run *r, struct engine_try *now)
{
    bool refused = r->err->reason && !strcmp(r->err->reason, "context-full") &&
                   !r->doc->answer.size &&
                   engine_facts(r->context->engine)->unmeasured;
    if (!refused || now->max_tokens / 2 < BUDGET_SHORT) return false;
    r->budget = now->max_tokens /= 2;
    *r->err = (struct err){0};
    return true;
}

/* The page of the question; 0: several. */
static int page_number(const struct document_run *r, const struct question *q)
{
    return q->to - q->from == 1 ? r->doc->page[q->from].number : 0;
}

/* Sets up the next try; false if it would not differ. */
static bool prepare_retry(struct document_run *r, const struct question *q,
                          struct engine_try *next)
{
    if (r->err->kind != ERR_ANSWER) return false;
    if (q->part && question_was_too_large(r->err)) return false;
    if (is_truncated(r->err)) {
        int budget = larger_budget(r, next->max_tokens);
        if (!budget) {
            append_to_failure(r->err,
                              "the context is too small for a longer one");
            return false;
        }
        next->max_tokens = budget;
    }
    document_warn(
        r->doc,
        &(struct warning){.code = WARN_RETRIED, .page = page_number(r, q)},
        "asked again: %s", r->err->text);
    *r->err = (struct err){0};
    next->attempt++;
    return true;
}

/* What the words of the question's pages say; waits for OCR. The caller frees its
 * value. */
static struct words_answer read_words(const struct document_run *r,
                                      const struct question *q)
{
    struct arena *arena = arena_new();
    struct numbered_words *page = NULL;
    int n_page = 0;
    for (int i = q->from; r->words && i < q->to; i++)
        if (!r->doc->page[i].blank)
            *ARENA_ADD(arena, page, n_page) = (struct numbered_words){
                r->doc->page[i].number, &page_words_get(r->words, i)->tight};
    struct words_answer read =
        words_reader_read(r->doc->schema, page, n_page, r->doc->scratch);
    arena_free(arena);
    return read;
}

/* Whether they are known by now. */
static bool words_are_final(const struct document_run *r,
                            const struct question *q)
{
    int i = q->from;
    while (r->words && i < q->to && page_words_are_final(r->words, i))
        i++;
    return i == q->to;
}

/* The words' answer as a model writes it: compact, in the order of the schema. */
static struct span text_of_words(const struct document_run *r,
                                 const struct words_answer *read)
{
    struct buf text = buf_limit(ANSWER_BYTES_MAX);
    if (!read->value) return (struct span){"", 0};
    schema_order(r->doc->schema, read->value);
    json_print(&text, read->value, 0);
    struct span copy = {arena_copy(r->doc->scratch, buf_span(&text)),
                        text.size};
    buf_free(&text);
    return copy;
}

/* Sets the probabilities of values that the words gave, and whether they gave few. */
static void note_chances(struct document *doc, const struct words_answer *read)
{
    doc->words_lack |= 2 * read->n_scalar < read->n_wanted;
    for (int k = 0, at = 0; k < read->n_found; k++) {
        int i = document_find_field(doc, read->found[k].pointer, &at);
        if (i >= 0) doc->field[i].print_p = read->found[k].p;
    }
}

/* Asks once; returns the valid value, or NULL. misfits: as accept_answer. */
static cJSON *ask_once(struct document_run *r, struct engine_try *now,
                       struct misfits *misfits)
{
    struct engine *engine = r->context->engine;
    document_run_enter(r, "extract");
    if (err_failed(r->err)) return NULL;
    r->doc->n_try++;
    r->doc->seed = r->context->settings->seed + now->attempt - 1;
    if (engine_facts(engine)->reads_words) {
        r->doc->answer = now->expected;
        r->doc->n_field = 0; /* those of the question before */
    } else {
        engine->api->answer(engine, r->doc, now, r->err);
    }
    if (!err_failed(r->err))
        r->n_cut_off = 0;
    else if (is_truncated(r->err) && engine_facts(engine)->unmeasured)
        r->n_cut_off++;
    return err_failed(r->err) ? NULL : accept_answer(r, &now->finding, misfits);
}

/* A failure that only a second try can have (larger budget, error text in the
 * prompt) is not the cause: reports the first failure instead. */
static void keep_first_cause(struct err *err, const struct err *first)
{
    bool by_second = is_truncated(first) || err->kind == ERR_LIMIT;
    if (!by_second || reason_of(err)->fate == FATE_WAIT) return;
    struct err second = *err;
    *err = *first;
    append_to_failure(err, second.text);
}

static int by_pointer(const void *a, const void *b)
{
    const struct field *const *one = a, *const *two = b;
    return strcmp((*one)->pointer, (*two)->pointer);
}

/* Fields sorted by pointer, and the pointer of the current value. */
struct leaf_search {
    struct field **field;
    size_t n_field;
    struct buf path;
};

static void note_leaves_below(struct leaf_search *s, const cJSON *value)
{
    size_t size = s->path.size;
    int index = 0;
    for (const cJSON *v = value->child; v; v = v->next, index++) {
        json_pointer_add_child(&s->path, value, v, index);
        note_leaves_below(s, v);
        buf_cut(&s->path, size);
    }
    if (value->child) return;
    const struct field wanted = {.pointer = buf_span(&s->path).data};
    const struct field *key = &wanted;
    struct field **found =
        bsearch(&key, s->field, s->n_field, sizeof(struct field *), by_pointer);
    if (!found) return;
    (*found)->is_null = cJSON_IsNull(value);
    (*found)->is_figure = leaf_values_is_figure(value);
}

/* Sets is_null and is_figure of the answer's fields. */
static void note_leaves(struct document *doc, const cJSON *value)
{
    if (!doc->n_field) return;
    struct arena *arena = arena_new();
    struct leaf_search s = {.n_field = (size_t)doc->n_field,
                            .path = buf_limit(POINTER_MAX)};
    s.field = arena_array(arena, s.n_field, sizeof(struct field *));
    for (size_t i = 0; i < s.n_field; i++)
        s.field[i] = &doc->field[i];
    qsort(s.field, s.n_field, sizeof(struct field *), by_pointer);
    note_leaves_below(&s, value);
    buf_free(&s.path);
    arena_free(arena);
}

/* The words of the pages, for an answer that copies them: text layers, or what
 * OCR has read by now. Only drafts (engine_try), never part of a prompt. */
static struct span text_of_pages(struct document_run *r,
                                 const struct question *q)
{
    struct buf out = buf_limit(WORDS_BYTES_MAX);
    struct span words = {"", 0};
    bool wanted = r->words && engine_facts(r->context->engine)->copies;
    for (int i = q->from; i < q->to && wanted; i++)
        page_words_append_text(r->words, i, r->doc->page_text ? " " : "\t",
                               &out);
    if (out.size && !out.full)
        words = (struct span){arena_copy(r->doc->scratch, buf_span(&out)),
                              out.size};
    buf_free(&out);
    return words;
}

void question_forgive(struct err *err)
{
    if (err->kind == ERR_ANSWER || question_was_too_large(err))
        *err = (struct err){0};
}

/* Asks by name, once a document, for nulls whose labels have print, and fills
 * them in. True: *value and doc->field have new values, without verdicts. */
static bool ask_by_name(struct document_run *r, const struct question *q,
                        cJSON **value, bool measured)
{
    struct document *doc = r->doc;
    const struct engine *engine = r->context->engine;
    if (q->lines || r->asked_by_name || !engine->api->context ||
        engine_facts(engine)->prompt_is_keys)
        return false;
    const char *names =
        reask_nulls_names(doc->field, doc->n_field, doc->scratch);
    if (!names) return false;
    struct engine_try now = {.attempt = 1,
                             .names = names,
                             .max_tokens = first_budget(r, q),
                             .words = text_of_pages(r, q)};
    struct reask_nulls_answer first = {cJSON_Duplicate(*value, true),
                                       doc->field, doc->n_field};
    r->asked_by_name = true;
    doc->n_field = 0;
    struct reask_nulls_answer late = {.value = ask_once(r, &now, NULL)};
    late.field = doc->field;
    late.n_field = doc->n_field;
    struct err misfit = {0};
    bool filled = late.value && reask_nulls_fill(&first, &late, measured) &&
                  check_value(doc, first.value, &misfit);
    question_forgive(r->err);
    doc->field = first.field;
    doc->n_field = filled && !measured ? 0 : first.n_field;
    cJSON_Delete(late.value);
    cJSON_Delete(filled ? *value : first.value);
    if (filled) *value = first.value;
    return filled;
}

/* Sets the verdicts and evidence of the answer's values. */
static void prove(struct document_run *r, const struct question *q,
                  const cJSON *value, bool measured)
{
    double start = clock_seconds();
    evidence_pages_find(&r->evidence, r->doc, value, measured, q->top,
                        q->part ? q->bottom : 1);
    r->doc->spent.evidence += clock_seconds() - start;
}

/* A valid answer, or NULL: at most two tries. */
static cJSON *ask_until_valid(struct document_run *r, const struct question *q,
                              struct span expected, struct misfits *misfits)
{
    struct engine_try now = {.attempt = 1,
                             .lines = q->lines,
                             .max_tokens = first_budget(r, q),
                             .words = text_of_pages(r, q),
                             .expected = expected};
    cJSON *value = ask_once(r, &now, NULL);
    while (!value && lower_budget(r, &now))
        value = ask_once(r, &now, NULL);
    struct err first = *r->err;
    if (!value && prepare_retry(r, q, &now)) {
        value = ask_once(r, &now, misfits);
        if (!value) keep_first_cause(r->err, &first);
    }
    return value;
}

/* Whether words may answer in place of the embedded model. */
static bool may_take_words(const struct document_run *r,
                           const struct question *q)
{
    return engine_facts(r->context->engine)->prompt_is_keys && r->words &&
           !q->part && !q->lines &&
           strcmp(r->context->settings->ground, "off") != 0;
}

bool question_has_layers(const struct document_run *r, const struct question *q)
{
    int n = 0;
    if (!may_take_words(r, q)) return false;
    for (int i = q->from; i < q->to; i++) {
        if (r->doc->page[i].blank) continue;
        if (!page_words_of_layer(r->words, i)->n_word) return false;
        n++;
    }
    return n;
}

/* Drops the warnings about the model's answer, which the words replace. */
static void drop_warnings(struct document *doc, const struct question *q)
{
    static const enum warning_code code[] = {
        WARN_PAGES_DIFFER, WARN_VALUE_DROPPED, WARN_VALUE_MISFIT,
        WARN_NO_EVIDENCE,  WARN_GAPS,          WARN_ROW_DROPPED,
        WARN_ROW_REPEATED, WARN_RETRIED,       WARN_TEXT_IGNORED};
    bool whole = q->to - q->from == doc->n_page;
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        warnings_drop(doc->warnings, code[i],
                      whole ? 0 : doc->page[q->from].number);
}

/* The words' answer; with `whole` only if it lacks nothing. */
static cJSON *take_words(struct document_run *r, const struct question *q,
                         bool whole)
{
    struct document *doc = r->doc;
    struct err misfit = {0};
    document_run_load_words(r, q->from, q->to);
    if (!r->evidence.is_read) return NULL;
    struct words_answer read = read_words(r, q);
    cJSON *value = read.value;
    bool guessed = read.n_demanded && read.n_found == read.n_demanded;
    if (!value || guessed || json_holds_nothing(value) ||
        (whole && !read.is_whole) || !check_value(doc, value, &misfit)) {
        cJSON_Delete(value);
        return NULL;
    }
    document_run_enter(r, "validate");
    schema_order(doc->schema, value);
    doc->n_field = 0;
    doc->by_words = true;
    drop_warnings(doc, q);
    prove(r, q, value, false);
    note_chances(doc, &read);
    note_leaves(doc, value);
    einvoice_check_compare(doc, value);
    return value;
}

cJSON *question_ask_words(struct document_run *r, const struct question *q)
{
    return may_take_words(r, q) ? take_words(r, q, false) : NULL;
}

cJSON *question_ask_words_first(struct document_run *r,
                                const struct question *q)
{
    bool may = r->words && strcmp(r->context->settings->ground, "off") != 0;
    return may ? take_words(r, q, true) : NULL;
}

/* What the words of the pages say, if the embedded model only guessed. */
static cJSON *words_instead(struct document_run *r, const struct question *q,
                            cJSON *value)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    if (!facts->prompt_is_keys || !confidence_is_guessed(r->doc, facts))
        return value;
    cJSON *other = question_ask_words(r, q);
    if (!other) return value;
    cJSON_Delete(value);
    return other;
}

/* Sets verdicts and evidence of the answer *value, which nulls asked again by name
 * may change; `read`: what the words say, NULL: not known yet. */
static void judge(struct document_run *r, const struct question *q,
                  cJSON **value, bool measured, struct words_answer *read)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    prove(r, q, *value, measured);
    if (ask_by_name(r, q, value, measured)) prove(r, q, *value, measured);
    if (facts->reads_words) note_chances(r->doc, read);
    if (facts->reads_words || facts->prompt_is_keys || q->part || q->lines)
        return;
    double start = clock_seconds();
    if (!read->value) *read = read_words(r, q);
    second_opinion_compare(read, r->doc, *value);
    r->doc->spent.evidence += clock_seconds() - start;
}

cJSON *question_ask(struct document_run *r, const struct question *q)
{
    struct document *doc = r->doc;
    const struct engine_facts *facts = engine_facts(r->context->engine);
    struct misfits misfits = {.n = 0};
    if (question_has_layers(r, q)) {
        cJSON *read = question_ask_words(r, q);
        if (read) return read;
    }
    if (facts->reads_words) document_run_load_words(r, q->from, q->to);
    struct words_answer read = {.value = NULL};
    if (facts->reads_words || (facts->copies && words_are_final(r, q)))
        read = read_words(r, q);
    cJSON *value = ask_until_valid(r, q, text_of_words(r, &read), &misfits);
    bool whole = q->to - q->from == doc->n_page;
    bool measured = !facts->unmeasured || doc->n_field;
    int page = whole ? 0 : doc->page[q->from].number;
    struct confidence trust =
        confidence_of_answer(facts, r->context->settings->review_threshold);
    if (value) {
        document_run_load_words(r, q->from, q->to);
        judge(r, q, &value, measured, &read);
    }
    cJSON_Delete(read.value);
    if (!value) return NULL;
    double start = clock_seconds();
    note_leaves(doc, value);
    mark_misfits(doc, &misfits, value, page_number(r, q));
    einvoice_check_compare(doc, value);
    required_evidence(doc, value, page, measured, &trust, r->err);
    doc->spent.evidence += clock_seconds() - start;
    if (!err_failed(r->err)) return words_instead(r, q, value);
    cJSON_Delete(value);
    return NULL;
}
