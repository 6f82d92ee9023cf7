/* memory_limit.h - memory available to this process. */
#ifndef VLM_BASE_MEMORY_LIMIT_H
#define VLM_BASE_MEMORY_LIMIT_H

#include <stddef.h>

/* Available bytes as estimated by the kernel (MemAvailable), or what the
 * process's control group has left if that is less; 0: unknown. */
size_t memory_limit_available(void);

#endif
