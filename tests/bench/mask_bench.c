/* mask_bench.c - `make bench-mask`: what constrained decoding costs per
 * sampled token with 248,320 rows, and what compiling costs.
 *
 * For each shipped schema, documents are written by a scripted model: forced
 * runs are taken as such, then at every choice the mask is asked for and a
 * legal token taken, mostly plain values. The first document finds nothing
 * kept; all count. Times are of the processor, since machines are shared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/adversary.h"
#include "tests/support/vocab_gen.h"
#include "vlm/base/clock.h"
#include "vlm/sample/vocab_trie.h"

enum { VOCAB = 248320, DOCUMENTS = 60, TOKENS_MAX = 4000, TIMES_MAX = 1 << 20 };

struct bench {
    const struct vocab_trie *trie;
    const struct span *bytes;
    struct random_bits bits;
    double *time;
    int n_time;
};

static bool has(const uint32_t *mask, int i)
{
    return mask[i / 32] >> (i % 32) & 1;
}

/* Words inside strings for a while, then whatever closes; digits elsewhere. */
static int choose(struct bench *b, const uint32_t *mask, int n_legal,
                  int n_word)
{
    if (n_legal > 1000 && n_word < 8)
        for (;;) {
            int i = random_below(&b->bits, VOCAB);
            if (has(mask, i)) return i;
        }
    static const char *const closing[] = {"\",\"", "\"},{\"", "\"}", "\"", ","};
    int first = random_below(&b->bits, 3);
    for (int i = 0; i < 5 && n_legal > 1000; i++)
        for (int t = 256; t < 330; t++)
            if (has(mask, t) &&
                span_equal(b->bytes[t], span_of(closing[(first + i) % 5])))
                return t;
    int left = random_below(&b->bits, n_legal < 64 ? n_legal : 64);
    for (int i = 0; i < VOCAB; i++)
        if (has(mask, i) && left-- == 0) return i;
    return -1;
}

static void write_document(struct bench *b, struct constraint *c)
{
    constraint_reset(c);
    int n_word = 0, n_legal = 0;
    for (int n = 0; n < TOKENS_MAX && !constraint_done(c); n++) {
        double start = clock_cpu_seconds();
        struct span forced = constraint_forced(c);
        if (forced.size) constraint_accept_bytes(c, forced);
        bool done = constraint_done(c);
        const uint32_t *mask = done ? NULL : constraint_mask(c, &n_legal);
        double used = clock_cpu_seconds() - start;
        if (done) return;
        int token = choose(b, mask, n_legal, n_word);
        n_word = n_legal > 1000 ? n_word + 1 : 0;
        start = clock_cpu_seconds();
        constraint_accept(c, token);
        used += clock_cpu_seconds() - start;
        if (b->n_time < TIMES_MAX) b->time[b->n_time++] = used;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool bench_schema(struct bench *b, const char *name)
{
    char path[200];
    struct err err = {0};
    snprintf(path, sizeof path, "schemas/%s.schema.json", name);
    struct schema_options options = {.format_asserts = true};
    struct schema *s = schema_load(path, &options, &err);
    double start = clock_cpu_seconds();
    struct grammar *g = s ? grammar_compile(s, &err) : NULL;
    double compile = clock_cpu_seconds() - start;
    if (!g) {
        printf("%s: %s\n", name, err.text);
        return false;
    }
    b->n_time = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
        struct constraint *c = constraint_new(g, b->trie);
        write_document(b, c);
        constraint_free(c);
    }
    qsort(b->time, (size_t)b->n_time, sizeof *b->time, by_size);
    double sum = 0;
    for (int i = 0; i < b->n_time; i++)
        sum += b->time[i];
    double mean = sum / b->n_time * 1e6;
    double p50 = b->time[b->n_time / 2] * 1e6;
    double p999 = b->time[(int)(b->n_time * 0.999)] * 1e6;
    double most = b->time[b->n_time - 1] * 1e6;
    bool ok = mean <= 50 && p999 <= 1000 && compile <= 0.05;
    printf("%-15s %7.2f ms %8d %8.2f us %8.2f us %8.1f us %8.1f us  %s\n", name,
           compile * 1e3, b->n_time, mean, p50, p999, most,
           ok ? "ok" : "TOO SLOW");
    grammar_free(g);
    schema_free(s);
    return ok;
}

int main(void)
{
    static const char *const name[] = {"receipt", "invoice",
                                       "letter",  "court-notice",
                                       "page",    "bank-statement"};
    struct vocab_gen v = vocab_gen(VOCAB, 1);
    double start = clock_cpu_seconds();
    struct vocab_trie *trie = vocab_trie_from(v.bytes, v.n);
    printf("trie of %d rows: %u nodes, %d tokens stay in a string, %d nodes "
           "close one, %.0f ms\n",
           v.n, trie->n_node, trie->n_inside, trie->n_exit,
           (clock_cpu_seconds() - start) * 1e3);
    struct bench b = {.trie = trie, .bytes = v.bytes, .bits.state = 1};
    b.time = mem_alloc(TIMES_MAX, sizeof *b.time);
    printf("%-15s %10s %8s %11s %11s %11s %11s\n", "schema", "compile",
           "tokens", "mean", "median", "p99.9", "most");
    bool ok = true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        ok &= bench_schema(&b, name[i]);
    mem_free(b.time);
    vocab_trie_free(trie);
    arena_free(v.arena);
    return ok ? 0 : 1;
}
