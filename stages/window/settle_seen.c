/* settle_seen.c - is one answer about all pages what their ink shows, where nobody
 * reads them? (windows.h) The pages are laid end to end, as in settle_whole.c. */
#include "stages/window/settle.h"

#include "stages/window/windows.h"
#include "vlm/base/json.h"

void windows_see(struct reading *r, const struct image *image, int index)
{
    struct document *doc = r->doc;
    if (engine_facts(r->desk->engine)->outline || doc->page[index].blank ||
        page_reader_by_second(r->reader, index) ||
        page_reader_of_layer(r->reader, index)->n_word)
        return;
    if (!r->ink)
        r->ink = arena_array(doc->arena, (size_t)doc->n_page, sizeof *r->ink);
    ink_sheet_read(image, doc->arena, &r->ink[index], r->err);
}

/* Of the sheets, or of what they are where all letters are as broad. */
static const struct ink_sheet *sheet_of(const struct reading *r, int page,
                                        bool even)
{
    return even ? r->ink[page].even : &r->ink[page];
}

/* The sheets one below the other; NULL: they are not alike, or there is none. */
static struct ink_sheet *join(const struct reading *r, bool even,
                              struct arena *arena)
{
    struct ink_sheet *all = arena_array(arena, 1, sizeof *all);
    int n = 0, n_page = 0;
    for (int i = 0; i < r->doc->n_page; i++)
        if (r->ink[i].even) n += sheet_of(r, i, even)->n_line;
    all->line = arena_array(arena, (size_t)n + 1, sizeof *all->line);
    for (int i = 0; i < r->doc->n_page; i++) {
        if (r->doc->page[i].blank) continue;
        if (!r->ink[i].even) return NULL;
        const struct ink_sheet *own = sheet_of(r, i, even);
        if (n_page++ && own->width != all->width) return NULL;
        all->width = own->width;
        for (int l = 0; l < own->n_line; l++) {
            struct ink_line *line = &all->line[all->n_line++];
            *line = own->line[l];
            line->page = i;
            line->top += all->height;
            line->foot += all->height;
        }
        all->height += own->height;
        if (own->letter > all->letter) all->letter = own->letter;
    }
    all->even = all;
    return all->n_line ? all : NULL;
}

bool settle_is_again(const cJSON *entries, const struct ink_found *found,
                     int row)
{
    const cJSON *own = json_get(cJSON_GetArrayItem(entries, row), "row");
    const cJSON *e = NULL;
    int r = 0;
    if (found->line_of_row[row] >= 0) return false;
    cJSON_ArrayForEach(e, entries)
    {
        if (r++ != row && found->line_of_row[r - 1] >= 0 &&
            json_equal(json_get(e, "row"), own))
            return true;
    }
    return false;
}

/* The tables while they are held against the pages, one after another. */
struct seen_pages {
    const struct ink_sheet *sheet;
    struct ink_table last; /* that was found */
    bool *taken, *open;    /* of each line: by a row; it looks like one */
    bool lacking;
};

/* What a table's rows take is no other's. False: nobody can tell, and so of those
 * that follow. */
static bool find_table(const struct settling *s, struct seen_pages *p,
                       int array)
{
    static const struct ink_table none;
    cJSON *rows = settle_rows_of(s->entries[array]);
    int n = cJSON_GetArraySize(rows);
    struct ink_given given = {.rows = rows,
                              .taken = p->taken,
                              .before = &none,
                              .strict = true,
                              .told = p->last.n_column ? &p->last : NULL};
    struct ink_found found;
    ink_find(p->sheet, &given, s->arena, &found);
    cJSON_Delete(rows);
    if (!found.trusted) return false;
    ink_keep_between(p->sheet, &found);
    p->last = found.table;
    for (int r = 0; r < n; r++)
        p->lacking |= settle_is_again(s->entries[array], &found, r);
    for (int l = 0; l < p->sheet->n_line; l++) {
        p->open[l] |= found.looks[l];
        p->taken[l] |= found.row_of_line[l] >= 0;
    }
    return true;
}

bool settle_seen_lacks(const struct settling *s)
{
    bool done[PLAN_ARRAY_MAX] = {false};
    struct ink_sheet *sheet = join(s->w->r, false, s->arena);
    if (!sheet) return false;
    sheet->even = join(s->w->r, true, s->arena);
    size_t room = (size_t)sheet->n_line + 1;
    struct seen_pages p = {.sheet = sheet,
                           .taken = arena_array(s->arena, room, sizeof(bool)),
                           .open = arena_array(s->arena, room, sizeof(bool))};
    for (int a; (a = settle_largest(s->w, s->entries, done)) >= 0;
         done[a] = true)
        if (!find_table(s, &p, a)) break;
    for (int l = 0; l < sheet->n_line; l++)
        p.lacking |= p.open[l] && !p.taken[l];
    return p.lacking;
}
