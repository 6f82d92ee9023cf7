/* pool.h - a thread pool that splits rows of a product, never a sum.
 *
 * Work is distributed by index range, so the number of threads cannot change a
 * result: the result for index i depends on i alone.
 * THREADS  One caller at a time.
 */
#ifndef VLM_BASE_POOL_H
#define VLM_BASE_POOL_H

#include "vlm/base/err.h"

struct pool;

/* n_thread includes the caller. The first pool_run that can use the threads
 * starts them; where there are not enough, it does with fewer. FAIL: ERR_LIMIT
 * above CPU_COUNT_MAX of cpu.h, ERR_SYSTEM. */
struct pool *pool_new(int n_thread, struct err *err);
void pool_free(struct pool *p); /* NULL is fine */

/* In a process that was just forked: the threads did not come along; the next
 * pool_run starts new ones. The fork must not be made during a pool_run. NULL is
 * fine. */
void pool_renew(struct pool *p);

/* The threads, with the caller. */
int pool_size(const struct pool *p);

/* Calls fn(arg, first, last, thread) for ranges that cover 0..n-1, each index
 * once, in pieces of at least `grain`, and returns when all are done. `thread`
 * is 0..pool_size-1, for per-thread scratch. Workers spin briefly between
 * calls, then sleep. Allocates nothing after the first call. */
void pool_run(struct pool *p, int n, int grain,
              void (*fn)(void *arg, int first, int last, int thread),
              void *arg);

#endif
