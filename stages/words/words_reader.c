/* words_reader.c - see words_reader.h. */
#include "stages/words/words_reader.h"

#include "stages/alignment/label.h"
#include "stages/words/scalar_labels.h"
#include "stages/words/words_inside.h"

/* Reads the pages, and makes room for what is known of each line and token. */
static void read_pages(struct words_reading *r)
{
    struct alignment *l = &r->l;
    alignment_read_pages(l);
    size_t n_line = (size_t)l->table.n_line + 1;
    l->of_table = arena_array(r->arena, n_line, sizeof *l->of_table);
    r->row_left = arena_array(r->arena, n_line, sizeof *r->row_left);
    r->row_right = arena_array(r->arena, n_line, sizeof *r->row_right);
    r->used =
        arena_array(r->arena, (size_t)l->table.n_token + 1, sizeof *r->used);
    words_print_index(r);
    scalar_labels_index(r);
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

static void leave_out_of(const struct words_reading *r,
                         const struct leaf_slot *s, cJSON *object)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(object, s->key);
    if (cJSON_IsNull(own) && !schema_admits(r->schema, s->node, own))
        cJSON_DeleteItemFromObjectCaseSensitive(object, s->key);
}

/* Leaves out nulls that the schema does not admit. */
static void leave_out(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        cJSON *row = NULL;
        if (s->array < 0)
            leave_out_of(r, s, s->parent);
        else if (s->parent == r->array[s->array].row)
            cJSON_ArrayForEach(row, r->array[s->array].array)
                leave_out_of(r, s, row);
    }
}

/* Takes the rows of nulls that the leaves were read from out of the arrays. */
static void detach_rows(struct words_reading *r)
{
    for (int i = 0; i < r->n_array; i++)
        cJSON_DetachItemViaPointer(r->array[i].array, r->array[i].row);
}

/* Where the value stands, in r->kept. */
static struct aligned_value place_of(const struct words_reading *r,
                                     const struct leaf_slot *s)
{
    struct alignment kept = r->l;
    struct print_place *place = arena_alloc(r->kept, sizeof *place);
    struct occurrence c = {
        .piece = words_print_pieces(r, s->first, s->last, r->kept),
        .n_piece = s->last - s->first + 1,
        .match = PRINT_NORMALISED};
    kept.arena = r->kept;
    *place = alignment_place_of(&kept, &c);
    return (struct aligned_value){
        .place = place, .n_place = 1, .overlooked = true};
}

/* Notes what was found outside of arrays. */
static void note_found(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (s->array >= 0 || !s->text) continue;
        *ARENA_ADD(r->kept, r->found, r->n_found) = (struct words_found){
            .pointer = arena_text(r->kept, "%s", s->wanted->asked->pointer),
            .where = place_of(r, s),
            .rival = s->rival ? arena_text(r->kept, "%s", s->rival) : NULL,
            .p = words_print_chance(r, s, s->by)};
    }
}

/* Whether nothing in it is null or empty. */
static bool holds_all(const cJSON *value)
{
    bool all = !cJSON_IsNull(value);
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) return all;
    for (const cJSON *child = value->child; child && all; child = child->next)
        all = holds_all(child);
    return all && value->child;
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
    party_headings_read(&r);
    blocks_read(&r);
    signs_read(&r);
    totals_read_rounded(&r);
    scalars_read(&r);
    totals_read(&r);
    totals_read_period(&r);
    headed_values_read(&r);
    scalars_read_plain_date(&r);
    note_found(&r);
    fill_in(&r);
    add_lines(&r);
    bool is_whole = holds_all(value);
    required_fill_in(&r);
    leave_out(&r);
    for (int i = 0; i < r.n_array; i++)
        cJSON_Delete(r.array[i].row);
    struct words_answer out = {.value = value,
                               .found = r.found,
                               .n_found = r.n_found,
                               .n_demanded = r.n_demanded,
                               .is_whole = is_whole};
    for (int i = 0; i < r.n_slot; i++) {
        out.n_wanted += r.slot[i].array < 0 && r.slot[i].kind != SLOT_NONE;
        out.n_scalar += r.slot[i].array < 0 && r.slot[i].text;
    }
    arena_free(r.arena);
    return out;
}
