/* field.c - see field.h. */
#include "stages/ask/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/confidence/confidence.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

static cJSON *rounded(double p)
{
    char text[40];
    snprintf(text, sizeof text, "%.4f", p);
    return json_new_number(text);
}

/* --- evidence as JSON ---------------------------------------------------- */

static const char *const name_of_source[] = {
    [EVIDENCE_TEXT_LAYER] = "text-layer",
    [EVIDENCE_OCR] = "ocr",
    [EVIDENCE_E_INVOICE] = "e-invoice"};
static const char *const name_of_match[] = {
    [EVIDENCE_EXACT] = "exact",        [EVIDENCE_NORMALISED] = "normalised",
    [EVIDENCE_FUZZY] = "fuzzy",        [EVIDENCE_AMBIGUOUS] = "ambiguous",
    [EVIDENCE_PARTIAL] = "partial",    [EVIDENCE_POSITION] = "position",
    [EVIDENCE_DIFFERENT] = "different"};

static void add_evidence_box(cJSON *place, const struct box *box)
{
    const double side[] = {box->x, box->y, box->w, box->h};
    cJSON *all = cJSON_AddArrayToObject(place, "box");
    for (size_t i = 0; i < sizeof side / sizeof *side; i++)
        cJSON_AddItemToArray(all, rounded(side[i]));
}

static cJSON *evidence_object(const struct evidence *e)
{
    char text[40];
    cJSON *o = cJSON_CreateObject();
    if (e->page) {
        json_add_integer(o, "page", e->page);
        add_evidence_box(o, &e->box);
    }
    if (e->text) cJSON_AddStringToObject(o, "text", e->text);
    cJSON_AddStringToObject(o, "source", name_of_source[e->source]);
    cJSON_AddStringToObject(o, "match", name_of_match[e->match]);
    if (e->source == EVIDENCE_OCR) {
        snprintf(text, sizeof text, "%.2f", (double)e->confidence);
        cJSON_AddItemToObject(o, "confidence", json_new_number(text));
    }
    if (e->distance) json_add_integer(o, "distance", e->distance);
    if (e->term) {
        snprintf(text, sizeof text, "BT-%d", e->term);
        cJSON_AddStringToObject(o, "term", text);
    }
    if (e->xpath) cJSON_AddStringToObject(o, "xpath", e->xpath);
    return o;
}

static cJSON *evidence_array(const struct field *f)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < f->n_evidence; i++)
        cJSON_AddItemToArray(all, evidence_object(&f->evidence[i]));
    return all;
}

/* The same as compact text, which needs less memory: a JSON string, or raw
 * JSON. */
static cJSON *evidence_text(const struct field *f, bool string)
{
    struct buf text = buf_limit(SIZE_MAX / 8);
    cJSON *tree = f->n_evidence ? evidence_array(f) : NULL;
    if (tree) json_print(&text, tree, 0);
    cJSON_Delete(tree);
    const char *all = text.size ? text.data : "";
    cJSON *item = string ? cJSON_CreateString(all) : cJSON_CreateRaw(all);
    buf_free(&text);
    return item;
}

static int index_of_name(const cJSON *name, const char *const *names, int n)
{
    int i = 0;
    while (i < n - 1 && strcmp(names[i], name->valuestring) != 0)
        i++;
    return i;
}

static double number_member(const cJSON *place, const char *name)
{
    const cJSON *n = json_get(place, name);
    return n ? n->valuedouble : 0;
}

static struct evidence parse_evidence(const cJSON *o, struct arena *arena)
{
    const cJSON *box = json_get(o, "box");
    const char *text = json_get_text(o, "text");
    const char *term = json_get_text(o, "term");
    struct evidence e = {
        .page = (int)number_member(o, "page"),
        .text = text ? arena_copy(arena, span_of(text)) : NULL,
        .source = (enum evidence_source)index_of_name(
            json_get(o, "source"), name_of_source, EVIDENCE_E_INVOICE + 1),
        .match = (enum evidence_match)index_of_name(
            json_get(o, "match"), name_of_match, EVIDENCE_DIFFERENT + 1),
        .confidence = (float)number_member(o, "confidence"),
        .distance = (int)number_member(o, "distance"),
        .term = term ? atoi(term + strlen("BT-")) : 0};
    if (box) {
        const cJSON *x = box->child, *y = x->next, *w = y->next;
        e.box = (struct box){x->valuedouble, y->valuedouble, w->valuedouble,
                             w->next->valuedouble};
    }
    return e;
}

/* Reads back what evidence_text printed; in the arena. */
static void read_evidence(struct field *f, const char *text,
                          struct arena *arena)
{
    struct err none = {0};
    cJSON *all = *text ? json_parse(span_of(text), &none) : NULL;
    size_t n = (size_t)cJSON_GetArraySize(all);
    if (!n) return;
    struct evidence *own = arena_array(arena, n, sizeof *own);
    for (const cJSON *o = all->child; o; o = o->next)
        own[f->n_evidence++] = parse_evidence(o, arena);
    f->evidence = own;
    cJSON_Delete(all);
}

/* --- in the row file ----------------------------------------------------- */

static cJSON *number_or_null(const struct field *f, double p)
{
    return f->unmeasured ? cJSON_CreateNull() : json_new_exact(p);
}

/* The flags and the doubt of a field, as one number. */
enum {
    MARK_NULL = 1,
    MARK_DROPPED = 2,
    MARK_FIGURE = 8,
    MARK_CONFIRMED = 16,
    MARK_DENIED = 32,
    MARK_DOUBT = 256 /* times the doubt */
};

static int marks_of(const struct field *f)
{
    return (f->is_null ? MARK_NULL : 0) | (f->dropped ? MARK_DROPPED : 0) |
           (f->is_figure ? MARK_FIGURE : 0) |
           (f->confirmed ? MARK_CONFIRMED : 0) | (f->denied ? MARK_DENIED : 0) |
           (int)f->doubt * MARK_DOUBT;
}

static cJSON *legal_or_null(const struct field *f)
{
    return f->legal_unknown ? cJSON_CreateNull()
                            : number_or_null(f, f->p_legal);
}

static cJSON *store_field(const struct field *f, size_t cut)
{
    cJSON *entry = cJSON_CreateArray();
    cJSON_AddItemToArray(entry, cJSON_CreateString(f->pointer + cut));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p));
    cJSON_AddItemToArray(entry, legal_or_null(f));
    cJSON_AddItemToArray(entry, json_new_integer(f->verdict));
    cJSON_AddItemToArray(entry, json_new_integer(f->page));
    cJSON_AddItemToArray(entry, evidence_text(f, true));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p_min));
    cJSON_AddItemToArray(entry, number_or_null(f, f->p_min_of_siblings));
    cJSON_AddItemToArray(entry, json_new_integer(marks_of(f)));
    cJSON_AddItemToArray(entry, json_new_integer(f->n_token));
    return entry;
}

static bool is_below(const char *pointer, struct span top)
{
    return !strncmp(pointer, top.data, top.size) &&
           (!pointer[top.size] || pointer[top.size] == '/');
}

cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < n_field; i++)
        if (is_below(field[i].pointer, top))
            cJSON_AddItemToArray(all, store_field(&field[i], cut));
    return all;
}

struct field field_kept(const cJSON *entry, struct arena *arena)
{
    const cJSON *p = entry->child->next, *verdict = p->next->next;
    const cJSON *evidence = verdict->next->next, *p_min = evidence->next;
    const cJSON *kept_marks = p_min->next->next;
    int marks = kept_marks->valueint;
    bool known = cJSON_IsNumber(p), legal_known = cJSON_IsNumber(p->next);
    struct field f = {.pointer = entry->child->valuestring,
                      .p = known ? p->valuedouble : 1,
                      .p_legal = legal_known ? p->next->valuedouble : 1,
                      .p_min = known ? p_min->valuedouble : 1,
                      .p_min_of_siblings = known ? p_min->next->valuedouble : 1,
                      .n_token = kept_marks->next->valueint,
                      .unmeasured = !known,
                      .legal_unknown = known && !legal_known,
                      .dropped = marks & MARK_DROPPED,
                      .is_null = marks & MARK_NULL,
                      .is_figure = marks & MARK_FIGURE,
                      .confirmed = marks & MARK_CONFIRMED,
                      .denied = marks & MARK_DENIED,
                      .verdict = (enum field_verdict)verdict->valueint,
                      .doubt = (enum field_doubt)(marks / MARK_DOUBT),
                      .page = verdict->next->valueint};
    if (arena) read_evidence(&f, evidence->valuestring, arena);
    return f;
}

cJSON *field_keep_both(const cJSON *first, const cJSON *rest)
{
    struct arena *arena = arena_new();
    struct field a = field_kept(first, arena), b = field_kept(rest, arena);
    struct field both = b.p < a.p ? b : a;
    size_t n = (size_t)a.n_evidence, more = (size_t)b.n_evidence;
    struct evidence *all =
        arena_widen(arena, a.evidence, n, n + more + 1, sizeof *all);
    for (size_t i = 0; i < more; i++)
        all[n + i] = b.evidence[i];
    both.evidence = all;
    both.n_evidence = a.n_evidence + b.n_evidence;
    both.pointer = a.pointer;
    both.page = a.page ? a.page : b.page;
    both.is_null = a.is_null && b.is_null;
    verdict_join(&both, &a, &b);
    cJSON *entry = store_field(&both, 0);
    arena_free(arena);
    return entry;
}

/* --- in the record ------------------------------------------------------- */

/* The word for the verdict, or NULL for none. */
static const char *verdict_name(const struct field *f)
{
    static const char *const name[] = {NULL,     "agree",   "differ",
                                       "unseen", "derived", "overlooked"};
    return field_is_doubtful(f) ? "doubtful" : name[f->verdict];
}

static const char *doubt_name(enum field_doubt doubt)
{
    static const char *const name[] = {NULL,         "place",        "sign",
                                       "date-order", "scale",        "partial",
                                       "label",      "check-digits", "layer"};
    return name[doubt];
}

cJSON *field_of_record(const struct field *f, const struct confidence *trust,
                       bool unfolded)
{
    const char *verdict = verdict_name(f);
    cJSON *o = cJSON_CreateObject();
    if (!f->unmeasured) {
        cJSON_AddItemToObject(o, "p", rounded(f->p));
        if (!f->legal_unknown)
            cJSON_AddItemToObject(o, "p_legal", rounded(f->p_legal));
    }
    cJSON_AddItemToObject(o, "confidence", rounded(confidence_value(f, trust)));
    if (verdict) cJSON_AddStringToObject(o, "verdict", verdict);
    if (field_is_doubtful(f))
        cJSON_AddStringToObject(o, "doubt", doubt_name(f->doubt));
    if (f->page) json_add_integer(o, "page", f->page);
    if (f->n_evidence)
        cJSON_AddItemToObject(o, "evidence",
                              unfolded ? evidence_array(f)
                                       : evidence_text(f, false));
    return o;
}
