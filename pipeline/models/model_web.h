/* model_web.h - one HTTP request of model_fetch.c, made with libcurl. */
#ifndef PIPELINE_MODELS_MODEL_WEB_H
#define PIPELINE_MODELS_MODEL_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/models/model_fetch.h"

struct model_web {
    /* set by the caller */
    int fd;           /* file that gets the body, or -1 */
    struct buf *text; /* buffer that gets it if fd is -1 */
    int64_t at;       /* bytes already received; the request starts here */
    int64_t size;     /* expected size of the file in bytes; -1: not known */
    const char *name; /* for messages */
    bool progress;    /* show progress on stderr */

    /* set by the last response */
    long status;   /* HTTP status; 0: no response */
    bool whole;    /* the response is complete */
    bool too_long; /* more bytes than `size`, or than `text` holds */
    int64_t
        total; /* size of the file as the server states it; -1: not stated */
    bool no_resume;     /* the server cannot continue at `at`: start over */
    long retry_after_s; /* seconds of Retry-After; 0: no header */
    char link
        [MODEL_FETCH_URL_MOST]; /* URL of the next page, same origin; or "" */
    char why[160];              /* why it failed, one line */

    /* private to the callbacks */
    void *curl;
    int sys; /* errno of a failed write */
    double shown_at, started_at;
    int64_t started_with;
};

/* Sends one request and follows its redirects, from https only to https. The
 * token is sent if `url` has the origin's scheme, host and port; libcurl (7.83
 * or later) drops it on a redirect to any other. The caller checks the
 * response. FAIL: ERR_SYSTEM (write error), ERR_REMOTE (too many redirects, or
 * one to another protocol). */
void model_web_ask(struct model_web *w, const char *origin, const char *token,
                   const char *url, struct err *err);

/* Ends the progress line, if one was shown. */
void model_web_progress_end(struct model_web *w);

#endif
