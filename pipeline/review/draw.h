/* draw.h - drawing a page of a document as a JPEG file, reading its words, or
 * hashing it, in processes of their own, so that the server can answer
 * meanwhile.
 *
 * Each is forked, enters a sandbox (document_sandbox.h), and sends messages
 * (message.h); it is killed after page_timeout. DRAW_AT_ONCE run at once; the
 * latest request comes first, since the user has moved on. THREADS  One. After
 * draw_close no process is left.
 */
#ifndef PIPELINE_REVIEW_DRAW_H
#define PIPELINE_REVIEW_DRAW_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/span.h"
#include <poll.h>

enum { DRAW_AT_ONCE = 2, DRAW_WIDTH_MIN = 64, DRAW_WIDTH_MAX = 4096 };

/* DRAW_SOURCE: "TYPE BYTES SHA-256" of the document; hashing one of 500 MB takes
 * seconds. */
enum draw_what { DRAW_PICTURE, DRAW_WORDS, DRAW_SOURCE };

/* How a job ends: with its result; since the document has no such page; since
 * it cannot be read; or because its process ended or was too slow. */
enum draw_end { DRAW_DONE, DRAW_NO_PAGE, DRAW_REFUSED, DRAW_FAILED };

struct draw_job {
    char id[SPOOL_ID_SIZE];
    enum spool_place place;
    enum draw_what what;
    int page, width;
    /* Called once, with the result or, for a person, what is wrong; the text
     * is freed afterwards. */
    void (*done)(void *arg, enum draw_end end, struct span text);
    void *arg;
};

struct draw;

/* Spool and configuration are borrowed. */
struct draw *draw_new(const struct spool *s, const struct config *config);

/* Kills running processes, and calls `done` of all jobs with DRAW_FAILED. */
void draw_close(struct draw *d);

/* Adds a copy of the job to the queue. */
void draw_add(struct draw *d, const struct draw_job *job);

/* Forgets jobs with this `arg`: their `done` is not called. */
void draw_forget(struct draw *d, const void *arg);

/* draw_watch sets what to poll, at most DRAW_AT_ONCE, and returns how many;
 * call draw_step after poll. */
nfds_t draw_watch(const struct draw *d, struct pollfd *fds);
void draw_step(struct draw *d);

#endif
