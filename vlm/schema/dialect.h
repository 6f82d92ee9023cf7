/* dialect.h - translation of older drafts to 2020-12.
 *
 * A text is translated once, when it is loaded; all other code knows only
 * 2020-12:
 *
 *     draft 7                              2020-12
 *     "items": [A, B]                      "prefixItems": [A, B]
 *     "additionalItems": C                 "items": C
 *     "$id": "#name"                       "$anchor": "name"
 *     "$ref": R beside other keywords      "$ref": R alone; the others move
 *                                          to "x-beside-ref"
 *     draft 4: "id"                        "$id"
 *     "exclusiveMinimum": true, "minimum"  "exclusiveMinimum": N
 *     2019-09: "$recursiveRef": "#"        "$dynamicRef": "#x-recursive"
 *
 * Keywords that the draft did not know move to "x-unknown": a validator of that
 * draft ignores them too.
 */
#ifndef VLM_SCHEMA_DIALECT_H
#define VLM_SCHEMA_DIALECT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum dialect {
    DIALECT_2020_12, /* the default */
    DIALECT_2019_09,
    DIALECT_7,
    DIALECT_6,
    DIALECT_4
};

/* The "$schema" of translated schemas. */
extern const char dialect_uri[];

/* The dialect of a "$schema" URI (http or https, with or without "#"), or of a
 * name: "4", "6", "7", "2019-09", "2020-12", "draft-07". False for any other
 * text, and *dialect is unchanged. */
bool dialect_of_uri(const char *uri, enum dialect *dialect);
bool dialect_of_name(const char *name, enum dialect *dialect);

/* Rewrites the tree in place. Embedded schemas with an id and a "$schema" of
 * their own are translated from that draft. */
void dialect_translate(cJSON *root, enum dialect dialect);

/* Why the keywords in `box`, a member of a schema, were set aside ("is ignored:
 * ..."); NULL if `box` is neither "x-unknown" nor "x-beside-ref". */
const char *dialect_why_aside(const cJSON *box);

/* Resolves one step of a JSON pointer written for the original text: member
 * `key` of the translated `json`; `next` is the pointer's next token, or NULL.
 * NULL if there is no such member. */
const cJSON *dialect_member(const cJSON *json, const char *key,
                            const char *next);

#endif
