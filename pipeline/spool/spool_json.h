/* spool_json.h - the small JSON files of a document's folder; spool_read_json
 * reads them. */
#ifndef PIPELINE_SPOOL_SPOOL_JSON_H
#define PIPELINE_SPOOL_SPOOL_JSON_H

#include <cjson/cJSON.h>

#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"

/* Writes a file, and deletes the object: durably in place of an old one
 * (spool_write), or a new one in a folder that is synced later
 * (durable_write_new). */
void spool_json_write(struct folder *f, const char *name, cJSON *o,
                      struct err *err);
void spool_json_write_new(struct folder *f, const char *name, cJSON *o,
                          struct err *err);

/* Adds a raw file name, escaped. */
void spool_json_add_name(cJSON *o, const char *key, const char *raw);

/* Exactly: an inode can have more digits than a double. */
bool spool_json_number_is(const cJSON *o, const char *key, long long value);

/* Where a document was dropped, as name.json and taken.json say. Their member
 * SPOOL_SUBFOLDER exists only for a file in a folder of in/NAME/. */
#define SPOOL_SUBFOLDER "subfolder"
struct spool_source {
    char name[FILE_NAME_BYTES_MAX + 1], folder[FILE_NAME_BYTES_MAX + 1];
    char path[SPOOL_PATH_SIZE]; /* folder and subfolder */
};
/* False: a part is damaged; it is "". */
bool spool_source_read(const cJSON *o, struct spool_source *from);

#endif
