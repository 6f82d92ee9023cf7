/* mapping.h - which XML stands for a value: decided by its schema alone.
 *
 * THE MAPPING (namespace urn:platen:record:1; `p` below)
 *   object   an element for each member that is there, in the schema's order,
 *            named by its key
 *   map      (an object with additionalProperties and no properties)
 *            <entry key="KEY"> for each member
 *   array    <item> for each item, inside the array's own element
 *   string   text; number, integer, boolean: their JSON text, unchanged
 *   null     xsi:nil="true" on an empty element
 *   root     <record> for a whole record, <data> for what was read alone
 *   names    a key that is no XML name has each other character, and each "_"
 *            before "xHHHH", written as _xHHHH_ (hex digits of its code
 *            point); so have map keys
 *   illegal  characters that XML 1.0 cannot hold (U+0000 to U+001F but tab
 *            and line ends, U+FFFE, U+FFFF) are written as U+E000 plus their
 *            last byte, and the attribute standin lists their places (from 0,
 *            in characters)
 *
 * THE SUBSET  A schema is mapped when every value in it has one type beside
 * null: by `type`, by enum or const, by anyOf/oneOf of a schema and null, by
 * $ref to such a one. Objects have additionalProperties false (or are maps),
 * arrays have items and no prefixItems. All else that a schema asks for
 * (allOf, if, uniqueItems, ...) is left to the JSON Schema; the XSD says so in
 * comments. What the XSD accepts may be more than the JSON Schema accepts,
 * never less.
 */
#ifndef STAGES_RECORD_MAPPING_H
#define STAGES_RECORD_MAPPING_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

#define MAPPING_NAMESPACE "urn:platen:record:1"
#define MAPPING_XSI       "http://www.w3.org/2001/XMLSchema-instance"

enum { MAPPING_DEPTH_MAX = 100 };

enum mapping_kind {
    MAPPING_NULL,
    MAPPING_STRING,
    MAPPING_NUMBER,
    MAPPING_INTEGER,
    MAPPING_BOOLEAN,
    MAPPING_OBJECT,
    MAPPING_MAP,
    MAPPING_ARRAY
};

struct mapping {
    enum mapping_kind kind;
    bool nullable;
    bool by_reference; /* a $ref was followed to get here */
    const cJSON *node; /* the schema that says more; borrowed */
    const cJSON *item; /* of a map's or an array's values */
};

/* FAIL: ERR_CONFIG, "schema-refused": outside the subset, and why. */
struct mapping mapping_of(const struct schema *s, const cJSON *node,
                          struct err *err);

/* Is `name` among the object's required members? */
bool mapping_requires(const cJSON *node, const char *name);

/* A key as an XML name, and back (NULL when it is no such name; the result is
 * the caller's: mem_give). */
void mapping_name(struct buf *out, const char *key);
char *mapping_key(const char *name);

/* A string with stand-ins for what XML cannot hold; `places` gets what the
 * attribute says (empty: none). And back, in place of `text`: false when the
 * places are wrong. */
void mapping_text(struct buf *out, struct buf *places, const char *text);
bool mapping_restore(struct buf *out, const char *text, const char *places);

#endif
