/* review_items.c - see review_items.h. */
#include "stages/record/review_items.h"

#include <stdlib.h>
#include <string.h>

#include "vlm/base/text_table.h"
#include "vlm/json/json.h"

bool review_items_is_corrected(const cJSON *field)
{
    return !strcmp(json_get_text_or_empty(field, "source"), "person");
}

/* Codes of warnings, by pointer. */
static void index_warnings(const cJSON *record, struct arena *arena,
                           struct text_table *code)
{
    const cJSON *w = NULL;
    cJSON_ArrayForEach(w, json_get(record, "warnings"))
    {
        const cJSON *pointer = json_get(w, "pointer");
        const cJSON *name = json_get(w, "code");
        if (cJSON_IsString(pointer) && cJSON_IsString(name))
            text_table_put(code, arena, pointer->valuestring,
                           name->valuestring);
    }
}

static double confidence_or_p(const cJSON *field)
{
    const cJSON *n = json_get(field, "confidence");
    if (!cJSON_IsNumber(n)) n = json_get(field, "p");
    if (!cJSON_IsNumber(n)) return 1;
    return n->valuedouble < 0 ? 0 : n->valuedouble > 1 ? 1 : n->valuedouble;
}

const char *review_items_why(const cJSON *field, const char *code, bool unread,
                             double review_threshold)
{
    if (review_items_is_corrected(field)) return NULL;
    if (code) return code;
    if (unread) return "unread";
    if (!strcmp(json_get_text_or_empty(field, "verdict"), "differ"))
        return "differ";
    return confidence_or_p(field) < review_threshold ? "low-confidence" : NULL;
}

static int page_number(const cJSON *field)
{
    const cJSON *page = json_get(field, "page");
    return cJSON_IsNumber(page) && page->valueint > 0 ? page->valueint : 0;
}

/* The line and x of the value's first place on its page. */
static void set_place(struct doubt *d, const cJSON *field)
{
    const cJSON *e = NULL;
    d->line = DOUBT_NOWHERE;
    cJSON_ArrayForEach(e, json_get(field, "evidence"))
    {
        const cJSON *box = json_get(e, "box");
        if (page_number(e) != d->page || cJSON_GetArraySize(box) != 4) continue;
        const cJSON *x = box->child, *y = x->next, *h = y->next->next;
        d->x = x->valuedouble;
        d->line = (int)(100 * (y->valuedouble + h->valuedouble / 2));
        return;
    }
}

/* By page, those without a page last; on a page by line, then left to right. */
static int by_page(const void *a, const void *b)
{
    const struct doubt *x = a, *y = b;
    if (!x->page != !y->page) return x->page ? -1 : 1;
    if (x->page != y->page) return x->page < y->page ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->x < y->x || x->x > y->x) return x->x < y->x ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static void add_item(struct review_items *out, struct doubt doubt)
{
    if (doubt.weight < out->worst) out->worst = doubt.weight;
    doubt.place = out->n;
    out->doubt[out->n++] = doubt;
}

void review_items_of(const cJSON *record, double review_threshold,
                     struct arena *arena, struct review_items *out)
{
    const cJSON *fields = json_get(record, "fields"), *f = NULL;
    struct text_table code = {0};
    bool unread = !strcmp(json_get_text_or_empty(record, "verdict"), "unread");
    size_t n = (size_t)cJSON_GetArraySize(fields);
    *out = (struct review_items){
        .doubt = arena_array(arena, n + 1, sizeof *out->doubt), .worst = 1};
    index_warnings(record, arena, &code);
    cJSON_ArrayForEach(f, fields)
    {
        const char *why = review_items_why(f, text_table_find(&code, f->string),
                                           unread, review_threshold);
        if (!why) continue;
        struct doubt doubt = {.pointer = f->string,
                              .why = why,
                              .weight = confidence_or_p(f),
                              .page = page_number(f)};
        set_place(&doubt, f);
        add_item(out, doubt);
    }
    if (out->n) qsort(out->doubt, (size_t)out->n, sizeof *out->doubt, by_page);
    bool gaps = cJSON_GetArraySize(json_get(record, "gaps")) > 0;
    if (gaps || (!out->n && cJSON_IsTrue(json_get(record, "review"))))
        add_item(out, (struct doubt){.pointer = "",
                                     .why = gaps ? "gaps" : "review",
                                     .weight = 0.5});
}
