/* config_file.h - finding and reading platen.conf, and the default paths. */
#ifndef PIPELINE_CONFIG_CONFIG_FILE_H
#define PIPELINE_CONFIG_CONFIG_FILE_H

#include "pipeline/config/config.h"

/* The first that exists of `given`, $PLATEN_CONFIG, ./platen.conf,
 * $XDG_CONFIG_HOME/platen/platen.conf (~/.config), /etc/platen/platen.conf; or
 * "". `given` or $PLATEN_CONFIG must exist if set. FAIL: ERR_CONFIG. */
const char *config_file_find(const char *given, struct arena *arena,
                             struct err *err);

/* Reads a platen.conf into c. FAIL: ERR_CONFIG with file and line: an invalid
 * line or value; a key that is set twice; a file that is writable by others, is
 * owned by neither root nor the user, or is not a regular file (a FIFO does not
 * block). */
void config_file_read(struct config *c, const char *path, struct err *err);

/* Sealed memory with a copy of a secret; 0: it is empty. `what` is for messages.
 * FAIL: ERR_SYSTEM. */
int config_file_seal(struct span secret, const char *what, struct err *err);

/* Moves the endpoint's key from the environment to c->environment_key_fd, and
 * wipes it there: no process started later has it. FAIL: ERR_SYSTEM. */
void config_file_hide_key(struct config *c, struct err *err);

/* Fills in the paths that are empty (schemas, model, mmproj, programs, cache),
 * and reads the key of the endpoint and the passwords of PDFs. FAIL: ERR_CONFIG. */
void config_file_defaults(struct config *c, struct err *err);

/* The same for the configuration of one schema: model, mmproj and mtp; key: also
 * the key of its endpoint. FAIL: ERR_CONFIG. */
void config_file_engine(struct config *c, bool key, struct err *err);

#endif
