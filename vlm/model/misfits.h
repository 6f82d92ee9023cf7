/* misfits.h - what is wrong with a file, collected and said at once.
 *
 *     struct misfits m = misfits_begin();
 *     misfits_add(&m, "blk.3.attn_k.weight", "is missing");
 *     misfits_report(&m, path, "tensor", remedy, ERR_CONFIG, err);
 *
 * A person who gets one fault of eight at a time converts a model eight times.
 */
#ifndef VLM_MODEL_MISFITS_H
#define VLM_MODEL_MISFITS_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct misfits {
    struct buf list; /* "name text; name text" */
    int n, n_named;  /* some are counted and not named: the list has an end */
};

/* None yet. Ended, and freed, by misfits_report. */
struct misfits misfits_begin(void);

/* Adds one: the thing's name, and what is the matter with it. */
void misfits_add(struct misfits *m, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with all of them ("PATH: 2 keys do not fit: ...: REMEDY") when there
 * are any, and gives back the list's memory in any case. `what` is their kind
 * in the singular. */
void misfits_report(struct misfits *m, const char *path, const char *what,
                    const char *remedy, enum err_kind kind, struct err *err);

#endif
