/* model_faults.h - collects all faults of a file for one error message.
 *
 *     struct model_faults m = model_faults_begin();
 *     model_faults_add(&m, "blk.3.attn_k.weight", "is missing");
 *     model_faults_report(&m, path, "tensor", remedy, ERR_CONFIG, err);
 *
 * Reporting one fault at a time would make a user convert the model once per
 * fault.
 */
#ifndef VLM_MODEL_MODEL_FAULTS_H
#define VLM_MODEL_MODEL_FAULTS_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct model_faults {
    struct buf list; /* "name text; name text" */
    int n, n_named;  /* faults; those named (the list has a limit) */
};

/* An empty collection; model_faults_report frees it. */
struct model_faults model_faults_begin(void);

/* Adds a fault: the name of the faulty item, and the problem. */
void model_faults_add(struct model_faults *m, const char *name, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Fails with all faults ("PATH: 2 keys do not fit: ...: REMEDY") if there are
 * any, and frees the list. `what` is their kind in the singular. */
void model_faults_report(struct model_faults *m, const char *path,
                         const char *what, const char *remedy,
                         enum err_kind kind, struct err *err);

#endif
