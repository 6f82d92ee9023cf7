/* mapping.h - which XML stands for a value: decided by its schema alone.
 *
 * THE MAPPING (namespace urn:platen:record:2; `p` below)
 *   object   an element for each member that the schema names, in its order,
 *            named by its key; behind them <entry key="KEY"> for each other one
 *   array    <item> for each item, inside the array's own element
 *   string   text; number, integer, boolean: their JSON text, unchanged
 *   null     xsi:nil="true" on an empty element
 *   several  where a value may be of more than one of these (null apart), it
 *            stands in an element named by its own type: <string>, <number>,
 *            <boolean>, <object>, <array>
 *   untyped  a schema that has members or items and no type speaks of objects
 *            or arrays, which are written as above; a value of another type,
 *            which it allows, in <value>, there as one of several
 *   envelope of the record around the data the scalars are attributes, under
 *            names of their own: mapping_style.h
 *   root     <record> for a whole record, <data> for what was read alone
 *   names    a key that is no XML name has each other character, and each "_"
 *            before "xHHHH", written as _xHHHH_ (hex digits of its code
 *            point); so have keys of entries, and the first letter of <entry>
 *            and <value> where the schema names a member so
 *   illegal  characters that XML 1.0 cannot hold (U+0000 to U+001F but tab
 *            and line ends, U+FFFE, U+FFFF) are written as U+E000 plus their
 *            last byte, and the attribute standin lists their places (from 0,
 *            in characters)
 *
 * WIDTH  A form is wider than the schema where that needs more than one look
 * at a value: never narrower. Of allOf and of what stands beside a $ref or a
 * type, members are joined; anyOf and oneOf count where nothing else tells
 * types or members. Alternatives for the same type are joined: each member
 * optional, and of any of the kinds that it may have in one of them (but not
 * without end: there may be as many joined kinds as sets of schemas). All else
 * that a schema asks for (if, not, uniqueItems, ...) is left to it.
 *
 * THREADS  A struct mapping belongs to one thread; it is made as it is used.
 */
#ifndef STAGES_RECORD_MAPPING_H
#define STAGES_RECORD_MAPPING_H

#include "stages/record/mapping_style.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/text_table.h"
#include "vlm/schema/schema.h"

#define MAPPING_NAMESPACE "urn:platen:record:2"
#define MAPPING_XSI       "http://www.w3.org/2001/XMLSchema-instance"

enum { MAPPING_DEPTH_MAX = 100, MAPPING_JOINED_MAX = 2 };

enum mapping_kind {
    MAPPING_NEVER, /* there is no such value */
    MAPPING_NULL,
    MAPPING_STRING,
    MAPPING_NUMBER,
    MAPPING_INTEGER,
    MAPPING_BOOLEAN,
    MAPPING_OBJECT,
    MAPPING_ARRAY,
    MAPPING_CHOICE
};

/* What a choice is made by: the types of JSON but null. */
enum mapping_type {
    MAPPING_TYPE_STRING,
    MAPPING_TYPE_NUMBER,
    MAPPING_TYPE_BOOLEAN,
    MAPPING_TYPE_OBJECT,
    MAPPING_TYPE_ARRAY,
    MAPPING_TYPES
};

/* A place's schemas: a value there is valid under at least one of them. */
struct mapping_place {
    const cJSON **node;
    int n;
    int joined; /* how many objects or arrays around it are joined ones */
};

struct mapping_member {
    const char *key;
    bool required;
    struct mapping_place place;
    struct mapping_form *form; /* NULL until asked for */
};

/* The inside of objects (with members, and entries where `more` has schemas)
 * or of arrays (`more`: their items). */
struct mapping_group {
    bool array, untyped;
    int number; /* from 0, its own among groups and forms */
    int joined; /* 0: of one alternative; else what is inside is joined */
    const cJSON *limits; /* of an array: minItems, maxItems; or NULL */
    struct mapping_member *member;
    int n_member;
    struct text_table index; /* of members, by key */
    struct mapping_place more;
    struct mapping_form *form;         /* of `more`; NULL until asked for */
    const char *item, *entry, *value;  /* the names of those elements */
    const struct mapping_style *style; /* NULL: as any value is written */
};

struct mapping_form {
    enum mapping_kind kind;
    int number;
    bool nullable;
    bool by_reference;           /* a $ref was followed to get here */
    const cJSON *node;           /* the place's first schema, and the one */
    const cJSON *carrier;        /* that says more; borrowed */
    const cJSON *limits;         /* of a string or number; or NULL */
    struct mapping_group *group; /* of objects and arrays */
    struct mapping_form *of[MAPPING_TYPES]; /* of a choice; NULL: not this */
};

struct mapping;

/* `s` must outlive it. */
struct mapping *mapping_open(const struct schema *s);
void mapping_close(struct mapping *m); /* NULL is fine */

/* The form of values under a schema of s; of a member; of the entries or
 * items. FAIL: ERR_CONFIG, "schema-refused": too many of them; then NULL. */
struct mapping_form *mapping_root(struct mapping *m, const cJSON *node,
                                  struct err *err);
struct mapping_form *mapping_of_member(struct mapping *m,
                                       struct mapping_member *member,
                                       struct err *err);
struct mapping_form *mapping_of_more(struct mapping *m,
                                     struct mapping_group *group,
                                     struct err *err);

/* The form of any value at all: a choice. */
struct mapping_form *mapping_any(struct mapping *m);

/* The member of that key, or NULL. */
struct mapping_member *mapping_find(const struct mapping_group *group,
                                    const char *key);

/* Of a member with this form: is it an attribute of the object's element, or
 * its text? What may be null or of several types is neither. */
bool mapping_is_attribute(const struct mapping_group *group,
                          const struct mapping_member *member,
                          const struct mapping_form *form);
bool mapping_is_text(const struct mapping_group *group, const char *key);

/* May there be members that the schema does not name? */
bool mapping_is_open(const struct mapping_group *group);

/* The type by which a value is chosen, false for null; and its element. */
bool mapping_type_of(const cJSON *value, enum mapping_type *type);
const char *mapping_type_name(enum mapping_type type);

/* A key as an XML name, and back (NULL when it is no such name; the result is
 * the caller's: mem_free). */
void mapping_name(struct buf *out, const char *key);
char *mapping_key(const char *name);

/* A string with stand-ins for what XML cannot hold; `places` gets what the
 * attribute says (empty: none). And back, in place of `text`: false when the
 * places are wrong. */
void mapping_text(struct buf *out, struct buf *places, const char *text);
bool mapping_restore(struct buf *out, const char *text, const char *places);

#endif
