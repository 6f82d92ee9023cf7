/* correct.c - see correct.h. */
#include "stages/record/correct.h"

#include <string.h>

#include "stages/record/review_items.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_BYTES_MAX = 1 << 16 };

/* A parsed line. */
struct change {
    const char *pointer;
    struct span parent; /* pointer without its last token */
    struct span token;  /* last token */
    const cJSON *old, *new, *line;
    bool looked; /* the whole record was marked as checked */
    bool told;   /* it is no correction, but a warning about the value `old` */
    int index;   /* index of a row that is added or deleted, else -1 */
    int step;    /* change of the index of later rows: 1, -1 */
    struct arena *arena;
};

static cJSON *member(cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static struct change change_of(const cJSON *line, struct arena *arena)
{
    const char *pointer = json_get_text_or_empty(line, "pointer");
    const char *slash = strrchr(pointer, '/');
    struct change c = {.pointer = pointer,
                       .old = json_get(line, "old"),
                       .new = json_get(line, "new"),
                       .line = line,
                       .index = -1,
                       .arena = arena};
    c.parent = (struct span){pointer, slash ? (size_t)(slash - pointer) : 0};
    c.token = span_of(slash ? slash + 1 : "");
    c.told = json_get(line, "code");
    c.looked = !*pointer && !c.old && !c.new && !c.told;
    return c;
}

/* --- the data ------------------------------------------------------------ */

static void report_misfit(const struct change *c, struct err *err)
{
    err_set(err, ERR_INPUT, "a correction does not fit the record: %.200s",
            c->pointer);
}

/* Inserts a row before the i-th. Not cJSON_InsertItemInArray: in Debian 12
 * (1.7.15 with its fix of 2023) it ignores items that were in no list. */
static void insert_row(cJSON *rows, int i, cJSON *row)
{
    cJSON *at = cJSON_GetArrayItem(rows, i);
    row->next = at;
    row->prev = at->prev;
    at->prev = row;
    if (rows->child == at)
        rows->child = row;
    else
        row->prev->next = row;
}

static void change_row(struct change *c, cJSON *rows, struct err *err)
{
    int n = cJSON_GetArraySize(rows), i = json_pointer_index(c->token);
    bool comes = !c->old && c->new, goes = c->old && !c->new;
    if (i < 0 || i > n || (i == n && !comes) || (!c->old && !c->new)) {
        report_misfit(c, err);
        return;
    }
    if (comes || goes) {
        c->index = i;
        c->step = comes ? 1 : -1;
    }
    if (goes)
        cJSON_DeleteItemFromArray(rows, i);
    else if (i == n)
        cJSON_AddItemToArray(rows, cJSON_Duplicate(c->new, true));
    else if (comes)
        insert_row(rows, i, cJSON_Duplicate(c->new, true));
    else
        cJSON_ReplaceItemInArray(rows, i, cJSON_Duplicate(c->new, true));
}

static void change_member(struct change *c, cJSON *object, struct err *err)
{
    const char *key = json_pointer_text(c->token, c->arena);
    bool is_there = json_get(object, key);
    if (!is_there && (c->old || !c->new))
        report_misfit(c, err);
    else if (!c->new)
        cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    else if (is_there)
        cJSON_ReplaceItemInObjectCaseSensitive(object, key,
                                               cJSON_Duplicate(c->new, true));
    else
        cJSON_AddItemToObject(object, key, cJSON_Duplicate(c->new, true));
}

static void change_data(struct change *c, cJSON **data, struct err *err)
{
    if (c->looked || c->told) return;
    if (!*c->pointer) {
        cJSON *whole = c->new ? cJSON_Duplicate(c->new, true) : NULL;
        if (!whole) report_misfit(c, err);
        if (!whole) return;
        cJSON_Delete(*data);
        *data = whole;
        return;
    }
    const char *parent = arena_copy(c->arena, c->parent);
    cJSON *group = (cJSON *)(uintptr_t)json_pointer_find(*data, parent);
    if (cJSON_IsArray(group))
        change_row(c, group, err);
    else if (cJSON_IsObject(group))
        change_member(c, group, err);
    else
        report_misfit(c, err);
}

void correct_data(cJSON **data, const cJSON *line, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct change c = change_of(line, arena);
    change_data(&c, data, err);
    arena_free(arena);
}

/* --- pointers ------------------------------------------------------------ */

static bool is_below(const char *pointer, struct span top)
{
    return !strncmp(pointer, top.data, top.size) &&
           (!pointer[top.size] || pointer[top.size] == '/');
}

bool correct_meets(const cJSON *line, const char *pointer, bool moves)
{
    struct arena *arena = arena_new();
    struct change change = change_of(line, arena);
    const char *slash = strrchr(pointer, '/');
    struct span parent = {pointer, slash ? (size_t)(slash - pointer) : 0};
    bool came_or_went = *change.pointer && !change.looked && !change.told &&
                        (!change.old || !change.new);
    bool meets = change.looked || !*pointer
                     ? change.looked && !*pointer
                     : is_below(pointer, span_of(change.pointer)) ||
                           is_below(change.pointer, span_of(pointer)) ||
                           (came_or_went && is_below(pointer, change.parent)) ||
                           (moves && is_below(change.pointer, parent));
    arena_free(arena);
    return meets;
}

/* The pointer after the change; NULL: its value was deleted or corrected. */
static const char *moved_pointer(const struct change *c, const char *pointer)
{
    if (c->index < 0)
        return is_below(pointer, span_of(c->pointer)) ? NULL : pointer;
    struct span token;
    const char *at = pointer + c->parent.size;
    if (!is_below(pointer, c->parent) || !json_pointer_next(&at, &token))
        return pointer;
    int index = json_pointer_index(token);
    if (index < c->index) return pointer;
    if (index == c->index && c->step < 0) return NULL;
    return arena_text(c->arena, "%.*s/%d%s", (int)c->parent.size,
                      c->parent.data, index + c->step, at);
}

/* --- fields, warnings, conflicts ----------------------------------------- */

static cJSON *evidence_by_person(const struct change *c)
{
    cJSON *list = cJSON_CreateArray(), *place = cJSON_CreateObject();
    cJSON_AddItemToArray(list, place);
    cJSON_AddItemToObject(place, "page",
                          cJSON_Duplicate(json_get(c->line, "page"), true));
    cJSON_AddItemToObject(place, "box",
                          cJSON_Duplicate(json_get(c->line, "box"), true));
    cJSON_AddStringToObject(place, "source", "person");
    return list;
}

/* Is the place the field's own first evidence? That is kept. */
static bool is_same_place(const cJSON *field, const cJSON *page,
                          const cJSON *box)
{
    const cJSON *list = json_get(field, "evidence");
    const cJSON *first = list ? list->child : NULL;
    const cJSON *at = json_get(first, "box"), *on = json_get(first, "page");
    return at && on && json_equal(at, box) && json_equal(on, page);
}

static void set_evidence(cJSON *field, const struct change *c)
{
    const cJSON *page = json_get(c->line, "page");
    const cJSON *box = json_get(c->line, "box");
    if (!page || !cJSON_IsArray(box) || is_same_place(field, page, box)) return;
    cJSON_DeleteItemFromObjectCaseSensitive(field, "page");
    cJSON_DeleteItemFromObjectCaseSensitive(field, "evidence");
    cJSON_AddItemToObject(field, "page", cJSON_Duplicate(page, true));
    cJSON_AddItemToObject(field, "evidence", evidence_by_person(c));
}

/* The field of a leaf that a person entered. */
static cJSON *field_by_person(const struct change *c)
{
    cJSON *field = cJSON_CreateObject();
    cJSON_AddStringToObject(field, "source", "person");
    set_evidence(field, c);
    return field;
}

/* A person's value has no confidence; the model's p and place are kept. */
static void confirm_field(cJSON *field, const struct change *c)
{
    static const char *const gone[] = {"confidence", "verdict", "source"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(field, gone[i]);
    cJSON_AddStringToObject(field, "source", "person");
    set_evidence(field, c);
}

static void add_leaves(cJSON *fields, const cJSON *value,
                       const struct change *c, struct buf *pointer)
{
    size_t size = pointer->size;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        cJSON_AddItemToObject(fields, buf_span(pointer).data,
                              field_by_person(c));
        return;
    }
    int i = 0;
    for (const cJSON *v = value->child; v; v = v->next) {
        json_pointer_add_child(pointer, value, v, i++);
        add_leaves(fields, v, c, pointer);
        buf_cut(pointer, size);
    }
}

static void add_new_fields(cJSON *fields, struct change *c)
{
    struct buf pointer = buf_limit(POINTER_BYTES_MAX);
    buf_add_text(&pointer, c->pointer);
    if (c->new) add_leaves(fields, c->new, c, &pointer);
    buf_free(&pointer);
}

/* Rebuilds all fields: those of the new value replace those of the old. */
static void rebuild_fields(cJSON *record, struct change *c)
{
    cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(record, "fields");
    cJSON *fields = cJSON_CreateObject();
    bool added = false;
    while (old && old->child) {
        cJSON *f = cJSON_DetachItemViaPointer(old, old->child);
        const char *pointer = moved_pointer(c, f->string);
        if (!added && is_below(f->string, span_of(c->pointer))) {
            add_new_fields(fields, c);
            added = true;
        }
        if (pointer)
            cJSON_AddItemToObject(fields, arena_text(c->arena, "%s", pointer),
                                  f);
        else
            cJSON_Delete(f);
    }
    if (!added) add_new_fields(fields, c);
    cJSON_Delete(old);
    cJSON_AddItemToObject(record, "fields", fields);
}

static bool is_scalar(const cJSON *value)
{
    return value && !cJSON_IsObject(value) && !cJSON_IsArray(value);
}

static void change_fields(cJSON *record, struct change *c)
{
    cJSON *field = member(member(record, "fields"), c->pointer);
    if (!field || c->index >= 0 || !is_scalar(c->new)) {
        rebuild_fields(record, c);
    } else if (c->old && json_equal(c->old, c->new)) {
        confirm_field(field, c);
    } else {
        while (field->child)
            cJSON_Delete(cJSON_DetachItemViaPointer(field, field->child));
        confirm_field(field, c);
    }
}

/* Adjusts the pointers of warnings or conflicts; deletes those about corrected
 * values. */
static void change_list(cJSON *list, const struct change *c)
{
    cJSON *next = NULL;
    for (cJSON *w = list ? list->child : NULL; w; w = next) {
        next = w->next;
        const char *pointer = json_get_text(w, "pointer");
        const char *now = pointer ? moved_pointer(c, pointer) : NULL;
        if (pointer && !now)
            cJSON_Delete(cJSON_DetachItemViaPointer(list, w));
        else if (now != pointer)
            cJSON_ReplaceItemInObjectCaseSensitive(w, "pointer",
                                                   cJSON_CreateString(now));
    }
}

static void drop_empty(cJSON *record, const char *key)
{
    const cJSON *list = json_get(record, key);
    if (list && !list->child)
        cJSON_DeleteItemFromObjectCaseSensitive(record, key);
}

/* Adds the warning of a line that is no correction: the value has to be confirmed
 * again. False: there is another value now. */
static bool add_warning(cJSON *record, const struct change *c)
{
    static const char *const kept[] = {"code", "pointer", "text"};
    const cJSON *now = json_pointer_find(json_get(record, "data"), c->pointer);
    if (!now || !c->old || !json_equal(now, c->old)) return false;
    cJSON *w = cJSON_CreateObject(), *list = member(record, "warnings");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cJSON_AddStringToObject(w, kept[i],
                                json_get_text_or_empty(c->line, kept[i]));
    if (!list) list = cJSON_AddArrayToObject(record, "warnings");
    cJSON_AddItemToArray(list, w);
    cJSON_DeleteItemFromObjectCaseSensitive(
        member(member(record, "fields"), c->pointer), "source");
    if (json_get(record, "review"))
        cJSON_ReplaceItemInObjectCaseSensitive(record, "review",
                                               cJSON_CreateTrue());
    return true;
}

static void apply_change(cJSON *record, struct change *c, struct err *err)
{
    cJSON *data = cJSON_DetachItemFromObjectCaseSensitive(record, "data");
    change_data(c, &data, err);
    if (!err_failed(err) && !c->looked) {
        change_fields(record, c);
        change_list(member(record, "warnings"), c);
        change_list(member(record, "conflicts"), c);
        drop_empty(record, "conflicts");
    }
    cJSON_AddItemToObject(record, "data", data);
}

/* --- what is left to review ---------------------------------------------- */

static bool all_by_person(const cJSON *record)
{
    const cJSON *fields = json_get(record, "fields"), *f = NULL;
    cJSON_ArrayForEach(f, fields)
    {
        if (!review_items_is_corrected(f)) return false;
    }
    return fields && fields->child;
}

static int n_review_values(const cJSON *record, double review_threshold)
{
    struct arena *arena = arena_new();
    struct review_items d;
    int n = 0;
    review_items_of(record, review_threshold, arena, &d);
    for (int i = 0; i < d.n; i++)
        n += *d.doubt[i].pointer != '\0';
    arena_free(arena);
    return n;
}

/* If a person gave every value, the verdict is "read". */
static void resolve_verdict(cJSON *record)
{
    cJSON *list = member(record, "warnings"), *next = NULL;
    if (!json_get(record, "verdict") || !all_by_person(record)) return;
    cJSON_ReplaceItemInObjectCaseSensitive(record, "verdict",
                                           cJSON_CreateString("read"));
    for (cJSON *w = list ? list->child : NULL; w; w = next) {
        const char *code = json_get_text_or_empty(w, "code");
        next = w->next;
        if (!strcmp(code, "unread") || !strcmp(code, "doubtful"))
            cJSON_Delete(cJSON_DetachItemViaPointer(list, w));
    }
}

static void resolve_review(cJSON *record, bool looked, bool named_values,
                           double review_threshold)
{
    if (looked) cJSON_DeleteItemFromObjectCaseSensitive(record, "gaps");
    bool settled = looked || (named_values && !json_get(record, "gaps"));
    if (!settled || !json_get(record, "review") ||
        n_review_values(record, review_threshold) > 0)
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(record, "review",
                                           cJSON_CreateFalse());
}

void correct_skip(const cJSON *lines, bool *skip)
{
    int n = cJSON_GetArraySize(lines), i = 0;
    const cJSON *line = NULL, *change = NULL;
    cJSON_ArrayForEach(line, lines)
    {
        const cJSON *undo = json_get(line, "undo");
        int from = cJSON_IsNumber(undo) ? undo->valueint : -1, at = 0;
        skip[i] |= undo != NULL;
        bool more = from >= 0 && from < n && from < i;
        cJSON_ArrayForEach(change, lines)
        {
            if (!more || at > i) break;
            if (at++ < from) continue;
            skip[at - 1] = true;
            more = cJSON_IsTrue(json_get(change, "more"));
        }
        i++;
    }
}

void correct_apply(cJSON *record, const cJSON *lines, double review_threshold,
                   struct err *err)
{
    if (err_failed(err) || !lines || !lines->child) return;
    struct arena *arena = arena_new();
    const cJSON *line = NULL;
    bool looked = false,
         has_items = n_review_values(record, review_threshold) > 0;
    bool *skip =
        arena_array(arena, (size_t)cJSON_GetArraySize(lines), sizeof *skip);
    int i = 0;
    correct_skip(lines, skip);
    cJSON_ArrayForEach(line, lines)
    {
        if (skip[i++]) continue;
        struct change c = change_of(line, arena);
        if (c.told)
            has_items |= !err_failed(err) && add_warning(record, &c);
        else if (!err_failed(err))
            apply_change(record, &c, err);
        looked |= c.looked;
    }
    resolve_verdict(record);
    resolve_review(record, looked, has_items, review_threshold);
    arena_free(arena);
}
