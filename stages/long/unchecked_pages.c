/* unchecked_pages.c - pages with print of which no words are known (long_inside.h).
 *
 * Without words nothing tells whether a row is missing. The record says so, with
 * the number of lines that are printed there and of rows that were read.
 */
#include "stages/long/check/check_rows.h"

#include <string.h>

#include "stages/long/long_document.h"
#include "vlm/json/json.h"

/* Not of engines whose rows are not checked anyway: the embedded model's, and those
 * of the null engine, which reads nothing. */
static bool is_checked(const struct document_run *r)
{
    const struct engine_facts *facts = engine_facts(r->desk->engine);
    return !facts->outline && strcmp(facts->name, "null") != 0;
}

void unchecked_pages_add(cJSON *gaps, int page, int n_line, int n_row)
{
    cJSON *gap = cJSON_CreateObject();
    cJSON_AddItemToObject(gap, "page", json_new_integer(page));
    cJSON_AddTrueToObject(gap, "unchecked");
    cJSON_AddItemToObject(gap, "lines", json_new_integer(n_line));
    if (n_row >= 0) cJSON_AddItemToObject(gap, "rows", json_new_integer(n_row));
    cJSON_AddItemToArray(gaps, gap);
}

bool unchecked_pages_may_be(const struct windows *w, int index)
{
    const struct page_words *reader = w->r->reader;
    return check_rows_asks(w) && is_checked(w->r) &&
           (!page_words_of_layer(reader, index)->n_word ||
            page_words_are_ocr(reader, index));
}

void unchecked_pages_end_page(struct windows *w, const struct drawn *d)
{
    struct document_run *r = w->r;
    if (err_failed(r->err) || !check_rows_asks(w) || !is_checked(r)) return;
    long_document_read_table(w, d->index);
    int n_line =
        w->table.n_line || !d->lines ? 0 : page_view_n_line(d->view, r->err);
    if (n_line)
        unchecked_pages_add(w->gaps, r->doc->page[d->index].number, n_line,
                            w->n_unchecked);
}

void long_document_count_lines(struct document_run *r,
                               const struct page_view *view, int index)
{
    struct document *doc = r->doc;
    if (!is_checked(r) || page_words_of_layer(r->reader, index)->n_word) return;
    if (!r->print_lines)
        r->print_lines = arena_array(doc->arena, (size_t)doc->n_page,
                                     sizeof *r->print_lines);
    r->print_lines[index] = page_view_n_line(view, r->err);
}
