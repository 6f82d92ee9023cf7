/* fetch_wire.h - protocol between endpoint_sender.h, the client, and the fetch
 * process (fetch_process.h).
 *
 *     client ──door (fd_pass.h)──▶ fetch process
 *     client ◀──fetch_packet──▶ fetch process
 *
 * A packet is a head, and with FETCH_BODY the next bytes of a body behind it.
 * Requests have numbers, chosen by the client, and proceed independently.
 *
 *     client:  POST size=n, BODY ...     ahead=1: TURN is the answer to POST
 *              GET                       without a body
 *              DROP                      the request, or its rest, is not needed
 *              REST                      no more questions about this document
 *     server:  TURN ahead=0 or 1         1: accepted; 0: forgotten, send no BODY
 *              REPLY size=n, BODY ...    the request is forgotten
 *
 * TRUST  Neither side trusts the other. The client chooses neither host nor
 *        headers nor paths, only a fetch_target. A packet that breaks these
 *        rules ends the connection.
 */
#ifndef STAGES_ENGINE_FETCH_WIRE_H
#define STAGES_ENGINE_FETCH_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
    FETCH_CHUNK = 32 << 10,         /* bytes of a body in a packet */
    FETCH_POST_MOST = 1 << 29,      /* bytes of a request's body */
    FETCH_CLIENT_MOST = 1 << 30,    /* of all requests of a client */
    FETCH_REPLY_MOST = 32 << 20,    /* and of a reply's */
    FETCH_GET_REPLY_MOST = 1 << 20, /* to a GET */
    FETCH_TEXT = 256
};

enum fetch_op {
    FETCH_POST,
    FETCH_GET,
    FETCH_BODY,
    FETCH_DROP,
    FETCH_REST,
    FETCH_TURN,
    FETCH_REPLY
};

/* Chat completions, or a path beside /v1. */
enum fetch_target { FETCH_CHAT, FETCH_PROPS, FETCH_MODELS, N_FETCH_TARGET };

enum fetch_outcome {
    FETCH_ANSWERED, /* with any status */
    FETCH_FAILED,   /* no reply, or one that broke off; the text says why */
    FETCH_TOO_LONG, /* the reply was cut off at its limit */
    FETCH_LOST,     /* the fetch process has ended, for good; never sent */
    FETCH_ABORTED   /* asked to stop; never sent */
};

struct fetch_head {
    int32_t op;
    uint32_t number;
    int32_t size;          /* POST, REPLY: of the body */
    int32_t target;        /* GET */
    int32_t time_ms;       /* POST, GET: limit of the transfer */
    int32_t ahead;         /* POST: not urgent; TURN: accepted */
    int32_t outcome;       /* REPLY */
    int32_t status;        /* REPLY: of HTTP; 0: none came */
    double retry_after;    /* REPLY: in seconds; 0: not given */
    char text[FETCH_TEXT]; /* REPLY: FETCH_FAILED's reason */
};

struct fetch_packet {
    struct fetch_head head;
    char body[FETCH_CHUNK];
};

/* The full address for a target; cut to `size` bytes with the NUL. The base can
 * be http://host:8080, http://host:8080/v1 or that of the chat completions. */
void fetch_wire_url(const char *base, enum fetch_target target, char *url,
                    size_t size);

#endif
