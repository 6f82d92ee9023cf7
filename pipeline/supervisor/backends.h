/* backends.h - what answers the questions of workers: a model server for each
 * model and a fetch process for each endpoint, of the configuration and of its
 * sections [schema.NAME]. Without sections there is one backend.
 *
 * Sections with the same model share its server. A model is loaded when its first
 * document is assigned, and unloaded for another by model_order.h.
 */
#ifndef PIPELINE_SUPERVISOR_BACKENDS_H
#define PIPELINE_SUPERVISOR_BACKENDS_H

#include <poll.h>

#include "pipeline/config/config.h"
#include "pipeline/supervisor/model_order.h"
#include "stages/process/process_server.h"

enum { BACKENDS_MOST = CONFIG_SCHEMAS_MAX + 1 };

struct backends;

/* For n_place documents at a time; starts nothing yet. n_place 0: without
 * servers. `config` must outlive the result. */
struct backends *backends_new(const struct config *config, int n_place);
void backends_free(struct backends *b); /* ends the processes; NULL is fine */

/* New workers use others: these serve the old workers until they end. Puts the
 * fetch processes in front of the list of retired ones, and returns it. */
struct process_server *backends_retire(struct backends *b,
                                       struct process_server *retired);

/* Have all retired model servers ended? */
bool backends_retired_ended(struct backends *b);

/* How many there are. */
int backends_count(const struct backends *b);

/* The number, from 0, of the one for documents with this configuration, which is
 * that of backends_new or of a section. */
int backends_of(const struct backends *b, const struct config *config);

/* A document is assigned: starts what it needs. */
void backends_use(struct backends *b, int i);

/* Starts those again that have ended. Call it repeatedly; `busy`: while
 * documents are read. */
void backends_ensure(struct backends *b, bool busy);

/* Adds descriptors that are readable when one has ended, at most 2 *
 * BACKENDS_MOST; returns their number. */
nfds_t backends_fds(const struct backends *b, struct pollfd *fds);

/* The number of documents that backend i serves at a time; 0: not known, or no
 * limit. */
int backends_places(const struct backends *b, int i);

/* In a worker that was just forked: closes all other descriptors, and sets the
 * sockets of backend i in its settings. */
void backends_enter(struct backends *b, int i, struct settings *settings);

/* Decides by row[i].busy and row[i].waits of each backend, the rest is filled in.
 * The caller unloads those with row[i].unload. */
void backends_order(struct backends *b, struct model_order_row *row);

/* Ends the model server; no worker may use it. */
void backends_unload(struct backends *b, int i);

#endif
