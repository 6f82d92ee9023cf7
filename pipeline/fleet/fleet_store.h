/* fleet_store.h - bytes by their SHA-256, where all of a fleet see them.
 *
 * Either a folder (of NFS as well: a file is written beside its place, fsynced and
 * renamed; nothing is locked, and nothing that is there is ever written again), or a
 * bucket that speaks S3. What is read is held to its hash.
 * ERRORS  ERR_REMOTE: [store-unreachable] it does not answer or takes nothing;
 * [store-damaged] what lies there is not what its name says, or is gone.
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
    const char *host;                   /* in names that are ours alone */
};

/* `where`: a folder, or "s3://BUCKET/PREFIX". FAIL: ERR_ARGS. */
void fleet_store_place(struct fleet_store *s, const char *where,
                       struct err *err);

/* Puts the bytes there, durably; what is there already is left, and counts as new
 * to whoever sweeps old files out. */
struct hash;
void fleet_store_put(const struct fleet_store *s, struct span bytes,
                     const struct hash *hash, struct err *err);

/* The bytes of a hash into the open file `fd`, from its start. */
void fleet_store_get(const struct fleet_store *s, const char *hex, int fd,
                     struct err *err);

/* Up to `most` of them in memory. */
struct span fleet_store_read(const struct fleet_store *s, const char *hex,
                             size_t most, struct arena *arena, struct err *err);

#endif
