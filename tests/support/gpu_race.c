/* gpu_race.c - see gpu_race.h, and device memory.
 *
 * Of every byte it is kept who wrote and who read it last, and when: in which
 * block, between which barriers of it, between which meetings of the warp. Two
 * accesses of which one writes, by two threads, are ordered when they lie in
 * different launches; in one block, with a barrier between; or in one warp that
 * met in between; or by a block and the last that comes to a counter to which it
 * came in between. Shared memory is garbage when a block begins, and may not be
 * read before it is written.
 */
#include "tests/support/gpu_race.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/gpu_host.h"
#include "vlm/device/gpu/kernels/gpu_lang.h"

enum { BLOCKS_MAX = 4096, MANY = 255 };

struct mark {                               /* one access */
    uint32_t launch, block, epoch, meeting; /* launch 0: none */
    uint8_t thread, warp;                   /* MANY: of several */
};

struct cell { /* of a byte */
    struct mark wrote, read;
};

struct block {
    char *at;
    size_t size;
    struct cell *cell; /* NULL: not looked at */
};

struct coming { /* a block at a counter */
    const void *count;
    uint32_t block, epoch;
};

static struct {
    struct block block[BLOCKS_MAX];
    int n_block;
    size_t taken;
    struct cell *shared;
    uint32_t launch, now, epoch, meeting[GPU_WARPS];
    struct coming *come; /* of this launch */
    size_t n_come, room;
    uint32_t first;     /* block of this launch */
    const void *joined; /* the counter whose last this block is */
    bool off;
    void *(*take)(size_t size);
    void (*give)(void *block);
} race;

extern char __start_gpu_shared[], __stop_gpu_shared[];

/* ---- memory ----------------------------------------------------------------- */

void gpu_host_memory(void *(*take)(size_t size), void (*give)(void *block))
{
    race.take = take;
    race.give = give;
}

void *gpu_host_take(size_t size)
{
    size_t whole = (size + 255) / 256 * 256 + 256;
    if (race.n_block == BLOCKS_MAX) abort();
    struct block b = {.at = race.take ? race.take(whole)
                                      : aligned_alloc(256, whole),
                      .size = size};
    if (!b.at) abort();
    memset(b.at, 0xa5, size);
    if (!race.off) b.cell = calloc(size ? size : 1, sizeof *b.cell);
    race.block[race.n_block++] = b;
    race.taken += size;
    return b.at;
}

void gpu_host_give(void *block)
{
    for (int i = 0; i < race.n_block; i++)
        if (race.block[i].at == block) {
            race.taken -= race.block[i].size;
            free(race.block[i].cell);
            (race.give ? race.give : free)(block);
            race.block[i] = race.block[--race.n_block];
            return;
        }
    abort();
}

size_t gpu_host_taken(void)
{
    return race.taken;
}

void *gpu_host_block(int i, size_t *size)
{
    if (i >= race.n_block) return NULL;
    *size = race.block[i].size;
    return race.block[i].at;
}

size_t gpu_host_touched(void)
{
    size_t n = 0;
    for (int i = 0; i < race.n_block && !race.off; i++) {
        const struct block *b = &race.block[i];
        for (size_t k = 0; b->cell && k < b->size; k++)
            n += (size_t)(b->cell[k].read.launch == race.launch) +
                 (size_t)(b->cell[k].wrote.launch == race.launch);
    }
    return n;
}

void gpu_host_races(bool on)
{
    race.off = !on;
}

/* The cell of a byte of the device; NULL where none is kept, `good` whether a
 * kernel may have this address at all. */
static struct cell *cell_of(const char *p, size_t size, bool *good)
{
    static int last;
    size_t n_shared = (size_t)(__stop_gpu_shared - __start_gpu_shared);
    *good = true;
    if (p >= __start_gpu_shared && p + size <= __stop_gpu_shared) {
        if (!race.shared) race.shared = calloc(n_shared, sizeof *race.shared);
        return race.off ? NULL : race.shared + (p - __start_gpu_shared);
    }
    if (gpu_race_own(p)) return NULL;
    for (int i = 0; i < race.n_block; i++) {
        int k = (i + last) % race.n_block;
        const struct block *b = &race.block[k];
        if (p < b->at || p + size > b->at + b->size) continue;
        last = k;
        return b->cell && !race.off ? b->cell + (p - b->at) : NULL;
    }
    *good = false;
    return NULL;
}

/* ---- order ------------------------------------------------------------------ */

void gpu_race_launch(void)
{
    race.launch++;
    race.n_come = 0;
    race.first = race.now + 1;
}

void gpu_race_block(void)
{
    size_t n_shared = (size_t)(__stop_gpu_shared - __start_gpu_shared);
    race.now++;
    race.epoch = 0;
    race.joined = NULL;
    memset(race.meeting, 0, sizeof race.meeting);
    if (!race.off) memset(__start_gpu_shared, 0xa5, n_shared);
}

void gpu_race_barrier(void)
{
    race.epoch++;
}

void gpu_race_warp(int warp)
{
    race.meeting[warp]++;
}

void gpu_race_count(const void *count, bool last)
{
    bool good;
    (void)cell_of(count, sizeof(uint32_t), &good);
    if (!good) gpu_race_fail("counts what is not the device's");
    if (race.off) return;
    if (race.n_come == race.room) {
        race.room = 2 * race.room + 64;
        race.come = realloc(race.come, race.room * sizeof *race.come);
        if (!race.come) abort();
    }
    race.come[race.n_come++] = (struct coming){count, race.now, race.epoch};
    if (last) race.joined = count;
}

/* Came the block of m to where the present one was the last, after m? A mark of many
 * blocks needs all of the launch. */
static bool came(const struct mark *m)
{
    uint32_t n = 0;
    for (size_t i = 0; i < race.n_come && race.joined; i++) {
        const struct coming *c = &race.come[i];
        if (c->count != race.joined) continue;
        n++;
        if (c->block == m->block) return m->epoch < c->epoch;
    }
    return m->block == UINT32_MAX && n == race.now - race.first + 1;
}

/* Is nothing between `m` and the present access of this thread? */
static bool clashes(const struct mark *m, bool shared, int thread, int warp)
{
    if (m->launch != race.launch) return false;
    if (m->block != race.now) /* shared: of a block before */
        return !shared && !came(m);
    if (m->epoch != race.epoch) return false;
    if (m->thread == thread) return false;
    return m->warp != warp || m->meeting == race.meeting[warp];
}

static struct mark mark_now(int thread, int warp)
{
    return (struct mark){race.launch,        race.now,        race.epoch,
                         race.meeting[warp], (uint8_t)thread, (uint8_t)warp};
}

/* A reader is added to those of the same stretch. */
static void add_reader(struct mark *m, bool shared, int thread, int warp)
{
    struct mark now = mark_now(thread, warp);
    bool same_launch = m->launch == race.launch;
    if (same_launch && m->block != race.now && !shared) {
        m->block = UINT32_MAX; /* of several blocks: any write is wrong */
        return;
    }
    if (same_launch && m->block == race.now && m->epoch == race.epoch) {
        if (m->warp != warp)
            now.warp = now.thread = MANY;
        else if (m->thread != thread && m->meeting == race.meeting[warp])
            now.thread = MANY;
    }
    *m = now;
}

__attribute__((unused)) static void look(const void *at, size_t size,
                                         bool writes)
{
    bool good;
    int thread = THREAD, warp = WARP;
    struct cell *c = cell_of(at, size, &good);
    if (!good)
        gpu_race_fail("%s %zu bytes that are not the device's",
                      writes ? "writes" : "reads", size);
    bool shared = (const char *)at >= __start_gpu_shared &&
                  (const char *)at < __stop_gpu_shared;
    for (size_t i = 0; c && i < size; i++, c++) {
        if (clashes(&c->wrote, shared, thread, warp))
            gpu_race_fail("%s what thread %d %s", writes ? "writes" : "reads",
                          c->wrote.thread, "writes with nothing between");
        if (writes && clashes(&c->read, shared, thread, warp))
            gpu_race_fail("writes what thread %d reads with nothing between",
                          c->read.thread);
        if (!writes && shared && c->wrote.block != race.now)
            gpu_race_fail("reads shared memory that nobody wrote");
        if (writes)
            c->wrote = mark_now(thread, warp);
        else
            add_reader(&c->read, shared, thread, warp);
    }
}

/* ---- the calls of -fsanitize=thread ----------------------------------------- */

#if !defined(__SANITIZE_THREAD__)
void __tsan_init(void);
void __tsan_func_entry(void *from);
void __tsan_func_exit(void);
void __tsan_read_range(const void *at, size_t size);
void __tsan_write_range(const void *at, size_t size);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
    (void)from;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(const void *at, size_t size)
{
    look(at, size, false);
}

void __tsan_write_range(const void *at, size_t size)
{
    look(at, size, true);
}

#    define ACCESS(name, size, writes)      \
        void __tsan_##name(const void *at); \
        void __tsan_##name(const void *at)  \
        {                                   \
            look(at, size, writes);         \
        }
#    define ACCESSES(size)                        \
        ACCESS(read##size, size, false)           \
        ACCESS(write##size, size, true)           \
        ACCESS(unaligned_read##size, size, false) \
        ACCESS(unaligned_write##size, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#endif
