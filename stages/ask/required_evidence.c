/* required.c - see required.h. */
#include "stages/ask/required_evidence.h"

#include <stdio.h>

#include "vlm/base/buf.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum { DEPTH_MAX = 256, SHOWN_MAX = 100 };

static const char mark[] = "x-platen-required-evidence";

struct requiring {
    const struct schema *schema;
    struct document *doc;
    const struct confidence *trust;
    int page;
    struct err *err;
};

static bool is_marked(const struct schema *s, const cJSON *node,
                      const cJSON *value, const char *path, int depth);

/* The same for a member or element of `value`. */
static bool is_marked_below(const struct schema *s, const cJSON *node,
                            const cJSON *value, struct span token,
                            const char *path, int depth)
{
    const cJSON *child = json_pointer_step(value, token), *option = NULL;
    bool array = cJSON_IsArray(value);
    const cJSON *own = json_get(node, array ? "prefixItems" : "properties");
    const cJSON *named = json_pointer_step(own, token);
    bool known = named, marked = is_marked(s, named, child, path, depth);
    if (array || !child)
        return known
                   ? marked
                   : is_marked(s, json_get(node, "items"), child, path, depth);
    cJSON_ArrayForEach(option, json_get(node, "patternProperties"))
    {
        /* an undecidable pattern covers it: better no value than a guess */
        if (!schema_pattern_may_cover(option->string, child->string)) continue;
        known = true;
        marked = marked || is_marked(s, option, child, path, depth);
    }
    return known ? marked
                 : is_marked(s, json_get(node, "additionalProperties"), child,
                             path, depth);
}

/* Whether there is a mark at `node`, or on the way from it to the value at
 * `path`, in any applicable subschema. */
static bool is_marked(const struct schema *s, const cJSON *node,
                      const cJSON *value, const char *path, int depth)
{
    static const char *const lists[] = {"allOf", "anyOf", "oneOf",
                                        "dependentSchemas"};
    static const char *const ones[] = {"then", "else"};
    if (depth > DEPTH_MAX || !cJSON_IsObject(node)) return false;
    if (cJSON_IsTrue(json_get(node, mark))) return true;
    bool dynamic = false;
    const cJSON *target = schema_target(s, node, &dynamic), *option = NULL;
    if (target && is_marked(s, target, value, path, depth + 1)) return true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cJSON_ArrayForEach(option, json_get(node, lists[i]))
        {
            if (is_marked(s, option, value, path, depth + 1)) return true;
        }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (is_marked(s, json_get(node, ones[i]), value, path, depth + 1))
            return true;
    struct span token;
    return json_pointer_next(&path, &token) &&
           is_marked_below(s, node, value, token, path, depth + 1);
}

/* Makes the leaf null if the whole answer then still fits the schema. */
static bool make_null(const struct requiring *q, cJSON *root, cJSON *leaf)
{
    struct arena *arena = arena_new();
    struct findings found = {0};
    int type = leaf->type;
    leaf->type = cJSON_NULL;
    bool valid = schema_validate(q->schema, root, arena, &found, q->err);
    if (valid) {
        cJSON_free(leaf->valuestring);
        leaf->valuestring = NULL;
    } else {
        leaf->type = type;
    }
    arena_free(arena);
    return valid;
}

static bool is_unseen(const struct field *f)
{
    return f->verdict == FIELD_UNSEEN || f->verdict == FIELD_DIFFER;
}

/* Where OCR reads the page it must have found the value, too. */
static bool is_guess(const struct requiring *q, const struct field *f)
{
    double below = q->trust->review_threshold;
    if (f->unmeasured && f->verdict == FIELD_UNPROVEN) return false;
    return confidence_value(f, q->trust) < below || (is_unseen(f) && below > 0);
}

/* Why a value is a guess. */
static const char *reason_of(const struct field *f, char *text, size_t size)
{
    if (is_unseen(f) && f->unmeasured)
        snprintf(text, size, "is not found by OCR");
    else if (is_unseen(f))
        snprintf(text, size,
                 "has a probability of %.2f, but OCR does not find it", f->p);
    else
        snprintf(text, size, "has a probability of %.2f only", f->p);
    return text;
}

static void drop_guess(const struct requiring *q, cJSON *root, struct field *f)
{
    const cJSON *found = json_pointer_find(root, f->pointer);
    cJSON *leaf = (cJSON *)(uintptr_t)found; /* of root, which is ours */
    if (!leaf || leaf->child || cJSON_IsNull(leaf) ||
        !is_marked(q->schema, schema_root(q->schema), root, f->pointer, 0))
        return;
    char where[32] = "", why[96];
    if (q->page) snprintf(where, sizeof where, "page %d: ", q->page);
    struct buf text = buf_limit(1 << 22);
    json_print_brief(&text, leaf, SHOWN_MAX);
    f->dropped = make_null(q, root, leaf);
    if (f->dropped)
        document_warn(q->doc,
                      &(struct warning){.code = WARN_VALUE_DROPPED,
                                        .pointer = f->pointer,
                                        .page = q->page},
                      "%sdropped %s: %s %s, and the schema requires evidence",
                      where, f->pointer, buf_span(&text).data,
                      reason_of(f, why, sizeof why));
    else if (!err_failed(q->err))
        document_warn(
            q->doc,
            &(struct warning){.code = WARN_NO_EVIDENCE,
                              .pointer = f->pointer,
                              .page = q->page},
            "%sno evidence for %s: it %s, but the schema allows no null there",
            where, f->pointer, reason_of(f, why, sizeof why));
    buf_free(&text);
}

/* Whether OCR was used on any value. */
static bool is_seen(const struct document *doc)
{
    for (int i = 0; i < doc->n_field; i++)
        if (doc->field[i].verdict != FIELD_UNPROVEN) return true;
    return false;
}

/* Whether the schema requires evidence for any part of the answer. */
static bool asks_for_evidence(const struct schema *s, const cJSON *root,
                              const cJSON *value, struct buf *path)
{
    if (cJSON_IsNull(value)) return false;
    if (!value->child)
        return is_marked(s, schema_root(s), root, path->size ? path->data : "",
                         0);
    size_t n = path->size;
    int i = 0;
    bool found = false;
    for (const cJSON *v = value->child; v && !found; v = v->next, i++) {
        json_pointer_add_child(path, value, v, i);
        found = asks_for_evidence(s, root, v, path);
        buf_cut(path, n);
    }
    return found;
}

void required_evidence(struct document *doc, cJSON *value, int page,
                       bool measured, const struct confidence *trust,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct requiring q = {doc->schema, doc, trust, page, err};
    for (int i = 0; i < doc->n_field && !err_failed(err); i++)
        if (is_guess(&q, &doc->field[i])) drop_guess(&q, value, &doc->field[i]);
    if (measured || is_seen(doc)) return;
    struct buf path = buf_limit(1 << 20);
    if (asks_for_evidence(doc->schema, value, value, &path))
        document_warn(doc, &(struct warning){.code = WARN_EVIDENCE_UNKNOWN},
                      "the schema requires evidence, but the engine returns no "
                      "probabilities: nothing was dropped");
    buf_free(&path);
}
