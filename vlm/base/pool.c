/* pool.c - see pool.h. One thread until the tensor work lands. */
#include "vlm/base/pool.h"

#include "vlm/base/arena.h"

struct pool {
    int n_thread;
};

struct pool *pool_new(int n_thread, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct pool *p = mem_take(1, sizeof *p);
    p->n_thread = n_thread;
    return p;
}

void pool_free(struct pool *p)
{
    mem_give(p);
}

int pool_size(const struct pool *p)
{
    return p->n_thread;
}

void pool_run(struct pool *p, int n, int grain,
              void (*fn)(void *arg, int first, int last, int thread), void *arg)
{
    (void)p;
    (void)grain;
    if (n > 0) fn(arg, 0, n, 0);
}
