/* model_server.h - the process that holds the model for all workers
 * (stages/engine/shared_model.h). It is started when it is needed, and again
 * when it has ended or sent no heartbeat for page_timeout.
 *
 * Workers that were reading a document repeat their question (worker_engine.h);
 * nothing is charged to a document.
 */
#ifndef PIPELINE_SUPERVISOR_MODEL_SERVER_H
#define PIPELINE_SUPERVISOR_MODEL_SERVER_H

#include "pipeline/config/config.h"
#include "stages/process/process_server.h"

struct model_server;

/* For n_place documents at a time; `config` must outlive it. Starts nothing yet. NULL if the
 * configuration does not share the model (share_model); all functions accept
 * NULL. */
struct model_server *model_server_new(const struct config *config, int n_place);
void model_server_free(struct model_server *r); /* ends the process */

/* New workers use another server: this one serves the old workers until they
 * end, and is not restarted. */
void model_server_retire(struct model_server *r);

/* Has a retired server ended? If so, it is reaped. */
bool model_server_retired_ended(struct model_server *r);

/* Starts the server if it does not run. Call it repeatedly while workers are
 * busy: it reaps and restarts a server that ended, and kills one without
 * heartbeat. */
void model_server_ensure(struct model_server *r);

/* A descriptor that is readable when the server has ended; -1: none runs. */
int model_server_fd(const struct model_server *r);

/* The number of documents it serves at a time; 0: not known yet. */
int model_server_places(const struct model_server *r);

/* Bytes that it needs (shared_model_facts), and that its GPU has for models (0: the
 * CPU is used); both 0: not known yet. */
struct model_server_memory {
    double bytes, device;
};
struct model_server_memory model_server_memory(const struct model_server *r);

/* The socket where clients connect, for settings.model_server_fd; 0: no
 * server. */
int model_server_door(const struct model_server *r);

/* In a worker that was just forked: closes the server's other descriptors, and
 * returns the door. */
int model_server_enter(struct model_server *r);

#endif
