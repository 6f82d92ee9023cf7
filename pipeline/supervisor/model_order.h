/* model_order.h - which models are loaded next, and which unloaded, where not all
 * fit into memory.
 *
 * Documents for a loaded model go first. Another model is loaded if no document
 * waits for a loaded one, or if its own documents have waited for `patience`
 * since they came and since it was unloaded: so waiting alone loads a model at
 * most once in `patience`.
 */
#ifndef PIPELINE_SUPERVISOR_MODEL_ORDER_H
#define PIPELINE_SUPERVISOR_MODEL_ORDER_H

#include <stdbool.h>

struct model_order_row {
    double bytes;    /* memory when loaded; 0: it needs none here */
    bool loaded;     /* or being loaded */
    bool busy;       /* its documents are in flight */
    double used;     /* time of the last use */
    double unloaded; /* since when it is not loaded */
    double waits;    /* since when its first document waits; negative: none */

    bool go;     /* result: its documents may be begun */
    bool unload; /* result: it should be unloaded now */
};

/* Fills in the results. `budget`: bytes for all loaded models, 0: no limit; one
 * model alone can exceed it. A model that is busy is unloaded when its documents
 * have ended: until then no more are begun. Times in seconds of one clock. */
void model_order(struct model_order_row *row, int n, double budget,
                 double patience, double now);

#endif
