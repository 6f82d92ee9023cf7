/* fleet_settings.h - what goes with a document so that any worker reads it as its
 * owner would: keys of platen.conf, and the folder of schemas by hash. */
#ifndef PIPELINE_FLEET_FLEET_SETTINGS_H
#define PIPELINE_FLEET_FLEET_SETTINGS_H

#include "pipeline/config/config.h"
#include "pipeline/fleet/fleet_store.h"
#include "vlm/base/hash.h"

/* "key = value" lines of the keys that a result depends on and a machine does not. */
void fleet_settings_print(const struct config *config, struct buf *out);

/* The worker's own configuration with these lines, and `schemas` as folder; keys
 * that are none of those are refused. FAIL: ERR_CONFIG. */
struct config *fleet_settings_apply(const struct config *own, const char *lines,
                                    const char *schemas, struct err *err);

/* Puts all *.schema.json and *.prompt.md of the folder into the store, and a list of
 * them ("HASH  NAME", as sha256sum has it), whose hash stands for all. FAIL:
 * ERR_CONFIG; as fleet_store_put. */
struct hash fleet_settings_put(const struct fleet_store *s, const char *folder,
                               struct err *err);

/* Makes these files in an empty folder. FAIL: ERR_SYSTEM; as fleet_store_get. */
void fleet_settings_get(const struct fleet_store *s, const char *hex,
                        const char *folder, struct err *err);

#endif
