/* event.h - an event of a document: a message of fixed size from a worker to
 * its supervisor. */
#ifndef PIPELINE_SPOOL_EVENT_H
#define PIPELINE_SPOOL_EVENT_H

#include <stdbool.h>
#include <string.h>

#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"

enum event_kind {
    EVENT_BEGIN,    /* an attempt starts: name, folder, schema are known */
    EVENT_PROGRESS, /* stage and page */
    /* the last event of a document: */
    EVENT_DONE,
    EVENT_FAILED,
    EVENT_RETRY,    /* to be tried again, not before `not_before` */
    EVENT_WAIT,     /* the environment failed, confirmed by a probe: nothing
                     * was charged, and all documents have to wait */
    EVENT_DEFERRED, /* the environment failed, but a probe found nothing wrong:
                     * not charged, deferred until `not_before` */
    EVENT_STOPPED,  /* asked to stop; nothing was charged */
    EVENT_SKIPPED   /* locked by another process, or gone */
};

enum { EVENT_COSTS = 16 };

/* Smaller than PIPE_BUF, so that a message is never torn. */
struct event {
    enum event_kind kind;
    char id[SPOOL_ID_SIZE];
    char name[280], folder[280]; /* escaped, cut for display */
    char schema[80];
    char stage[24], code[24], text[480];
    char sha256[65];
    int attempt, page, n_page, n_warning;
    int n_kept; /* pages of a long document that need not be read again */
    int n_read; /* pages read so far, if they are read one by one */
    double seconds;
    /* the costs of a completed attempt */
    char model[64];
    int n_prompt_tokens, n_sampled, n_forced, n_cost;
    struct {
        char stage[24];
        double seconds;
    } cost[EVENT_COSTS];
    bool loads; /* progress: the worker loads the schema, which can take long */
    bool ends;  /* the worker exits after this: an fsync failed */
    bool quiet; /* not to be reported to users */
    bool review;  /* done: the record needs review */
    bool unread;  /* done: and its verdict is unread */
    bool is_part; /* it is part of a stack, and shares its bytes */
    int n_part;   /* done: number of parts of a stack */
    long long not_before, bytes;
};

_Static_assert(sizeof(struct event) <= 4096, "one write, one message");

/* Is it the last event of a document? */
static inline bool event_is_last(const struct event *e)
{
    return e->kind >= EVENT_DONE;
}

/* Copies as much of the text as fits, in whole UTF-8 characters. */
static inline void event_cut(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(out, text, n);
    out[n] = '\0';
}

/* A name of any bytes, escaped as in file_name.h and cut likewise. */
static inline void event_name(char *out, size_t size, const char *raw)
{
    struct buf text = buf_limit(4096);
    file_name_escape(raw, &text);
    event_cut(out, size, buf_span(&text).data);
    buf_free(&text);
}

#endif
