/* serve_inside.h - the inside of serve.c, for tests/fuzz/model_server_fuzz.c. */
#ifndef VLM_MODEL_SERVER_SERVE_INSIDE_H
#define VLM_MODEL_SERVER_SERVE_INSIDE_H

#include "vlm/base/hash.h"
#include "vlm/model_server/serve.h"
#include "vlm/model_server/wire.h"

enum { SERVE_PEERS_MAX = 128 };

/* The text that a sequence consists of, by its hash. */
struct serve_text {
    bool known;
    struct hash hash;
};

/* A sequence of a client's. */
struct serve_state {
    struct device_state *state; /* NULL: no such */
    struct serve_text text;
    struct serve_point {
        bool marked;
        int n_past;
        struct serve_text text;
    } point[DEVICE_POINT_MAX];
};

/* What a client waits for: checked, and all of it our own copy. */
struct serve_job {
    bool open;
    struct wire_ask ask;
    struct serve_state *to;
    int done;                          /* tokens of FORWARD that are read */
    void *copy;                        /* of the arrays, mem_free */
    const int32_t *token;              /* [n]; HEAD_ROWS: pick */
    const struct position *at;         /* [n] */
    struct device_attention attention; /* weight[n_weight] NULL: not asked */
    size_t n_weight;
    struct image image;
    struct serve_text text; /* behind it */
};

struct serve_peer {
    int fd;
    char *area;
    bool gone;     /* to be freed */
    bool thinking; /* was answered, and may ask for the next token at once */
    int n_waited;  /* pages and prompts of others that its answer waited for */
    struct serve_state state[WIRE_STATES];
    struct device_rows *rows[WIRE_PICTURES];
    struct serve_job job;
};

struct serve_kept {
    struct device_state *state; /* NULL: free */
    struct hash hash;
    unsigned used; /* when */
};

struct serve_room {
    struct device *d;
    const struct serve_options *o;
    struct serve_peer *peer[SERVE_PEERS_MAX];
    int n_peer;
    int next;                  /* whose picture or prompt is first */
    struct serve_peer *looker; /* whose picture is being looked at, or NULL */
    double sliced;             /* when its part began */
    double pass_s;             /* the last pass took */
    bool closed;               /* nobody can come any more */
    float *logits;             /* [SERVE_ROWS, n_vocab] */
    struct serve_kept kept[SERVE_SHELF];
    unsigned clock;
};

enum { SERVE_ROWS = 32 }; /* of the head at a time */

/* A client came; its area is mapped, its hello sent. NULL: it was none. */
struct serve_peer *serve_peer_new(const struct serve_room *r, int area, int fd,
                                  const char *why);
void serve_peer_free(struct serve_peer *p);

/* Reads one ask: does it if it is posted, else opens its job. A client that has
 * ended or does not keep to the order is gone. */
void serve_peer_receive(struct serve_room *r, struct serve_peer *p);

/* Opens a state for a job STATE_NEW if there is a place. */
void serve_peer_place(struct serve_room *r, struct serve_peer *p);

/* A part of the work; false when nobody waits for any of its kind: predictions; a
 * pass of all that can go together; the next picture. */
bool serve_pass_heads(struct serve_room *r);
bool serve_pass_forward(struct serve_room *r);
bool serve_pass_encode(struct serve_room *r);

/* Frees the sequences that were kept. */
void serve_cache_clear(struct serve_room *r);

#endif
