/* leaf_values.c - see leaf_values.h. */
#include "stages/alignment/leaf_values.h"

#include <ctype.h>
#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 20, DEPTH_MAX = 256 };

struct leaf_collector {
    const struct schema *schema;
    struct arena *arena;
    struct buf pointer;
    struct leaf_values *out;
};

/* Whether the schema's type is, or includes, this one. */
static bool allows(const cJSON *node, const char *type)
{
    const cJSON *own = json_get(node, "type"), *one = NULL;
    if (cJSON_IsString(own)) return !strcmp(own->valuestring, type);
    cJSON_ArrayForEach(one, own)
    {
        if (cJSON_IsString(one) && !strcmp(one->valuestring, type)) return true;
    }
    return false;
}

static bool is_date(const cJSON *node)
{
    return !strcmp(json_get_text_or_empty(node, "format"), "date");
}

/* Whether the text has a number below 1 ("0.08", not "20.0") or the word. */
static bool names_fraction(const char *text)
{
    for (const char *at = text; (at = strstr(at, "0.")); at++)
        if ((at == text || !isdigit((unsigned char)at[-1])) &&
            isdigit((unsigned char)at[2]))
            return true;
    return strstr(text, "fraction") || strstr(text, "Fraction");
}

/* Whether 8 % is to be said as 0.08: the greatest value is 1, or the description
 * says so. */
static bool wants_fraction(const cJSON *most, const char *description)
{
    return (cJSON_IsNumber(most) && most->valuedouble <= 1) ||
           (description && names_fraction(description));
}

/* The next letter or digit, small. */
static char next_letter(const char **at)
{
    while (**at && (unsigned char)**at < 0x80 && !isalnum((unsigned char)**at))
        ++*at;
    return (char)(**at ? tolower((unsigned char)*(*at)++) : 0);
}

/* The title, unless it is the key: pydantic writes "Unitpriceexclvat" for
 * unitPriceExclVat. */
static const char *title_of(const cJSON *node, const char *pointer)
{
    const char *title = json_get_text(node, "title");
    const char *slash = strrchr(pointer, '/');
    const char *key = slash ? slash + 1 : pointer, *at = title;
    char one;
    if (!title) return NULL;
    do {
        one = next_letter(&key);
        if (next_letter(&at) != one) return title;
    } while (one);
    return NULL;
}

static void add_leaf(const struct leaf_collector *c, const cJSON *node,
                     const cJSON *value)
{
    struct leaf_values *all = c->out;
    const cJSON *deep = node ? schema_follow_nullable(c->schema, node) : NULL;
    const char *pointer = arena_copy(c->arena, buf_span(&c->pointer));
    const char *title = title_of(node, pointer);
    const char *description = json_get_text(node, "description");
    const char *sign = json_get_text(node, "x-platen-sign");
    const cJSON *most = json_get(deep ? deep : node, "maximum");
    if (!sign) sign = json_get_text(deep, "x-platen-sign");
    *ARENA_ADD(c->arena, all->item, all->n_item) = (struct leaf_value){
        .pointer = pointer,
        .value = value,
        .document = json_get_text(schema_root(c->schema), "title"),
        .number = allows(node, "number") || allows(node, "integer") ||
                  allows(deep, "number") || allows(deep, "integer"),
        .date = is_date(node) || is_date(deep),
        .choices = json_get(deep ? deep : node, "enum"),
        .title = title ? title : title_of(deep, pointer),
        .description =
            description ? description : json_get_text(deep, "description"),
        .fraction = wants_fraction(
            most,
            description ? description : json_get_text(deep, "description")),
        .positive = sign && !strcmp(sign, "positive")};
}

static const cJSON *node_below(const struct schema *s, const cJSON *node,
                               const cJSON *parent, const cJSON *child,
                               int depth);

/* The same in the alternatives of a node: the first that defines the child. */
static const cJSON *node_in_options(const struct schema *s, const cJSON *node,
                                    const cJSON *parent, const cJSON *child,
                                    int depth)
{
    static const char *const lists[] = {"anyOf", "oneOf", "allOf"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const cJSON *option = NULL;
        cJSON_ArrayForEach(option, json_get(node, lists[i]))
        {
            const cJSON *found =
                node_below(s, option, parent, child, depth + 1);
            if (found) return found;
        }
    }
    return NULL;
}

/* The schema of a member or element; NULL: none. */
static const cJSON *node_below(const struct schema *s, const cJSON *node,
                               const cJSON *parent, const cJSON *child,
                               int depth)
{
    if (!node || depth > DEPTH_MAX) return NULL;
    node = schema_follow(s, node);
    const cJSON *own =
        cJSON_IsArray(parent)
            ? json_get(node, "items")
            : json_get(json_get(node, "properties"), child->string);
    return own ? own : node_in_options(s, node, parent, child, depth);
}

static void collect(struct leaf_collector *c, const cJSON *node,
                    const cJSON *value)
{
    int i = 0;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        add_leaf(c, node, value);
        return;
    }
    for (const cJSON *child = value->child; child; child = child->next, i++) {
        size_t size = c->pointer.size;
        json_pointer_add_child(&c->pointer, value, child, i);
        collect(c, node_below(c->schema, node, value, child, 0), child);
        buf_cut(&c->pointer, size);
    }
}

bool leaf_values_is_figure(const cJSON *value)
{
    bool digits = cJSON_IsNumber(value);
    for (const char *c = value->valuestring; !digits && c && *c; c++)
        digits = isdigit((unsigned char)*c);
    for (const char *c = value->valuestring; digits && c && *c; c++)
        digits = !isalpha((unsigned char)*c) && (unsigned char)*c < 0x80;
    return digits;
}

void leaf_values_of_value(const struct schema *schema, const cJSON *value,
                          struct arena *arena, struct leaf_values *out)
{
    struct leaf_collector c = {schema, arena, buf_limit(POINTER_MAX), out};
    *out = (struct leaf_values){.n_item = 0};
    collect(&c, schema_root(schema), value);
    buf_free(&c.pointer);
}
