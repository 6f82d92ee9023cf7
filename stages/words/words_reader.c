/* words_reader.c - see words_reader.h. */
#include "stages/words/words_reader.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/words/words_inside.h"

/* Reads the pages, as alignment_of_values does. */
static void read_pages(struct words_reading *r)
{
    struct alignment *l = &r->l;
    page_table_of_pages(l->page, l->n_page, r->arena, &l->table);
    size_t n_token = (size_t)l->table.n_token + 1;
    l->claim_of = arena_array(r->arena, n_token, sizeof *l->claim_of);
    for (int t = 0; t < l->table.n_token; t++)
        l->claim_of[t] = -1;
    l->of_table =
        arena_array(r->arena, (size_t)l->table.n_line + 1, sizeof *l->of_table);
    r->row_left =
        arena_array(r->arena, (size_t)l->table.n_line + 1, sizeof *r->row_left);
    r->row_right = arena_array(r->arena, (size_t)l->table.n_line + 1,
                               sizeof *r->row_right);
    r->used = arena_array(r->arena, n_token, sizeof *r->used);
    words_print_index(r);
}

static void fill_in(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (s->array < 0 && s->text)
            cJSON_ReplaceItemInObjectCaseSensitive(s->parent, s->key,
                                                   slots_value(s));
    }
}

/* All lines of the pages, for a schema that asks for nothing else. */
static void add_lines(struct words_reading *r)
{
    for (int i = 0; r->lines && i < r->l.table.n_line; i++)
        cJSON_AddItemToArray(
            r->lines, cJSON_CreateString(r->l.table.line[i].print->text));
}

/* Leaves out nulls that the schema does not admit. */
static void leave_out(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(s->parent, s->key);
        if (s->array < 0 && cJSON_IsNull(own) &&
            !schema_admits(r->schema, s->node, own))
            cJSON_DeleteItemFromObjectCaseSensitive(s->parent, s->key);
    }
}

/* Takes the rows of nulls that the leaves were read from out of the arrays. */
static void detach_rows(struct words_reading *r)
{
    for (int i = 0; i < r->n_array; i++)
        cJSON_DetachItemViaPointer(r->array[i].array, r->array[i].row);
}

/* The box of the tokens on the page as displayed. */
static struct box box_of(const struct words_reading *r, int first, int last)
{
    const struct page_table *t = &r->l.table;
    double left = 1, top = 1, right = 0, foot = 0;
    for (int i = first; i <= last; i++) {
        struct piece whole = {i, 0, (int)strlen(t->token[i].place->text)};
        struct box one = page_table_place(t, &whole);
        left = fmin(left, one.x);
        top = fmin(top, one.y);
        right = fmax(right, one.x + one.w);
        foot = fmax(foot, one.y + one.h);
    }
    return (struct box){left, top, right - left, foot - top};
}

/* Notes what was found outside of arrays. */
static void note_found(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (s->array >= 0 || !s->text) continue;
        const struct token *token = alignment_token(&r->l, s->first);
        const char *text = words_print_text(r, s->first, s->last);
        *ARENA_ADD(r->kept, r->found, r->n_found) = (struct words_found){
            .pointer = arena_text(r->kept, "%s", s->wanted->asked->pointer),
            .page = r->l.page[token->page].number,
            .box = box_of(r, s->first, s->last),
            .text = arena_text(r->kept, "%s", text),
            .p = words_print_chance(r, s, s->by)};
    }
}

struct words_answer words_reader_read(const struct schema *schema,
                                      const struct numbered_words *page,
                                      int n_page, struct arena *arena)
{
    struct words_reading r = {
        .schema = schema, .arena = arena_new(), .kept = arena};
    r.l = (struct alignment){.page = page, .n_page = n_page, .arena = r.arena};
    cJSON *value = slots_of_schema(&r);
    detach_rows(&r);
    read_pages(&r);
    tables_read(&r);
    labelled_read(&r.l);
    blocks_read(&r);
    scalars_read(&r);
    note_found(&r);
    fill_in(&r);
    add_lines(&r);
    leave_out(&r);
    for (int i = 0; i < r.n_array; i++)
        cJSON_Delete(r.array[i].row);
    struct words_answer out = {value, r.found, r.n_found, 0, 0};
    for (int i = 0; i < r.n_slot; i++) {
        out.n_wanted += r.slot[i].array < 0 && r.slot[i].kind != SLOT_NONE;
        out.n_scalar += r.slot[i].array < 0 && r.slot[i].text;
    }
    arena_free(r.arena);
    return out;
}
