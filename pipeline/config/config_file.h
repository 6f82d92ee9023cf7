/* config_file.h - finding and reading platen.conf, and the default paths. */
#ifndef PIPELINE_CONFIG_CONFIG_FILE_H
#define PIPELINE_CONFIG_CONFIG_FILE_H

#include "pipeline/config/config.h"

/* `given`, $PLATEN_CONFIG, ./platen.conf, $XDG_CONFIG_HOME/platen/platen.conf
 * (~/.config), /etc/platen/platen.conf: the first that exists, or "". A file
 * that was asked for must exist. FAIL: ERR_CONFIG. */
const char *config_file_find(const char *given, struct arena *arena,
                             struct err *err);

/* FAIL: ERR_CONFIG with file and line; also for a file that others than its
 * owner may write, or that belongs to neither root nor us; for what is no
 * regular file (a FIFO is not waited for); for a key that is there twice. */
void config_file_read(struct config *c, const char *path, struct err *err);

/* Fills in the paths that are empty: schemas, model, mmproj, rasteriser,
 * cache; and the key of the endpoint. FAIL: ERR_CONFIG. */
void config_file_defaults(struct config *c, struct err *err);

#endif
