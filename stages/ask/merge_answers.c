/* merge_answers.c - see merge_answers.h. */
#include "stages/ask/merge_answers.h"

#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 20, SAID_MAX = 60 };

struct merge_answers {
    struct document *doc;
    int page;          /* first of the answer's, for people */
    struct buf *place; /* pointer of the value at hand */
};

static void merge_answers_value(const struct merge_answers *m, cJSON *into,
                                cJSON *value);

/* Moves the member into the object where nothing or a null stands for it. */
static void merge_answers_member(const struct merge_answers *m, cJSON *into,
                                 cJSON *value, cJSON *member)
{
    cJSON *old = cJSON_GetObjectItemCaseSensitive(into, member->string);
    if (old && !cJSON_IsNull(old)) {
        merge_answers_value(m, old, member);
        return;
    }
    char *key = arena_copy(m->doc->arena, span_of(member->string));
    cJSON_DetachItemViaPointer(value, member);
    if (old)
        cJSON_ReplaceItemInObjectCaseSensitive(into, key, member);
    else
        cJSON_AddItemToObject(into, key, member);
}

static void say_conflict(const struct merge_answers *m, const cJSON *kept,
                         const cJSON *value)
{
    const char *place = buf_span(m->place).data;
    struct buf text = buf_limit(POINTER_MAX);
    json_print_brief(&text, value, SAID_MAX);
    buf_add_text(&text, ", an earlier page ");
    json_print_brief(&text, kept, SAID_MAX);
    document_warn(m->doc,
                  &(struct warning){.code = WARN_PAGES_DIFFER,
                                    .pointer = place,
                                    .page = m->page},
                  "review %s: page %d says %s, which was kept", place, m->page,
                  buf_span(&text).data);
    buf_free(&text);
}

/* Moves what `value` adds into `into`; the rest stays in `value`. */
static void merge_answers_value(const struct merge_answers *m, cJSON *into,
                                cJSON *value)
{
    if (cJSON_IsArray(into) && cJSON_IsArray(value)) {
        while (value->child)
            cJSON_AddItemToArray(
                into, cJSON_DetachItemViaPointer(value, value->child));
        return;
    }
    if (!cJSON_IsObject(into) || !cJSON_IsObject(value)) {
        if (!cJSON_IsNull(value) && !json_equal(into, value))
            say_conflict(m, into, value);
        return;
    }
    size_t size = m->place->size;
    for (cJSON *next, *member = value->child; member; member = next) {
        next = member->next;
        json_pointer_add(m->place, member->string);
        merge_answers_member(m, into, value, member);
        buf_cut(m->place, size);
    }
}

/* Where the leaf `pointer` of `value` will stand in the joined value; false
 * when an earlier page's value is kept there. *null: its null stands there. */
static bool place_of(const cJSON *joined, const cJSON *value,
                     const char *pointer, struct buf *out, bool *null)
{
    struct span token;
    while (joined && !cJSON_IsNull(joined)) {
        if (!json_pointer_next(&pointer, &token)) return false;
        if (cJSON_IsArray(joined) && cJSON_IsArray(value)) {
            /* behind everything that is there */
            json_pointer_add_index(out, (long long)cJSON_GetArraySize(joined) +
                                            json_pointer_index(token));
            joined = NULL;
        } else if (cJSON_IsObject(joined) && cJSON_IsObject(value)) {
            buf_add(out, token.data - 1, token.size + 1); /* and its slash */
            joined = json_pointer_step(joined, token);
            value = json_pointer_step(value, token);
        } else {
            return false;
        }
    }
    *null = joined && !*pointer;
    buf_add_text(out, pointer);
    return true;
}

/* The entry of an earlier page's null, or a new one. */
static struct field *entry_of_null(struct document *doc, struct span place)
{
    for (int i = 0; i < doc->n_field; i++)
        if (span_equal(span_of(doc->field[i].pointer), place))
            return &doc->field[i];
    return document_add_field(doc);
}

static void merge_answers_fields(struct document *doc, const cJSON *value,
                                 const struct field *field, int n_field)
{
    struct buf place = buf_limit(POINTER_MAX);
    for (int i = 0; i < n_field; i++) {
        bool null = false;
        buf_cut(&place, 0);
        if (!place_of(doc->data, value, field[i].pointer, &place, &null))
            continue;
        struct field *to = null ? entry_of_null(doc, buf_span(&place))
                                : document_add_field(doc);
        *to = field[i];
        to->pointer = arena_copy(doc->arena, buf_span(&place));
        /* the answer's memory ends with its page */
        document_copy_evidence(to, doc->arena);
    }
    buf_free(&place);
}

void merge_answers(struct document *doc, cJSON *value,
                   const struct field *field, int n_field, int page)
{
    merge_answers_fields(doc, value, field, n_field);
    if (!doc->data) {
        doc->data = value;
        return;
    }
    struct buf place = buf_limit(POINTER_MAX);
    merge_answers_value(&(struct merge_answers){doc, page, &place}, doc->data,
                        value);
    buf_free(&place);
    cJSON_Delete(value);
}
