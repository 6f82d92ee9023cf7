/* large.h - pictures in large pages of memory, where the kernel has some.
 *
 * A picture is mapped by itself and given back with its page (main.c); faults
 * for its small pages of memory would be a third of the time that drawing takes.
 * Not by glibc.malloc.hugetlb: that gives the heap large pages, too, of which
 * the last is mostly empty: up to 2 MB more.
 */
#ifndef STAGES_RASTER_LARGE_H
#define STAGES_RASTER_LARGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_BYTES = 2 << 20 }; /* less than that has none */

/* For a block that nothing was written to yet. NULL is fine. */
static inline void large_pages(void *block, size_t size)
{
    if (!block || size < LARGE_BYTES) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block;
    uintptr_t from = (at + page - 1) / page * page;
    uintptr_t to = (at + size) / page * page;
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif
