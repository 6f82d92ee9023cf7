/* serve.h - a reader: owns a device and works for all who knock at its door.
 *
 * Each client (remote_device.h) is one process with a document at hand. What they
 * ask for goes together as far as it can: their answers' tokens in one pass, so
 * that the weights go through the cache once for all, with a part of somebody's
 * prompt where there is room. Whoever was answered gets a moment to ask for the
 * next token before a pass goes without it. Between the parts of a picture others go
 * on, for as long as the part before took.
 *
 * FAIR     Pictures and prompts come by turns, a prompt by parts. Answers wait until
 *          what the others are asked is read, so that they go together: at most for
 *          a page and its prompt of each in all. Then, and where there are eight,
 *          none waits longer than one part.
 * PROMPTS  The start of a sequence, if it is text, is kept: who begins alike gets a
 *          copy, or waits for it while somebody reads it.
 * EXACT    A run's bits are those of a device of one's own (device.h).
 * TRUST    wire.h; a client that breaks the order is dropped, and hurts nobody.
 */
#ifndef VLM_MODEL_SERVER_SERVE_H
#define VLM_MODEL_SERVER_SERVE_H

#include "vlm/device/device.h"

struct serve_options {
    int door;                /* ends when nobody has its other end any more */
    int n_place;             /* sequences at a time; who comes later waits */
    int n_vocab;             /* rows of the head */
    uint64_t identity;       /* of model and options */
    void (*beat)(void *arg); /* called before each piece of work */
    void *arg;
};

enum {
    SERVE_SHELF = 2 /* beginnings that are kept, besides the places */
};

/* d NULL: there is no reader, and everybody is told `why`. Ends with its device: who
 * asks then has to find the next reader. FAIL: ERR_SYSTEM, the device was lost. */
void serve(struct device *d, const struct serve_options *o, const char *why,
           struct err *err);

#endif
