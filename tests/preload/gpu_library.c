/* gpu_library.c - a libcuda.so.1 of ours: support/gpu_fake.h as a library, so that the
 * built program finds a GPU where there is none. It is told what to do by files in the
 * folder $GPU_FAKE:
 *
 *     room    "MiB CALL": so much memory instead of 64, from call CALL on and for
 *             all who call later (it says "MiB 0" then)
 *     major   its generation (8); skip: the name of a kernel that does nothing
 *     older   "N": there are two, and number N is of generation 7
 *     fail    "N ERROR": call N of the next process that calls so often; then it is blank
 *     calls   written: calls of the process that called last
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/limits.cu"
#include "tests/support/gpu_fake.c"
#include "tests/support/gpu_host.c"
#include "tests/support/gpu_race.c"

/* The driver's names for them. */
#define EXPORT(name, symbol, arguments) \
    __asm__(".globl " symbol "\n.set " symbol ", " #name "\n");
GPU_CUDA_CALLS(EXPORT)

/* Pinned memory, which a test of tests/gpu takes (cuMemHostAlloc). */
int cuMemHostAlloc(void **at, size_t size, unsigned flags);
int cuMemHostAlloc(void **at, size_t size, unsigned flags)
{
    (void)flags;
    *at = gpu_host_take(size);
    return 0;
}

int cuMemFreeHost(void *at);
int cuMemFreeHost(void *at)
{
    gpu_host_give(at);
    return 0;
}

/* The kernels of gpu-limits. */
#define LIMIT(name)                       \
    static void run_##name(const void *p) \
    {                                     \
        struct limit_args a;              \
        memcpy(&a, p, sizeof a);          \
        name(a);                          \
    }
LIMIT(limit_read)
LIMIT(limit_bytes)
LIMIT(limit_halves)

static const struct gpu_host_kernel *find_limit(const char *name)
{
    static const struct gpu_host_kernel limits[] = {
        {"limit_read", run_limit_read, sizeof(struct limit_args)},
        {"limit_bytes", run_limit_bytes, sizeof(struct limit_args)},
        {"limit_halves", run_limit_halves, sizeof(struct limit_args)}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].name, name)) return &limits[i];
    return NULL;
}

static int folder = -1, fail_at;

enum { TEXT_SIZE = 64 };

/* Files that change later are mapped: a process in its sandbox opens none. */
static char *calls, *room, *fail;

/* NULL: there is no such file. */
static char *map_text(const char *name, int flags)
{
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | flags, 0600);
    if (fd < 0) return NULL;
    if (flags && ftruncate(fd, TEXT_SIZE)) abort();
    char *text =
        mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (text == MAP_FAILED) abort();
    return text;
}

static ssize_t read_text(const char *name, char *text, size_t size)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n;
}

/* "A B"; how many there are. */
static int numbers_of(const char *text, int *a, int *b)
{
    return text ? sscanf(text, "%d %d", a, b) : 0;
}

static int read_numbers(const char *name, int *a, int *b)
{
    char text[TEXT_SIZE];
    read_text(name, text, sizeof text);
    return numbers_of(text, a, b);
}

/* Overwrites what lies behind the first `keep` numbers. */
static void blank(char *text, int keep, char with)
{
    size_t n = keep ? strcspn(text, " ") : 0;
    for (char *at = text + n; *at && *at != '\n'; at++)
        *at = ' ';
    if (with) text[n + 1] = with;
}

static void watch(void)
{
    int mib, from;
    snprintf(calls, TEXT_SIZE, "%d\n", fake.calls + 1);
    if (numbers_of(room, &mib, &from) == 2 && fake.calls + 1 >= from) {
        gpu_fake_room((size_t)mib << 20);
        if (from) blank(room, 1, '0');
    }
    if (fail_at && fake.calls + 1 == fail_at) blank(fail, 0, 0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("GPU_FAKE");
    static char skip[64];
    int error = 0, major, none;
    gpu_host_races(false);
    gpu_fake_find(find_limit);
    /* as a driver does: addresses for all memory there may ever be */
    if (mmap(NULL, (size_t)1 << 38, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        abort();
    folder = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder < 0) return;
    /* never truncated: others may have it mapped */
    calls = map_text("calls", O_CREAT);
    memset(calls, 0, TEXT_SIZE);
    room = map_text("room", 0);
    fail = map_text("fail", 0);
    if (read_numbers("major", &major, &none) == 1) gpu_fake_machine(1, major);
    if (read_numbers("older", &major, &none) == 1) {
        gpu_fake_machine(2, 8);
        gpu_fake_older(major);
    }
    if (read_text("skip", skip, sizeof skip) > 0) {
        skip[strcspn(skip, "\n")] = '\0';
        gpu_fake_skip(skip);
    }
    if (numbers_of(fail, &fail_at, &error) == 2) gpu_fake_fail(fail_at, error);
    gpu_fake_watch(watch);
}
