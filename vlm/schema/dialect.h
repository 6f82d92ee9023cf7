/* dialect.h - schemas of older drafts as schemas of 2020-12.
 *
 * A text is translated once, when it is read, so that nothing behind this door
 * knows any other draft:
 *
 *     draft 7                              2020-12
 *     "items": [A, B]                      "prefixItems": [A, B]
 *     "additionalItems": C                 "items": C
 *     "$id": "#name"                       "$anchor": "name"
 *     "$ref": R beside other keywords      "$ref": R alone; the others lie
 *                                          under "x-beside-ref"
 *     draft 4: "id"                        "$id"
 *     "exclusiveMinimum": true, "minimum"  "exclusiveMinimum": N
 *     2019-09: "$recursiveRef": "#"        "$dynamicRef": "#x-recursive"
 *
 * What a draft did not know is set aside under "x-unknown", where a validator
 * of that draft would ignore it as well.
 */
#ifndef VLM_SCHEMA_DIALECT_H
#define VLM_SCHEMA_DIALECT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum dialect {
    DIALECT_2020_12, /* also where nothing is said */
    DIALECT_2019_09,
    DIALECT_7,
    DIALECT_6,
    DIALECT_4
};

/* The "$schema" of what dialect_translate leaves. */
extern const char dialect_uri[];

/* The dialect of a "$schema" (http or https, with or without "#"), or of a
 * name: "4", "6", "7", "2019-09", "2020-12", "draft-07". False, and nothing
 * written, for any other text. */
bool dialect_of_uri(const char *uri, enum dialect *dialect);
bool dialect_of_name(const char *name, enum dialect *dialect);

/* Rewrites the tree in place. Embedded schemas that have an id and a "$schema"
 * of their own are read by that one. */
void dialect_translate(cJSON *root, enum dialect dialect);

/* Why what lies below `box`, a member of a schema, was set aside; NULL where it
 * is no such box. */
const char *dialect_why_aside(const cJSON *box);

/* Where a pointer that was written for the old text leads now: the member
 * `key` of `json`, whose next token is `next` (NULL: none); NULL when it has
 * none. */
const cJSON *dialect_member(const cJSON *json, const char *key,
                            const char *next);

#endif
