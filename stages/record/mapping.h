/* mapping.h - the mapping of JSON values to XML, determined by their schema.
 *
 * THE MAPPING (namespace urn:platen:record:2; `p` below)
 *   object   an element for each member that the schema names, in its order,
 *            named by its key; then <entry key="KEY"> for each other member
 *   array    <item> for each item, inside the array's own element
 *   string   text; number, integer, boolean: their JSON text, unchanged
 *   null     xsi:nil="true" on an empty element
 *   several  a value that can have more than one of these types (besides null)
 *            is in an element named by its own type: <string>, <number>,
 *            <boolean>, <object>, <array>
 *   untyped  a schema with members or items but without a type describes
 *            objects or arrays, which are written as above; a value of another
 *            type, which it allows, is in <value>, as one of several
 *   envelope scalars of the record around the data are attributes, with their
 *            own names: mapping_style.h
 *   root     <record> for a whole record, <data> for its data alone
 *   names    in a key that is not an XML name, each other character, and each
 *            "_" before "xHHHH", is written as _xHHHH_ (hex digits of its code
 *            point); likewise in keys of entries, and the first letter of
 *            <entry> and <value> if the schema has a member of that name
 *   illegal  characters that XML 1.0 cannot hold (U+0000 to U+001F except tab
 *            and line ends, U+FFFE, U+FFFF) are written as U+E000 plus their
 *            last byte, and the attribute standin lists their places (from 0,
 *            in characters)
 *
 * WIDTH  A form accepts what the schema does, and more where the schema needs
 * more than one look at a value. The members of allOf, and of keywords
 * next to a $ref or a type, are combined; anyOf and oneOf count only if nothing
 * else gives types or members. Alternatives of the same type are combined: each
 * member is optional and of any kind that it has in one of them (up to
 * MAPPING_JOINED_MAX levels, since there can be as many combinations as sets of
 * schemas). All other keywords (if, not, uniqueItems, ...) are left to the JSON
 * Schema.
 *
 * THREADS  A struct mapping belongs to one thread; it is built as it is used.
 */
#ifndef STAGES_RECORD_MAPPING_H
#define STAGES_RECORD_MAPPING_H

#include "stages/record/mapping_style.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/text_table.h"
#include "vlm/schema/schema.h"

#define MAPPING_NAMESPACE "urn:platen:record:2"

#define MAPPING_XSI "http://www.w3.org/2001/XMLSchema-instance"

enum { MAPPING_DEPTH_MAX = 100, MAPPING_JOINED_MAX = 2 };

enum mapping_kind {
    MAPPING_NEVER, /* no value is possible */
    MAPPING_NULL,
    MAPPING_STRING,
    MAPPING_NUMBER,
    MAPPING_INTEGER,
    MAPPING_BOOLEAN,
    MAPPING_OBJECT,
    MAPPING_ARRAY,
    MAPPING_CHOICE
};

/* The alternatives of a choice: the JSON types except null. */
enum mapping_type {
    MAPPING_TYPE_STRING,
    MAPPING_TYPE_NUMBER,
    MAPPING_TYPE_BOOLEAN,
    MAPPING_TYPE_OBJECT,
    MAPPING_TYPE_ARRAY,
    MAPPING_TYPES
};

/* The schemas of a place: a value there is valid under at least one of them. */
struct mapping_place {
    const cJSON **node;
    int n;
    int joined; /* number of combined objects or arrays around it */
};

struct mapping_member {
    const char *key;
    bool required;
    struct mapping_place place;
    struct mapping_form *form; /* NULL until requested */
};

/* The content of objects or arrays. */
struct mapping_group {
    bool array, untyped;
    int number; /* unique among groups and forms, from 0 */
    int joined; /* 0: of one alternative; else depth of combined ones */
    const cJSON
        *limits; /* schema with minItems, maxItems of an array; or NULL */
    struct mapping_member *member;
    int n_member;
    struct text_table index;   /* of members, by key */
    struct mapping_place more; /* of an array's items, or an object's entries */
    struct mapping_form *form; /* of `more`; NULL until requested */
    const char *item, *entry, *value;  /* element names */
    const struct mapping_style *style; /* NULL: the general mapping */
};

struct mapping_form {
    enum mapping_kind kind;
    int number;
    bool nullable;
    bool by_reference;           /* reached through a $ref */
    const cJSON *node;           /* first schema of the place; borrowed */
    const cJSON *carrier;        /* the schema with its keywords; borrowed */
    const cJSON *limits;         /* schema with limits of a scalar; or NULL */
    struct mapping_group *group; /* of objects and arrays */
    struct mapping_form *of[MAPPING_TYPES]; /* of a choice; NULL: excluded */
};

struct mapping;

/* The mapping of a schema, which must outlive it. */
struct mapping *mapping_open(const struct schema *s);
void mapping_close(struct mapping *m); /* NULL is fine */

/* The form of values under a schema of s; of a member; of entries or items.
 * NULL on failure. FAIL: ERR_CONFIG [schema-refused]: too many forms. */
struct mapping_form *mapping_root(struct mapping *m, const cJSON *node,
                                  struct err *err);
struct mapping_form *mapping_of_member(struct mapping *m,
                                       struct mapping_member *member,
                                       struct err *err);
struct mapping_form *mapping_of_more(struct mapping *m,
                                     struct mapping_group *group,
                                     struct err *err);

/* The form of any value: a choice. */
struct mapping_form *mapping_any(struct mapping *m);

/* The member with this key, or NULL. */
struct mapping_member *mapping_find(const struct mapping_group *group,
                                    const char *key);

/* Is the member an attribute of the object's element, or its text? A member
 * that can be null or have several types is neither. */
bool mapping_is_attribute(const struct mapping_group *group,
                          const struct mapping_member *member,
                          const struct mapping_form *form);
bool mapping_is_text(const struct mapping_group *group, const char *key);

/* Can objects have members that the schema does not name? */
bool mapping_is_open(const struct mapping_group *group);

/* The type of a value in a choice, false for null; and the element's name. */
bool mapping_type_of(const cJSON *value, enum mapping_type *type);
const char *mapping_type_name(enum mapping_type type);

/* Prints a key as an XML name; and the key of such a name (the caller frees it
 * with mem_free). */
void mapping_name(struct buf *out, const char *key);
char *mapping_key(const char *name);

/* mapping_text: prints a string with stand-ins for characters that XML cannot
 * hold, and to `places` the value of the attribute standin (empty: none).
 * mapping_restore: prints the original string; false: `places` is wrong. */
void mapping_text(struct buf *out, struct buf *places, const char *text);
bool mapping_restore(struct buf *out, const char *text, const char *places);

#endif
