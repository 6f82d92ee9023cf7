/* worker_window.h - a long document of which pages are read elsewhere, or for
 * somebody else (pipeline/command/fleet_spread.h puts these files into work/<id>).
 */
#ifndef PIPELINE_WORK_WORKER_WINDOW_H
#define PIPELINE_WORK_WORKER_WINDOW_H

#include "pipeline/spool/folder.h"
#include "stages/stage.h"

/* {"from", "until", "least", "begun"}: struct desk_window. */
#define WORKER_WINDOW "window.json"
/* An empty file: these pages are read, and the document is not done. */
#define WORKER_WINDOW_READ "window.read"
/* Answers that are known (engine/answers.h), and those that came. */
#define WORKER_ANSWERS     "answers"
#define WORKER_ANSWERS_NEW "answers.new"

struct worker_window {
    bool is; /* there is a window */
    struct desk_window pages;
    struct engine *engine; /* with the answers */
    int from, to;
};

/* A locked folder of work/ is looked at. Never fails. */
void worker_window_begin(struct worker_window *w, const struct folder *f);

/* The engine to ask, and the pages, go to `desk`, which has the worker's own engine
 * yet. FAIL: "disk". */
void worker_window_open(struct worker_window *w, const struct folder *f,
                        struct desk *desk, struct err *err);

/* Behind the reading: says so where it ended with the window, as far as that can be
 * written down. */
void worker_window_close(struct worker_window *w, struct folder *f,
                         const struct document *doc);

#endif
