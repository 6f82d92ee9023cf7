/* model_web.h - one request of model_fetch.c, with libcurl. */
#ifndef PIPELINE_MODELS_MODEL_WEB_H
#define PIPELINE_MODELS_MODEL_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/models/model_fetch.h"

struct model_web {
    /* the caller's */
    int fd;           /* where the bytes go, or -1 */
    struct buf *text; /* or here */
    int64_t at;       /* bytes that are there; asked for from here on */
    int64_t size;     /* bytes in all; -1: not known */
    const char *name; /* for people */
    bool progress;    /* say on stderr how far it is */

    /* the last answer's */
    long status;    /* 0: none came */
    bool whole;     /* the answer came to its end */
    bool too_long;  /* more bytes than `size`, or than `text` holds */
    int64_t total;  /* bytes of the whole file, by the server; -1: not told */
    bool no_resume; /* the server does not continue at `at`: start over */
    long retry_after_s;              /* 0: not told */
    char link[MODEL_FETCH_URL_MOST]; /* of the next page, same origin */
    char why[160];                   /* one line, where it did not succeed */

    /* between the callbacks */
    void *curl;
    int sys; /* errno of a write that failed */
    double shown_at, started_at;
    int64_t started_with;
};

/* Sends one request and follows its redirects: from https only to https. The
 * token is sent where `url` has the origin's scheme, host and port; libcurl
 * (7.83 or later) drops it on a redirect to any other. What is wrong with the
 * answer is for the caller to judge.
 * FAIL: ERR_SYSTEM (write error), ERR_REMOTE (too many redirects, or one to
 * another protocol). */
void model_web_ask(struct model_web *w, const char *origin, const char *token,
                   const char *url, struct err *err);

/* Ends the line of progress, if there is one. */
void model_web_progress_end(struct model_web *w);

#endif
