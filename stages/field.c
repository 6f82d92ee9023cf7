/* field.c - see field.h. */
#include "stages/field.h"

#include <stdio.h>

#include "stages/trust.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { EVIDENCE_MAX = 1 << 20 };

static cJSON *rounded(double p)
{
    char text[40];
    snprintf(text, sizeof text, "%.4f", p);
    return json_new_number(text);
}

static cJSON *measured(const struct field *f, double p)
{
    return f->unmeasured ? cJSON_CreateNull() : json_new_exact(p);
}

/* What is true of a field, as one number. */
enum {
    MARK_NULL = 1,
    MARK_DROPPED = 2,
    MARK_STRAY = 4,
    MARK_FIGURE = 8,
    MARK_CONFIRMED = 16,
    MARK_DENIED = 32
};

static int marks_of(const struct field *f)
{
    return (f->is_null ? MARK_NULL : 0) | (f->dropped ? MARK_DROPPED : 0) |
           (f->stray ? MARK_STRAY : 0) | (f->is_figure ? MARK_FIGURE : 0) |
           (f->confirmed ? MARK_CONFIRMED : 0) | (f->denied ? MARK_DENIED : 0);
}

static cJSON *legal(const struct field *f)
{
    return f->legal_unknown ? cJSON_CreateNull() : measured(f, f->p_legal);
}

static cJSON *keep(const struct field *f, size_t cut)
{
    cJSON *entry = cJSON_CreateArray();
    cJSON_AddItemToArray(entry, cJSON_CreateString(f->pointer + cut));
    cJSON_AddItemToArray(entry, measured(f, f->p));
    cJSON_AddItemToArray(entry, legal(f));
    cJSON_AddItemToArray(entry, json_new_integer(f->verdict));
    cJSON_AddItemToArray(entry, json_new_integer(f->page));
    cJSON_AddItemToArray(entry,
                         cJSON_CreateString(f->evidence ? f->evidence : ""));
    cJSON_AddItemToArray(entry, measured(f, f->p_min));
    cJSON_AddItemToArray(entry, measured(f, f->p_kin));
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
            cJSON_AddItemToArray(all, keep(&field[i], cut));
    return all;
}

struct field field_kept(const cJSON *entry)
{
    const cJSON *p = entry->child->next, *verdict = p->next->next;
    const cJSON *evidence = verdict->next->next, *p_min = evidence->next;
    const cJSON *kept_marks = p_min->next->next;
    int marks = kept_marks->valueint;
    bool known = cJSON_IsNumber(p), legal_known = cJSON_IsNumber(p->next);
    return (struct field){
        .pointer = entry->child->valuestring,
        .p = known ? p->valuedouble : 1,
        .p_legal = legal_known ? p->next->valuedouble : 1,
        .p_min = known ? p_min->valuedouble : 1,
        .p_kin = known ? p_min->next->valuedouble : 1,
        .n_token = kept_marks->next->valueint,
        .unmeasured = !known,
        .legal_unknown = known && !legal_known,
        .dropped = marks & MARK_DROPPED,
        .is_null = marks & MARK_NULL,
        .stray = marks & MARK_STRAY,
        .is_figure = marks & MARK_FIGURE,
        .confirmed = marks & MARK_CONFIRMED,
        .denied = marks & MARK_DENIED,
        .verdict = (enum field_verdict)verdict->valueint,
        .page = verdict->next->valueint,
        .evidence = *evidence->valuestring ? evidence->valuestring : NULL};
}

cJSON *field_keep_both(const cJSON *first, const cJSON *rest)
{
    struct field a = field_kept(first), b = field_kept(rest);
    struct field both = b.p < a.p ? b : a;
    struct buf text = buf_limit(EVIDENCE_MAX);
    both.pointer = a.pointer;
    both.page = a.page ? a.page : b.page;
    both.is_null = a.is_null && b.is_null;
    both.stray = a.stray || b.stray;
    both.confirmed = a.confirmed && b.confirmed;
    both.denied = a.denied || b.denied;
    both.verdict = a.verdict == FIELD_AGREE ? b.verdict : a.verdict;
    if (a.evidence && b.evidence) {
        buf_add(&text, a.evidence, strlen(a.evidence) - 1);
        buf_print(&text, ",%s", b.evidence + 1);
    } else if (a.evidence || b.evidence) {
        buf_add_text(&text, a.evidence ? a.evidence : b.evidence);
    }
    both.evidence = text.size && !text.full ? text.data : NULL;
    cJSON *entry = keep(&both, 0);
    buf_free(&text);
    return entry;
}

/* The word for a verdict, or NULL where there is none. */
static const char *verdict_name(enum field_verdict verdict)
{
    static const char *const name[] = {NULL, "agree", "differ", "unseen",
                                       "derived"};
    return name[verdict];
}

cJSON *field_of_record(const struct field *f, const struct trust *trust)
{
    const char *verdict = verdict_name(f->verdict);
    cJSON *o = cJSON_CreateObject();
    if (!f->unmeasured) {
        cJSON_AddItemToObject(o, "p", rounded(f->p));
        if (!f->legal_unknown)
            cJSON_AddItemToObject(o, "p_legal", rounded(f->p_legal));
    }
    cJSON_AddItemToObject(o, "confidence", rounded(trust_confidence(f, trust)));
    if (verdict) cJSON_AddStringToObject(o, "verdict", verdict);
    if (f->page) cJSON_AddItemToObject(o, "page", json_new_integer(f->page));
    if (f->evidence)
        cJSON_AddItemToObject(o, "evidence", cJSON_CreateRaw(f->evidence));
    return o;
}

void field_unfold(cJSON *fields)
{
    for (cJSON *f = fields ? fields->child : NULL; f; f = f->next) {
        struct err none = {0};
        const cJSON *raw = json_get(f, "evidence");
        if (!cJSON_IsRaw(raw)) continue;
        cJSON *tree = json_parse(span_of(raw->valuestring), &none);
        cJSON_ReplaceItemInObjectCaseSensitive(f, "evidence", tree);
    }
}
