/* config_table.h - the rows behind config.h; for config*.c alone. */
#ifndef PIPELINE_CONFIG_CONFIG_TABLE_H
#define PIPELINE_CONFIG_CONFIG_TABLE_H

#include <stddef.h>

enum key_type {
    KEY_TEXT,
    KEY_CHOICE,  /* one of `words` */
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
    const char *unit; /* how the manual calls the value */
    const char *help; /* what it does, no final stop */
    const char *words;
};

const struct config_key *config_key_at(size_t row); /* NULL at the end */
/* Where a row of config_key_at stands, from 0: its place in `origin` and
 * `value` of struct config. */
size_t config_key_row(const struct config_key *k);

#endif
