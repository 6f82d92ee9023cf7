/* fail_alloc.c - LD_PRELOAD: the allocation number $FAIL_ALLOC of a process
 * named platen fails, once, whoever asks. Without a number they are counted,
 * and at the end the count goes to the file $FAIL_ALLOC_COUNT. Built with
 * -DBELOW_SANITIZER it stands in front of a sanitizer's allocator. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who is asked in the end; a sanitizer's allocator has names of its own. */
#ifdef BELOW_SANITIZER
#    define BELOW(name) __interceptor_##name
#else
#    define BELOW(name) __libc_##name
#endif
void *BELOW(malloc)(size_t size);
void *BELOW(calloc)(size_t n, size_t size);
void *BELOW(realloc)(void *old, size_t size);
void *BELOW(memalign)(size_t align, size_t size);

static atomic_long n_call;
static long fails_at;

/* What the libraries' constructors take before main is not platen's. */
static int (*real_main)(int argc, char **argv, char **env);

static int begin(int argc, char **argv, char **env)
{
    const char *at = getenv("FAIL_ALLOC");
    if (at && !strcmp(program_invocation_short_name, "platen"))
        fails_at = atol(at);
    atomic_store(&n_call, 0);
    return real_main(argc, argv, env);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void),
                      void (*ld_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void),
                 void (*)(void), void (*)(void), void *) =
        dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(begin, argc, argv, init, fini, ld_fini, stack_end);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_ALLOC_COUNT");
    if (!path || strcmp(program_invocation_short_name, "platen") != 0) return;
    long n = atomic_load(&n_call);
    FILE *f = fopen(path, "w");
    if (!f) return;
    fprintf(f, "%ld\n", n);
    fclose(f);
}

static int fails(void)
{
    if (atomic_fetch_add(&n_call, 1) + 1 != fails_at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : BELOW(malloc)(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : BELOW(calloc)(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : BELOW(realloc)(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : BELOW(memalign)(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
    if (fails()) return ENOMEM;
    *out = BELOW(memalign)(align, size);
    return *out ? 0 : ENOMEM;
}
