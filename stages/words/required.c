/* required.c - values that the schema demands and nothing decides (words_inside.h).
 *
 * Without them there is no record at all, and what was found is lost with it. So they
 * get what a model would have to write as well: the print that fits best, the only
 * value that the schema admits, or what stands for nothing. They are always doubtful.
 */
#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "stages/words/scalar_labels.h"
#include "vlm/json/json.h"

static const char no_currency[] = {'X', 'X', 'X', '\0'}; /* ISO 4217 */

/* Print that the slot could be. */
struct required_print {
    const char *text;
    double fit; /* less than 0: it is used */
};

static void consider(const struct words_reading *r, const struct leaf_slot *s,
                     const char *text, int first, int last,
                     struct required_print *best)
{
    double fit = -1;
    if (text && words_print_is_free(r, first, last))
        fit = scalar_labels_fit_all(r, s, first, last);
    if (!text || (best->text && fit <= best->fit) || !slots_admit(r, s, text))
        return;
    *best = (struct required_print){text, fit};
}

static void consider_figures(const struct words_reading *r,
                             const struct leaf_slot *s,
                             struct required_print *best)
{
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        bool date = f->canon.kind == CANON_DATE;
        if (r->is_part[i] || date != (s->kind == SLOT_DATE) ||
            (date ? !f->canon.year : f->percent != (s->kind == SLOT_PERCENT)))
            continue;
        consider(r, s,
                 date ? words_print_date(r, f) : words_print_number(r, s, f),
                 f->piece->token, f->piece[f->n_piece - 1].token, best);
    }
}

static void consider_cells(const struct words_reading *r,
                           const struct leaf_slot *s,
                           struct required_print *best)
{
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        int first = t, last = end - 1;
        if (s->kind == SLOT_CODE) {
            while (first < last && !words_print_has_digit(r, first, first))
                first++;
            if (!words_print_has_digit(r, first, last)) continue;
        } else if (label_begins_at(&r->l, t)) {
            continue;
        }
        consider(r, s, words_print_text(r, first, last), first, last, best);
    }
}

/* What the schema admits without any print; NULL: it is not known. */
static cJSON *without_print(const struct words_reading *r,
                            const struct leaf_slot *s)
{
    const cJSON *node = schema_follow_nullable(r->schema, s->node);
    const cJSON *list = json_get(node, "enum");
    cJSON *any[] = {cJSON_Duplicate(json_get(node, "const"), true),
                    cJSON_Duplicate(list ? list->child : NULL, true),
                    cJSON_CreateFalse(),
                    cJSON_CreateString(""),
                    cJSON_CreateString(no_currency),
                    cJSON_CreateNumber(0)};
    cJSON *value = NULL;
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        if (!value && any[i] && schema_admits(r->schema, s->node, any[i]))
            value = any[i];
        else
            cJSON_Delete(any[i]);
    return value;
}

static cJSON *with_print(const struct words_reading *r,
                         const struct leaf_slot *s)
{
    struct required_print best = {.text = NULL};
    struct leaf_slot filled = *s;
    if (slots_is_figure(s->kind))
        consider_figures(r, s, &best);
    else if (s->kind == SLOT_CODE || s->kind == SLOT_TEXT ||
             s->kind == SLOT_ADDRESS)
        consider_cells(r, s, &best);
    filled.text = best.text;
    return best.text ? slots_value(&filled) : NULL;
}

/* Fills in the member of the object, if it is null, but must not be. In a row of an
 * array an empty cell is nothing, and no other print. */
static void demand(struct words_reading *r, cJSON *object,
                   const struct leaf_slot *s, int row)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(object, s->key);
    if (!s->required || !cJSON_IsNull(own) ||
        schema_admits(r->schema, s->node, own))
        return;
    cJSON *value = row < 0 ? with_print(r, s) : NULL;
    if (!value) value = without_print(r, s);
    if (!value) return;
    cJSON_ReplaceItemInObjectCaseSensitive(object, s->key, value);
    words_print_note(r, s, row, demanded);
    r->n_demanded++;
}

void required_fill_in(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        cJSON *element = NULL;
        int row = 0;
        if (s->array < 0) {
            demand(r, s->parent, s, -1);
            continue;
        }
        const struct slot_array *a = &r->array[s->array];
        cJSON_ArrayForEach(element, a->array)
        {
            cJSON *own = s->parent == a->row ? element
                                             : cJSON_GetObjectItemCaseSensitive(
                                                   element, s->parent->string);
            demand(r, own, s, row++);
        }
    }
}
