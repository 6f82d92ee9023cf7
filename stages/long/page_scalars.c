/* page_scalars.c - which pages are asked for all values, not for rows alone
 * (long_inside.h). */
#include "stages/long/long_inside.h"
#include "stages/long/plan/page_relevance.h"
#include "stages/print/thresholds.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { FIT_PAGES_MAX = 16 }; /* asked for all values because of their text */

/* The schema of a value that is still null, or NULL. */
static const cJSON *node_of(const struct schema *s, const char *pointer)
{
    const cJSON *node = schema_root(s);
    struct span token;
    while (node && json_pointer_next(&pointer, &token))
        node = json_pointer_step(
            json_get(schema_follow_nullable(s, node), "properties"), token);
    return node;
}

/* Whether the page's text mentions a value that no page has given yet. */
static bool fits_scalars(struct long_document *w, const struct words *words)
{
    if (!words->n_word || w->n_fit == FIT_PAGES_MAX) return false;
    cJSON *open = cJSON_CreateObject(), *wrap = cJSON_CreateObject();
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, w->scalars)
    {
        const cJSON *node = node_of(w->plan->source, entry->string);
        if (node && cJSON_IsNull(json_get(entry, "value")))
            cJSON_AddItemToObject(open, node->string,
                                  cJSON_Duplicate(node, true));
    }
    cJSON_AddItemToObject(wrap, "properties", open);
    struct arena *own = arena_new();
    struct page_relevance *m =
        page_relevance_new(schema_root(w->plan->source), wrap, own);
    bool fits =
        page_relevance(m, words) * cJSON_GetArraySize(open) >= page_fit_least;
    arena_free(own);
    cJSON_Delete(wrap);
    return fits;
}

bool page_scalars_wanted(struct long_document *w, const struct drawn_page *d,
                         bool *fits)
{
    const struct plan *plan = w->plan;
    bool first = w->n_shown == 0 && d == w->drawn;
    *fits = false;
    if (!plan->rows) return plan->has_scalars || plan->row_is_page;
    if (first || d->index == w->r->doc->n_page - 1) return true;
    return *fits = fits_scalars(w, page_words_of_layer(w->r->words, d->index));
}
