/* run_context.h - what all stages of a run share, from stages_run downwards. */
#ifndef STAGES_DOCUMENT_RUN_CONTEXT_H
#define STAGES_DOCUMENT_RUN_CONTEXT_H

#include "stages/document/document.h"
#include "stages/document/settings.h"

struct calibration;
struct engine;

struct run_context { /* what a run of documents shares */
    const struct settings *settings;
    struct engine *engine;
    bool (*stop)(void *arg); /* polled between steps, or NULL */
    void *stop_arg;
    /* progress for a terminal, or NULL: stage, page (0: none) of n pages */
    void (*progress)(void *arg, const struct document *doc, int page);
    void *progress_arg;
    /* Opens the file for the rows of a long document (long/row_file.h): the
     * same file after a crash; the caller closes it. Called with progress_arg
     * once a document turns out to be long. NULL, or -1: rows are not kept. */
    int (*open_row_file)(void *arg);
    /* Finds examples (ask/examples.h) for the words of a document, with
     * progress_arg: JSON, [{"id", "words", "value"}], the most similar first, in
     * the arena, or "". `whole`: those are all of its words. Called once, before
     * its first question. NULL: none are wanted. */
    const char *(*find_examples)(void *arg, struct span words, bool whole,
                                 struct arena *arena);
    const struct calibration *calibration; /* stages_calibration, or NULL */
};

#endif
