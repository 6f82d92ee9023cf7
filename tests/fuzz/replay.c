/* replay.c - the seeds of a fuzz target and simple mutants of them, for
 * `make test`; see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

enum { MUTANTS_PER_SEED = 60 };

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Changes, cuts or repeats one place. */
static size_t mutate(uint8_t *data, size_t size, unsigned *state)
{
    size_t at = next_random(state) % (size + 1);
    switch (next_random(state) % 4) {
    case 0:
        if (at < size) data[at] ^= (uint8_t)(1u << next_random(state) % 8);
        return size;
    case 1:
        if (at < size)
            data[at] =
                (uint8_t) "{}[],:\"\\0e-.<>&;#$\n"[next_random(state) % 20];
        return size;
    case 2: return at;
    default:
        memmove(data + at + (size - at) / 2, data + at, size - at);
        return size + (size - at) / 2;
    }
}

static int replay_file(const char *path,
                       int (*target)(const uint8_t *data, size_t size))
{
    size_t size;
    char *seed = test_read(path, &size);
    uint8_t *copy = malloc(2 * size + 1);
    unsigned state = (unsigned)size;
    target((const uint8_t *)seed, size);
    for (int i = 0; copy && i < MUTANTS_PER_SEED; i++) {
        memcpy(copy, seed, size);
        target(copy, mutate(copy, size, &state));
    }
    free(copy);
    test_give(seed);
    return 1 + MUTANTS_PER_SEED;
}

int fuzz_replay(const char *name,
                int (*target)(const uint8_t *data, size_t size))
{
    char folder[4096], below[100], path[5000];
    snprintf(below, sizeof below, "tests/fuzz/seeds/%s", name);
    DIR *d = opendir(test_path(folder, below));
    if (!d) fail_msg("%s is not here", folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n += replay_file(path, target);
    }
    closedir(d);
    return n;
}
