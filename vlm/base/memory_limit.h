/* memory_limit.h - what memory this process may still take. */
#ifndef VLM_BASE_MEMORY_LIMIT_H
#define VLM_BASE_MEMORY_LIMIT_H

#include <stddef.h>

/* Bytes by the kernel's own estimate (MemAvailable), or what the process's
 * control group has left where that is less; 0: not known. */
size_t memory_limit_available(void);

#endif
