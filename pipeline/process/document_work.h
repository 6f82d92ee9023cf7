/* document_work.h - runs a function on a document in a sandboxed process of its
 * own, and receives what it puts out.
 *
 *     caller ──fork──▶ process: run(arg, ...)
 *     caller ◀──items: a number and bytes── process
 *
 * The process is not trusted: what an item says has to be checked.
 */
#ifndef PIPELINE_PROCESS_DOCUMENT_WORK_H
#define PIPELINE_PROCESS_DOCUMENT_WORK_H

#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct document_work_output;

struct document_work {
    const char *name; /* of the document, for people */
    int fd;           /* its bytes, at their start; -1: none is needed */
    int unlocked;     /* as in struct document */
    const struct settings *settings;
    /* In the process, which opens no file; it has a copy of the caller's
     * memory. The settings are those of its children. */
    void (*run)(void *arg, struct document *doc,
                const struct settings *settings,
                struct document_work_output *out, struct err *err);
    /* In the caller: the next item. */
    void (*take)(void *arg, int number, struct span item, struct err *err);
    void *arg;
};

/* Runs it. Without a spawner in the settings, one is started for this call.
 * FAIL: as `run` and `take`; [no-sandbox]; [internal] if the process died;
 * ERR_CANCELLED at a signal; ERR_SYSTEM. */
void document_work_run(const struct document_work *w, struct err *err);

/* In the process: puts out an item. */
void document_work_put(struct document_work_output *out, int number,
                       struct span item);

/* The same in pieces: adds to the present item, and ends it. */
void document_work_add(struct document_work_output *out, struct span piece);
void document_work_end(struct document_work_output *out, int number);

#endif
