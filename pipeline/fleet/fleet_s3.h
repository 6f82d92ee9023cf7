/* fleet_s3.h - objects of a bucket that speaks S3 (libcurl, SigV4). */
#ifndef PIPELINE_FLEET_FLEET_S3_H
#define PIPELINE_FLEET_FLEET_S3_H

#include "pipeline/fleet/fleet_store.h"

/* An object of these bytes, whose SHA-256 the server checks. FAIL: [store-unreachable]. */
void fleet_s3_put(const struct fleet_store *s, const char *hex,
                  struct span bytes, struct err *err);

/* The object into `fd`, from its start. FAIL: [store-unreachable], [store-damaged] when
 * there is none. */
void fleet_s3_get(const struct fleet_store *s, const char *hex, int fd,
                  struct err *err);

#endif
