/* readers.h - the process that holds the model for all workers (stages/engine/
 * reader.h): starts it when it is needed, and anew when it ends or says nothing for
 * page_wall.
 *
 * Workers that had a document at hand ask it again by themselves (worker_engine.h);
 * nothing is charged to a document.
 */
#ifndef PIPELINE_WORK_READERS_H
#define PIPELINE_WORK_READERS_H

#include "pipeline/config/config.h"

struct readers;

/* For so many documents at a time; starts nothing yet. NULL, which all below take,
 * where the configuration wants none. */
struct readers *readers_new(const struct config *config, int n_place);
void readers_free(struct readers *r); /* ends it */

/* New workers will have another: it works on for whoever still asks it, and is
 * looked after no more. */
void readers_retire(struct readers *r);

/* Has a retired one ended? It is buried then. */
bool readers_retired_ended(struct readers *r);

/* A worker will need it: started if it does not run. Called again and again, it
 * also buries and restarts it, and ends one that says nothing. */
void readers_keep(struct readers *r);

/* Readable when it has ended; -1: none runs. */
int readers_fd(const struct readers *r);

/* How many documents it takes at a time; 0: that is not known. */
int readers_places(const struct readers *r);

/* In a worker that was just forked: the door for its settings (0: there is none);
 * all else is closed. */
int readers_enter(struct readers *r);

#endif
