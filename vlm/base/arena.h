/* arena.h - memory that ends all at once.
 *
 * Small allocations do not fail: when the system has no memory, arena.c ends
 * the process (the pipeline takes the document up again at the next start).
 * THREADS  An arena belongs to one thread at a time.
 * MEMORY   Everything is given back by arena_reset or arena_free.
 */
#ifndef VLM_BASE_ARENA_H
#define VLM_BASE_ARENA_H

#include "vlm/base/span.h"

struct arena;

/* Empty; the caller frees it. */
struct arena *arena_new(void);
void arena_free(struct arena *a); /* runs the deferred calls; NULL is fine */

/* Runs the deferred calls, keeps one block for the next use. */
void arena_reset(struct arena *a);

/* Zeroed, aligned to 64 bytes when `size` is 64 or more, else to 16. */
void *arena_alloc(struct arena *a, size_t size);

/* arena_alloc for `n` things of `size`; the product is checked. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* A copy of `n` things of `size` with room for `room` (the new ones zeroed); the
 * old ones stay as they are until the arena ends. */
void *arena_widen(struct arena *a, const void *old, size_t n, size_t room,
                  size_t size);

/* The bytes with a final NUL; and a text made as by printf. */
char *arena_copy(struct arena *a, struct span text);
char *arena_text(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls fn(thing) when the arena is reset or freed, last one first. */
void arena_defer(struct arena *a, void (*fn)(void *thing), void *thing);

/* Ends the process (status 15) with a line on stderr. */
_Noreturn void mem_exhausted(size_t size);

/* The process's own heap for things with a life of their own: ends the
 * process when there is none. `mem_alloc` zeroes. */
void *mem_alloc(size_t n, size_t size);
void *mem_grow(void *old, size_t n, size_t size);
void mem_free(void *block);

/* Gives back to the system what was freed between what is held: after a piece of
 * work that leaves nothing, so that a long run takes no more than a short one. */
void mem_trim(void);

/* As mem_alloc with 64-byte alignment and NULL when there is no memory, for
 * sizes that come from outside. Release with mem_free. */
void *mem_try_aligned(size_t size);

/* How many calls of the mem_ functions (arena blocks included) have been made
 * by this process, for the tests that count. */
size_t mem_calls(void);

#endif
