/* fleet_s3.h - objects of an S3 bucket (libcurl, SigV4). */
#ifndef PIPELINE_FLEET_FLEET_S3_H
#define PIPELINE_FLEET_FLEET_S3_H

#include "pipeline/fleet/fleet_store.h"

/* Puts an object; the server checks its SHA-256. FAIL: [store-unreachable]. */
void fleet_s3_put(const struct fleet_store *s, const char *hex,
                  struct span bytes, struct err *err);

/* Writes the object to `fd`, from its start. FAIL: [store-unreachable],
 * [store-damaged] if it does not exist. */
void fleet_s3_get(const struct fleet_store *s, const char *hex, int fd,
                  struct err *err);

#endif
