/* false_device.h - a device that computes nothing, checks all that it is given and
 * counts it: what a sequence has read is all that its predictions tell, and the first number of a picture is all that its rows tell. */
#ifndef TESTS_SUPPORT_FALSE_DEVICE_H
#define TESTS_SUPPORT_FALSE_DEVICE_H

#include <stdatomic.h>

#include "vlm/device/device.h"

enum {
    FALSE_CTX = 512,
    FALSE_VOCAB = 64,
    FALSE_EMBD = 4,
    FALSE_ROWS = 128,
    FALSE_STEPS = 16,
    FALSE_CHUNK = 32,
    FALSE_GRID = 4,     /* of a picture's sides */
    FALSE_MARK = 40000, /* of rows that begin with FALSE_MARK + 0.5, which no
                         * answer does; others have 255 at most */
    FALSE_PARTS = 10    /* between is called so often in a picture */
};

struct false_device {
    struct device face;
    int n_pass, n_run, n_row, n_head, n_guess_call, n_look, n_state;
    int n_pass_in_look;
    double pass_s; /* how long a pass takes */
    bool looking;
    int fail_every;           /* head calls, then one fails; 0: none */
    atomic_bool fail_forward; /* all passes fail */
    int row_sum[FALSE_ROWS];  /* of the latest pass: of the run's sequence */
};

void false_device_open(struct false_device *d);

#endif
