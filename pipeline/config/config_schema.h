/* config_schema.h - the sections [schema.NAME] of platen.conf, in a list of struct
 * config; used by config*.c only. config_for (config.h) is what others call. */
#ifndef PIPELINE_CONFIG_CONFIG_SCHEMA_H
#define PIPELINE_CONFIG_CONFIG_SCHEMA_H

#include "pipeline/config/config.h"

struct config_schema {
    struct config_schema *next; /* in the order of the file */
    const char *name;
    struct config *config; /* for documents of the schema; set by
                            * config_schema_derive */
    bool reads_key;        /* it has an endpoint or a key of its own */
    const char *value[CONFIG_KEY_MAX], *origin[CONFIG_KEY_MAX]; /* or NULL */
};

/* Sets a key in the section of schema `name`. FAIL: ERR_CONFIG, as config_set;
 * a key that is set twice, or that cannot be set for a schema. */
void config_schema_set(struct config *c, const char *name, const char *key,
                       const char *value, const char *origin, struct err *err);

/* The file and line of its first key, in the order of the table. */
const char *config_schema_place(const struct config_schema *s);

/* Makes the configuration of each section, from the complete one of `c`, without
 * the defaults that depend on its model. FAIL: ERR_CONFIG. */
void config_schema_derive(struct config *c, struct err *err);

/* Is its value of the key in that row used? Not if it has none, or a flag or a
 * variable is first. */
bool config_schema_uses(const struct config *c, const struct config_schema *s,
                        size_t row);

/* When all are complete: sets several_models. */
void config_schema_compare(struct config *c);

/* Forgets the sections and closes their keys. */
void config_schema_close(struct config *c);

#endif
