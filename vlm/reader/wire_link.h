/* wire_link.h - a client's side of what wire.h says. */
#ifndef VLM_READER_WIRE_LINK_H
#define VLM_READER_WIRE_LINK_H

#include <stdbool.h>

#include "vlm/base/err.h"
#include "vlm/reader/wire.h"

struct wire_link {
    int fd; /* our end of the pair; -1: none */
    char *area;
    bool lost; /* the reader has ended, or does not keep to what wire.h says */
};

/* Announces itself at the door and waits for the first word. FAIL: ERR_SYSTEM
 * "reader-lost" when none came, or one that says why not. */
void wire_link_open(struct wire_link *l, int door, double wait_s,
                    struct wire_hello *hello, struct err *err);
void wire_link_close(struct wire_link *l);

/* Sends what has no reply; or waits for one. FAIL, and false: "reader-lost"; what
 * the reply says. */
bool wire_link_post(struct wire_link *l, const struct wire_ask *ask,
                    struct err *err);
bool wire_link_ask(struct wire_link *l, const struct wire_ask *ask,
                   struct wire_reply *reply, struct err *err);

/* Its word cannot be true: it is as if it had ended. Returns false. */
bool wire_link_lose(struct wire_link *l, struct err *err);

#endif
