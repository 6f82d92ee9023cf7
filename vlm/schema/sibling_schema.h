/* sibling_schema.h - schemas that lie beside the one that refers to them.
 *
 * A schema that is read from a file may refer to others in its folder and
 * below it: by their place ("parts/address.json"), by the address that its own
 * $id gives them (of https://example.com/a/b.json, https://example.com/a/c.json
 * is c.json beside it), or by the $id that they have themselves. Never above
 * that folder, nor out of it by a link, and never over a network.
 */
#ifndef VLM_SCHEMA_SIBLING_SCHEMA_H
#define VLM_SCHEMA_SIBLING_SCHEMA_H

#include "vlm/schema/node.h"

/* What relative references of a file without $id are relative to. */
#define SIBLING_SCHEMA_BASE "platen:///beside/"

/* Takes note of where the schema's own $id says that the folder lies. */
void sibling_schema_set_base(struct schema *s, const cJSON *root);

/* The path of the file that is meant by a URI without fragment; NULL when
 * there is none, or the schema is of no file. */
const char *sibling_schema_find(struct schema *s, const char *uri);

#endif
