/* mapping_style.h - XML of a record's envelope where it differs from the
 * general mapping (mapping.h): scalars as attributes, own names for items and
 * entries. The data of a record has no styles.
 */
#ifndef STAGES_RECORD_MAPPING_STYLE_H
#define STAGES_RECORD_MAPPING_STYLE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

struct mapping_style {
    const char *item;  /* element name of an array's items, or NULL */
    const char *entry; /* element name of entries, or NULL */
    const char *key;   /* attribute with an entry's unchanged key, or NULL */
    bool attributes;   /* scalars are attributes */
    const char *list;  /* member, an array of numbers, that is an attribute
                        * too; or NULL */
    const char *text;  /* member that is the element's text instead, or NULL */
};

enum { MAPPING_STYLES = 16 };

/* Finds the styled places of a record's schema: node[i] has style i. All NULL
 * if the schema is not a record's. */
void mapping_style_find(const cJSON *root, const cJSON *node[MAPPING_STYLES]);

/* The style of a schema; NULL: none. */
const struct mapping_style *mapping_style_of(
    const cJSON *const node[MAPPING_STYLES], const cJSON *schema);

#endif
