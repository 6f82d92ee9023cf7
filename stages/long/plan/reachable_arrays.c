/* reachable_arrays.c - see reachable_arrays.h. */
#include "stages/long/plan/reachable_arrays.h"

#include <stdint.h>
#include <string.h>

#include "vlm/base/fnv.h"

enum known { KNOWN_NOT, KNOWN_WAITING, KNOWN_EMPTY, KNOWN_ROWS };
enum { ROOM_FIRST = 64 }; /* a power of two */

struct seat {
    const cJSON *object; /* NULL: free */
    enum known known;
};

struct reachable_arrays {
    struct arena *arena;
    struct seat *seat; /* by hash, at most half of them taken */
    size_t room, n;
    const cJSON **queue; /* objects to visit, in order of discovery */
    size_t n_queue, room_queue;
};

struct reachable_arrays *reachable_arrays_new(struct arena *arena)
{
    struct reachable_arrays *r = arena_alloc(arena, sizeof *r);
    r->arena = arena;
    r->room = r->room_queue = ROOM_FIRST;
    r->seat = arena_array(arena, r->room, sizeof *r->seat);
    r->queue = arena_array(arena, r->room_queue, sizeof(cJSON *));
    return r;
}

/* The slot of the object, or the free one for it. */
static struct seat *seat_of(struct seat *seat, size_t room, const cJSON *object)
{
    size_t at = (size_t)fnv_bytes(FNV_START, &object, sizeof object);
    for (;; at++) {
        struct seat *c = &seat[at & (room - 1)];
        if (!c->object || c->object == object) return c;
    }
}

static void grow(struct reachable_arrays *r)
{
    size_t room = 2 * r->room;
    struct seat *seat = arena_array(r->arena, room, sizeof *seat);
    for (size_t i = 0; i < r->room; i++) {
        if (r->seat[i].object)
            *seat_of(seat, room, r->seat[i].object) = r->seat[i];
    }
    r->seat = seat;
    r->room = room;
}

static struct seat *seat_for(struct reachable_arrays *r, const cJSON *object)
{
    if (2 * r->n >= r->room) grow(r);
    struct seat *c = seat_of(r->seat, r->room, object);
    if (!c->object) {
        *c = (struct seat){object, KNOWN_NOT};
        r->n++;
    }
    return c;
}

static void queue_add(struct reachable_arrays *r, const cJSON *object)
{
    if (r->n_queue == r->room_queue) {
        const cJSON **queue =
            arena_array(r->arena, 2 * r->room_queue, sizeof(cJSON *));
        memcpy(queue, r->queue, r->n_queue * sizeof(cJSON *));
        r->queue = queue;
        r->room_queue *= 2;
    }
    r->queue[r->n_queue++] = object;
}

bool reachable_arrays_add(struct reachable_arrays *r, const cJSON *object)
{
    struct seat *c = seat_for(r, object);
    if (c->known == KNOWN_NOT) {
        c->known = KNOWN_WAITING;
        queue_add(r, object);
    }
    return c->known == KNOWN_ROWS;
}

/* If no rows were found, none of the visited objects has any; else only the first one is
 * known to. */
static void conclude(struct reachable_arrays *r, bool found)
{
    for (size_t i = 0; i < r->n_queue; i++)
        seat_for(r, r->queue[i])->known = found ? KNOWN_NOT : KNOWN_EMPTY;
    if (found && r->n_queue) seat_for(r, r->queue[0])->known = KNOWN_ROWS;
}

bool reachable_arrays_holds(struct reachable_arrays *r, const cJSON *object,
                            reachable_arrays_looks *looks, void *arg)
{
    r->n_queue = 0;
    bool found = reachable_arrays_add(r, object);
    for (size_t i = 0; i < r->n_queue && !found; i++)
        found = looks(arg, r->queue[i]);
    conclude(r, found);
    return found;
}
