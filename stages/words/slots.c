/* slots.c - the leaves of the schema (words_inside.h). */
#include <string.h>

#include "stages/alignment/wanted.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"
#include "vlm/json/json.h"

enum { DEPTH_MAX = 16 };

static const cJSON *element_of(const struct schema *s, const cJSON *node)
{
    const cJSON *items = json_get(node, "items");
    return cJSON_IsObject(items) ? schema_follow_nullable(s, items) : NULL;
}

static void add_members(struct words_reading *r, cJSON *object,
                        const cJSON *node, int array, int depth);

/* Adds an array of objects, with one row to read its leaves from. */
static void add_array(struct words_reading *r, cJSON *parent, const char *key,
                      const cJSON *node, int array, int depth)
{
    const cJSON *element = element_of(r->schema, node);
    cJSON *own = cJSON_AddArrayToObject(parent, key);
    const cJSON *root =
        schema_follow_nullable(r->schema, schema_root(r->schema));
    bool only = array < 0 && !parent->string && parent->child == own &&
                cJSON_GetArraySize(json_get(root, "properties")) == 1;
    if (only && element && schema_names_type(element, "string")) r->lines = own;
    if (array >= 0 || !element || !json_get(element, "properties")) return;
    int index = r->n_array;
    struct slot_array *a = ARENA_ADD(r->arena, r->array, r->n_array);
    *a = (struct slot_array){.array = own, .from = r->n_slot};
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(own, row);
    add_members(r, row, element, index, depth + 1);
    r->array[index].row = row;
    r->array[index].to = r->n_slot;
}

static void add_member(struct words_reading *r, cJSON *parent, const char *key,
                       const cJSON *given, bool required, int array, int depth)
{
    const cJSON *node = schema_follow_nullable(r->schema, given);
    if (json_get(node, "properties")) {
        cJSON *own = cJSON_AddObjectToObject(parent, key);
        add_members(r, own, node, array, depth + 1);
    } else if (json_get(node, "items")) {
        add_array(r, parent, key, node, array, depth);
    } else {
        cJSON_AddNullToObject(parent, key);
        *ARENA_ADD(r->arena, r->slot, r->n_slot) =
            (struct leaf_slot){.parent = parent,
                               .key = key,
                               .word = fold_text(key, r->arena),
                               .node = given,
                               .required = required,
                               .array = array};
    }
}

static bool requires(const cJSON *node, const char *key)
{
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, json_get(node, "required"))
    {
        if (cJSON_IsString(name) && !strcmp(name->valuestring, key))
            return true;
    }
    return false;
}

static void add_members(struct words_reading *r, cJSON *object,
                        const cJSON *node, int array, int depth)
{
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, json_get(node, "properties"))
    {
        if (depth < DEPTH_MAX)
            add_member(r, object, member->string, member,
                       requires(node, member->string), array, depth);
    }
}

static const char *const part_name[N_ADDRESS_PART] = {
    "street", "postal", "city", "state", "country"};

enum address_part slots_address_part(const struct wanted_value *a)
{
    int part = 0;
    while (part < N_ADDRESS_PART && !wanted_has_meaning(a, part_name[part]))
        part++;
    return (enum address_part)part;
}

bool slots_is_part_label(const struct wanted_value *a,
                         const struct label_words *p)
{
    uint32_t part = meaning_of(part_name[slots_address_part(a)]);
    int n = meaning_shared(a->meaning, a->n_meaning, p->meaning, p->n_meaning) +
            meaning_shared(a->path, a->n_path, p->meaning, p->n_meaning);
    return n >= p->n_meaning &&
           meaning_shared(&part, 1, p->meaning, p->n_meaning);
}

static bool has_pattern(const cJSON *node, const char *begin)
{
    return !strncmp(json_get_text_or_empty(node, "pattern"), begin,
                    strlen(begin));
}

/* Whether all choices are codes of currencies. */
static bool are_currencies(const cJSON *choices)
{
    const cJSON *choice = NULL;
    int n = 0;
    cJSON_ArrayForEach(choice, choices)
    {
        if (cJSON_IsNull(choice)) continue;
        if (!cJSON_IsString(choice) || !currency_signs(choice->valuestring))
            return false;
        n++;
    }
    return n;
}

static enum slot_kind kind_of_text(const struct leaf_slot *s, const cJSON *node)
{
    const struct wanted_value *a = s->wanted;
    const char *format = json_get_text_or_empty(node, "format");
    if (!strcmp(format, "date")) return SLOT_DATE;
    if (!strcmp(format, "email") || wanted_has_meaning(a, "email"))
        return SLOT_EMAIL;
    if (*format || json_get(node, "const")) return SLOT_NONE;
    if (wanted_has_meaning(a, "bic")) return SLOT_BIC;
    if (wanted_has_meaning(a, "iban")) return SLOT_IBAN;
    if (wanted_has_meaning(a, "currency") || has_pattern(node, "^[A-Z]{3}$") ||
        are_currencies(json_get(node, "enum")))
        return SLOT_CURRENCY;
    if (json_get(node, "enum")) return SLOT_CHOICE;
    if (wanted_has_meaning(a, "address") &&
        slots_address_part(a) == N_ADDRESS_PART)
        return SLOT_ADDRESS;
    bool code = a->kind == KIND_CODE || wanted_has_meaning(a, "number") ||
                wanted_has_meaning(a, "tax") ||
                wanted_has_meaning(a, "phone") || json_get(node, "pattern");
    return code ? SLOT_CODE : SLOT_TEXT;
}

/* A percentage, or the rate of a tax. */
static bool is_rate(const struct wanted_value *a)
{
    uint32_t tax = meaning_of("tax");
    bool of_tax = wanted_has_meaning(a, "tax") ||
                  meaning_shared(a->path, a->n_path, &tax, 1);
    return wanted_has_meaning(a, "percent") ||
           (of_tax && wanted_has_meaning(a, "price"));
}

static enum slot_kind kind_of(const struct words_reading *r,
                              const struct leaf_slot *s)
{
    const cJSON *node = schema_follow_nullable(r->schema, s->node);
    if (schema_names_type(node, "number") || schema_names_type(node, "integer"))
        return is_rate(s->wanted) ? SLOT_PERCENT : SLOT_NUMBER;
    return schema_names_type(node, "string") ? kind_of_text(s, node)
                                             : SLOT_NONE;
}

/* Whether both keys are of one object, or begin alike: seller_address, seller_city. */
static bool are_of_one(const struct leaf_slot *a, const struct leaf_slot *b)
{
    const char *end = strrchr(a->key, '_');
    size_t n = end ? (size_t)(end - a->key) + 1 : 0;
    return a->parent == b->parent && (a->array >= 0 || a->parent->string ||
                                      (n && !strncmp(a->key, b->key, n)));
}

/* An address beside a city or a postal code is just its street, where no label says
 * how much of it is the value. */
static void mark_streets(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        for (int k = 0; s->kind == SLOT_ADDRESS && k < r->n_slot; k++) {
            enum address_part part = slots_address_part(r->slot[k].wanted);
            s->is_street |=
                (part == ADDRESS_CITY || part == ADDRESS_POSTAL_CODE) &&
                are_of_one(s, &r->slot[k]);
        }
    }
}

/* Of a description of a few words all count, else the long ones. */
static void read_description(struct leaf_slot *s)
{
    const char *text = s->wanted->asked->description;
    int n = 0;
    for (const char *at = text; at && *at; n++) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    if (!n) return;
    s->n_told = meaning_of_text(
        text, false, n <= NAMING_WORDS ? 1 : DESCRIPTION_LEAST, s->told);
    meaning_join(s->told, &s->n_told);
}

/* Marks the only number of a tax outside of rows. */
static void mark_tax(struct words_reading *r)
{
    struct leaf_slot *only = NULL;
    int n = 0;
    for (struct leaf_slot *s = r->slot; s < r->slot + r->n_slot; s++) {
        if (s->array >= 0 || s->kind != SLOT_NUMBER ||
            !wanted_has_meaning(s->wanted, "tax"))
            continue;
        only = s;
        n++;
    }
    if (n == 1) only->is_all_tax = !wanted_has_meaning(only->wanted, "total");
}

cJSON *slots_of_schema(struct words_reading *r)
{
    const cJSON *root =
        schema_follow_nullable(r->schema, schema_root(r->schema));
    cJSON *value = cJSON_CreateObject();
    add_members(r, value, root, -1, 0);
    leaf_values_of_value(r->schema, value, r->arena, &r->leaves);
    r->l.n_asking = r->leaves.n_item;
    r->l.asking =
        arena_array(r->arena, (size_t)r->l.n_asking + 1, sizeof *r->l.asking);
    wanted_read(&r->l, r->leaves.item);
    for (int i = 0; i < r->n_slot; i++)
        r->slot[i].wanted = &r->l.asking[i];
    for (int i = 0; i < r->n_slot; i++)
        read_description(&r->slot[i]);
    for (int i = 0; i < r->n_slot; i++)
        r->slot[i].kind = kind_of(r, &r->slot[i]);
    mark_streets(r);
    mark_tax(r);
    return value;
}

cJSON *slots_value(const struct leaf_slot *s)
{
    if (!s->text) return cJSON_CreateNull();
    return s->kind == SLOT_NUMBER || s->kind == SLOT_PERCENT
               ? json_new_number(s->text)
               : cJSON_CreateString(s->text);
}

bool slots_is_figure(enum slot_kind kind)
{
    return kind == SLOT_NUMBER || kind == SLOT_PERCENT || kind == SLOT_DATE;
}

bool slots_admit(const struct words_reading *r, const struct leaf_slot *s,
                 const char *text)
{
    struct leaf_slot filled = *s;
    filled.text = text;
    cJSON *value = slots_value(&filled);
    bool fits = value && schema_admits(r->schema, s->node, value);
    cJSON_Delete(value);
    return fits;
}
