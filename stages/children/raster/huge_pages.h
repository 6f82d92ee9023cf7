/* huge_pages.h - pictures in large pages of memory, where the kernel has some.
 *
 * A picture is mapped by itself and given back with its page (raster_main.c); faults
 * for its small pages of memory would be a third of the time that drawing takes.
 * Not by glibc.malloc.hugetlb: that gives the heap large pages, too, of which
 * the last is mostly empty: up to 2 MB more.
 */
#ifndef STAGES_CHILDREN_RASTER_HUGE_PAGES_H
#define STAGES_CHILDREN_RASTER_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGES_BYTES = 2 << 20 }; /* less than that has none */

/* For a block that nothing was written to yet. NULL is fine. */
static inline void huge_pages_advise(void *block, size_t size)
{
    if (!block || size < HUGE_PAGES_BYTES) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block;
    uintptr_t from = (at + page - 1) / page * page;
    uintptr_t to = (at + size) / page * page;
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif
