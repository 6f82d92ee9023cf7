/* event.h - what happened to a document: one message of fixed size, from a
 * worker to its supervisor, who tells the index. */
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
    EVENT_RETRY,    /* again, not before `not_before`; quiet: known already */
    EVENT_WAIT,     /* the environment is to blame for sure: nothing was
                     * charged, and no document will fare better */
    EVENT_DEFERRED, /* the environment, but a probe found nothing wrong: not
                     * charged, set back until `not_before` */
    EVENT_STOPPED,  /* asked to stop, nothing was charged */
    EVENT_SKIPPED   /* locked by somebody else, or gone */
};

/* The stage while a schema is read, which may take long. */
#define EVENT_LOADS "schema"

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
    int n_read; /* pages that are read, where they are read one by one */
    double seconds;
    /* what an attempt took, where it came to its end */
    char model[64];
    int n_prompt_tokens, n_sampled, n_forced, n_cost;
    struct {
        char stage[24];
        double seconds;
    } cost[EVENT_COSTS];
    bool ends;    /* the worker ends after this: an fsync failed */
    bool quiet;   /* nothing new for people */
    bool review;  /* done: a person should look at the record */
    bool is_part; /* of a stack, whose bytes it shares with others */
    int n_part;   /* done: a stack, cut into so many documents */
    long long not_before, bytes;
};

_Static_assert(sizeof(struct event) <= 4096, "one write, one message");

/* Does the document leave the worker's hands with this? */
static inline bool event_is_last(const struct event *e)
{
    return e->kind >= EVENT_DONE;
}

/* Copies as much of the text as there is room for, whole characters of UTF-8. */
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
