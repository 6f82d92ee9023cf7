/* allocators.h - where the libraries get their memory. */
#ifndef PIPELINE_PROCESS_ALLOCATORS_H
#define PIPELINE_PROCESS_ALLOCATORS_H

/* Once, before any library is used. Those that hold a record or a hash (cJSON,
 * libxml2, OpenSSL) take their memory by our door (arena.h), which ends the
 * process when there is none: cJSON would leave a value out of a record,
 * without a word. And malloc is told to give a page's pictures and scratch
 * back to the system: left to itself it raises that bound to the largest block
 * that was freed, keeps such blocks, and grows with the number of pages. */
void allocators_use(void);

#endif
