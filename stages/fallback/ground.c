/* ground.c - see ground.h. */
#include "stages/fallback/ground.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/evidence_pages.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/meaning.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/verdict.h"
#include "stages/alignment/wanted.h"
#include "stages/ask/required_evidence.h"
#include "stages/confidence/confidence.h"
#include "stages/engine/engine.h"
#include "stages/fallback/candidates.h"
#include "stages/fallback/line_ocr.h"
#include "stages/print/fold.h"
#include "stages/print/page_words.h"
#include "stages/print/vocabulary.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum { DEPTH_MAX = 16, POINTER_MAX = 1 << 16, CODE = 3 };

/* The values to ground. DOUBTED is for pages read in pieces: a value in another
 * piece is a null there, and with a high probability. TITLES: merchants that
 * are only the name of the document. */
enum ground_scope { GROUND_TITLES, GROUND_DOUBTED, GROUND_ALL };

/* ISO 4217, without funds, metals and codes for tests. */
static const char currencies[] =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND "
    "BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF "
    "DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD "
    "HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW "
    "KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR "
    "MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN "
    "PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN "
    "SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED "
    "VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG";

/* A value outside rows. */
struct ground_place {
    cJSON *parent, *value;
    const cJSON *node;
    struct field *field;
};

struct grounding {
    struct document *doc;
    struct arena *arena;
    struct ground_place *place;
    struct candidates_asked *asked;
    int n, capacity;
    enum ground_scope scope;
    struct confidence trust; /* before anything is replaced */
    double review_threshold;
    struct buf pointer;
};

static struct field *find_field(const struct document *doc, const char *pointer)
{
    for (int i = 0; i < doc->n_field; i++)
        if (!strcmp(doc->field[i].pointer, pointer)) return &doc->field[i];
    return NULL;
}

/* The kind of print that fits the schema; false: none. */
static bool candidate_kind(const cJSON *node, enum confidence_print_kind *kind)
{
    static const char *const own[] = {"enum",  "const", "pattern", "$ref",
                                      "anyOf", "oneOf", "allOf"};
    const char *format = json_get_text(node, "format");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (json_get(node, own[i])) return false;
    if (schema_names_type(node, "number"))
        *kind = PRINT_AMOUNT;
    else if (schema_names_type(node, "string") && format &&
             !strcmp(format, "date"))
        *kind = PRINT_DATE;
    else if (schema_names_type(node, "string") && !format)
        *kind = PRINT_TEXT;
    else
        return false;
    return true;
}

/* Do the page's words confirm it, or are there none? */
static bool is_printed(const struct field *field)
{
    return field->verdict != FIELD_UNSEEN && field->verdict != FIELD_DIFFER;
}

static bool is_doubted(const struct field *field, const cJSON *value)
{
    return cJSON_IsNull(value) || !is_printed(field);
}

static bool is_named(const char *name, const char *meaning)
{
    uint32_t own[MEANINGS_MAX], wanted = 0;
    int n = meaning_of_text(name, true, 1, own);
    meaning_of_text(meaning, false, 1, &wanted);
    for (int i = 0; i < n; i++)
        if (own[i] == wanted) return true;
    return false;
}

/* Is it a seller of which each word is one of business documents: "TAX
 * INVOICE"? */
static bool is_title(const struct grounding *a, const cJSON *value)
{
    if (!cJSON_IsString(value) || !is_named(value->string, "seller"))
        return false;
    for (const char *at = value->valuestring; *at;) {
        struct span word = {at, strcspn(at, " ")};
        struct folded f = fold_text(arena_copy(a->arena, word), a->arena);
        if (f.n && !vocabulary_meaning(f.byte, (size_t)f.n)) return false;
        at += word.size + (at[word.size] != '\0');
    }
    return true;
}

/* May print replace the value? */
static bool is_replaceable(const struct grounding *a, const struct field *field,
                           const cJSON *value)
{
    return a->scope == GROUND_ALL || is_title(a, value) ||
           (a->scope == GROUND_DOUBTED && is_doubted(field, value));
}

/* Can the text be a currency: not three capitals that are no code? */
static bool may_be_currency(const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (n != CODE || text[n]) return true;
    for (const char *code = currencies; code < currencies + sizeof currencies;
         code += CODE + 1)
        if (!memcmp(code, text, CODE)) return true;
    return false;
}

/* Sets a currency to null that is none, or that nothing on the page names and
 * that is more probably wrong than right (OCR misses signs); false for any other
 * value. The null is as probable as the value was not. */
static bool drop_currency(struct grounding *a, cJSON *value, const cJSON *given,
                          struct field *f)
{
    if (!cJSON_IsString(value) || !is_named(value->string, "currency"))
        return false;
    double right = confidence_value(f, &a->trust);
    bool unnamed = !is_printed(f) && right < 0.5;
    if (!unnamed && may_be_currency(value->valuestring)) return false;
    cJSON *null = cJSON_CreateNull();
    bool fits = schema_admits(a->doc->schema, given, null);
    cJSON_Delete(null);
    if (!fits) return false;
    document_warn(
        a->doc, &(struct warning){.code = WARN_GROUNDED, .pointer = f->pointer},
        "%s: %s was removed: %s", f->pointer, value->valuestring,
        unnamed ? "nothing on the page names it"
                : "it is not an ISO 4217 code");
    cJSON_free(value->valuestring);
    value->valuestring = NULL;
    value->type = cJSON_NULL;
    f->print_p = 1 - right;
    f->p = fmin(f->p, 1 - f->p);
    f->is_null = true;
    verdict_forget(f);
    return true;
}

static void add_value(struct grounding *a, cJSON *parent, cJSON *value,
                      const cJSON *given, const cJSON *node)
{
    enum confidence_print_kind kind;
    const char *pointer = arena_copy(a->arena, buf_span(&a->pointer));
    struct field *field = find_field(a->doc, pointer);
    if (!field || field->dropped || drop_currency(a, value, given, field))
        return;
    if (a->n == a->capacity || !candidate_kind(node, &kind) ||
        (a->scope == GROUND_TITLES && !is_title(a, value)) ||
        required_evidence_is_asked(a->doc->schema, a->doc->data, pointer))
        return;
    const char *title = json_get_text(given, "title");
    const char *description = json_get_text(given, "description");
    a->place[a->n] = (struct ground_place){parent, value, node, field};
    a->asked[a->n++] = (struct candidates_asked){
        .asked = {.pointer = pointer,
                  .value = value,
                  .title = title ? title : json_get_text(node, "title"),
                  .description = description
                                     ? description
                                     : json_get_text(node, "description")},
        .kind = kind};
}

/* Adds the values of an object and its inner objects; not of arrays. */
static void add_members(struct grounding *a, cJSON *value, const cJSON *node,
                        int depth)
{
    const struct schema *s = a->doc->schema;
    if (depth > DEPTH_MAX) return;
    for (cJSON *m = value->child; m; m = m->next) {
        const cJSON *given = json_get(json_get(node, "properties"), m->string);
        const cJSON *own = given ? schema_follow_nullable(s, given) : NULL;
        size_t size = a->pointer.size;
        json_pointer_add(&a->pointer, m->string);
        if (own && cJSON_IsObject(m))
            add_members(a, m, own, depth + 1);
        else if (own && !cJSON_IsArray(m))
            add_value(a, value, m, given, own);
        buf_cut(&a->pointer, size);
    }
}

static cJSON *new_value(enum confidence_print_kind kind, const char *text)
{
    return kind == PRINT_AMOUNT ? json_new_number(text)
                                : cJSON_CreateString(text);
}

/* Sets a field to a candidate. The model gave p to its own answer, so it gave
 * at most 1 - p to this one. */
static void update_field(struct field *f, const struct candidates_found *found,
                         struct arena *arena)
{
    verdict_forget(f);
    evidence_pages_set_evidence(f, &found->where, arena);
    f->page = found->where.place->page;
    f->p = fmin(f->p, 1 - f->p);
    f->p_min = fmin(f->p_min, f->p);
    f->p_min_of_siblings = fmin(f->p_min_of_siblings, f->p);
    f->is_null = false;
    f->anchored = true;
}

/* Words that the model read itself prove nothing. */
static double chance_of(const struct grounding *a, int i,
                        const struct candidates_found *found)
{
    if (found->where.place->line->source == WORDS_OF_MODEL) return 0;
    return confidence_of_print(a->asked[i].kind, found->reason);
}

static void apply_candidate(struct grounding *a, int i,
                            const struct candidates_found *found)
{
    struct ground_place *p = &a->place[i];
    struct document *doc = a->doc;
    if (!found->text && is_title(a, p->value))
        verdict_doubt(p->field, DOUBT_LABEL);
    if (!found->text) return;
    cJSON *value = new_value(a->asked[i].kind, found->text);
    bool same = json_equal(value, p->value);
    if (same) p->field->print_p = chance_of(a, i, found);
    if (same || !is_replaceable(a, p->field, p->value) ||
        !schema_admits(doc->schema, p->node, value)) {
        cJSON_Delete(value);
        return;
    }
    cJSON_ReplaceItemInObjectCaseSensitive(p->parent, p->value->string, value);
    update_field(p->field, found, doc->arena);
    p->field->print_p = chance_of(a, i, found);
    if (p->field->print_p >= a->review_threshold) return;
    document_warn(doc,
                  &(struct warning){.code = WARN_GROUNDED,
                                    .pointer = p->field->pointer,
                                    .page = p->field->page},
                  "%s: guessed: the most likely match among the printed words",
                  p->field->pointer);
}

/* Collects the pages that have words; returns their number. */
static int collect_pages(struct document_run *r, struct arena *arena,
                         struct numbered_words page[DOCUMENT_RUN_PAGES_KEPT])
{
    int n = 0;
    for (int i = 0; r->words && i < r->doc->n_page; i++) {
        struct line_ocr *own = arena_alloc(arena, sizeof *own);
        const struct words *words = line_ocr_or_others(r, i, arena, own);
        if (words->n_word)
            page[n++] = (struct numbered_words){r->doc->page[i].number, words};
    }
    return n;
}

/* Was a page read in pieces, since its print is too small for one picture? */
static bool has_small_print(const struct document *doc)
{
    for (int i = 0; i < doc->n_page; i++)
        if (doc->page[i].cramped) return true;
    return false;
}

static bool has_words(struct document_run *r)
{
    for (int i = 0; r->words && i < r->doc->n_page; i++)
        if (page_words_get(r->words, i)->tight.n_word) return true;
    return false;
}

static bool may_ground(const struct document_run *r)
{
    return !err_failed(r->err) && strcmp(r->context->settings->ground, "off") &&
           cJSON_IsObject(r->doc->data) &&
           r->doc->n_page <= DOCUMENT_RUN_PAGES_KEPT;
}

static enum ground_scope scope_of(struct document_run *r)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    if (confidence_is_guessed(r->doc, facts)) return GROUND_ALL;
    if (!has_small_print(r->doc)) return GROUND_TITLES;
    bool doubtful = confidence_so_far(r->doc, facts).verdict != CONFIDENCE_READ;
    return doubtful && !has_words(r) ? GROUND_ALL : GROUND_DOUBTED;
}

/* Finds the values to ground; pages are read only if there are any. */
static void find_values(struct grounding *a)
{
    const struct schema *schema = a->doc->schema;
    size_t capacity = (size_t)a->capacity + 1;
    a->place = arena_array(a->arena, capacity, sizeof *a->place);
    a->asked = arena_array(a->arena, capacity, sizeof *a->asked);
    add_members(a, a->doc->data, schema_follow(schema, schema_root(schema)), 0);
}

static void ground_values(struct grounding *a, struct document_run *r)
{
    struct numbered_words page[DOCUMENT_RUN_PAGES_KEPT];
    int n_page = collect_pages(r, a->arena, page);
    if (!n_page || err_failed(r->err)) return;
    struct candidates_found *found =
        arena_array(a->arena, (size_t)a->n + 1, sizeof *found);
    candidates_find(page, n_page, a->asked, a->n, a->arena, found);
    for (int i = 0; i < a->n; i++)
        apply_candidate(a, i, &found[i]);
}

void ground_document(struct document_run *r)
{
    if (!may_ground(r)) return;
    struct grounding a = {
        .doc = r->doc,
        .arena = arena_new(),
        .scope = scope_of(r),
        .trust = confidence_so_far(r->doc, engine_facts(r->context->engine)),
        .review_threshold = r->context->settings->review_threshold,
        .capacity = r->doc->n_field,
        .pointer = buf_limit(POINTER_MAX)};
    find_values(&a);
    if (a.n) ground_values(&a, r);
    buf_free(&a.pointer);
    arena_free(a.arena);
}
