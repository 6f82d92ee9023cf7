/* memory.h - what memory this process may still take. */
#ifndef VLM_BASE_MEMORY_H
#define VLM_BASE_MEMORY_H

#include <stddef.h>

/* Bytes by the kernel's own estimate (MemAvailable), or what the process's
 * control group has left where that is less; 0: not known. */
size_t memory_available(void);

#endif
