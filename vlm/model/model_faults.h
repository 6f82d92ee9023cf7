/* model_faults.h - what is wrong with a file, collected and said at once.
 *
 *     struct model_faults m = model_faults_begin();
 *     model_faults_add(&m, "blk.3.attn_k.weight", "is missing");
 *     model_faults_report(&m, path, "tensor", remedy, ERR_CONFIG, err);
 *
 * A person who gets one fault of eight at a time converts a model eight times.
 */
#ifndef VLM_MODEL_MODEL_FAULTS_H
#define VLM_MODEL_MODEL_FAULTS_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct model_faults {
    struct buf list; /* "name text; name text" */
    int n, n_named;  /* some are counted and not named: the list has an end */
};

/* None yet. Ended, and freed, by model_faults_report. */
struct model_faults model_faults_begin(void);

/* Adds one: the thing's name, and what is the matter with it. */
void model_faults_add(struct model_faults *m, const char *name, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

/* Fails with all of them ("PATH: 2 keys do not fit: ...: REMEDY") when there
 * are any, and gives back the list's memory in any case. `what` is their kind
 * in the singular. */
void model_faults_report(struct model_faults *m, const char *path,
                         const char *what, const char *remedy,
                         enum err_kind kind, struct err *err);

#endif
