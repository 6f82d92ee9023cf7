/* schema.c - see schema.h. */
#include "vlm/schema/schema.h"

#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"
#include "vlm/schema/node.h"
#include "vlm/schema/pattern.h"
#include "vlm/schema/sibling_schema.h"

enum { TREE_TEXT_MAX = 64 << 20 };

/* "receipt" for "schemas/receipt.schema.json". */
static const char *file_stem(struct arena *arena, const char *path)
{
    const char *name = text_base_name(path);
    size_t n = text_stem(name, ".schema.json");
    if (!n) n = text_stem(name, ".json");
    return arena_copy(arena, (struct span){name, n ? n : strlen(name)});
}

/* "schemas" for "schemas/a.json", "." for "a.json". */
static const char *parent_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    return arena_copy(arena, (struct span){path, n});
}

static struct schema *build_schema(struct span text, const char *name,
                                   const char *label,
                                   const struct schema_options *o,
                                   struct err *err)
{
    struct arena *arena = arena_new();
    struct schema *s = arena_alloc(arena, sizeof *s);
    s->arena = arena;
    if (o) s->options = *o;
    const char **text_option[] = {&s->options.catalogue, &s->options.folder,
                                  &s->options.folder_base};
    for (size_t i = 0; i < sizeof text_option / sizeof *text_option; i++)
        if (*text_option[i])
            *text_option[i] = arena_copy(arena, span_of(*text_option[i]));
    s->name = arena_copy(arena, span_of(name));
    s->hash = hash_bytes(text);
    s->last = &s->node;
    struct source *source =
        source_add(s, arena_text(arena, SIBLING_SCHEMA_BASE "%s", name),
                   arena_copy(arena, span_of(label)), text, err);
    if (source) sibling_schema_set_base(s, source->root);
    if (source) s->root = node_add(s, source->root, source, NULL, "", err);
    if (!err_failed(err)) reference_resolve(s, err);
    if (!err_failed(err)) reference_missing_check(s, err);
    if (!err_failed(err)) check_schema(s, err);
    if (!err_failed(err)) return s;
    arena_free(arena);
    return NULL;
}

struct schema *schema_parse(struct span text, const char *name,
                            const struct schema_options *o, struct err *err)
{
    return err_failed(err) ? NULL : build_schema(text, name, name, o, err);
}

struct schema *schema_of_tree(cJSON *root, const char *name,
                              const struct schema *of, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct buf text = buf_limit(TREE_TEXT_MAX);
    if (of->options.dialect != DIALECT_2020_12 && cJSON_IsObject(root) &&
        !json_get(root, "$schema"))
        cJSON_AddStringToObject(root, "$schema", dialect_uri);
    json_print(&text, root, 0);
    struct schema *s = schema_parse(buf_span(&text), name, &of->options, err);
    buf_free(&text);
    return s;
}

struct schema *schema_load(const char *path, const struct schema_options *o,
                           struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new();
    struct span text = file_map_read(path, NODE_FILE_MOST, arena, err);
    struct schema_options own = o ? *o : (struct schema_options){0};
    own.folder = parent_folder(arena, path);
    struct schema *s = NULL;
    if (!err_failed(err))
        s = build_schema(text, file_stem(arena, path), path, &own, err);
    else if (err->kind != ERR_MISSING && err->kind != ERR_SYSTEM)
        err->kind = ERR_CONFIG;
    arena_free(arena);
    return s;
}

void schema_free(struct schema *s)
{
    if (s) arena_free(s->arena);
}

const char *schema_name(const struct schema *s)
{
    return s->name;
}

const char *schema_title(const struct schema *s)
{
    const char *title = json_get_text(s->root->json, "title");
    return title ? title : s->name;
}

const struct hash *schema_hash(const struct schema *s)
{
    return &s->hash;
}

const char *schema_note(const struct schema *s, int i)
{
    return i < s->n_note ? s->note[i] : NULL;
}

const char *schema_missing_ref(const struct schema *s, const cJSON *json)
{
    const struct node *node = json && s->nothing ? node_find(s, json) : NULL;
    return node && node->missing_ref ? node->missing_ref : s->missing_ref;
}

const cJSON *schema_root(const struct schema *s)
{
    return s->root->json;
}

const struct schema_options *schema_options(const struct schema *s)
{
    return &s->options;
}

struct json_rules schema_rules(const struct schema *s)
{
    bool open = !cJSON_IsFalse(s->root->json);
    for (int i = 0; i < s->root->n_rule; i++)
        open &= s->root->rule[i].id >= KEYWORD_ID;
    return (struct json_rules){.duplicates = open,
                               .any_size = open,
                               .nul = open || check_names_nul(s->root->json)};
}

const char *schema_pointer(const struct schema *s, const cJSON *json)
{
    const struct node *node = node_find(s, json);
    return node ? node->pointer : NULL;
}

const cJSON *schema_follow(const struct schema *s, const cJSON *json)
{
    /* terminates: reference.c has refused loops */
    for (;;) {
        const struct node *node = json ? node_find(s, json) : NULL;
        const struct keyword_rule *rule =
            node ? node_rule(node, KEYWORD_REF) : NULL;
        if (!rule) return json;
        json = rule->target->json;
    }
}

const cJSON *schema_follow_nullable(const struct schema *s, const cJSON *node)
{
    const cJSON *target = schema_follow(s, node), *only = NULL, *option = NULL;
    const cJSON *any = json_get(target, "anyOf");
    if (!any) any = json_get(target, "oneOf");
    cJSON_ArrayForEach(option, any)
    {
        const cJSON *o = schema_follow(s, option);
        const char *type = json_get_text(o, "type");
        if (type && !strcmp(type, "null")) continue;
        if (only) return target;
        only = o;
    }
    return only ? only : target;
}

const cJSON *schema_target(const struct schema *s, const cJSON *json,
                           bool *dynamic)
{
    const struct node *node = node_find(s, json);
    if (!node) return NULL;
    const struct keyword_rule *rule = node_rule(node, KEYWORD_REF);
    if (!rule) rule = node_rule(node, KEYWORD_DYNAMIC_REF);
    *dynamic = rule && rule->anchor;
    return rule ? rule->target->json : NULL;
}

bool schema_pattern_may_cover(const char *pattern, const char *key)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    const struct pattern *p = pattern_new(pattern, arena, &err);
    bool covers = !p || pattern_match(p, span_of(key)) != PATTERN_NO;
    arena_free(arena);
    return covers;
}
