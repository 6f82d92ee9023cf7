/* notify.h - readiness and signs of life for a supervisor of services.
 *
 * The protocol of sd_notify(3): a datagram to the socket that the environment
 * names. Written here, as systemd advises who wants no more than that: its library
 * would bring decompressors into a program that reads hostile files.
 */
#ifndef PIPELINE_PROCESS_NOTIFY_H
#define PIPELINE_PROCESS_NOTIFY_H

#include "pipeline/process/service.h"

struct notify {
    int fd;       /* -1: nobody listens */
    double every; /* signs of life; 0: none are wanted */
    double last;
};

/* Never fails: without a socket that can be reached nobody is told. */
void notify_open(struct notify *n, const struct service *service);
void notify_close(struct notify *n);

/* "READY=1", or several such lines. NULL is fine, here and below. */
void notify_send(const struct notify *n, const char *state);

/* SIGHUP was taken up; the next READY=1 says that it is done. */
void notify_reloading(const struct notify *n);

/* A sign of life, where one is due: for the loop that does the work, so that
 * one that stands still is found. */
void notify_beat(struct notify *n);

/* Seconds until the next one is due; -1: none are wanted. */
double notify_wait(const struct notify *n);

#endif
