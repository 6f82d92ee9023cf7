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

/* n_thread includes the caller; 1 creates no thread. FAIL: ERR_LIMIT above
 * CPU_COUNT_MAX of cpu.h, ERR_SYSTEM. */
struct pool *pool_new(int n_thread, struct err *err);
void pool_free(struct pool *p); /* NULL is fine */
int pool_size(const struct pool *p);

/* Calls fn(arg, first, last, thread) for ranges that cover 0..n-1, each index
 * once, in pieces of at least `grain`, and returns when all are done. `thread`
 * is 0..pool_size-1, for per-thread scratch. Workers spin briefly between
 * calls, then sleep. Allocates nothing. */
void pool_run(struct pool *p, int n, int grain,
              void (*fn)(void *arg, int first, int last, int thread),
              void *arg);

#endif
