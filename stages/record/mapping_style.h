/* mapping_style.h - how the envelope of a record is written in XML where that is
 * not as mapping.h says for any value: scalars as attributes, items and entries
 * by their own names. The data of a record has none of it.
 */
#ifndef STAGES_RECORD_MAPPING_STYLE_H
#define STAGES_RECORD_MAPPING_STYLE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

struct mapping_style {
    const char *item; /* of an array: the name of its elements, or NULL */
    const char *entry, *key; /* of entries: name, and the attribute that has the
                              * key as it is; or NULL */
    bool attributes;         /* scalars are attributes, */
    const char *list;        /* and so is this array of numbers; or NULL */
    const char *text;        /* but this one is the element's text; or NULL */
};

enum { MAPPING_STYLES = 16 };

/* The styled places of a record's schema: node[i] has style i. All NULL where
 * the schema is none of a record. */
void mapping_style_find(const cJSON *root, const cJSON *node[MAPPING_STYLES]);

/* That of a schema, NULL: none. */
const struct mapping_style *mapping_style_of(
    const cJSON *const node[MAPPING_STYLES], const cJSON *schema);

#endif
