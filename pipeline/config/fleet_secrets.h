/* fleet_secrets.h - the passwords and keys of a fleet: in sealed memory, which
 * only the processes that connect to the fleet read. */
#ifndef PIPELINE_CONFIG_FLEET_SECRETS_H
#define PIPELINE_CONFIG_FLEET_SECRETS_H

#include "pipeline/config/config.h"

struct fleet_secrets {
    char conninfo[4096]; /* as configured */
    char password[1024]; /* $PGPASSWORD */
    /* of a store in S3; if fleet_key_file is not set, from the environment */
    char s3_key[256], s3_secret[1024], s3_session[4096];
    char environment_s3_key[256], environment_s3_secret[1024];
};

/* If a fleet is configured: moves its secrets to c->fleet_fd, wipes them in the
 * environment and in c, and leaves the address without passwords. A secret that
 * was moved earlier is kept. FAIL: ERR_CONFIG: one is too long, fleet_key_file
 * cannot be read; ERR_SYSTEM. */
void fleet_secrets_hide(struct config *c, struct err *err);

/* For a process that connects to the fleet. Without a fleet all are "". */
void fleet_secrets_read(int fd, struct fleet_secrets *secrets);

#endif
