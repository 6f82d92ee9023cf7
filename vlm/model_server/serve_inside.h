/* serve_inside.h - internals of the model server, for its parts and for
 * tests/fuzz/model_server_fuzz.c. */
#ifndef VLM_MODEL_SERVER_SERVE_INSIDE_H
#define VLM_MODEL_SERVER_SERVE_INSIDE_H

#include "vlm/base/hash.h"
#include "vlm/model_server/serve.h"
#include "vlm/model_server/wire.h"

enum { SERVE_PEERS_MAX = 128 };

/* The text of a sequence, as a hash; not known if it has images. */
struct serve_text {
    bool known;
    struct hash hash;
};

/* A sequence of a client. */
struct serve_state {
    struct device_state *state; /* NULL: not in use */
    struct serve_text text;
    int n_guessed; /* drafted tokens passed since it changed */
    struct serve_point {
        bool marked;
        int n_past;
        struct serve_text text;
    } point[DEVICE_POINT_MAX];
};

/* A client's pending request: validated, all arrays copied. */
struct serve_job {
    bool open;
    struct wire_request request;
    struct serve_state *to;
    int done;                  /* tokens of FORWARD evaluated so far */
    void *copy;                /* copy of the arrays; mem_free */
    const int32_t *token;      /* [n]; HEAD_ROWS: pick */
    const int32_t *pick;       /* [n_asked] of GUESS */
    const struct position *at; /* [n] */
    struct image image;
    struct serve_text text; /* text after the request */
};

struct serve_peer {
    int fd;
    char *area;
    bool gone;      /* to be freed */
    bool thinking;  /* got a reply, and can request the next token at once */
    int n_together; /* answers that share passes, for its replies */
    int n_waited;   /* pages and prompts of others its answer has waited for */
    struct serve_state state[WIRE_STATES];
    struct device_rows *rows[WIRE_PICTURES];
    struct serve_job job;
};

struct serve_prefix {
    struct device_state *state; /* NULL: free */
    struct hash hash;
    unsigned used; /* clock at its last use */
};

/* The rows of the head that drafts want (serve_guess.c). */
struct serve_picks {
    int32_t *column, *row; /* [n_vocab] */
};

struct serve_context {
    struct device *d;
    const struct serve_options *o;
    struct serve_peer *peer[SERVE_PEERS_MAX];
    int n_peer;
    int next;       /* peer whose image or prompt is served first */
    int next_step;  /* peer whose answer is served first */
    int n_together; /* answers that share passes */
    struct serve_peer *encoding; /* peer whose image is being encoded, or
                                  * NULL */
    double sliced;               /* start time of the image's current part */
    double pass_s;               /* duration of the last pass */
    bool closed;                 /* no new clients possible */
    float *logits;               /* [SERVE_ROWS, n_vocab] */
    struct serve_picks picks;
    struct serve_prefix prefix[SERVE_PREFIXES];
    unsigned clock;
};

enum { SERVE_ROWS = 32 }; /* rows of the head per product */

/* Adds a client: maps its area and sends the hello, or a refusal with `why`.
 * NULL: not added; fd is closed. */
struct serve_peer *serve_peer_new(const struct serve_context *r, int area,
                                  int fd, const struct err *why);
void serve_peer_free(struct serve_peer *p);

/* Receives one request: executes it if it is posted, else opens its job. A
 * client that has ended or breaks the protocol becomes gone. */
void serve_peer_receive(struct serve_context *r, struct serve_peer *p);

/* Opens a state for a STATE_NEW job if one is free. */
void serve_peer_open_state(struct serve_context *r, struct serve_peer *p);

/* One unit of work of each kind: predictions; drafts of all clients that want
 * one; a pass of all runs that can go together; the next image. False: no
 * request of this kind. */
bool serve_pass_heads(struct serve_context *r);
bool serve_pass_guesses(struct serve_context *r);
bool serve_pass_forward(struct serve_context *r);
bool serve_pass_encode(struct serve_context *r);

/* Allocate logits and picks for r->o; free them. */
void serve_rows_new(struct serve_context *r);
void serve_rows_free(struct serve_context *r);

/* Is this the client's open job? */
static inline bool serve_requesting(const struct serve_peer *p, enum wire_op op)
{
    return p->job.open && !p->gone && p->job.request.op == (int)op;
}

/* Ends the job; copies `size` bytes of answer into the area. */
void serve_peer_reply(struct serve_peer *p, const void *answer, size_t size,
                      const struct err *err);

/* The text after the job's tokens; known only for a prompt without images. */
struct serve_text serve_prefix_text(const struct serve_text *before,
                                    const struct serve_job *job);

/* Copies the job's sequence from the cache, if it is there; caches it.
 * (serve_prefix.c) */
bool serve_prefix_find(struct serve_context *r, struct serve_job *job);
void serve_prefix_store(struct serve_context *r, const struct serve_job *job);

/* Frees the cached prefixes. */
void serve_cache_clear(struct serve_context *r);

#endif
