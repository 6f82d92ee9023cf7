/* fleet_store.h - the store of a fleet: files named by their SHA-256.
 *
 * Either a folder (NFS is possible: a file is written under a temporary name,
 * fsynced and renamed; no locks are used, and existing files are never
 * changed), or an S3 bucket. The hash is checked when a file is read.
 * ERRORS  ERR_REMOTE: [store-unreachable] it cannot be reached or written;
 * [store-damaged] a file is missing or does not have its hash.
 */
#ifndef PIPELINE_FLEET_FLEET_STORE_H
#define PIPELINE_FLEET_FLEET_STORE_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct fleet_store {
    const char *folder; /* or NULL: */
    const char *bucket; /* "BUCKET" or "BUCKET/PREFIX" */
    const char *endpoint, *region;
    const char *key, *secret, *session; /* of S3 */
    const char *host;                   /* for unique temporary names */
};

/* `where`: a folder, or "s3://BUCKET/PREFIX". FAIL: ERR_ARGS. */
void fleet_store_place(struct fleet_store *s, const char *where,
                       struct err *err);

/* Puts the bytes, durably. An existing file stays, but its time is renewed, so
 * that it is not removed as old. */
struct hash;
void fleet_store_put(const struct fleet_store *s, struct span bytes,
                     const struct hash *hash, struct err *err);

/* Writes the bytes of a hash to `fd`, from its start. */
void fleet_store_get(const struct fleet_store *s, const char *hex, int fd,
                     struct err *err);

/* Reads up to `most` bytes into memory. */
struct span fleet_store_read(const struct fleet_store *s, const char *hex,
                             size_t most, struct arena *arena, struct err *err);

#endif
