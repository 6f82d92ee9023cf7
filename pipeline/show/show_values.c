/* show_values.c - see show_values.h. */
#include "pipeline/show/show_values.h"

#include <stdlib.h>
#include <string.h>

#include "stages/record/review_items.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { TEXT_MAX = 1 << 22 };

static int integer_of(const cJSON *number)
{
    return cJSON_IsNumber(number) ? number->valueint : 0;
}

int show_values_page(const cJSON *record, int i)
{
    return integer_of(
        json_get(cJSON_GetArrayItem(json_get(record, "pages"), i), "number"));
}

static bool has_warning(const cJSON *record, const char *pointer)
{
    const cJSON *w = NULL;
    cJSON_ArrayForEach(w, json_get(record, "warnings"))
    {
        if (!strcmp(json_get_text_or_empty(w, "pointer"), pointer)) return true;
    }
    return false;
}

/* Confidence of the value, or its p; -1: unknown. */
static double confidence_or_p(const cJSON *field)
{
    const cJSON *n = json_get(field, "confidence");
    if (!cJSON_IsNumber(n)) n = json_get(field, "p");
    return cJSON_IsNumber(n) ? n->valuedouble : -1;
}

static bool is_ambiguous(const cJSON *field)
{
    const cJSON *first = json_get(field, "evidence");
    first = first ? first->child : NULL;
    return !strcmp(json_get_text_or_empty(first, "match"), "ambiguous");
}

static enum annotate_level level_of(const cJSON *record, const cJSON *field,
                                    double review_threshold)
{
    const char *verdict = json_get_text_or_empty(field, "verdict");
    double weight = confidence_or_p(field);
    if (review_items_is_corrected(field)) return ANNOTATE_SURE;
    if (!strcmp(verdict, "differ")) return ANNOTATE_WRONG;
    bool agreed = !strcmp(verdict, "agree");
    if ((weight < 0 && !agreed) || (weight >= 0 && weight < review_threshold) ||
        is_ambiguous(field) || has_warning(record, field->string))
        return ANNOTATE_DOUBT;
    return ANNOTATE_SURE;
}

static double number_value(const cJSON *item)
{
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Adds the boxes of a field's evidence on the page. */
static void add_boxes(const cJSON *field, int page, struct arena *arena,
                      struct annotate_mark *mark)
{
    const cJSON *evidence = json_get(field, "evidence"), *e = NULL;
    size_t n = (size_t)cJSON_GetArraySize(evidence);
    struct box *box = arena_array(arena, n + 1, sizeof *box);
    mark->box = box;
    cJSON_ArrayForEach(e, evidence)
    {
        const cJSON *b = json_get(e, "box");
        if (integer_of(json_get(e, "page")) != page) continue;
        if (cJSON_GetArraySize(b) != 4) continue;
        const cJSON *x = b->child, *y = x->next, *w = y->next;
        box[mark->n_box++] =
            (struct box){number_value(x), number_value(y), number_value(w),
                         number_value(w->next)};
    }
}

/* Is the field on the page? A field without a page is on the first. */
static bool is_on(const cJSON *record, const cJSON *field, int page)
{
    const cJSON *evidence = json_get(field, "evidence"), *e = NULL;
    int own = integer_of(json_get(field, "page"));
    if (own == page) return true;
    cJSON_ArrayForEach(e, evidence)
    {
        if (integer_of(json_get(e, "page")) == page) return true;
    }
    return !own && page == show_values_page(record, 0);
}

/* The e-invoice's different value, or NULL. */
static const char *e_invoice_text(const cJSON *field)
{
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, json_get(field, "evidence"))
    {
        if (!strcmp(json_get_text_or_empty(e, "match"), "different"))
            return json_get_text(e, "text");
    }
    return NULL;
}

static const char *shown_text(const cJSON *value, const cJSON *field,
                              struct arena *arena)
{
    const char *instead = e_invoice_text(field);
    struct buf text = buf_limit(TEXT_MAX);
    if (cJSON_IsString(value))
        buf_add_text(&text, value->valuestring);
    else
        json_print(&text, value, 0);
    if (instead) buf_print(&text, " (e-invoice: %s)", instead);
    const char *copy = text.full ? "" : arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

void show_values_of(const cJSON *record, int page, double review_threshold,
                    struct arena *arena, struct show_values *out)
{
    const cJSON *fields = json_get(record, "fields"), *f = NULL;
    size_t n = 0;
    cJSON_ArrayForEach(f, fields) n += is_on(record, f, page);
    *out = (struct show_values){
        .mark = arena_array(arena, n + 1, sizeof *out->mark)};
    cJSON_ArrayForEach(f, fields)
    {
        if (!is_on(record, f, page)) continue;
        const cJSON *value =
            json_pointer_find(json_get(record, "data"), f->string);
        if (!value || cJSON_IsNull(value)) continue;
        struct annotate_mark mark = {.name = f->string + (*f->string == '/'),
                                     .value = shown_text(value, f, arena),
                                     .level =
                                         level_of(record, f, review_threshold)};
        add_boxes(f, page, arena, &mark);
        out->mark[out->n++] = mark;
    }
}
