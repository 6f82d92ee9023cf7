/* peer.c - times llama.cpp through its C API, loaded at run time.
 *
 *     peer FOLDER MODEL THREADS PROMPT ANSWER DEPTH REPEAT [SEQUENCES]
 *     peer FOLDER MODEL THREADS logits IDS OUT
 *
 * The second writes the logits of every one of IDS (i32, read at once) to OUT, F32.
 * SEQUENCES: so many write at once, a token of each in every batch; tokens of all count.
 * On a GPU that a library in FOLDER knows (libggml-cuda.so) all layers are.
 * Prints what `platen bench --json` prints for the same tests, so that
 * peers.sh can put the two side by side. FOLDER holds the libraries of the
 * npm package @node-llama-cpp/linux-x64, or is what somebody built of a fork
 * (ik_llama.cpp): its libraries there, in src/ and in ggml/src/. No header of the
 * peer is needed: its parameter structs are passed as bytes, with fields at the
 * places below, which are checked by the defaults that stand there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Larger than any parameter struct, passed by value on the stack. */
struct params {
    unsigned char byte[512];
};

/* Places in the context's parameters. */
static const struct layout {
    int ctx, batch, ubatch, threads, threads_batch;
} layouts[] = {
    {0, 4, 8, 28, 32}, {4, 8, 12, 20, 24}, /* of the fork */
};

struct tokens { /* llama_batch */
    int32_t n;
    int32_t *token;
    float *embd;
    int32_t *pos, *n_seq;
    int32_t **seq;
    int8_t *logits;
    int32_t rest[4]; /* a fork's, 0 */
};

struct peer {
    void *lib, *model, *ctx;
    int (*decode)(void *ctx, struct tokens t);
    float *(*logits)(void *ctx, int32_t i);
    void *(*memory)(const void *ctx);
    void (*clear)(void *memory, bool data);
    void (*clear_all)(void *ctx); /* a fork's, or NULL */
    const struct layout *layout;
    struct tokens t;
    int n_word; /* tokens that are drawn from */
};

enum { TOKENS_MAX = 65536, BATCH = 2048, SEQUENCES_MAX = 64, SEQ_MAX_AT = 12 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Copies the address of a symbol into a function pointer. */
static void bind(void *lib, const char *name, void *function)
{
    void *address = dlsym(lib, name);
    if (!address) {
        fprintf(stderr, "peer: no %s in the library\n", name);
        exit(3);
    }
    memcpy(function, &address, sizeof address);
}

static void *load(const char *folder, const char *stem)
{
    char command[13000], path[4200] = "";
    snprintf(command, sizeof command,
             "ls '%s'/%s*so '%s'/ggml/src/%s*so '%s'/src/%s*so "
             "2> /dev/null",
             folder, stem, folder, stem, folder, stem);
    FILE *f = popen(command, "r");
    if (f && fgets(path, sizeof path, f)) path[strcspn(path, "\n")] = '\0';
    if (f) pclose(f);
    void *lib = *path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!lib) {
        fprintf(stderr, "peer: %s/%s: %s\n", folder, stem,
                *path ? dlerror() : "not found");
        exit(3);
    }
    return lib;
}

static int get(const struct params *p, int at)
{
    int value;
    memcpy(&value, p->byte + at, sizeof value);
    return value;
}

static void set(struct params *p, int at, int value)
{
    memcpy(p->byte + at, &value, sizeof value);
}

static void quiet(int level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
}

static void open_library(struct peer *p, const char *folder)
{
    void (*log_set)(void (*fn)(int, const char *, void *), void *arg);
    void (*load_all)(const char *folder);
    void (*init)(void);
    load(folder, "libggml"); /* its base, where it has one of its own */
    void *ggml = load(folder, "libggml.");
    p->lib = load(folder, "libllama.");
    p->layout = &layouts[!dlsym(p->lib, "llama_get_memory")];
    bind(p->lib, "llama_log_set", &log_set);
    bind(p->lib, "llama_backend_init", &init);
    bind(p->lib, "llama_decode", &p->decode);
    bind(p->lib, "llama_get_logits_ith", &p->logits);
    log_set(quiet, NULL);
    if (p->layout == layouts) {
        bind(p->lib, "llama_get_memory", &p->memory);
        bind(p->lib, "llama_memory_clear", &p->clear);
        bind(ggml, "ggml_backend_load_all_from_path", &load_all);
        load_all(folder);
    } else {
        bind(p->lib, "llama_kv_cache_clear", &p->clear_all);
    }
    init();
}

static void open_model(struct peer *p, const char *path, int n_thread,
                       int n_ctx, int n_seq)
{
    struct params (*model_defaults)(void), (*ctx_defaults)(void);
    void *(*load_model)(const char *, struct params);
    void *(*new_ctx)(void *, struct params);
    bind(p->lib, "llama_model_default_params", &model_defaults);
    bind(p->lib, "llama_context_default_params", &ctx_defaults);
    bind(p->lib, "llama_model_load_from_file", &load_model);
    bind(p->lib, "llama_init_from_model", &new_ctx);
    struct params m = model_defaults(), c = ctx_defaults();
    const struct layout *at = p->layout;
    if (get(&c, at->ctx) != 512 || get(&c, at->batch) != 2048 ||
        get(&c, at->ubatch) != 512) {
        fprintf(stderr, "peer: parameters lie elsewhere in this version\n");
        exit(3);
    }
    set(&c, at->ctx, n_ctx * n_seq);
    if (n_seq > 1 && get(&c, SEQ_MAX_AT) != 1) {
        fprintf(stderr, "peer: several sequences: not in this version\n");
        exit(3);
    }
    if (n_seq > 1) set(&c, SEQ_MAX_AT, n_seq);
    set(&c, at->threads, n_thread);
    set(&c, at->threads_batch, n_thread);
    p->model = load_model(path, m);
    p->ctx = p->model ? new_ctx(p->model, c) : NULL;
    if (!p->ctx) {
        fprintf(stderr, "peer: %s cannot be opened\n", path);
        exit(2);
    }
}

/* Adds a token at `pos` of sequence number `seq` to the next batch. */
static void add_token(struct peer *p, int pos, int seq, bool logits)
{
    static int32_t number[SEQUENCES_MAX];
    static uint64_t random = 1;
    int i = p->t.n++;
    random = random * 6364136223846793005u + 1442695040888963407u;
    number[seq] = seq;
    p->t.token[i] = (int32_t)((random >> 33) % (uint64_t)p->n_word);
    p->t.pos[i] = pos;
    p->t.n_seq[i] = 1;
    p->t.seq[i] = &number[seq];
    p->t.logits[i] = logits;
}

static void read_batch(struct peer *p)
{
    int n = p->t.n;
    if (n && p->decode(p->ctx, p->t)) {
        fprintf(stderr, "peer: decode failed\n");
        exit(15);
    }
    if (n) (void)*(volatile float *)p->logits(p->ctx, n - 1);
    p->t.n = 0;
}

static void read_tokens(struct peer *p, int first, int n)
{
    for (int i = 0; i < n; i++)
        add_token(p, first + i, 0, i == n - 1);
    read_batch(p);
}

/* As many at once as a batch holds. */
static void read_prompt(struct peer *p, int first, int n)
{
    for (int at = 0; at < n; at += BATCH)
        read_tokens(p, first + at, n - at < BATCH ? n - at : BATCH);
}

static void forget(struct peer *p)
{
    if (p->clear_all)
        p->clear_all(p->ctx);
    else
        p->clear(p->memory(p->ctx), true);
}

static void start_at(struct peer *p, int depth)
{
    forget(p);
    for (int at = 0; at < depth; at += 512)
        read_tokens(p, at, depth - at < 512 ? depth - at : 512);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test(struct peer *p, int n_thread, int n, int depth, int repeat,
                 bool answer)
{
    double second[64];
    for (int r = 0; r < repeat; r++) {
        start_at(p, depth);
        double start = now();
        if (!answer) read_prompt(p, depth, n);
        for (int i = 0; answer && i < n; i++)
            read_tokens(p, depth + i, 1);
        second[r] = now() - start;
    }
    qsort(second, (size_t)repeat, sizeof *second, ascending);
    double s = second[repeat / 2];
    char at[32] = "";
    if (depth) snprintf(at, sizeof at, "@%d", depth);
    printf("{\"test\":\"%s%d%s\",\"t\":%d,\"tps\":%.3f,\"s\":%.4f}\n",
           answer ? "tg" : "pp", n, at, n_thread, n / s, s);
}

/* Tokens of all sequences in a second, after `depth` of each. */
static void test_many(struct peer *p, int n_thread, int n, int depth, int n_seq)
{
    forget(p);
    for (int s = 0; s < n_seq; s++)
        for (int at = 0; at < depth; at += 512) {
            for (int i = at; i < depth && i < at + 512; i++)
                add_token(p, i, s, i == depth - 1 || i == at + 511);
            read_batch(p);
        }
    double start = now();
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < n_seq; s++)
            add_token(p, depth + i, s, true);
        read_batch(p);
    }
    double s = now() - start;
    printf("{\"test\":\"tg%d x %d\",\"t\":%d,\"tps\":%.3f,\"s\":%.4f}\n", n,
           n_seq, n_thread, n * n_seq / s, s);
}

static int words(const struct peer *p)
{
    const void *(*vocab_of)(const void *model);
    int32_t (*size_of)(const void *vocab);
    bind(p->lib, "llama_model_get_vocab", &vocab_of);
    bind(p->lib, "llama_vocab_n_tokens", &size_of);
    return size_of(vocab_of(p->model));
}

/* One batch, all rows asked for. */
static int write_logits(struct peer *p, const char *ids, const char *out)
{
    static int32_t one_seq[1];
    FILE *in = fopen(ids, "rb"), *to = fopen(out, "wb");
    int n = in && to ? (int)fread(p->t.token, 4, BATCH, in) : 0;
    for (int i = 0; i < n; i++) {
        p->t.pos[i] = i;
        p->t.n_seq[i] = 1;
        p->t.seq[i] = one_seq;
        p->t.logits[i] = 1;
    }
    p->t.n = n;
    int failed = !n || p->decode(p->ctx, p->t);
    size_t n_vocab = (size_t)words(p);
    for (int i = 0; i < n && !failed; i++)
        failed = fwrite(p->logits(p->ctx, i), 4, n_vocab, to) != n_vocab;
    if (in) fclose(in);
    if (to && fclose(to)) failed = 1;
    return failed ? 15 : 0;
}

int main(int argc, char **argv)
{
    bool logits = argc == 7 && !strcmp(argv[4], "logits");
    if (argc != 8 && argc != 9 && !logits) {
        fprintf(stderr, "peer FOLDER MODEL THREADS PROMPT ANSWER DEPTH "
                        "REPEAT [SEQUENCES]\n");
        return 1;
    }
    int number[6] = {0};
    for (int i = 0; i < (logits ? 1 : argc - 3); i++)
        number[i] = (int)strtol(argv[3 + i], NULL, 10);
    int n_thread = number[0], prompt = number[1], answer = number[2];
    int depth = number[3], repeat = number[4];
    int n_seq = number[5] > 0 ? number[5] : 1;
    int n_ctx = depth + (prompt > answer ? prompt : answer) + 64;
    if (logits) n_ctx = BATCH;
    struct peer p = {0};
    p.t.token = calloc(TOKENS_MAX, sizeof *p.t.token);
    p.t.pos = calloc(TOKENS_MAX, sizeof *p.t.pos);
    p.t.n_seq = calloc(TOKENS_MAX, sizeof *p.t.n_seq);
    p.t.seq = calloc(TOKENS_MAX, sizeof *p.t.seq);
    p.t.logits = calloc(TOKENS_MAX, 1);
    if (n_ctx > TOKENS_MAX || (!logits && repeat < 1) || repeat > 64 ||
        n_seq > SEQUENCES_MAX)
        return 1;
    double start = now();
    open_library(&p, argv[1]);
    open_model(&p, argv[2], n_thread, n_ctx, n_seq);
    p.n_word = words(&p) < 240000 ? words(&p) : 240000;
    printf("{\"test\":\"load\",\"t\":%d,\"s\":%.4f}\n", n_thread,
           now() - start);
    if (logits) return write_logits(&p, argv[5], argv[6]);
    read_tokens(&p, 0, 32); /* weights in memory, threads awake */
    if (prompt) test(&p, n_thread, prompt, depth, repeat, false);
    if (answer && n_seq > 1) test_many(&p, n_thread, answer, depth, n_seq);
    if (answer && n_seq == 1) test(&p, n_thread, answer, depth, repeat, true);
    return 0;
}
