/* config_schema.h - the sections [schema.NAME] of platen.conf, in a list of struct
 * config; used by config*.c only. config_for (config.h) is what others call. */
#ifndef PIPELINE_CONFIG_CONFIG_SCHEMA_H
#define PIPELINE_CONFIG_CONFIG_SCHEMA_H

#include "pipeline/config/config.h"

struct config_schema {
    struct config_schema *next; /* in the order of the file */
    const char *name;
    struct config *config; /* for documents of the schema; set by
                            * config_schema_finish */
    const char *value[CONFIG_KEY_MAX], *origin[CONFIG_KEY_MAX]; /* or NULL */
};

/* Sets a key in the section of schema `name`. FAIL: ERR_CONFIG, as config_set;
 * a key that is set twice, or that cannot be set for a schema. */
void config_schema_set(struct config *c, const char *name, const char *key,
                       const char *value, const char *origin, struct err *err);

/* Makes the configuration of each section, from the complete one of `c`. FAIL:
 * ERR_CONFIG. */
void config_schema_finish(struct config *c, struct err *err);

/* Prints the sections with the keys that they set. */
void config_schema_print(const struct config *c, struct buf *out);

/* Forgets the sections and closes their keys. */
void config_schema_close(struct config *c);

#endif
