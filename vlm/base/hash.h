/* hash.h - SHA-256 (by libcrypto). */
#ifndef VLM_BASE_HASH_H
#define VLM_BASE_HASH_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct hash {
    char hex[65]; /* lower case, NUL at the end */
};

/* Cannot fail. */
struct hash hash_bytes(struct span bytes);

/* Hashes the whole file. Does not use the descriptor's position, which another
 * process may share and move. */
struct hash hash_fd(int fd, struct err *err);

#endif
