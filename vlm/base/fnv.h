/* fnv.h - a fast hash for tables in memory: FNV-1a with a shift, so that the
 * low bits are usable for integers as for bytes. Never written to a file.
 */
#ifndef VLM_BASE_FNV_H
#define VLM_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(14695981039346656037)

/* Adds one value to the hash; start with FNV_START. */
static inline uint64_t fnv_add(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(1099511628211);
    return hash ^ (hash >> 29);
}

/* Adds `size` bytes to the hash, one by one. */
static inline uint64_t fnv_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = fnv_add(hash, at[i]);
    return hash;
}

#endif
