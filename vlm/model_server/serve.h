/* serve.h - the model server: owns a device and works for all connected
 * clients.
 *
 * Each client (remote_device.h) is a process with one document. Requests are
 * combined: the tokens of all answers go through one pass, so the weights are
 * read once for all, with a part of another client's prompt if there is room.
 * After a reply a pass waits briefly for that client's next token. Between the
 * parts of an image other requests are served, for as long as the last part
 * took.
 *
 * FAIR     Images and prompts are served round-robin, prompts in parts. Answers
 *          wait for other clients' prompts, to go together: for at most a page
 *          and its prompt per client. After that, and with eight answers, none
 *          waits longer than one part.
 * PROMPTS  The start of a text-only sequence is cached: a sequence with the
 *          same start gets a copy, or waits for it while another client
 *          evaluates it.
 * EXACT    A run has the same bits as on a device of its own (device.h).
 * TRUST    See wire.h. A client that breaks the protocol is disconnected.
 */
#ifndef VLM_MODEL_SERVER_SERVE_H
#define VLM_MODEL_SERVER_SERVE_H

#include "vlm/device/device.h"

struct serve_options {
    int listen_fd;           /* socket for new clients; serving ends when its
                              * other end is closed everywhere */
    int n_place;             /* maximum sequences; further ones wait */
    int n_vocab;             /* rows of the head */
    int64_t max_pixels;      /* area of a picture to encode; 0: WIRE_AREA's */
    uint64_t identity;       /* hash of model and options */
    void (*beat)(void *arg); /* called before each unit of work, or NULL */
    void *arg;
};

enum {
    SERVE_PREFIXES = 2 /* cached prompt prefixes, in addition to n_place */
};

/* Serves clients until listen_fd is closed. d NULL: every client is refused
 * with `why`. Also ends when the device is lost; clients then connect to the
 * next server. FAIL: ERR_SYSTEM, the device was lost. */
void serve(struct device *d, const struct serve_options *o,
           const struct err *why, struct err *err);

#endif
