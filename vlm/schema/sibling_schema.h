/* sibling_schema.h - references to other files in a schema's folder.
 *
 * A schema loaded from a file can refer to other files in its folder and
 * below: by path ("parts/address.json"), by a URI relative to its own $id (for
 * https://example.com/a/b.json, https://example.com/a/c.json is c.json in the
 * same folder), or by their own $id. Files outside the folder are never read,
 * not even through links, and the network is never used.
 */
#ifndef VLM_SCHEMA_SIBLING_SCHEMA_H
#define VLM_SCHEMA_SIBLING_SCHEMA_H

#include "vlm/schema/node.h"

/* Base URI of relative references in a file without $id. */
#define SIBLING_SCHEMA_BASE "platen:///beside/"

/* Sets options.folder_base, the folder's URI, from the schema's own $id. */
void sibling_schema_set_base(struct schema *s, const cJSON *root);

/* The path of the file that a URI (without fragment) means; NULL if there is
 * none or the schema was not loaded from a file. */
const char *sibling_schema_find(struct schema *s, const char *uri);

#endif
