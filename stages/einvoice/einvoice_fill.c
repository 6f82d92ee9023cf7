/* einvoice_fill.c - see einvoice_fill.h. */
#include "stages/einvoice/einvoice_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/children/wire/packed_invoice.h"
#include "stages/einvoice/einvoice_value.h"
#include "vlm/base/buf.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum {
    DEPTH_MAX = 16,
    POINTER_MAX = 1 << 16,
    LIST_MAX = 400,  /* bytes of a list in a warning */
    SHOWN_MAX = 60,  /* bytes of a value in a warning */
    RIVALS_MAX = 16, /* further ones are no evidence, but warned of */
    DECIMALS_MAX = 10
};

enum {
    TERM_TYPE = 3,
    TERM_PROCESS = 23,
    TERM_GUIDELINE = 24,
    TERM_VAT_OF_SELLER = 31,
    TERM_TAX_OF_SELLER = 32,
    TERM_TOTAL = 112,
    TERM_PAYABLE = 115,
    TERM_TAX_BASE = 116,
    TERM_ATTACHMENT = 122,
    TERM_ATTACHED_URI = 124,
    TERM_ATTACHED_FILE = 125,
    TERM_QUANTITY = 129,
    TERM_PRICE = 146,
    TERM_PRICE_QUANTITY = 149
};

/* The values from..to of a line or row, or of the rest. */
struct range {
    int from, to;
};

struct fill {
    struct document *doc;
    const struct invoice *invoice;
    const char *called;    /* the schema's title or name */
    const int *line_start; /* first value of each line, from 1 */
    const int *row_start;  /* the same of rows */
    int n_line, n_row;
    struct range scope; /* of the current line or row; empty: the rest */
    bool in_line, in_row;
    bool *used; /* for each value of the invoice */
    int *taker; /* for each: the number of its field, from 1; 0: none */
    int n_used;
    const cJSON *above[DEPTH_MAX]; /* schemas of the groups around it */
    struct buf pointer;            /* of the current value */
    struct buf lacking;            /* pointers of fields that are null */
    struct arena *arena;
};

/* --- the invoice ----------------------------------------------------------- */

static void index_values(struct fill *f)
{
    int *line = arena_array(f->arena, INVOICE_LINES_MAX + 2, sizeof *line);
    int *row = arena_array(f->arena, INVOICE_LINES_MAX + 2, sizeof *row);
    for (int i = f->invoice->n - 1; i >= 0; i--) {
        const struct invoice_value *v = &f->invoice->value[i];
        line[v->line] = row[v->row] = i;
        if (v->line > f->n_line) f->n_line = v->line;
        if (v->row > f->n_row) f->n_row = v->row;
    }
    f->line_start = line;
    f->row_start = row;
}

/* The first value with this term in the current line or row, or -1. The values
 * of one are consecutive. */
static int find_term(const struct fill *f, int term)
{
    const struct invoice_value *value = f->invoice->value;
    for (int i = f->scope.from; i < f->scope.to; i++)
        if (value[i].term == term &&
            (f->in_line || f->in_row || (!value[i].line && !value[i].row)))
            return i;
    return -1;
}

static void enter_line(struct fill *f, int line)
{
    int from = f->line_start[line], to = from;
    while (to < f->invoice->n && f->invoice->value[to].line == line)
        to++;
    f->scope = (struct range){from, to};
}

static void enter_row(struct fill *f, int row)
{
    int from = f->row_start[row], to = from;
    while (to < f->invoice->n && f->invoice->value[to].row == row)
        to++;
    f->scope = (struct range){from, to};
}

static void leave_row(struct fill *f)
{
    f->in_line = f->in_row = false;
    f->scope = (struct range){0, f->invoice->n};
}

static void use(struct fill *f, int i)
{
    f->n_used += !f->used[i];
    f->used[i] = true;
}

/* --- fields ---------------------------------------------------------------- */

static const char *pointer_of(struct fill *f)
{
    return f->pointer.size ? buf_span(&f->pointer).data : "";
}

/* Adds the field of the current value: of the invoice's values `at`, or a null
 * (n 0). */
static void add_field(struct fill *f, const int *at, int n)
{
    struct document *doc = f->doc;
    struct evidence *all = NULL;
    if (n) all = arena_array(doc->arena, (size_t)n, sizeof *all);
    for (int i = 0; i < n; i++) {
        const struct invoice_value *v = &f->invoice->value[at[i]];
        all[i] = (struct evidence){.text = v->text,
                                   .source = EVIDENCE_E_INVOICE,
                                   .match = EVIDENCE_EXACT,
                                   .term = v->term,
                                   .xpath = v->path};
        use(f, at[i]);
        f->taker[at[i]] = doc->n_field + 1;
    }
    struct field *field = document_add_field(doc);
    *field = (struct field){
        .pointer = arena_copy(doc->arena, span_of(pointer_of(f))),
        .p = 1,
        .p_legal = 1,
        .unmeasured = true,
        .is_null = !n,
        .print_p = 1, /* the file is what was sent: nothing was recognised */
        .evidence = all,
        .n_evidence = n};
}

/* Notes the current pointer as null; rows count once, with a star. */
static void note_lacking(struct fill *f)
{
    struct buf name = buf_limit(POINTER_MAX);
    const char *at = pointer_of(f);
    struct span token;
    while (json_pointer_next(&at, &token)) {
        buf_add_text(&name, "/");
        if (json_pointer_index(token) >= 0)
            buf_add_text(&name, "*");
        else
            buf_add(&name, token.data, token.size);
    }
    const char *own = name.size ? buf_span(&name).data : "/";
    char *entry = arena_text(f->arena, ", %s,", own);
    struct buf *all = &f->lacking;
    if (!all->size) buf_add_text(all, ",");
    if (!strstr(buf_span(all).data, entry + 1)) {
        buf_cut(all, all->size - 1);
        buf_add_text(all, all->size ? entry : entry + 1);
    }
    buf_free(&name);
}

/* --- values ----------------------------------------------------------------- */

static bool admits(const struct fill *f, const cJSON *node, cJSON *value)
{
    return value && schema_admits(f->doc->schema, node, value);
}

/* The price of one unit, from that of a quantity: exact, or to ten decimals. */
static bool divide_price(struct exact_sum *price, const char *quantity,
                         struct arena *arena)
{
    struct einvoice_value q =
        einvoice_value_of_text(quantity, INVOICE_NUMBER, arena);
    if (!q.is_exact || q.exact.n <= 0) return false;
    int64_t n = price->n, by = q.exact.n;
    int scale = price->scale - q.exact.scale;
    for (; scale < 0 || (n % by && scale < DECIMALS_MAX); scale++) {
        if (n > INT64_MAX / 20 || n < INT64_MIN / 20) return false;
        n *= 10;
    }
    int64_t rest = n % by;
    bool up = rest && llabs(rest) >= by - llabs(rest);
    *price = (struct exact_sum){n / by + (up ? (n < 0 ? -1 : 1) : 0), scale};
    return true;
}

/* The quantity that a price is for, or -1: of one unit. */
static int find_base(const struct fill *f, int at)
{
    if (f->invoice->value[at].term != TERM_PRICE) return -1;
    return find_term(f, TERM_PRICE_QUANTITY);
}

static cJSON *number_of(struct fill *f, int at)
{
    struct einvoice_value own = einvoice_value_of_text(
        f->invoice->value[at].text, INVOICE_NUMBER, f->arena);
    int base = find_base(f, at);
    if (!own.is_exact) return NULL;
    if (base >= 0 &&
        !divide_price(&own.exact, f->invoice->value[base].text, f->arena))
        return NULL;
    struct buf text = buf_limit(64);
    exact_sum_print(own.exact, &text);
    cJSON *number = json_new_number(buf_span(&text).data);
    buf_free(&text);
    return number;
}

static cJSON *text_without_blanks(const char *text, struct arena *arena)
{
    char *out = arena_copy(arena, span_of(text)), *to = out;
    for (const char *c = text; *c; c++)
        if (*c != ' ') *to++ = *c;
    *to = '\0';
    return cJSON_CreateString(out);
}

/* The value as the node wants it, or NULL if it does not allow it. */
static cJSON *convert(struct fill *f, const cJSON *node, int at)
{
    const struct invoice_value *v = &f->invoice->value[at];
    cJSON *value = NULL;
    if (einvoice_terms_kind(v->term) == INVOICE_NUMBER)
        value = number_of(f, at);
    if (admits(f, node, value)) return value;
    cJSON_Delete(value);
    value = cJSON_CreateString(v->text);
    if (admits(f, node, value)) return value;
    cJSON_Delete(value);
    value = text_without_blanks(v->text, f->arena);
    if (admits(f, node, value)) return value;
    cJSON_Delete(value);
    return NULL;
}

static struct einvoice_terms terms_here(struct fill *f)
{
    const char *pointer = pointer_of(f);
    return f->in_row ? einvoice_terms_of_row(pointer, f->called)
                     : einvoice_terms_of(pointer, f->called, f->in_line);
}

/* Later terms of a name are what a page can have in its place; here only the
 * first is meant, a tax number for lack of a VAT number, and of a name with two
 * kinds ("due") the one that the schema allows. */
static bool is_meant(const struct einvoice_terms *t, int k)
{
    int first = t->term[0], term = t->term[k];
    return k == 0 ||
           (first == TERM_VAT_OF_SELLER && term == TERM_TAX_OF_SELLER) ||
           einvoice_terms_kind(first) != einvoice_terms_kind(term);
}

static cJSON *fill_nothing(struct fill *f)
{
    add_field(f, NULL, 0);
    note_lacking(f);
    return cJSON_CreateNull();
}

/* "Weg 1, 10115 Berlin, DE", or NULL without any part. */
static cJSON *fill_address(struct fill *f, const cJSON *node)
{
    struct einvoice_terms t =
        einvoice_terms_of_address(pointer_of(f), f->called);
    struct buf text = buf_limit(POINTER_MAX);
    int at[EINVOICE_TERMS_MAX], n = 0;
    bool postcode = false;
    for (int i = 0; i < t.n; i++) {
        int found = find_term(f, t.term[i]);
        if (found < 0) continue;
        if (text.size) buf_add_text(&text, postcode ? " " : ", ");
        buf_add_text(&text, f->invoice->value[found].text);
        postcode = i == 3;
        at[n++] = found;
    }
    cJSON *value = n ? cJSON_CreateString(buf_span(&text).data) : NULL;
    buf_free(&text);
    if (admits(f, node, value)) {
        add_field(f, at, n);
        return value;
    }
    cJSON_Delete(value);
    return NULL;
}

/* What the rows of an array are: the terms that one of them has. */
struct item_rows {
    bool lines;
    int first, last; /* of rows that are no lines; 0: none are known */
};

/* The size of what a warning shows of a value. */
static int shown(const char *text)
{
    size_t n = strlen(text);
    return (int)(n > SHOWN_MAX ? utf8_cut(text, SHOWN_MAX) : n);
}

static void warn_of_unfit(struct fill *f, const struct invoice_value *v)
{
    document_warn(f->doc,
                  &(struct warning){.code = WARN_E_INVOICE_UNFIT,
                                    .pointer = pointer_of(f)},
                  "review %s: the schema does not allow the e-invoice's "
                  "\"%.*s\" (BT-%d)",
                  pointer_of(f), shown(v->text), v->text, v->term);
}

/* Of the file's own fault: every invoice has the value. */
static void warn_of_incomplete(struct fill *f, const struct einvoice_terms *t)
{
    if (!t->n || !einvoice_terms_required(t->term[0])) return;
    document_warn(f->doc,
                  &(struct warning){.code = WARN_E_INVOICE_INCOMPLETE,
                                    .pointer = pointer_of(f)},
                  "review %s: the e-invoice has no BT-%d, which EN 16931 "
                  "requires",
                  pointer_of(f), t->term[0]);
}

/* The same of a group of which every invoice has at least one. */
static void warn_of_no_rows(struct fill *f, const struct item_rows *rows)
{
    bool taxes = rows->first == TERM_TAX_BASE;
    if (!rows->lines && !taxes) return;
    document_warn(f->doc,
                  &(struct warning){.code = WARN_E_INVOICE_INCOMPLETE,
                                    .pointer = pointer_of(f)},
                  "review %s: the e-invoice has no %s, which EN 16931 requires",
                  pointer_of(f),
                  taxes ? "VAT breakdown (BG-23)" : "invoice line (BG-25)");
}

static cJSON *fill_leaf(struct fill *f, const cJSON *node)
{
    struct einvoice_terms t = terms_here(f);
    cJSON *value = NULL;
    int unfit = -1;
    for (int k = 0; k < t.n; k++) {
        int at = is_meant(&t, k) ? find_term(f, t.term[k]) : -1;
        if (at < 0) continue;
        value = convert(f, node, at);
        if (value) {
            int base = find_base(f, at);
            add_field(f, (int[]){at, base}, 1 + (base >= 0));
            return value;
        }
        if (unfit < 0) unfit = at;
    }
    if (unfit < 0 && !f->in_line && !f->in_row) value = fill_address(f, node);
    if (value) return value;
    if (unfit < 0) {
        warn_of_incomplete(f, &t);
        return fill_nothing(f);
    }
    use(f, unfit);
    add_field(f, NULL, 0);
    warn_of_unfit(f, &f->invoice->value[unfit]);
    return cJSON_CreateNull();
}

/* --- the schema -------------------------------------------------------------- */

static cJSON *fill_node(struct fill *f, const cJSON *node, int depth);

static bool is_required(const cJSON *node, const char *name)
{
    const cJSON *one = NULL;
    cJSON_ArrayForEach(one, json_get(node, "required"))
    {
        if (cJSON_IsString(one) && !strcmp(one->valuestring, name)) return true;
    }
    return false;
}

static cJSON *fill_object(struct fill *f, const cJSON *node, int depth)
{
    cJSON *object = cJSON_CreateObject(), *value;
    const cJSON *property = NULL;
    size_t size = f->pointer.size;
    cJSON_ArrayForEach(property, json_get(node, "properties"))
    {
        int n_field = f->doc->n_field;
        json_pointer_add(&f->pointer, property->string);
        value = fill_node(f, property, depth + 1);
        /* what may be left out is left out where null is not allowed */
        if (cJSON_IsNull(value) && !is_required(node, property->string) &&
            !admits(f, property, value)) {
            cJSON_Delete(value);
            f->doc->n_field = n_field;
        } else {
            cJSON_AddItemToObject(object, property->string, value);
        }
        buf_cut(&f->pointer, size);
    }
    return object;
}

/* An array whose rows have a quantity, or whose name is that of articles: others
 * with amounts (payments, instalments) are not the lines. */
static bool are_lines(struct fill *f, const cJSON *items)
{
    const cJSON *property = NULL;
    size_t row = f->pointer.size;
    bool quantity = false, named = false;
    int n = 0;
    cJSON_ArrayForEach(property, json_get(items, "properties"))
    {
        json_pointer_add(&f->pointer, property->string);
        struct einvoice_terms t =
            einvoice_terms_of(pointer_of(f), f->called, true);
        quantity |= t.n && t.term[0] == TERM_QUANTITY;
        n += t.n > 0;
        buf_cut(&f->pointer, row);
    }
    named = einvoice_terms_are_lines(pointer_of(f));
    return n && (quantity || named);
}

static struct item_rows rows_of(struct fill *f, const cJSON *items)
{
    const cJSON *property = NULL;
    size_t size = f->pointer.size;
    struct item_rows rows = {.lines = false};
    json_pointer_add_index(&f->pointer, 0);
    size_t row = f->pointer.size;
    rows.lines = are_lines(f, items);
    cJSON_ArrayForEach(property, json_get(items, "properties"))
    {
        json_pointer_add(&f->pointer, property->string);
        struct einvoice_terms t =
            einvoice_terms_of_row(pointer_of(f), f->called);
        if (t.n && !rows.first && !rows.lines)
            rows = t.term[0] >= 116  ? (struct item_rows){false, 116, 121}
                   : t.term[0] >= 99 ? (struct item_rows){false, 99, 105}
                                     : (struct item_rows){false, 92, 98};
        buf_cut(&f->pointer, row);
    }
    buf_cut(&f->pointer, size);
    return rows;
}

static bool is_row_of(const struct fill *f, const struct item_rows *rows)
{
    for (int term = rows->first; term <= rows->last; term++)
        if (find_term(f, term) >= 0) return true;
    return false;
}

static cJSON *fill_array(struct fill *f, const cJSON *node, int depth)
{
    const cJSON *items =
        schema_follow_nullable(f->doc->schema, json_get(node, "items"));
    struct item_rows rows = {.lines = false};
    if (!f->in_line && !f->in_row) rows = rows_of(f, items);
    cJSON *array = cJSON_CreateArray();
    size_t size = f->pointer.size;
    int n = rows.lines ? f->n_line : rows.first ? f->n_row : 0, index = 0;
    for (int i = 1; i <= n; i++) {
        f->in_line = rows.lines;
        f->in_row = !rows.lines;
        if (f->in_line)
            enter_line(f, i);
        else
            enter_row(f, i);
        if (f->in_row && !is_row_of(f, &rows)) continue;
        json_pointer_add_index(&f->pointer, index++);
        cJSON_AddItemToArray(array, fill_node(f, items, depth + 1));
        buf_cut(&f->pointer, size);
    }
    if (n) leave_row(f);
    if (!index) {
        warn_of_no_rows(f, &rows);
        note_lacking(f);
    }
    return array;
}

static cJSON *fill_node(struct fill *f, const cJSON *node, int depth)
{
    const cJSON *own = schema_follow_nullable(f->doc->schema, node);
    bool array = schema_names_type(own, "array");
    bool object =
        schema_names_type(own, "object") || json_get(own, "properties");
    if (!array && !object) return fill_leaf(f, node);
    /* a value inside one of its own kind (a company's parent) is another's */
    for (int i = 0; i < depth; i++)
        if (f->above[i] == own) return fill_nothing(f);
    if (depth == DEPTH_MAX) return fill_nothing(f);
    f->above[depth] = own;
    return array ? fill_array(f, own, depth) : fill_object(f, own, depth);
}

/* --- several values of a term -------------------------------------------------- */

static bool is_same_value(struct fill *f, const struct invoice_value *a,
                          const struct invoice_value *b)
{
    struct exact_sum rest;
    if (!strcmp(a->text, b->text)) return true;
    if (einvoice_terms_kind(a->term) != INVOICE_NUMBER) return false;
    struct einvoice_value one =
        einvoice_value_of_text(a->text, INVOICE_NUMBER, f->arena);
    struct einvoice_value two =
        einvoice_value_of_text(b->text, INVOICE_NUMBER, f->arena);
    return one.is_exact && two.is_exact &&
           exact_sum_subtract(one.exact, two.exact, &rest) && !rest.n;
}

/* Adds the value that the field could have as well to its evidence. */
static void add_rival(struct fill *f, struct field *field,
                      const struct invoice_value *v)
{
    size_t n = (size_t)field->n_evidence;
    if (n >= RIVALS_MAX) return;
    struct evidence *all =
        arena_widen(f->doc->arena, field->evidence, n, n + 1, sizeof *all);
    all[n] = (struct evidence){.text = v->text,
                               .source = EVIDENCE_E_INVOICE,
                               .match = EVIDENCE_DIFFERENT,
                               .term = v->term,
                               .xpath = v->path};
    field->evidence = all;
    field->n_evidence++;
}

/* The file says two things where the schema has one field: which is meant is for
 * a person. */
static void set_against(struct fill *f, int at, int rival)
{
    const struct invoice_value *own = &f->invoice->value[at];
    const struct invoice_value *other = &f->invoice->value[rival];
    struct field *field = &f->doc->field[f->taker[at] - 1];
    use(f, rival);
    if (is_same_value(f, own, other)) return;
    add_rival(f, field, other);
    verdict_dispute(field);
    document_warn(
        f->doc,
        &(struct warning){.code = WARN_E_INVOICE_SEVERAL,
                          .pointer = field->pointer},
        "review %s: the e-invoice has \"%.*s\" (BT-%d) and \"%.*s\" (BT-%d)",
        field->pointer, shown(own->text), own->text, own->term,
        shown(other->text), other->text, other->term);
}

/* Compares values that have a field with those that have none, among the values
 * of one line, of one row, or of neither. */
static void find_several(struct fill *f, int line, int row)
{
    const struct invoice_value *value = f->invoice->value;
    int taken[INVOICE_TERM_MAX + 1] = {0}; /* from 1 */
    for (int i = f->scope.from; i < f->scope.to; i++)
        if (value[i].line == line && value[i].row == row && f->taker[i] &&
            !taken[value[i].term])
            taken[value[i].term] = i + 1;
    /* where it is not the total that is to be paid, and no field says so */
    if (!taken[TERM_PAYABLE]) taken[TERM_PAYABLE] = taken[TERM_TOTAL];
    for (int i = f->scope.from; i < f->scope.to; i++)
        if (value[i].line == line && value[i].row == row && !f->used[i] &&
            taken[value[i].term])
            set_against(f, taken[value[i].term] - 1, i);
}

static void find_all_several(struct fill *f)
{
    find_several(f, 0, 0);
    for (int i = 1; i <= f->n_line; i++) {
        enter_line(f, i);
        find_several(f, i, 0);
    }
    for (int i = 1; i <= f->n_row; i++) {
        enter_row(f, i);
        find_several(f, 0, i);
    }
    leave_row(f);
}

/* --- warnings ----------------------------------------------------------------- */

static bool is_credit_note(const char *type)
{
    static const char *const codes[] = {"81",  "83",  "261", "262",
                                        "296", "308", "381", "396",
                                        "420", "458", "532"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(type, codes[i])) return true;
    return false;
}

static void warn_of_credit_note(struct fill *f)
{
    int at = find_term(f, TERM_TYPE);
    if (at < 0 || !is_credit_note(f->invoice->value[at].text)) return;
    document_warn(f->doc, &(struct warning){.code = WARN_CREDIT_NOTE},
                  "the e-invoice is a credit note (BT-3 is %s); its amounts "
                  "have the sign of the file",
                  f->invoice->value[at].text);
    use(f, at);
}

/* Files in the e-invoice, or linked from it. */
static void warn_of_attachments(struct fill *f)
{
    f->in_row = true;
    for (int row = 1; row <= f->n_row; row++) {
        enter_row(f, row);
        int file = find_term(f, TERM_ATTACHED_FILE);
        int name = file >= 0 ? file : find_term(f, TERM_ATTACHED_URI);
        for (int i = f->scope.from; i < f->scope.to; i++)
            if (f->invoice->value[i].term >= TERM_ATTACHMENT &&
                f->invoice->value[i].term <= TERM_ATTACHED_FILE)
                f->used[i] = true;
        if (name >= 0 && !(file >= 0 && f->doc->attachments_read))
            document_warn(f->doc,
                          &(struct warning){.code = file >= 0
                                                        ? WARN_ATTACHMENTS
                                                        : WARN_CONTENT_UNREAD},
                          "attached to the e-invoice and not read: %s",
                          f->invoice->value[name].text);
    }
    leave_row(f);
}

/* As many warnings as the list ("BT-3, BT-10") needs. */
static void warn_of_list(struct fill *f, enum warning_code code,
                         const char *what, const char *list)
{
    while (*list) {
        size_t n = strlen(list);
        if (n > LIST_MAX) {
            for (n = LIST_MAX; n > 0 && list[n] != ',';)
                n--;
            if (!n) n = strcspn(list, ",");
        }
        document_warn(f->doc, &(struct warning){.code = code}, "%s: %.*s", what,
                      (int)n, list);
        list += n;
        list += strspn(list, ", ");
    }
}

static void warn_of_unmapped(struct fill *f)
{
    struct buf terms = buf_limit(POINTER_MAX);
    bool unused[INVOICE_TERM_MAX + 1] = {false};
    for (int i = 0; i < f->invoice->n; i++)
        unused[f->invoice->value[i].term] |= !f->used[i];
    unused[TERM_PROCESS] = unused[TERM_GUIDELINE] =
        unused[INVOICE_TERM_UNKNOWN] = false;
    for (int term = 1; term <= INVOICE_TERM_MAX; term++)
        if (unused[term])
            buf_print(&terms, "%sBT-%d", terms.size ? ", " : "", term);
    warn_of_list(f, WARN_E_INVOICE_UNMAPPED,
                 "the schema has no field for these terms of the e-invoice",
                 buf_span(&terms).data);
    buf_free(&terms);
}

/* Elements of extensions, and of what EN 16931 leaves out. */
static void warn_of_unknown(struct fill *f)
{
    struct buf paths = buf_limit(LIST_MAX);
    int n = 0;
    for (int i = 0; i < f->invoice->n; i++) {
        const struct invoice_value *v = &f->invoice->value[i];
        if (v->term == INVOICE_TERM_UNKNOWN && n++ < 3)
            buf_print(&paths, "%s%s", paths.size ? ", " : "", v->path);
    }
    if (n)
        document_warn(
            f->doc, &(struct warning){.code = WARN_E_INVOICE_UNMAPPED},
            "not of EN 16931, and without a field: %d value%s, %.*s%s", n,
            n == 1 ? "" : "s", (int)paths.size, paths.data,
            n > 3 ? ", ..." : "");
    buf_free(&paths);
}

static void warn_of_file(struct fill *f)
{
    if (f->lacking.size) {
        buf_cut(&f->lacking, f->lacking.size - 1); /* see note_lacking */
        warn_of_list(f, WARN_E_INVOICE_LACKS, "the e-invoice has no value for",
                     buf_span(&f->lacking).data + 1);
    }
    warn_of_credit_note(f);
    warn_of_attachments(f);
    warn_of_unmapped(f);
    warn_of_unknown(f);
    if (f->invoice->n_dropped)
        document_warn(f->doc, &(struct warning){.code = WARN_CONTENT_UNREAD},
                      "%d values or lines of the e-invoice were left out: "
                      "longer than %d bytes, nested too deeply, or beyond the "
                      "first %d lines",
                      f->invoice->n_dropped, INVOICE_VALUE_MAX,
                      INVOICE_LINES_MAX);
}

void einvoice_fill(struct document *doc, struct err *err)
{
    if (err_failed(err)) return;
    struct fill f = {.doc = doc,
                     .invoice = doc->invoice,
                     .called = schema_title(doc->schema),
                     .pointer = buf_limit(POINTER_MAX),
                     .lacking = buf_limit(POINTER_MAX),
                     .arena = arena_new()};
    index_values(&f);
    leave_row(&f);
    f.used = arena_array(f.arena, (size_t)f.invoice->n + 1, sizeof *f.used);
    f.taker = arena_array(f.arena, (size_t)f.invoice->n + 1, sizeof *f.taker);
    doc->data = fill_node(&f, schema_root(doc->schema), 0);
    find_all_several(&f);
    if (f.n_used)
        warn_of_file(&f);
    else
        err_reason(err, ERR_INPUT, "not-e-invoice",
                   "no value of the e-invoice has a field in the schema %s: "
                   "use a schema for invoices",
                   schema_name(doc->schema));
    buf_free(&f.pointer);
    buf_free(&f.lacking);
    arena_free(f.arena);
}
