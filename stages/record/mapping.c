/* mapping.c - see mapping.h: forms and groups from a schema's alternatives. */
#include "stages/record/mapping.h"

#include <libxml/chvalid.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "stages/record/schema_parts.h"
#include "vlm/base/arena.h"
#include "vlm/json/json.h"

/* --- mapping text ---------------------------------------------------------- */

/* Names and characters that XML cannot hold. */

static const int STANDIN = 0xe000;

/* Decodes one character; C0 80 is U+0000 (json.h), invalid UTF-8 (for example
 * in a file name) is U+FFFD. */
static int next_rune(const char **at)
{
    utf8proc_int32_t rune = 0;
    if (!strncmp(*at, "\xc0\x80", 2)) {
        *at += 2;
        return 0;
    }
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)*at, -1, &rune);
    *at += n > 0 ? n : 1;
    return n > 0 ? rune : 0xfffd;
}

static void print_rune(struct buf *out, int rune)
{
    xmlChar text[8] = {0};
    int n = xmlCopyCharMultiByte(text, rune);
    buf_add(out, text, (size_t)n);
}

static bool is_name_rune(int rune, bool first)
{
    unsigned u = (unsigned)rune;
    if (u == '_' || xmlIsBaseCharQ(u) || xmlIsIdeographicQ(u)) return true;
    return !first && (u == '-' || u == '.' || xmlIsDigitQ(u));
}

/* Is this "xHHHH_", with 4 to 6 hex digits? */
static bool is_code(const char *text)
{
    if (*text != 'x') return false;
    size_t n = strspn(text + 1, "0123456789ABCDEFabcdef");
    return n >= 4 && n <= 6 && text[1 + n] == '_';
}

/* After a "_", could this be read as a code, whatever follows? */
static bool is_like_code(const char *text)
{
    return *text == 'x' && strspn(text + 1, "0123456789ABCDEFabcdef") >= 4;
}

void mapping_name(struct buf *out, const char *key)
{
    const char *at = key;
    if (!*key) buf_add_text(out, "_x_"); /* no key looks like this */
    while (*at) {
        bool first = at == key;
        int rune = next_rune(&at);
        if (is_name_rune(rune, first) && !(rune == '_' && is_like_code(at)) &&
            !(rune == '_' && first && !strcmp(at, "x_")))
            print_rune(out, rune);
        else
            buf_print(out, "_x%04X_", (unsigned)rune);
    }
}

char *mapping_key(const char *name)
{
    struct buf out = buf_limit(1 << 20);
    buf_add_text(&out, "");
    for (const char *at = strcmp(name, "_x_") ? name : ""; *at;) {
        if (*at == '_' && is_code(at + 1)) {
            char *end;
            long rune = strtol(at + 2, &end, 16);
            if (rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) break;
            if (rune == 0)
                buf_add(&out, "\xc0\x80", 2);
            else
                print_rune(&out, (int)rune);
            at = end + 1;
        } else {
            buf_add(&out, at++, 1);
        }
    }
    return out.data ? out.data : mem_alloc(1, 1);
}

static bool is_illegal(int rune)
{
    return (rune < 0x20 && rune != '\t' && rune != '\n' && rune != '\r') ||
           rune == 0xfffe || rune == 0xffff;
}

void mapping_text(struct buf *out, struct buf *places, const char *text)
{
    size_t place = 0;
    for (const char *at = text; *at; place++) {
        int rune = next_rune(&at);
        if (!is_illegal(rune)) {
            print_rune(out, rune);
            continue;
        }
        print_rune(out, STANDIN + (rune & 0xff));
        buf_print(places, "%s%zu", places->size ? " " : "", place);
    }
}

bool mapping_restore(struct buf *out, const char *text, const char *places)
{
    size_t place = 0;
    char *next = NULL;
    size_t wanted = strtoul(places, &next, 10);
    bool more = next != places;
    for (const char *at = text; *at; place++) {
        int rune = next_rune(&at);
        if (!more || place != wanted) {
            print_rune(out, rune);
            continue;
        }
        int byte = rune - STANDIN;
        if (byte < 0 || byte > 0xff ||
            !is_illegal(byte >= 0xfe ? 0xff00 | byte : byte))
            return false;
        if (byte == 0)
            buf_add(out, "\xc0\x80", 2);
        else
            print_rune(out, byte >= 0xfe ? 0xff00 | byte : byte);
        const char *was = next;
        wanted = strtoul(was, &next, 10);
        more = next != was;
    }
    return !more && *next == '\0';
}

/* --- mapping --------------------------------------------------------------- */

enum { GROUP_MAX = 50000, PLACE_MAX = SCHEMA_PARTS_ALTERNATIVE_MAX };

struct mapping {
    const struct schema *schema;
    struct arena *arena;
    struct text_table form, group; /* by the schemas they are made from */
    struct mapping_form *any;
    const cJSON *styled[MAPPING_STYLES];
    int n_number, n_group;
};

/* The schema that allows everything. */
static const cJSON ANYTHING = {.type = cJSON_True};

/* The alternatives that allow values of one type. bare: one of them has no
 * keywords for that type. */
struct claims {
    const struct schema_parts_alternative *of[SCHEMA_PARTS_ALTERNATIVE_MAX];
    int n;
    bool bare;
};

static const unsigned PARTS_OF[MAPPING_TYPES] = {
    [MAPPING_TYPE_STRING] = SCHEMA_PARTS_STRING,
    [MAPPING_TYPE_NUMBER] = SCHEMA_PARTS_NUMBER | SCHEMA_PARTS_INTEGER,
    [MAPPING_TYPE_BOOLEAN] = SCHEMA_PARTS_BOOLEAN,
    [MAPPING_TYPE_OBJECT] = SCHEMA_PARTS_OBJECT,
    [MAPPING_TYPE_ARRAY] = SCHEMA_PARTS_ARRAY};

bool mapping_type_of(const cJSON *value, enum mapping_type *type)
{
    *type = cJSON_IsString(value)   ? MAPPING_TYPE_STRING
            : cJSON_IsNumber(value) ? MAPPING_TYPE_NUMBER
            : cJSON_IsBool(value)   ? MAPPING_TYPE_BOOLEAN
            : cJSON_IsObject(value) ? MAPPING_TYPE_OBJECT
                                    : MAPPING_TYPE_ARRAY;
    return !cJSON_IsNull(value);
}

const char *mapping_type_name(enum mapping_type type)
{
    static const char *const name[] = {"string", "number", "boolean", "object",
                                       "array"};
    return name[type];
}

/* --- places -------------------------------------------------------------- */

static void place_add(struct mapping_place *place, const cJSON *node)
{
    if (cJSON_IsFalse(node)) return;
    bool any = cJSON_IsTrue(node) || place->n == PLACE_MAX;
    for (int i = 0; i < place->n; i++) {
        if (place->node[i] == &ANYTHING || place->node[i] == node) return;
    }
    if (any) place->n = 0;
    place->node[place->n++] = any ? &ANYTHING : node;
}

static struct mapping_place place_keep(struct mapping *m,
                                       const struct mapping_place *place)
{
    /* a place with one schema has the same form everywhere */
    struct mapping_place kept = {.n = place->n,
                                 .joined = place->n > 1 ? place->joined : 0};
    kept.node = arena_array(m->arena, (size_t)place->n + 1, sizeof *kept.node);
    memcpy(kept.node, place->node, (size_t)place->n * sizeof *kept.node);
    return kept;
}

/* Adds the schemas of members that no part names. */
static void add_more(struct mapping_place *place,
                     const struct schema_parts_alternative *p)
{
    const cJSON *part = NULL;
    for (int i = 0; i < p->n && !part; i++)
        if (!schema_parts_is_open(p->part[i])) part = p->part[i];
    const cJSON *more = json_get(part, "additionalProperties");
    const cJSON *pattern = json_get(part, "patternProperties");
    for (const cJSON *x = pattern ? pattern->child : NULL; x; x = x->next)
        place_add(place, x);
    place_add(place, more ? more : &ANYTHING);
}

static void add_items(struct mapping_place *place,
                      const struct schema_parts_alternative *p)
{
    const cJSON *part = schema_parts_of_items(p);
    const cJSON *items = json_get(part, "items");
    const cJSON *first = json_get(part, "prefixItems");
    for (const cJSON *x = first ? first->child : NULL; x; x = x->next)
        place_add(place, x);
    place_add(place, items ? items : &ANYTHING);
}

/* --- groups -------------------------------------------------------------- */

static void add_member(struct mapping *m, struct mapping_group *g,
                       const struct claims *c,
                       const struct schema_parts_members *named,
                       const char *key)
{
    const cJSON *node[PLACE_MAX];
    struct mapping_place place = {node, 0, g->joined};
    bool required = true;
    if (text_table_find(&g->index, key)) return;
    for (int i = 0; i < c->n; i++) {
        const cJSON *declared = schema_parts_declared(&named[i], key);
        required &= schema_parts_requires(&named[i], key);
        if (declared)
            place_add(&place, declared);
        else
            add_more(&place, c->of[i]);
    }
    *ARENA_ADD(m->arena, g->member, g->n_member) = (struct mapping_member){
        .key = key, .required = required, .place = place_keep(m, &place)};
    /* by number, since the array of members moves when it grows */
    text_table_put(&g->index, m->arena, key, (void *)(uintptr_t)g->n_member);
}

static void add_members(struct mapping *m, struct mapping_group *g,
                        const struct claims *c)
{
    struct arena *arena = arena_new();
    struct schema_parts_members named[SCHEMA_PARTS_ALTERNATIVE_MAX];
    for (int i = 0; i < c->n; i++)
        schema_parts_members(&named[i], c->of[i], arena);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->of[i]->n; k++) {
            const cJSON *part = c->of[i]->part[k];
            const cJSON *list = json_get(part, "properties");
            for (const cJSON *p = list ? list->child : NULL; p; p = p->next)
                add_member(m, g, c, named, p->string);
            if (!schema_parts_is_open(part)) break;
        }
    arena_free(arena);
}

struct mapping_member *mapping_find(const struct mapping_group *group,
                                    const char *key)
{
    uintptr_t n = (uintptr_t)text_table_find(&group->index, key);
    return n ? &group->member[n - 1] : NULL;
}

static bool is_name(const char *name, const char *key)
{
    return name && !strcmp(name, key);
}

bool mapping_is_text(const struct mapping_group *group, const char *key)
{
    return group->style && is_name(group->style->text, key);
}

bool mapping_is_attribute(const struct mapping_group *group,
                          const struct mapping_member *member,
                          const struct mapping_form *form)
{
    bool plain = form->kind == MAPPING_STRING || form->kind == MAPPING_NUMBER ||
                 form->kind == MAPPING_INTEGER || form->kind == MAPPING_BOOLEAN;
    return group->style && group->style->attributes && !form->nullable &&
           (plain || is_name(group->style->list, member->key)) &&
           !mapping_is_text(group, member->key);
}

bool mapping_is_open(const struct mapping_group *group)
{
    return !group->array && group->more.n > 0;
}

static void fill_group(struct mapping *m, struct mapping_group *g,
                       const struct claims *c)
{
    const cJSON *node[PLACE_MAX];
    struct mapping_place more = {node, 0, g->joined};
    if (!g->array) add_members(m, g, c);
    for (int i = 0; i < c->n; i++) {
        if (g->array)
            add_items(&more, c->of[i]);
        else
            add_more(&more, c->of[i]);
    }
    if (c->n == 0) place_add(&more, &ANYTHING);
    g->more = place_keep(m, &more);
    if (g->array && c->n == 1) {
        const cJSON *part = schema_parts_of_items(c->of[0]);
        g->limits = part ? part : c->of[0]->typed;
    }
    g->style = c->n == 1 ? mapping_style_of(m->styled, c->of[0]->typed) : NULL;
    g->item = g->style && g->style->item ? g->style->item : "item";
    g->entry = g->style && g->style->entry ? g->style->entry
               : mapping_find(g, "entry")  ? "_x0065_ntry"
                                           : "entry";
    g->value = mapping_find(g, "value") ? "_x0076_alue" : "value";
}

/* The group of these claims, made on first use; no claims: of any value. */
static struct mapping_group *find_group(struct mapping *m, bool array,
                                        bool untyped, int joined,
                                        const struct claims *c, struct err *err)
{
    struct buf key = buf_limit(1 << 16);
    buf_print(&key, "%d%d%d", array, untyped, joined);
    for (int i = 0; i < c->n; i++) {
        buf_add_text(&key, "|");
        for (int k = 0; k < c->of[i]->n; k++)
            buf_print(&key, " %p", (const void *)c->of[i]->part[k]);
    }
    struct mapping_group *g = text_table_find(&m->group, key.data);
    if (!g && m->n_group == GROUP_MAX) {
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "no XSD: more than %d kinds of objects and arrays; use JSON "
                   "(--format json)",
                   GROUP_MAX);
    } else if (!g) {
        g = arena_alloc(m->arena, sizeof *g);
        *g = (struct mapping_group){.array = array,
                                    .untyped = untyped,
                                    .joined = joined,
                                    .number = m->n_number++};
        m->n_group++;
        text_table_put(&m->group, m->arena,
                       arena_copy(m->arena, buf_span(&key)), g);
        fill_group(m, g, c);
    }
    buf_free(&key);
    return g;
}

/* --- forms --------------------------------------------------------------- */

static struct claims claims_of(const struct schema_parts_list *list,
                               enum mapping_type type)
{
    struct claims c = {.n = 0};
    for (int i = 0; i < list->n; i++) {
        const struct schema_parts_alternative *p = &list->parts[i];
        bool speaks = p->types & PARTS_OF[type];
        c.bare |= !p->typed && !speaks;
        if (speaks || !p->typed) c.of[c.n++] = p;
    }
    return c;
}

static void set_scalar(struct mapping_form *f, enum mapping_type type,
                       const struct claims *c)
{
    bool integer = !c->bare;
    for (int i = 0; i < c->n; i++)
        integer &= !(c->of[i]->types & SCHEMA_PARTS_NUMBER);
    f->kind = type == MAPPING_TYPE_STRING    ? MAPPING_STRING
              : type == MAPPING_TYPE_BOOLEAN ? MAPPING_BOOLEAN
              : integer                      ? MAPPING_INTEGER
                                             : MAPPING_NUMBER;
    if (c->n == 1 && !c->bare) f->limits = c->of[0]->typed;
}

/* Sets the form for values of one type; untyped: others are allowed too. */
static void set_type(struct mapping *m, struct mapping_form *f,
                     enum mapping_type type, const struct claims *c,
                     bool untyped, int joined, struct err *err)
{
    bool array = type == MAPPING_TYPE_ARRAY;
    if (type != MAPPING_TYPE_OBJECT && !array) {
        set_scalar(f, type, c);
        return;
    }
    static const struct claims none = {.n = 0};
    f->kind = array ? MAPPING_ARRAY : MAPPING_OBJECT;
    /* a combined group can be the content of several others */
    f->by_reference |= c->bare || c->n > 1;
    bool bare = c->bare || (c->n > 1 && joined == MAPPING_JOINED_MAX);
    f->group = find_group(m, array, untyped, c->n > 1 && !bare ? joined + 1 : 0,
                          bare ? &none : c, err);
}

static void set_choice(struct mapping *m, struct mapping_form *f,
                       const struct schema_parts_list *list, int joined,
                       struct err *err)
{
    f->kind = MAPPING_CHOICE;
    for (int t = 0; t < MAPPING_TYPES; t++) {
        enum mapping_type type = (enum mapping_type)t;
        struct claims c = claims_of(list, type);
        if (c.n == 0) continue;
        f->of[t] = arena_alloc(m->arena, sizeof *f);
        *f->of[t] = (struct mapping_form){.by_reference = f->by_reference,
                                          .node = f->node,
                                          .carrier = c.of[0]->part[0]};
        set_type(m, f->of[t], type, &c, false, joined, err);
    }
}

static void set_form(struct mapping *m, struct mapping_form *f,
                     const struct schema_parts_list *list, int joined,
                     struct err *err)
{
    const struct schema_parts_alternative *only = NULL;
    int n_type = 0, n_other = 0;
    enum mapping_type type = MAPPING_TYPE_STRING;
    for (int i = 0; i < list->n; i++) {
        const struct schema_parts_alternative *p = &list->parts[i];
        f->nullable |= !p->typed || (p->types & SCHEMA_PARTS_NULL);
        if (p->typed && !(p->types & ~(unsigned)SCHEMA_PARTS_NULL)) continue;
        n_other++;
        only = p;
    }
    bool untyped = n_other == 1 && !only->typed;
    for (int t = 0; t < MAPPING_TYPES; t++) {
        struct claims c = claims_of(list, (enum mapping_type)t);
        if (c.n == 0 || (untyped && c.bare)) continue;
        n_type++;
        type = (enum mapping_type)t;
    }
    if (n_other == 1) f->carrier = only->part[0];
    struct claims c = claims_of(list, type);
    if (list->n == 0)
        f->kind = MAPPING_NEVER;
    else if (n_type > 1)
        set_choice(m, f, list, joined, err);
    else if (n_type == 1)
        set_type(m, f, type, &c, untyped, joined, err);
    else
        f->kind = MAPPING_NULL;
    f->nullable |= f->kind == MAPPING_NULL;
}

static struct mapping_form *find_form(struct mapping *m,
                                      const struct mapping_place *place,
                                      struct err *err)
{
    if (err_failed(err)) return NULL;
    struct schema_parts_list list = {.n = 0};
    struct buf key = buf_limit(1 << 16);
    buf_print(&key, "%d", place->joined);
    for (int i = 0; i < place->n; i++) {
        schema_parts_add(&list, m->schema, place->node[i]);
        buf_print(&key, " %p", (const void *)place->node[i]);
    }
    const char *name = buf_span(&key).data;
    struct mapping_form *f =
        list.anything ? m->any : text_table_find(&m->form, name);
    if (!f) {
        f = arena_alloc(m->arena, sizeof *f);
        *f = (struct mapping_form){.number = m->n_number++,
                                   .by_reference = list.by_reference,
                                   .node = place->n ? place->node[0] : NULL,
                                   .carrier = place->n ? place->node[0] : NULL};
        set_form(m, f, &list, place->joined, err);
        text_table_put(&m->form, m->arena, arena_copy(m->arena, buf_span(&key)),
                       f);
    }
    buf_free(&key);
    return err_failed(err) ? NULL : f;
}

static struct mapping_form *make_any(struct mapping *m)
{
    static const enum mapping_kind kind[MAPPING_TYPES] = {
        MAPPING_STRING, MAPPING_NUMBER, MAPPING_BOOLEAN, MAPPING_OBJECT,
        MAPPING_ARRAY};
    const struct claims none = {.n = 0};
    struct err err = {0}; /* cannot fail: these are the first two groups */
    struct mapping_form *any = arena_alloc(m->arena, sizeof *any);
    *any = (struct mapping_form){.kind = MAPPING_CHOICE, .nullable = true};
    for (int t = 0; t < MAPPING_TYPES; t++) {
        bool array = t == MAPPING_TYPE_ARRAY;
        any->of[t] = arena_alloc(m->arena, sizeof *any);
        *any->of[t] =
            (struct mapping_form){.kind = kind[t], .by_reference = true};
        if (array || t == MAPPING_TYPE_OBJECT)
            any->of[t]->group = find_group(m, array, false, 0, &none, &err);
    }
    return any;
}

struct mapping *mapping_open(const struct schema *s)
{
    struct arena *arena = arena_new();
    struct mapping *m = arena_alloc(arena, sizeof *m);
    *m = (struct mapping){.schema = s, .arena = arena};
    mapping_style_find(schema_root(s), m->styled);
    m->any = make_any(m);
    return m;
}

void mapping_close(struct mapping *m)
{
    if (m) arena_free(m->arena);
}

struct mapping_form *mapping_any(struct mapping *m)
{
    return m->any;
}

struct mapping_form *mapping_root(struct mapping *m, const cJSON *node,
                                  struct err *err)
{
    if (err_failed(err)) return NULL;
    const struct mapping_place place = {&node, 1, 0};
    return find_form(m, &place, err);
}

struct mapping_form *mapping_of_member(struct mapping *m,
                                       struct mapping_member *member,
                                       struct err *err)
{
    if (err_failed(err)) return NULL;
    if (!member->form) member->form = find_form(m, &member->place, err);
    return member->form;
}

struct mapping_form *mapping_of_more(struct mapping *m,
                                     struct mapping_group *group,
                                     struct err *err)
{
    if (err_failed(err)) return NULL;
    if (!group->form) group->form = find_form(m, &group->more, err);
    return group->form;
}
