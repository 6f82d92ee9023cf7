/* fleet_settings.h - the settings and schemas that are submitted with a
 * document, so that all workers read it in the same way. */
#ifndef PIPELINE_FLEET_FLEET_SETTINGS_H
#define PIPELINE_FLEET_FLEET_SETTINGS_H

#include "pipeline/config/config.h"
#include "pipeline/fleet/fleet_store.h"
#include "vlm/base/hash.h"

/* Prints "key = value" lines of the keys that affect results, not machines. */
void fleet_settings_print(const struct config *config, struct buf *out);

/* The worker's own configuration with these lines applied, `schemas` as folder
 * of schemas, and without the fleet; other keys are refused. FAIL:
 * ERR_CONFIG. */
struct config *fleet_settings_apply(const struct config *own, const char *lines,
                                    const char *schemas, struct err *err);

/* Puts all *.schema.json and *.prompt.md of the folder into the store, and a
 * list of them ("HASH  NAME", as of sha256sum). Returns the hash of the list.
 * FAIL: ERR_CONFIG; as fleet_store_put. */
struct hash fleet_settings_put(const struct fleet_store *s, const char *folder,
                               struct err *err);

/* Writes these files into an empty folder. FAIL: ERR_SYSTEM; as
 * fleet_store_get. */
void fleet_settings_get(const struct fleet_store *s, const char *hex,
                        const char *folder, struct err *err);

#endif
