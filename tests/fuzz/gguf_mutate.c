/* gguf_mutate.c - a million spoilt model headers.
 *
 *     gguf-mutate COUNT SEED FILE...
 *
 * Each round spoils one of the files in one to four places of its directory (a
 * byte, a number at its limits, a piece moved, the end cut off) and hands it to
 * the fuzz target, which uses whatever opens. Built with the sanitizers: they
 * are what finds. Prints how many opened, so that a run which refuses all at
 * the first byte cannot pass as a test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/model/gguf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEEDS_MAX = 16 };

struct seed {
    uint8_t *byte;
    size_t size, head; /* head: bytes before the tensors' data */
};

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static bool opens(const uint8_t *byte, size_t size, size_t *head)
{
    struct err err = {0};
    struct span all = {(const char *)byte, size};
    struct gguf *g = gguf_open_bytes(all, "seed", &err);
    for (int i = 0; g && head && i < gguf_n_tensor(g); i++) {
        const struct gguf_tensor *t = gguf_tensor(g, i);
        size_t at = (size_t)((const uint8_t *)t->data - byte);
        if (i == 0 || at < *head) *head = at;
    }
    gguf_close(g);
    return g != NULL;
}

static bool seed_read(struct seed *s, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) return false;
    s->size = (size_t)ftell(f);
    rewind(f);
    s->byte = mem_alloc(s->size, 1);
    bool whole = fread(s->byte, 1, s->size, f) == s->size;
    fclose(f);
    s->head = s->size;
    return whole && opens(s->byte, s->size, &s->head);
}

/* Spoils one place of `byte`; returns the size that is left. */
static size_t spoil(uint8_t *byte, size_t size, size_t head, uint64_t *state)
{
    static const uint64_t limit[] = {0,
                                     1,
                                     2,
                                     3,
                                     255,
                                     65535,
                                     65536,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     1 << 26,
                                     (1ull << 32),
                                     (1ull << 42) + 1,
                                     INT64_MAX,
                                     1ull << 63,
                                     UINT64_MAX};
    size_t at = (size_t)(next(state) % head);
    uint64_t v = next(state);
    switch (next(state) % 8) {
    case 0: byte[at] ^= (uint8_t)(1u << v % 8); break;
    case 1: byte[at] = (uint8_t)v; break;
    case 2:
    case 3:
        v = limit[v % (sizeof limit / sizeof *limit)];
        if (at + 8 <= size) memcpy(byte + at, &v, next(state) % 2 ? 8 : 4);
        break;
    case 4: /* a little more, a little less */
        byte[at] = (uint8_t)(byte[at] + v % 9 - 4);
        break;
    case 5: { /* a piece of the head stands elsewhere too */
        size_t n = 1 + (size_t)(v % 64), to = (size_t)(next(state) % head);
        if (at + n <= size && to + n <= size) memmove(byte + to, byte + at, n);
        break;
    }
    case 6: { /* two pieces change places */
        size_t n = 8, to = (size_t)(next(state) % head);
        uint8_t a[8], b[8];
        if (at + n > size || to + n > size) break;
        memcpy(a, byte + at, n), memcpy(b, byte + to, n);
        memcpy(byte + at, b, n), memcpy(byte + to, a, n);
        break;
    }
    default:
        if (v % 4 == 0) return at + 1;
        byte[at] = 0;
    }
    return size;
}

int main(int argc, char **argv)
{
    struct seed seed[SEEDS_MAX];
    int n_seed = argc - 3;
    if (n_seed < 1 || n_seed > SEEDS_MAX) {
        fprintf(stderr, "gguf-mutate COUNT SEED FILE...\n");
        return 2;
    }
    size_t most = 0;
    for (int i = 0; i < n_seed; i++) {
        if (!seed_read(&seed[i], argv[3 + i])) {
            fprintf(stderr, "%s: no model file to begin with\n", argv[3 + i]);
            return 1;
        }
        most = seed[i].size > most ? seed[i].size : most;
    }
    long count = strtol(argv[1], NULL, 10), n_open = 0;
    uint64_t state = strtoull(argv[2], NULL, 10);
    uint8_t *byte = mem_alloc(most, 1);
    for (long i = 0; i < count; i++) {
        const struct seed *s = &seed[i % n_seed];
        size_t size = s->size;
        memcpy(byte, s->byte, size);
        for (uint64_t n = 1 + next(&state) % 4; n > 0; n--)
            size = spoil(byte, size, s->head < size ? s->head : size, &state);
        n_open += opens(byte, size, NULL);
        LLVMFuzzerTestOneInput(byte, size);
        if (i % 100000 == 99999) {
            printf("%ld of %ld, %ld opened\n", i + 1, count, n_open);
            fflush(stdout);
        }
    }
    printf("gguf-mutate: %ld spoilt headers, %ld opened, no finding\n", count,
           n_open);
    for (int i = 0; i < n_seed; i++)
        mem_free(seed[i].byte);
    mem_free(byte);
    return n_open == 0 || n_open == count;
}
