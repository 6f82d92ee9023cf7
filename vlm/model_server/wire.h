/* wire.h - what a device far away (remote_device.h) and its reader (serve.h) say.
 *
 *     client ──door: its area and one end of a pair──▶ reader
 *     client ◀──wire_hello── reader
 *     client ──wire_ask──▶ reader        numbers by the pair, arrays by the area
 *     client ◀──wire_reply── reader      (not to what is only posted)
 *
 * The area is memory of the client's that both map, sealed so that it cannot
 * shrink. What lies in it follows from the ask alone: arrays one behind the other
 * from its first byte, the answer's over the question's.
 *
 *     FORWARD    token[n], position[n], device_head[n_head]
 *                -> weight[n - from, n_head, n_key], logits[n_asked, n_vocab]
 *     HEAD       -> logits[n_vocab]
 *     HEAD_ROWS  pick[n] -> logits[n]
 *     LOOK       bytes[height * width * n_channel]
 *     ROWS_NEW   rows[n_y * n_x, n_embd]; ROWS_READ -> the same
 *
 * TRUST    Neither side believes the other: whoever reads an array copies it
 *          first, and works with lengths that it has checked or computed itself.
 *          An ask that is out of order ends the connection.
 */
#ifndef VLM_MODEL_SERVER_WIRE_H
#define VLM_MODEL_SERVER_WIRE_H

#include <stdint.h>

enum {
    WIRE_MAGIC = 0x726c7031,
    WIRE_AREA = 128 << 20, /* bytes; only what is used is ever taken */
    WIRE_STATES = 4,       /* sequences of a client */
    WIRE_PICTURES = 2,
    WIRE_HEADS = 64,
    WIRE_SIDE = 65535, /* of a picture */
    WIRE_LABEL = 128,
    WIRE_TEXT = 240
};

enum wire_op {
    WIRE_STATE_NEW, /* waits until there is a place */
    WIRE_LOOK,
    WIRE_ROWS_NEW,
    WIRE_ROWS_READ,
    WIRE_FORWARD,
    WIRE_HEAD,
    WIRE_HEAD_ROWS,
    WIRE_POSTED, /* from here on: no reply */
    WIRE_STATE_FREE = WIRE_POSTED,
    WIRE_STATE_CLEAR,
    WIRE_STATE_COPY,
    WIRE_MARK,
    WIRE_REWIND,
    WIRE_ROWS_FREE,
    N_WIRE_OP
};

struct wire_hello {
    int32_t magic;
    int32_t n_ctx, n_embd, n_vocab, chunk, steps, n_thread;
    int32_t padding;
    uint64_t identity;      /* of model and options */
    char label[WIRE_LABEL]; /* of the reader's device */
    char text[WIRE_TEXT];   /* why there is no reader, or "" */
};

struct wire_ask {
    int32_t op;
    int32_t state;   /* by number, as the client counts them */
    int32_t other;   /* STATE_COPY: from; MARK, REWIND: the point */
    int32_t picture; /* LOOK, ROWS_*, FORWARD; -1: none */
    int32_t n;       /* tokens, or rows of the head */
    int32_t picture_first, picture_at, n_picture; /* as device_run has them */
    int32_t n_asked;
    int32_t n_head, from, first, n_key; /* n_head 0: no attention is asked */
    int32_t left_out;                   /* as device_run has it */
    int32_t width, height, n_channel;   /* LOOK; of ROWS_*: n_x and n_y */
};

struct wire_reply {
    int32_t kind;     /* enum err_kind */
    int32_t n_y, n_x; /* LOOK */
    char text[WIRE_TEXT];
};

#endif
