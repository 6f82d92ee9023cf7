/* page_lines.c - the lines of print of a page, against which its rows are checked
 * (long_inside.h), and pages without.
 *
 * Without words nothing tells whether a row is missing. The record says so, with
 * the number of lines that are printed there and of rows that were read.
 */
#include <string.h>

#include "stages/long/long_document.h"
#include "stages/long/long_inside.h"
#include "stages/pixels/rotate90.h"
#include "vlm/json/json.h"

bool page_lines_can_ask(const struct long_document *w)
{
    return w->plan->n_array &&
           !engine_facts(w->r->context->engine)->prompt_is_keys;
}

void page_lines_read(struct long_document *w, int index)
{
    struct document_run *r = w->r;
    struct text_lines lines;
    if (w->table_read) return;
    const struct page_seen *seen = page_words_get(r->words, index);
    w->table_read = true;
    w->by_ocr = page_words_may_err(seen);
    if (!seen->words.n_word) return;
    text_lines_of_upright(&seen->words, r->doc->scratch, &lines);
    w->quarters = lines.quarters;
    page_table_of_lines(&lines, r->doc->scratch, &w->table);
}

struct page_table page_lines_of_part(const struct long_document *w,
                                     const struct part *part,
                                     struct arena *arena)
{
    const struct page_table *all = &w->table;
    const struct page *page = &w->r->doc->page[part->index];
    bool *keep = arena_array(arena, (size_t)all->n_line + 1, sizeof *keep);
    for (int i = 0; i < all->n_line; i++) {
        const struct line *l = all->line[i].print;
        struct box middle = {l->x, l->y + l->h / 2, l->w, 0};
        double y = prepare_from_straight(page, middle).y;
        keep[i] = y >= part->top && (y < part->bottom || part->bottom >= 1);
        if (w->quarters) keep[i] = !part->depth;
    }
    return page_table_some(all, keep, arena);
}

struct box page_lines_box(const struct long_document *w,
                          const struct page *page, struct box displayed)
{
    return w->quarters ? rotate90_back(displayed, w->quarters)
                       : prepare_page_to_straight(page, displayed);
}

/* --- pages without words ------------------------------------------------------- */

/* Not for engines whose rows are never checked: the embedded model, and the null
 * engine. */
static bool is_checked(const struct document_run *r)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    return !facts->prompt_is_keys && strcmp(facts->name, "null") != 0;
}

void page_lines_gap_add(cJSON *gaps, int page, const char *text)
{
    cJSON *gap = cJSON_CreateObject();
    cJSON_AddItemToObject(gap, "page", json_new_integer(page));
    cJSON_AddStringToObject(gap, "text", text ? text : "");
    cJSON_AddItemToArray(gaps, gap);
}

void page_lines_unchecked_add(cJSON *gaps, int page, int n_line, int n_row)
{
    cJSON *gap = cJSON_CreateObject();
    cJSON_AddItemToObject(gap, "page", json_new_integer(page));
    cJSON_AddTrueToObject(gap, "unchecked");
    cJSON_AddItemToObject(gap, "lines", json_new_integer(n_line));
    if (n_row >= 0) cJSON_AddItemToObject(gap, "rows", json_new_integer(n_row));
    cJSON_AddItemToArray(gaps, gap);
}

bool page_lines_allow_unchecked(const struct long_document *w, int index)
{
    const struct page_words *words = w->r->words;
    return page_lines_can_ask(w) && is_checked(w->r) &&
           (!page_words_of_layer(words, index)->n_word ||
            page_words_are_ocr(words, index));
}

void page_lines_unchecked_end_page(struct long_document *w,
                                   const struct drawn_page *d)
{
    struct document_run *r = w->r;
    if (err_failed(r->err) || !page_lines_can_ask(w) || !is_checked(r)) return;
    page_lines_read(w, d->index);
    if (!w->table.n_line && d->n_line)
        page_lines_unchecked_add(w->gaps, r->doc->page[d->index].number,
                                 d->n_line, w->n_unchecked);
}

void long_document_count_lines(struct document_run *r,
                               const struct page_view *view, int index)
{
    struct document *doc = r->doc;
    if (!is_checked(r) || page_words_of_layer(r->words, index)->n_word) return;
    if (!r->print_lines)
        r->print_lines = arena_array(doc->arena, (size_t)doc->n_page,
                                     sizeof *r->print_lines);
    r->print_lines[index] = page_view_n_line(view, r->err);
}
