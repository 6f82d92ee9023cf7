/* draw.h - a page of a document as a JPEG file, or its words, by children of
 * this process, so that it can answer meanwhile.
 *
 * Each is forked, draws by the jailed rasteriser, and writes to a pipe. A few
 * run at once; what was asked for last comes first, since a person has moved on.
 * THREADS  One. After draw_close no child is left.
 */
#ifndef PIPELINE_REVIEW_DRAW_H
#define PIPELINE_REVIEW_DRAW_H

#include <poll.h>

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

enum { DRAW_AT_ONCE = 2, DRAW_WIDTH_MIN = 64, DRAW_WIDTH_MAX = 4096 };

enum draw_what { DRAW_PICTURE, DRAW_WORDS };

struct draw_job {
    char id[SPOOL_ID_SIZE];
    enum spool_place place;
    enum draw_what what;
    int page, width;
    /* Called once, with the file or an error's text (ok false); `out` is gone
     * afterwards. */
    void (*done)(void *arg, bool ok, struct buf *out);
    void *arg;
};

struct draw;

/* Both are borrowed. */
struct draw *draw_new(const struct spool *s, const struct config *config);

/* Kills what runs; those who wait are told that it failed. */
void draw_close(struct draw *d);

/* Puts the job into the queue (a copy). */
void draw_add(struct draw *d, const struct draw_job *job);

/* Nobody waits for the jobs of `arg` any more. */
void draw_forget(struct draw *d, const void *arg);

/* What poll is to watch, at most DRAW_AT_ONCE; and the step after it. */
nfds_t draw_watch(const struct draw *d, struct pollfd *fds);
void draw_step(struct draw *d);

#endif
