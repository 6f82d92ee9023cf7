/* remote_device.h - a device (device.h) computed by a model server: a process
 * that owns the model and works for several clients together (serve.h).
 *
 * Sequences, checkpoints and images are kept by the server. A row has the bits
 * of the server's own device, whatever else is in the batch.
 * ERRORS   A server can end at any time: every call from then on fails with
 *          ERR_SYSTEM "model-server-lost". The caller opens a new device.
 * NOT      A pass has one run. Its rows can be predicted from only where the
 *          run requested them (n_asked).
 */
#ifndef VLM_MODEL_SERVER_REMOTE_DEVICE_H
#define VLM_MODEL_SERVER_REMOTE_DEVICE_H

#include "vlm/device/device.h"

struct remote_options {
    int server_fd;     /* socket where clients connect; borrowed */
    double wait_s;     /* timeout for the server's first message */
    int n_vocab;       /* rows of the head */
    uint64_t identity; /* of model and options; must equal the server's */
};

/* Connects to a server. FAIL: ERR_SYSTEM "model-server-lost" if none answers,
 * or its model is another. */
struct device *remote_device_open(const struct remote_options *options,
                                  struct err *err);

#endif
