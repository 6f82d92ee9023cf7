/* fetch_wire.h - protocol between endpoint_sender.h, the client, and the fetch
 * process (fetch_process.h).
 *
 *     client ──door (fd_pass.h)──▶ fetch process
 *     client ◀──messages (message.h)──▶ fetch process
 *
 * A message has a head, and with FETCH_BODY the next bytes of a body behind it.
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
 *        headers nor paths, only a fetch_target. A message that breaks these
 *        rules ends the connection.
 */
#ifndef STAGES_ENGINE_FETCH_WIRE_H
#define STAGES_ENGINE_FETCH_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "stages/process/message.h"

enum {
    FETCH_CHUNK = 32 << 10,         /* bytes of a body in a packet */
    FETCH_POST_MOST = 1 << 29,      /* bytes of a request's body */
    FETCH_CLIENT_MOST = 1 << 30,    /* of all requests of a client */
    FETCH_REPLY_MOST = 32 << 20,    /* and of a reply's */
    FETCH_GET_REPLY_MOST = 1 << 20, /* to a GET */
    FETCH_TEXT = 256
};

enum fetch_op { /* the types of messages */
                FETCH_POST = 1,
                FETCH_GET,
                FETCH_BODY,
                FETCH_DROP,
                FETCH_REST,
                FETCH_TURN,
                FETCH_REPLY,
                N_FETCH_OP
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
    int32_t op; /* the message's type */
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

/* What a client may send, and what it may receive. */
extern const struct message_types fetch_wire_requests, fetch_wire_replies;

/* Sends a message without waiting; as message_try_send. */
bool fetch_wire_send(int fd, const struct fetch_head *head, struct span body);

/* The next message, without waiting: its head, and what follows it. */
enum message_end fetch_wire_receive(int fd, const struct message_types *types,
                                    struct message *m, struct fetch_head *head,
                                    struct span *body);

/* The full address for a target; cut to `size` bytes with the NUL. The base can
 * be http://host:8080, http://host:8080/v1 or that of the chat completions. */
void fetch_wire_url(const char *base, enum fetch_target target, char *url,
                    size_t size);

#endif
