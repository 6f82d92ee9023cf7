/* remote_device.h - a device (device.h) whose arithmetic is done by a reader, a
 * process that owns the model and works for several clients together (serve.h).
 *
 * Sequences, points and pictures lie with the reader. A row's bits are those of
 * the reader's own device, whatever company it had.
 * ERRORS   A reader may end at any time: every call from then on fails with
 *          ERR_SYSTEM "model-server-lost". Whoever has a document at hand opens anew.
 * NOT      One run goes forward at a time. Rows of a pass are there to be
 *          predicted from only where the run said so (n_asked).
 */
#ifndef VLM_MODEL_SERVER_REMOTE_DEVICE_H
#define VLM_MODEL_SERVER_REMOTE_DEVICE_H

#include "vlm/device/device.h"

struct remote_options {
    int door;          /* where clients announce themselves; borrowed */
    double wait_s;     /* for the reader's first word */
    int n_vocab;       /* rows of the head */
    uint64_t identity; /* of model and options; the reader's must be the same */
};

/* FAIL: ERR_SYSTEM "model-server-lost" when no reader answers, or one with another
 * model. */
struct device *remote_device_open(const struct remote_options *options,
                                  struct err *err);

#endif
