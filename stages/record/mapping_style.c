/* mapping_style.c - see mapping_style.h. */
#include "stages/record/mapping_style.h"

#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

static const struct {
    const char *pointer;
    struct mapping_style style;
} table[] = {
    {"/properties/pages", {.item = "page"}},
    {"/$defs/page", {.attributes = true}},
    {"/properties/warnings", {.item = "warning"}},
    {"/$defs/warning", {.attributes = true, .text = "text"}},
    {"/properties/gaps", {.item = "gap"}},
    {"/$defs/gap", {.attributes = true, .text = "text"}},
    {"/properties/conflicts", {.item = "conflict"}},
    {"/$defs/conflict", {.attributes = true}},
    {"/$defs/conflict/properties/others", {.item = "other"}},
    {"/$defs/reading", {.attributes = true}},
    {"/properties/fields", {.entry = "field", .key = "pointer"}},
    {"/$defs/field", {.attributes = true}},
    {"/$defs/field/properties/evidence", {.item = "place"}},
    {"/$defs/place", {.attributes = true, .list = "box", .text = "text"}},
};

enum { N_STYLE = sizeof table / sizeof *table };
_Static_assert(sizeof table / sizeof *table <= MAPPING_STYLES,
               "all styles fit into MAPPING_STYLES");

void mapping_style_find(const cJSON *root, const cJSON *node[MAPPING_STYLES])
{
    const char *id = json_get_text(root, "$id");
    bool record = id && !strcmp(id, "urn:platen:record:2");
    for (int i = 0; i < MAPPING_STYLES; i++)
        node[i] = record && i < N_STYLE
                      ? json_pointer_find(root, table[i].pointer)
                      : NULL;
}

const struct mapping_style *mapping_style_of(
    const cJSON *const node[MAPPING_STYLES], const cJSON *schema)
{
    for (int i = 0; schema && i < N_STYLE; i++)
        if (node[i] == schema) return &table[i].style;
    return NULL;
}
