/* file_map.h - memory-mapped files, and reading of small files. */
#ifndef VLM_BASE_FILE_MAP_H
#define VLM_BASE_FILE_MAP_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Maps the file read-only until file_map_close. FAIL: ERR_MISSING, ERR_SYSTEM;
 * ERR_INPUT for an empty file or one that is not regular. */
struct span file_map_open(const char *path, struct err *err);
void file_map_close(struct span map); /* an empty span is fine */

/* Is it a readable regular file, or a link to one? */
bool file_map_can_read(const char *path);

/* Reads the whole file into the arena, followed by a NUL. FAIL: as
 * file_map_open (but an empty file is accepted), and ERR_LIMIT above `most`
 * bytes. */
struct span file_map_read(const char *path, size_t most, struct arena *arena,
                          struct err *err);

/* Reads the whole file into data[most], and returns its size. Keeps no other
 * copy. FAIL: as file_map_read. */
size_t file_map_copy(const char *path, char *data, size_t most,
                     struct err *err);

#endif
