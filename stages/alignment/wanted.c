/* wanted.c - see wanted.h. */
#include "stages/alignment/wanted.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/check_digits.h"
#include "stages/alignment/unit.h"
#include "stages/print/thresholds.h"
#include "vlm/base/buf.h"
#include "vlm/json/json_pointer.h"

/* --- pointers */

static bool is_index(struct span token)
{
    return json_pointer_index(token) >= 0;
}

/* Sets the value's row and key, after the last index of its pointer, and its
 * names. */
static void read_pointer(struct alignment *l, struct wanted_value *a)
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
    a->n_meaning = meaning_of_text(name, true, 1, a->meaning);
    if (above.size)
        a->n_path = meaning_of_text(json_pointer_text(above, l->arena), true, 1,
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
static void number_tables(struct alignment *l)
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
static int column_among(const struct alignment *l, const struct wanted_value *a,
                        int n, int *next)
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
static void number_columns(struct alignment *l)
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
    uint32_t own[MEANINGS_MAX];
    int n = meaning_of_text(a->asked->title, false, 1, own);
    for (int i = 0; i < n; i++) {
        bool known = a->n_meaning == MEANINGS_MAX;
        for (int k = 0; k < a->n_meaning && !known; k++)
            known = a->meaning[k] == own[i];
        if (!known) a->meaning[a->n_meaning++] = own[i];
    }
    meaning_join(a->meaning, &a->n_meaning);
    a->n_loose = meaning_of_text(a->asked->description, false,
                                 DESCRIPTION_LEAST, a->loose);
}

/* Whether the description begins with that word: "Number of the invoice". */
static bool is_described_as(const struct wanted_value *a, const char *word)
{
    return a->n_loose && a->loose[0] == meaning_of(word);
}

/* The kind of a value, or that of a null by its schema and names. */
static unsigned kind_of(const struct wanted_value *a)
{
    const cJSON *value = a->asked->value;
    if (cJSON_IsNumber(value) || (cJSON_IsNull(value) && a->asked->number))
        return KIND_AMOUNT;
    if (a->asked->date || wanted_has_meaning(a, "date")) return KIND_DATE;
    if (cJSON_IsNull(value))
        return wanted_has_meaning(a, "number") || is_described_as(a, "number")
                   ? KIND_CODE
                   : KIND_TEXT;
    if (!cJSON_IsString(value)) return 0;
    return unit_is_code(value->valuestring) ? KIND_CODE : KIND_TEXT;
}

/* The kind of document is a role of its date and its number. */
static void add_document(struct wanted_value *a)
{
    uint32_t own[MEANINGS_MAX];
    int n = meaning_of_text(a->asked->document, false, 1, own);
    if (a->table >= 0 || !(a->kind & (KIND_DATE | KIND_CODE))) return;
    for (int i = 0; i < n && a->n_path < MEANINGS_MAX; i++)
        if (meaning_is_role(own[i])) a->path[a->n_path++] = own[i];
}

static void add_names(struct alignment *l, const struct wanted_value *a)
{
    for (int i = 0; i < a->n_meaning; i++) {
        bool known = false;
        for (int k = 0; k < l->n_name && !known; k++)
            known = l->name[k] == a->meaning[i];
        if (!known) l->name[l->n_name++] = a->meaning[i];
    }
}

void wanted_read(struct alignment *l, const struct leaf_value *asked)
{
    l->name = arena_array(l->arena, (size_t)l->n_asking * MEANINGS_MAX + 1,
                          sizeof *l->name);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        a->asked = &asked[i];
        a->chosen = -1;
        read_pointer(l, a);
        add_title(a);
        a->kind = kind_of(a);
        add_document(a);
        wanted_read_roles(a);
        add_names(l, a);
    }
    number_tables(l);
    number_columns(l);
}

/* --- check digits */

/* Whether the value is named as an identifier whose check digits are wrong. */
bool wanted_fails_check_digits(const struct wanted_value *a)
{
    static const struct {
        const char *name, *other;
        enum check_digits_of kind;
    } known[] = {
        {"iban", NULL, CHECK_DIGITS_IBAN},   {"gtin", NULL, CHECK_DIGITS_GTIN},
        {"ean", NULL, CHECK_DIGITS_GTIN},    {"isbn", NULL, CHECK_DIGITS_ISBN},
        {"tax", "number", CHECK_DIGITS_VAT}, {"number", NULL, CHECK_DIGITS_RF}};
    const char *text = a->asked->value->valuestring;
    if (!cJSON_IsString(a->asked->value) || a->kind != KIND_CODE) return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].kind != CHECK_DIGITS_RF || a->table < 0) &&
            wanted_has_meaning(a, known[i].name) &&
            (!known[i].other || wanted_has_meaning(a, known[i].other)) &&
            !check_digits_are_right(text, known[i].kind))
            return true;
    return false;
}

bool wanted_has_meaning(const struct wanted_value *a, const char *word)
{
    uint32_t own = meaning_of(word);
    for (int i = 0; i < a->n_meaning; i++)
        if (a->meaning[i] == own) return true;
    return false;
}

void wanted_read_roles(struct wanted_value *a)
{
    unsigned own = meaning_roles(a->meaning, a->n_meaning) |
                   meaning_roles(a->path, a->n_path);
    uint32_t due = meaning_of("due"), total = meaning_of("total");
    if (a->kind == KIND_AMOUNT &&
        meaning_shared(a->meaning, a->n_meaning, &due, 1))
        own |= meaning_roles(&total, 1);
    a->roles = meaning_roles_of_kind(own, a->kind);
    a->excused = a->roles | meaning_roles_of_kind(
                                meaning_roles(a->loose, a->n_loose), a->kind);
}

/* 1: the label names the value, with or without what it is part of. */
double wanted_fit(const struct wanted_value *a, const struct label_words *p)
{
    uint32_t all[2 * MEANINGS_MAX];
    size_t n = (size_t)a->n_meaning, more = (size_t)a->n_path;
    memcpy(all, a->meaning, n * sizeof *all);
    memcpy(all + n, a->path, more * sizeof *all);
    return fmax(meaning_fit(a->meaning, a->n_meaning, p),
                more ? meaning_fit(all, (int)(n + more), p) : 0);
}
