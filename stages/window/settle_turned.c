/* settle_turned.c - a page turned round, where nobody knows the lines of its rows
 * (settle_bands.h).
 *
 * A reader errs at the edges of what he is shown. So the page is cut between two
 * lines and shown once more, its lower half first: what stood at its edges stands
 * in the middle then.
 */
#include "stages/window/settle_bands.h"
#include "stages/window/turned.h"
#include "vlm/base/json.h"

enum { ROWS_LEAST = 3, CUTS = 4 };

/* Where the page is cut, in pixels, below the head that is shown with each part. */
struct page_cut {
    int head, at;
};

static struct page_cut cut_above(const struct inking *s, int line)
{
    return (struct page_cut){settle_head(s, 1, s->sheet->height),
                             settle_between(s, line)};
}

static cJSON *ask_cut(struct inking *s, struct page_cut cut)
{
    struct page_strip strip[] = {{.from = cut.at, .to = s->sheet->height},
                                 {.from = cut.head, .to = cut.at}};
    struct page_band band = {.head = cut.head, .strip = strip, .n_strip = 2};
    return cut.at > cut.head ? settle_ask_strips(s, &band) : NULL;
}

/* The part of the page's lines that stands below the cut. */
static double lower_part(const struct inking *s, struct page_cut cut)
{
    int n = 0, n_below = 0;
    for (int l = 0; l < s->sheet->n_line; l++) {
        if (s->taken[l] || s->sheet->line[l].top < cut.head) continue;
        n++;
        n_below += s->sheet->line[l].top >= cut.at;
    }
    return n ? (double)n_below / n : 0;
}

static bool is_among(const cJSON *entries, const cJSON *entry)
{
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        if (json_equal(json_get(e, "row"), json_get(entry, "row"))) return true;
    }
    return false;
}

static cJSON *first_of(cJSON *entries)
{
    return cJSON_DetachItemFromArray(entries, 0);
}

/* The rows become those, but for the rest of one above them. */
static void replace(struct inking *s, cJSON *rest, cJSON *rows)
{
    for (int r = cJSON_GetArraySize(s->entries) - 1; r >= 0; r--)
        if (!is_among(rows, cJSON_GetArrayItem(s->entries, r)))
            settle_drop(s, r, "it was not given again");
    while (s->entries->child)
        cJSON_Delete(first_of(s->entries));
    if (rest) cJSON_AddItemToArray(s->entries, rest);
    while (rows->child)
        cJSON_AddItemToArray(s->entries, first_of(rows));
}

/* Whether what is given where the page is cut there tells all about the table. */
static bool hear_cut(struct inking *s, int line)
{
    struct page_cut cut = cut_above(s, line);
    bool open;
    cJSON *late = ask_cut(s, cut);
    cJSON *rest = s->rest ? first_of(s->entries) : NULL;
    for (int i = cJSON_GetArraySize(late) - 1; rest && i >= 0; i--)
        if (json_equal(json_get(rest, "row"),
                       json_get(cJSON_GetArrayItem(late, i), "row")))
            cJSON_DeleteItemFromArray(late, i);
    cJSON *rows = turned_rows(s->entries, late, lower_part(s, cut), &open);
    if (rows)
        replace(s, rest, rows);
    else if (rest)
        settle_insert(s->entries, 0, rest);
    bool told = rows != NULL && !open;
    cJSON_Delete(rows);
    cJSON_Delete(late);
    return told;
}

void settle_turned(struct inking *s)
{
    static const double at[CUTS] = {0.5, 0.75, 0.3, 0.88}; /* of its lines */
    size_t n_line = (size_t)s->sheet->n_line + 1;
    int *line = arena_array(s->arena, n_line, sizeof *line), n = 0;
    if (cJSON_GetArraySize(s->entries) < ROWS_LEAST) return;
    for (int l = 0; l < s->sheet->n_line; l++)
        if (!s->taken[l]) line[n++] = l;
    for (int i = 0; i < CUTS && n && !err_failed(s->w->r->err); i++)
        if (hear_cut(s, line[(int)(at[i] * n)])) break;
    if (s->entries->child) settle_ink_find(s);
}
