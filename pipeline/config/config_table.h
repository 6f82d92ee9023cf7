/* config_table.h - the table of keys; used by config*.c only. */
#ifndef PIPELINE_CONFIG_CONFIG_TABLE_H
#define PIPELINE_CONFIG_CONFIG_TABLE_H

#include <stddef.h>

enum key_type {
    KEY_TEXT,
    KEY_CHOICE,  /* one of `choices` */
    KEY_FORMATS, /* json,xml */
    KEY_SWITCH,
    KEY_PAGES,
    KEY_DEVICE, /* auto, cpu or cuda:N */
    KEY_INT,
    KEY_INT64,
    KEY_BYTES, /* with K, M, G, T */
    KEY_REAL,
    KEY_SECONDS
};

struct config_key {
    const char *section, *key;
    enum key_type type;
    size_t offset; /* in struct config */
    const char *by_default;
    double least, most;
    const char *unit;    /* name of the value in the manual */
    const char *help;    /* description without final full stop */
    const char *choices; /* of KEY_CHOICE: "auto|on|off"; else NULL */
};

const struct config_key *config_key_at(size_t row); /* NULL at the end */
/* The row number of a key, from 0: its index in `origin` and `value` of struct
 * config. */
size_t config_key_row(const struct config_key *k);

/* What can be set in a section [schema.NAME]. Where a flag or a variable chooses
 * engine, model or endpoint, it does so for all schemas. */
enum key_of_schema { KEY_OF_ALL, KEY_OF_SCHEMA, KEY_CHOOSES_MODEL };
enum key_of_schema config_key_of_schema(const struct config_key *k);

#endif
