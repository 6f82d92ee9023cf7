/* allocators.h - memory allocation of libraries. */
#ifndef PIPELINE_PROCESS_ALLOCATORS_H
#define PIPELINE_PROCESS_ALLOCATORS_H

/* Call once, before any library is used. Libraries that hold a record or a hash
 * (cJSON, libxml2, OpenSSL) then allocate through arena.h, which ends the
 * process if memory runs out: cJSON would silently leave a value out of a
 * record. Also makes malloc return large blocks, such as images of pages, to
 * the system: by default it raises that threshold to the largest freed block,
 * keeps such blocks, and grows with the number of pages. */
void allocators_use(void);

#endif
