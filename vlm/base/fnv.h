/* fnv.h - a quick hash for tables in memory: FNV-1a with a shift, so that the
 * low bits are of use for words as for bytes. Never written to a file. */
#ifndef VLM_BASE_FNV_H
#define VLM_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(14695981039346656037)

/* The hash grown by one value; begin with FNV_START. */
static inline uint64_t fnv_add(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(1099511628211);
    return hash ^ (hash >> 29);
}

/* The hash grown by `size` bytes, one after the other. */
static inline uint64_t fnv_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = fnv_add(hash, at[i]);
    return hash;
}

#endif
