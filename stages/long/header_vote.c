/* header_vote.c - see header_vote.h. */
#include "stages/long/header_vote.h"

#include "stages/ask/field.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 16, OTHERS_MAX = 3 };

struct taking {
    cJSON *all;
    const struct field *field;
    int n_field, page;
    struct buf pointer;
};

/* The smallest of the fields' probabilities. */
static double least_p(const cJSON *fields)
{
    double least = 1;
    const cJSON *f = NULL;
    cJSON_ArrayForEach(f, fields)
    {
        double p = field_kept(f, NULL).p;
        if (p < least) least = p;
    }
    return least;
}

static cJSON *entry_new(const struct taking *t, const cJSON *value)
{
    cJSON *fields =
        field_keep_below(t->field, t->n_field, buf_span(&t->pointer), 0);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToObject(entry, "value", cJSON_Duplicate(value, true));
    cJSON_AddItemToObject(entry, "page", json_new_integer(t->page));
    cJSON_AddItemToObject(entry, "p", json_new_exact(least_p(fields)));
    cJSON_AddItemToObject(entry, "fields", fields);
    cJSON_AddArrayToObject(entry, "others");
    return entry;
}

static bool is_empty(const cJSON *value)
{
    return cJSON_IsNull(value) || (cJSON_IsArray(value) && !value->child);
}

static double p_of(const cJSON *entry)
{
    const cJSON *p = json_get(entry, "p");
    return p ? p->valuedouble : 0;
}

/* Whether the words of its page confirm all of the value. */
static bool is_seen(const cJSON *entry)
{
    const cJSON *fields = json_get(entry, "fields"), *f = NULL;
    cJSON_ArrayForEach(f, fields)
    {
        if (field_kept(f, NULL).verdict != FIELD_AGREE) return false;
    }
    return fields && fields->child;
}

/* A value that is printed is not replaced by a more probable guess. */
static bool beats(const cJSON *now, const cJSON *old)
{
    bool seen = is_seen(now);
    return seen == is_seen(old) ? p_of(now) > p_of(old) : seen;
}

/* The entry among the others with this value, or NULL. */
static cJSON *find_other(cJSON *others, const cJSON *value)
{
    cJSON *other = others->child;
    while (other && !json_equal(json_get(other, "value"), value))
        other = other->next;
    return other;
}

/* Adds `lost` to the others, which own it. A value of several pages is listed once, so
 * that it does not crowd out different ones. */
static void keep_other(cJSON *entry, cJSON *lost)
{
    cJSON *others = cJSON_GetObjectItemCaseSensitive(entry, "others");
    cJSON_DeleteItemFromObjectCaseSensitive(lost, "fields");
    cJSON_DeleteItemFromObjectCaseSensitive(lost, "others");
    if (cJSON_GetArraySize(others) < OTHERS_MAX &&
        !find_other(others, json_get(lost, "value")))
        cJSON_AddItemToArray(others, lost);
    else
        cJSON_Delete(lost);
}

/* Replaces `old` by `now`. */
static void replace(cJSON *all, const char *pointer, cJSON *old, cJSON *now)
{
    cJSON *others = cJSON_DetachItemFromObjectCaseSensitive(old, "others");
    /* the new value is not among the others any more */
    cJSON_Delete(cJSON_DetachItemViaPointer(
        others, find_other(others, json_get(now, "value"))));
    cJSON_ReplaceItemInObjectCaseSensitive(now, "others", others);
    cJSON *lost = cJSON_DetachItemFromObjectCaseSensitive(all, pointer);
    cJSON_AddItemToObject(all, pointer, now);
    if (is_empty(json_get(lost, "value")) ||
        json_equal(json_get(lost, "value"), json_get(now, "value")))
        cJSON_Delete(lost);
    else
        keep_other(now, lost);
}

static void take_leaf(struct taking *t, const cJSON *value)
{
    const char *pointer = buf_span(&t->pointer).data;
    cJSON *now = entry_new(t, value);
    cJSON *old = cJSON_GetObjectItemCaseSensitive(t->all, pointer);
    if (!old) {
        cJSON_AddItemToObject(t->all, pointer, now);
        return;
    }
    const cJSON *before = json_get(old, "value");
    if (!is_empty(value) && (is_empty(before) || beats(now, old)))
        replace(t->all, pointer, old, now);
    else if (is_empty(value) || json_equal(before, value))
        cJSON_Delete(now);
    else
        keep_other(old, now);
}

static void take_value(struct taking *t, const cJSON *value)
{
    if (!cJSON_IsObject(value) || !value->child) {
        take_leaf(t, value);
        return;
    }
    for (const cJSON *m = value->child; m; m = m->next) {
        size_t size = t->pointer.size;
        json_pointer_add(&t->pointer, m->string);
        take_value(t, m);
        buf_cut(&t->pointer, size);
    }
}

void header_vote_add(cJSON *all, const cJSON *value, const struct field *field,
                     int n_field, int page)
{
    struct taking t = {all, field, n_field, page, buf_limit(POINTER_MAX)};
    take_value(&t, value);
    buf_free(&t.pointer);
}

/* Sets a leaf at its pointer, and creates the objects above it. A null for an object
 * whose members exist is ignored. */
static void put(cJSON **root, const char *pointer, const cJSON *value,
                struct arena *arena)
{
    struct span token;
    if (!*pointer) {
        if (!*root) *root = cJSON_Duplicate(value, true);
        return;
    }
    if (!cJSON_IsObject(*root)) {
        cJSON_Delete(*root);
        *root = cJSON_CreateObject();
    }
    cJSON *at = *root;
    while (json_pointer_next(&pointer, &token)) {
        const char *key = json_pointer_text(token, arena);
        cJSON *next = cJSON_GetObjectItemCaseSensitive(at, key);
        if (next && !*pointer) return;
        if (next && !cJSON_IsObject(next)) {
            cJSON_DeleteItemFromObjectCaseSensitive(at, key);
            next = NULL;
        }
        if (!next) {
            next =
                *pointer ? cJSON_CreateObject() : cJSON_Duplicate(value, true);
            cJSON_AddItemToObject(at, key, next);
        }
        at = next;
    }
}

cJSON *header_vote_value(const cJSON *all)
{
    struct arena *arena = arena_new();
    cJSON *root = NULL;
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, all)
    {
        put(&root, entry->string, json_get(entry, "value"), arena);
    }
    arena_free(arena);
    return root ? root : cJSON_CreateObject();
}

void header_vote_conflicts(const cJSON *all,
                           void (*say)(void *arg, const char *pointer,
                                       const cJSON *entry),
                           void *arg)
{
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, all)
    {
        if (json_get(entry, "others")->child) say(arg, entry->string, entry);
    }
}
