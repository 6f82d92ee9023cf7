/* merge_answers.c - see merge_answers.h. */
#include "stages/ask/merge_answers.h"

#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 20, VALUE_BYTES_MAX = 60 };

struct merge_answers {
    struct document *doc;
    int page;            /* first page of the answer, from 1 */
    struct buf *pointer; /* pointer of the current value */
};

static void merge_answers_value(const struct merge_answers *m, cJSON *into,
                                cJSON *value);

/* Moves the member into the object, if that has none of the name or a null. */
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

static void warn_conflict(const struct merge_answers *m, const cJSON *kept,
                          const cJSON *value)
{
    const char *pointer = buf_span(m->pointer).data;
    struct buf text = buf_limit(POINTER_MAX);
    json_print_brief(&text, value, VALUE_BYTES_MAX);
    buf_add_text(&text, ", an earlier page ");
    json_print_brief(&text, kept, VALUE_BYTES_MAX);
    document_warn(m->doc,
                  &(struct warning){.code = WARN_PAGES_DIFFER,
                                    .pointer = pointer,
                                    .page = m->page},
                  "review %s: page %d has %s, which was kept", pointer, m->page,
                  buf_span(&text).data);
    buf_free(&text);
}

/* Moves new members and elements of `value` into `into`; the rest stays. */
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
            warn_conflict(m, into, value);
        return;
    }
    size_t size = m->pointer->size;
    for (cJSON *next, *member = value->child; member; member = next) {
        next = member->next;
        json_pointer_add(m->pointer, member->string);
        merge_answers_member(m, into, value, member);
        buf_cut(m->pointer, size);
    }
}

/* Prints the pointer that the leaf `from` of `value` will have in the merged
 * value; false: an earlier page's value is kept there. *null: it replaces an
 * earlier null. */
static bool merged_pointer(const cJSON *merged, const cJSON *value,
                           const char *from, struct buf *out, bool *null)
{
    struct span token;
    while (merged && !cJSON_IsNull(merged)) {
        if (!json_pointer_next(&from, &token)) return false;
        if (cJSON_IsArray(merged) && cJSON_IsArray(value)) {
            /* after all existing elements */
            json_pointer_add_index(out, (long long)cJSON_GetArraySize(merged) +
                                            json_pointer_index(token));
            merged = NULL;
        } else if (cJSON_IsObject(merged) && cJSON_IsObject(value)) {
            buf_add(out, token.data - 1, token.size + 1); /* and its slash */
            merged = json_pointer_step(merged, token);
            value = json_pointer_step(value, token);
        } else {
            return false;
        }
    }
    *null = merged && !*from;
    buf_add_text(out, from);
    return true;
}

/* The field of an earlier page's null, or a new one. */
static struct field *field_of_null(struct document *doc, struct span pointer)
{
    for (int i = 0; i < doc->n_field; i++)
        if (span_equal(span_of(doc->field[i].pointer), pointer))
            return &doc->field[i];
    return document_add_field(doc);
}

static void merge_answers_fields(struct document *doc, const cJSON *value,
                                 const struct field *field, int n_field)
{
    struct buf pointer = buf_limit(POINTER_MAX);
    for (int i = 0; i < n_field; i++) {
        bool null = false;
        buf_cut(&pointer, 0);
        if (!merged_pointer(doc->data, value, field[i].pointer, &pointer,
                            &null))
            continue;
        struct field *to = null ? field_of_null(doc, buf_span(&pointer))
                                : document_add_field(doc);
        *to = field[i];
        to->pointer = arena_copy(doc->arena, buf_span(&pointer));
        /* the answer's memory is freed with its page */
        document_copy_evidence(to, doc->arena);
    }
    buf_free(&pointer);
}

void merge_answers(struct document *doc, cJSON *value,
                   const struct field *field, int n_field, int page)
{
    merge_answers_fields(doc, value, field, n_field);
    if (!doc->data) {
        doc->data = value;
        return;
    }
    struct buf pointer = buf_limit(POINTER_MAX);
    merge_answers_value(&(struct merge_answers){doc, page, &pointer}, doc->data,
                        value);
    buf_free(&pointer);
    cJSON_Delete(value);
}
