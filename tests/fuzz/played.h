/* played.h - a jail that plays any bytes back in place of a child, for fuzz
 * targets that include the reader of a protocol as a part of their own: the names
 * here are theirs alone, beside the real ones. */
#ifndef TESTS_FUZZ_PLAYED_H
#define TESTS_FUZZ_PLAYED_H

#include <string.h>

#include "stages/jail.h"

/* What the child says; jails carry no argument of ours. */
static const uint8_t *played;
static size_t n_played;

static inline void played_open(struct jail *jail, const char *program,
                               const char *const *argument, struct err *err)
{
    (void)program;
    (void)argument;
    (void)err;
    *jail = (struct jail){
        .pixels = -1, .complaints = -1, .process = -1, .orders = -1};
}

static inline enum jail_end played_read(struct jail *jail, void *data,
                                        size_t size, double page_s,
                                        double deadline)
{
    (void)jail;
    (void)page_s;
    (void)deadline;
    if (size > n_played) return JAIL_CLOSED;
    memcpy(data, played, size);
    played += size;
    n_played -= size;
    return JAIL_READ;
}

static inline enum jail_end played_write(struct jail *jail, const void *data,
                                         size_t size, double page_s,
                                         double deadline)
{
    (void)jail;
    (void)data;
    (void)size;
    (void)page_s;
    (void)deadline;
    return JAIL_READ;
}

static inline void played_wait(struct jail *jail, double wait_s)
{
    (void)wait_s;
    jail->status = 0;
}

static inline void played_close(struct jail *jail)
{
    (void)jail;
}

static inline bool played_has_bytes(const struct jail *jail)
{
    (void)jail;
    return true;
}

static inline bool played_say_layers(const char *name, unsigned layers,
                                     struct buf *out)
{
    (void)name;
    (void)layers;
    (void)out;
    return true;
}

#define jail_has_bytes   played_has_bytes
#define jail_say_layers  played_say_layers
#define jail_open_orders played_open
#define jail_read        played_read
#define jail_write       played_write
#define jail_wait        played_wait
#define jail_close       played_close

#endif
