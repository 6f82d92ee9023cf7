/* allocators.c - see allocators.h. */
#include "pipeline/process/allocators.h"

#include <cjson/cJSON.h>
#include <libxml/xmlmemory.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <string.h>

#include "vlm/base/arena.h"

enum { MMAP_BYTES = 1 << 16, TRIM_BYTES = 1 << 18 };

static void *allocate(size_t size)
{
    return mem_alloc(size, 1);
}

static void *grow(void *old, size_t size)
{
    return mem_grow(old, size, 1);
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(size, 1), text, size);
}

static void *take_at(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return mem_alloc(size, 1);
}

static void *grow_at(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return mem_grow(old, size, 1);
}

static void give_at(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    mem_free(block);
}

void allocators_use(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = mem_free});
    xmlMemSetup(mem_free, allocate, grow, copy);
    CRYPTO_set_mem_functions(take_at, grow_at, give_at);
    /* its cleanup allocates, and could fail after the result was reported */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
    mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
}
