/* wire.h - protocol between remote_device.h, the client, and serve.h.
 *
 *     client ──server_fd: its area and one end of a pair──▶ server
 *     client ◀──wire_hello── server
 *     client ──wire_request──▶ server    numbers by the pair, arrays by the area
 *     client ◀──wire_reply── server      (not for posted requests)
 *
 * The area is the client's memory, mapped by both sides and sealed so that it
 * cannot shrink. Its layout follows from the request alone: the arrays one
 * after another from its first byte; the reply's arrays overwrite the
 * request's.
 *
 *     FORWARD    token[n], position[n] -> logits[n_asked, n_vocab]
 *     HEAD       -> logits[n_vocab]
 *     HEAD_ROWS  pick[n] -> logits[n]
 *     GUESS      token[n], position[n], pick[n_asked] -> logits[n_asked]
 *     ENCODE     bytes[height * width * n_channel]
 *
 * TRUST    Neither side trusts the other: each copies an array before reading
 *          it, and uses only lengths it has checked or computed itself. An
 *          invalid request ends the connection.
 */
#ifndef VLM_MODEL_SERVER_WIRE_H
#define VLM_MODEL_SERVER_WIRE_H

#include <stdint.h>

enum {
    WIRE_MAGIC = 0x726c7032,
    WIRE_AREA = 128 << 20, /* bytes; only pages in use are allocated */
    WIRE_STATES = 4,       /* sequences per client */
    WIRE_PICTURES = 2,
    WIRE_SIDE = 65535, /* of an image */
    WIRE_LABEL = 128,
    WIRE_TEXT = 480,
    WIRE_REASON = 24
};

enum wire_op {
    WIRE_STATE_NEW, /* waits until a sequence is free */
    WIRE_ENCODE,
    WIRE_FORWARD,
    WIRE_HEAD,
    WIRE_HEAD_ROWS,
    WIRE_GUESS,  /* only if the hello says so */
    WIRE_POSTED, /* from here on: no reply */
    WIRE_STATE_FREE = WIRE_POSTED,
    WIRE_STATE_CLEAR,
    WIRE_MARK,
    WIRE_REWIND,
    WIRE_ROWS_FREE,
    N_WIRE_OP
};

struct wire_hello {
    int32_t magic;
    int32_t n_ctx, n_embd, n_vocab, chunk, steps, n_thread;
    int32_t guesses;          /* GUESS is supported */
    int32_t kind;             /* enum err_kind of a refusal */
    uint64_t identity;        /* hash of model and options */
    char label[WIRE_LABEL];   /* of the server's device */
    char text[WIRE_TEXT];     /* why clients are refused, or "" */
    char reason[WIRE_REASON]; /* its reason code, or "" */
};

struct wire_request {
    int32_t op;
    int32_t state;   /* number chosen by the client */
    int32_t other;   /* MARK, REWIND: the checkpoint; GUESS:
                      * `ahead` of device_guess */
    int32_t picture; /* ENCODE, ROWS_FREE, FORWARD; -1: none */
    int32_t n;       /* tokens, or rows of the head */
    int32_t picture_first, picture_at, n_picture; /* as in device_run */
    int32_t n_asked;  /* as in device_run; GUESS: rows of the head */
    int32_t left_out; /* as in device_run */
    int32_t width, height, n_channel; /* ENCODE */
    int32_t prompt;                   /* as in device_run */
};

struct wire_reply {
    int32_t kind;       /* enum err_kind */
    int32_t n_y, n_x;   /* ENCODE */
    int32_t n_together; /* FORWARD: answers that share passes */
    char text[WIRE_TEXT];
};

#endif
