/* connections.h - the connections of the server: each request from its first byte
 * to its answer. None of this waits: processes of request_pool.h handle requests,
 * and children draw pages (draw.h), while the connection is suspended. */
#ifndef PIPELINE_REVIEW_CONNECTIONS_H
#define PIPELINE_REVIEW_CONNECTIONS_H

#include <microhttpd.h>

#include "pipeline/review/access.h"
#include "pipeline/review/draw.h"
#include "pipeline/review/live_events.h"
#include "pipeline/review/request_pool.h"
#include "pipeline/review/routes.h"

enum { CONNECTIONS_RATES = 256, CONNECTIONS_AGAIN_MS = 50 };

struct call;
struct open_connection;

struct connections {
    struct access access;
    struct request_pool *pool;
    struct draw *draw;
    struct live_events *events;
    const struct spool *spool;
    bool whole;         /* of platen serve: the spool's tab comes first */
    long long most;     /* bytes of a document; 0: no limit */
    double changed;     /* clock_seconds of the last change; 0: none */
    bool unsure;        /* an fsync failed: the server must end (S7) */
    struct call *again; /* suspended, to be handled again */
    int n_body;         /* requests whose bodies may be long */
    struct open_connection *open;
    double looked; /* clock_seconds of the last look at them */
    struct {
        double full_at; /* clock_seconds when all requests are free again */
    } rate[CONNECTIONS_RATES];
};

/* The callbacks of libmicrohttpd; `arg` is a struct connections. */
enum MHD_Result connections_handle(void *arg, struct MHD_Connection *c,
                                   const char *url, const char *method,
                                   const char *version, const char *data,
                                   size_t *n_data, void **held);
void connections_completed(void *arg, struct MHD_Connection *c, void **held,
                           enum MHD_RequestTerminationCode how);

/* Keeps the list of open connections. */
void connections_notify(void *arg, struct MHD_Connection *c, void **context,
                        enum MHD_ConnectionNotificationCode what);

/* Ends connections whose next request has not come whole to its head for long:
 * libmicrohttpd itself waits for as long as single bytes come. */
void connections_end_slow(struct connections *s);

/* Handles again what waited for a lock or an outcome; `all`: at once. */
void connections_again(struct connections *s, bool all);

/* Has the pool do work of the server itself; nobody waits for it. */
void connections_work(struct connections *s, enum routes_work work,
                      const char *id, const char *who);

#endif
