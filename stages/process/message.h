/* message.h - the messages between platen's processes: one framing for all.
 *
 *     | type u32 | size u32 | body: size bytes |   + up to 4 descriptors
 *
 * over a local socket that keeps message boundaries (SOCK_SEQPACKET). Each
 * protocol has a table of its types, which says how long a body may be, how many
 * descriptors come with it, and which function makes its members sound. A
 * receiver sees only messages that fit their row: a length, an index, a bool or
 * an enumeration is never used before it was checked.
 *
 * The model server's requests (vlm/model_server/wire.h) lie in shared memory, and
 * the child programs' messages (children/wire/frame.h) come through a pipe.
 */
#ifndef STAGES_PROCESS_MESSAGE_H
#define STAGES_PROCESS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/span.h"

enum {
    MESSAGE_CHUNK = 64 << 10,     /* bytes of a text that is sent in pieces */
    MESSAGE_BODY_MOST = 72 << 10, /* of any message */
    MESSAGE_FDS_MOST = 4
};

struct message_type {
    uint32_t least, most; /* bytes of the body */
    int fds;              /* descriptors, at most */
    /* Makes the members sound: ends texts, cuts numbers to their range. False:
     * the message breaks the protocol. NULL: any bytes will do. */
    bool (*check)(void *body, size_t size);
};

/* The types of a protocol, by number; a row with most 0 and least 1 is unused. */
struct message_types {
    const struct message_type *of;
    uint32_t n;
};

/* A message that was received. */
struct message {
    uint32_t type, size;
    union {
        char text[MESSAGE_BODY_MOST];
        double align;
    } body;
    int fd[MESSAGE_FDS_MOST]; /* owned by the receiver */
    int n_fd;
};

enum message_end {
    MESSAGE_RECEIVED,
    MESSAGE_NONE,   /* none is there, and the receiver does not wait */
    MESSAGE_CLOSED, /* the other side is closed, or sent an empty message */
    MESSAGE_BROKEN  /* it does not fit its row, or an error of the socket */
};

/* Receives a message into *m, whose body needs no initial value. */
enum message_end message_receive(int socket, const struct message_types *types,
                                 bool waits, struct message *m);

/* Sends a message whose body is `head` and `rest`. False, with errno: it was not
 * sent; EAGAIN if the socket is full and it does not wait. No signal is raised;
 * descriptors stay open. */
bool message_send(int socket, uint32_t type, struct span head,
                  struct span rest);
bool message_try_send(int socket, uint32_t type, struct span head,
                      struct span rest);
bool message_send_fds(int socket, uint32_t type, struct span head,
                      const int *fd, int n_fd);

/* For check functions. */

/* Ends the text, and makes it one line of valid UTF-8. */
#define MESSAGE_TEXT(text) message_clean(text, sizeof(text))
void message_clean(char *text, size_t size);

/* A bool has any byte until then. */
void message_bool(bool *flag);

/* Seconds between 0 and a thousand years; anything else becomes 0. */
void message_seconds(double *seconds);

/* A count of at most `most`; anything else becomes 0. */
void message_count(int *count, int most);

#endif
