/* notify.h - notifies the service manager: readiness and keep-alive.
 *
 * The protocol of sd_notify(3): a datagram to the socket that the environment
 * names. libsystemd is not used, since it would bring decompressors into a
 * program that reads hostile files.
 */
#ifndef PIPELINE_PROCESS_NOTIFY_H
#define PIPELINE_PROCESS_NOTIFY_H

#include "pipeline/process/service.h"

struct notify {
    int fd;       /* -1: no service manager */
    double every; /* seconds between keep-alives; 0: none */
    double last;
};

/* Never fails: without a reachable socket nothing is sent. */
void notify_open(struct notify *n, const struct service *service);
void notify_close(struct notify *n);

/* Sends "READY=1", or several such lines. n NULL: does nothing, as below. */
void notify_send(const struct notify *n, const char *state);

/* A reload (SIGHUP) begins; it ends with the next READY=1. */
void notify_reloading(const struct notify *n);

/* Sends a keep-alive if one is due. Called by the main loop, so that a loop
 * that hangs is noticed. */
void notify_beat(struct notify *n);

/* Seconds until the next keep-alive; -1: none. */
double notify_wait(const struct notify *n);

#endif
