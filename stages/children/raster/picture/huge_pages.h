/* huge_pages.h - asks for huge memory pages for images.
 *
 * An image is mapped separately and unmapped with its page (raster_main.c);
 * faults on small memory pages would take a third of the drawing time.
 * glibc.malloc.hugetlb is not used: it gives the heap huge pages too, the last
 * of them mostly empty, which costs up to 2 MB.
 */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_HUGE_PAGES_H
#define STAGES_CHILDREN_RASTER_PICTURE_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGES_BYTES = 2 << 20 }; /* smaller blocks are left alone */

/* For a block that was not written to yet. NULL is fine. */
static inline void huge_pages_advise(void *block, size_t size)
{
    if (!block || size < HUGE_PAGES_BYTES) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block;
    uintptr_t from = (at + page - 1) / page * page;
    uintptr_t to = (at + size) / page * page;
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif
