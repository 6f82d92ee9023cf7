/* locate.c - see locate.h. */
#include "stages/evidence/locate.h"

#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "vlm/base/buf.h"
#include "vlm/json/json_pointer.h"

enum { DESCRIPTION_LEAST = 5 /* letters of a significant word */ };

/* --- pointers */

static bool is_index(struct span token)
{
    return json_pointer_index(token) >= 0;
}

/* Sets the value's row and key, after the last index of its pointer, and its
 * names. */
static void read_pointer(struct value_search *l, struct wanted_value *a)
{
    const char *at = a->asked->pointer;
    struct span token, last = {"", 0}, above = {"", 0};
    a->table = a->row = -1;
    a->key = at;
    while (json_pointer_next(&at, &token)) {
        if (is_index(token)) {
            a->key = at;
            continue;
        }
        above = last;
        last = token;
    }
    const char *name = json_pointer_text(last, l->arena);
    a->n_concept = locate_concepts(name, true, 1, a->concept);
    if (above.size)
        a->n_path = locate_concepts(json_pointer_text(above, l->arena), true, 1,
                                    a->path);
    a->kin = a->key == a->asked->pointer && above.size
                 ? json_pointer_text(above, l->arena)
                 : "";
}

static size_t row_size(const struct wanted_value *a)
{
    return (size_t)(a->key - a->asked->pointer);
}

/* The pointer to the value's row, its indexes replaced by stars; "": none. */
static const char *shape_of(const struct wanted_value *a, struct arena *arena)
{
    const char *at = a->asked->pointer;
    struct buf text = buf_limit(1 << 20);
    struct span token;
    while (at < a->key && json_pointer_next(&at, &token)) {
        buf_add_text(&text, "/");
        if (is_index(token))
            buf_add_text(&text, "*");
        else
            buf_add(&text, token.data, token.size);
    }
    const char *shape = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return shape;
}

/* The rows of arrays with the same shape: those of nested arrays are one
 * table. */
struct table_shape {
    const char *shape;
    const struct wanted_value *last;
    int n_row;
    bool holds_table; /* its rows contain arrays */
};

/* Numbers the tables by their shapes, and rows from the first of each. The rows
 * of the outer of two nested arrays are no table: their values are scalars,
 * each among its own rows. */
static void number_tables(struct value_search *l)
{
    size_t n = (size_t)l->n_asking;
    struct table_shape *all = arena_array(l->arena, n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        struct wanted_value *a = &l->asking[i];
        int t = 0;
        if (!row_size(a)) continue;
        const char *shape = shape_of(a, l->arena);
        while (t < l->n_table && strcmp(all[t].shape, shape) != 0)
            t++;
        if (t == l->n_table)
            all[l->n_table++] = (struct table_shape){.shape = shape};
        const struct wanted_value *last = all[t].last;
        bool same =
            last && row_size(last) == row_size(a) &&
            !strncmp(last->asked->pointer, a->asked->pointer, row_size(a));
        if (!same) all[t].n_row++;
        all[t].last = a;
        a->table = t;
        a->row = all[t].n_row - 1;
    }
    for (int t = 0; t < l->n_table; t++)
        for (int k = 0; k < l->n_table; k++)
            all[t].holds_table |= k != t && !strncmp(all[k].shape, all[t].shape,
                                                     strlen(all[t].shape));
    for (size_t i = 0; i < n; i++) {
        struct wanted_value *a = &l->asking[i];
        if (a->table < 0 || !all[a->table].holds_table) continue;
        struct span row = {a->asked->pointer, row_size(a)};
        a->table = a->row = -1;
        a->kin = a->among = arena_copy(l->arena, row);
        a->key = a->asked->pointer;
    }
}

/* The column of the key among the first `n` values, or -1; *next: number of
 * columns of its table there. */
static int column_among(const struct value_search *l,
                        const struct wanted_value *a, int n, int *next)
{
    int column = -1;
    *next = 0;
    for (int k = 0; k < n && column < 0; k++) {
        const struct wanted_value *other = &l->asking[k];
        if (other->table != a->table || other->column < 0) continue;
        if (!strcmp(other->key, a->key)) column = other->column;
        if (other->column >= *next) *next = other->column + 1;
    }
    return column;
}

/* Numbers the columns of each table by their keys, in order of first use; a key
 * with nulls only has none. */
static void number_columns(struct value_search *l)
{
    int next;
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        a->column = -1;
        if (cJSON_IsNull(a->asked->value)) continue;
        a->column = column_among(l, a, i, &next);
        if (a->column < 0) a->column = next;
    }
    for (int i = 0; i < l->n_asking; i++)
        if (cJSON_IsNull(l->asking[i].asked->value))
            l->asking[i].column =
                column_among(l, &l->asking[i], l->n_asking, &next);
}

static void add_title(struct wanted_value *a)
{
    uint32_t own[CONCEPTS_MAX];
    int n = locate_concepts(a->asked->title, false, 1, own);
    for (int i = 0; i < n; i++) {
        bool known = a->n_concept == CONCEPTS_MAX;
        for (int k = 0; k < a->n_concept && !known; k++)
        known = a->concept[k] == own[i];
        if (!known) a->concept[a->n_concept++] = own[i];
    }
    a->n_loose = locate_concepts(a->asked->description, false,
                                 DESCRIPTION_LEAST, a->loose);
}

/* The kind of a value, or that of a null by its schema and names. */
static unsigned kind_of(const struct wanted_value *a)
{
    const cJSON *value = a->asked->value;
    if (cJSON_IsNumber(value) || (cJSON_IsNull(value) && a->asked->number))
        return LOCATE_AMOUNT;
    if (a->asked->date || locate_has_concept(a, "date")) return LOCATE_DATE;
    if (cJSON_IsNull(value))
        return locate_has_concept(a, "number") ? LOCATE_CODE : LOCATE_TEXT;
    if (!cJSON_IsString(value)) return 0;
    return locate_is_code(value->valuestring) ? LOCATE_CODE : LOCATE_TEXT;
}

/* The kind of document is a role of its date and its number. */
static void add_document(struct wanted_value *a)
{
    uint32_t own[CONCEPTS_MAX];
    int n = locate_concepts(a->asked->document, false, 1, own);
    if (a->table >= 0 || !(a->kind & (LOCATE_DATE | LOCATE_CODE))) return;
    for (int i = 0; i < n && a->n_path < CONCEPTS_MAX; i++)
        if (locate_is_role(own[i])) a->path[a->n_path++] = own[i];
}

static void add_names(struct value_search *l, const struct wanted_value *a)
{
    for (int i = 0; i < a->n_concept; i++) {
        bool known = false;
        for (int k = 0; k < l->n_name && !known; k++)
        known = l->name[k] == a->concept[i];
        if (!known) l->name[l->n_name++] = a->concept[i];
    }
}

void locate_read_asked(struct value_search *l, const struct locate_asked *asked)
{
    l->name = arena_array(l->arena, (size_t)l->n_asking * CONCEPTS_MAX + 1,
                          sizeof *l->name);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        a->asked = &asked[i];
        a->chosen = -1;
        read_pointer(l, a);
        add_title(a);
        a->kind = kind_of(a);
        add_document(a);
        locate_read_roles(a);
        add_names(l, a);
    }
    number_tables(l);
    number_columns(l);
}

/* --- the result */

static int n_lines(const struct value_search *l, const struct occurrence *c)
{
    int n = 1;
    for (int i = 1; i < c->n_piece; i++)
        n += l->table.token[c->piece[i].token].line !=
             l->table.token[c->piece[i - 1].token].line;
    return n;
}

static void grow(struct box *box, struct box other)
{
    double right = box->x + box->w, foot = box->y + box->h;
    if (other.x + other.w > right) right = other.x + other.w;
    if (other.y + other.h > foot) foot = other.y + other.h;
    if (other.x < box->x) box->x = other.x;
    if (other.y < box->y) box->y = other.y;
    box->w = right - box->x;
    box->h = foot - box->y;
}

/* The pieces from `first` on that are on one line; *next is after them. */
static struct locate_line line_of(const struct value_search *l,
                                  const struct occurrence *c, int first,
                                  int *next)
{
    const struct token *token = &l->table.token[c->piece[first].token];
    int line = token->line, i = first;
    struct locate_line out = {.box =
                                  page_table_place(&l->table, &c->piece[first]),
                              .line = line,
                              .source = l->page[token->page].words->source,
                              .confidence = token->place->confidence};
    for (; i < c->n_piece && l->table.token[c->piece[i].token].line == line;
         i++) {
        const struct word *word = l->table.token[c->piece[i].token].place;
        grow(&out.box, page_table_place(&l->table, &c->piece[i]));
        if (word->confidence < out.confidence)
            out.confidence = word->confidence;
    }
    out.text = locate_printed(l, c->piece + first, i - first);
    *next = i;
    return out;
}

struct locate_place locate_place_of(const struct value_search *l,
                                    const struct occurrence *c)
{
    struct locate_line *line =
        arena_array(l->arena, (size_t)n_lines(l, c), sizeof *line);
    int n = 0;
    for (int i = 0; i < c->n_piece;)
        line[n++] = line_of(l, c, i, &i);
    return (struct locate_place){
        .page = l->page[l->table.token[c->piece->token].page].number,
        .line = line,
        .n_line = n,
        .match = c->match,
        .distance = c->distance};
}

static void report(const struct value_search *l, const struct wanted_value *a,
                   struct located *out)
{
    struct locate_place *place =
        arena_array(l->arena, LOCATE_PLACES_MAX, sizeof *place);
    *out = (struct located){place, 0, a->doubt, a->overlooked};
    if (a->chosen >= 0)
        place[out->n_place++] = locate_place_of(l, &a->candidate[a->chosen]);
    for (int i = 0; a->chosen < 0 && i < a->n_candidate; i++)
        if (!a->candidate[i].away && out->n_place < LOCATE_PLACES_MAX)
            place[out->n_place++] = locate_place_of(l, &a->candidate[i]);
}

void locate_values(const struct numbered_words *page, int n_page,
                   const struct locate_asked *asked, int n_asked,
                   struct arena *arena, struct located *out)
{
    struct value_search l = {.page = page, .n_page = n_page, .arena = arena};
    l.n_asking = n_asked;
    l.asking = arena_array(arena, (size_t)n_asked + 1, sizeof *l.asking);
    page_table_of_pages(page, n_page, arena, &l.table);
    locate_read_asked(&l, asked);
    for (int i = 0; i < n_asked; i++) {
        struct wanted_value *a = &l.asking[i];
        if (cJSON_IsString(asked[i].value)) locate_text(&l, a);
        if (cJSON_IsString(asked[i].value) || cJSON_IsNumber(asked[i].value))
            locate_figure(&l, a);
        if (!a->n_candidate) locate_fuzzy(&l, a);
    }
    locate_rows(&l);
    locate_choose(&l);
    locate_doubt(&l);
    locate_named(&l);
    for (int i = 0; i < n_asked; i++)
        report(&l, &l.asking[i], &out[i]);
}
