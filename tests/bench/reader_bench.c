/* reader_bench.c - tokens a second of answers that one process after the other has
 * written by a model of its own, against those of several that ask one reader.
 *
 *     reader-bench MODEL [CLIENTS [TOKENS [ROUNDS [THREADS]]]]
 *
 * Both by turns; the last line is the ratio of the medians. Only writing counts,
 * from the first token that anybody writes to the last.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/clock.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"
#include "vlm/vlm.h"

enum { CLIENTS_MOST = 16, ROUNDS_MOST = 99 };

static const char endless[] =
    "{\"type\":\"string\",\"minLength\":100000,\"maxLength\":200000}";

/* Of a round, in memory that all processes share. */
struct round {
    atomic_int n_ready, failed;
    double began[CLIENTS_MOST], ended[CLIENTS_MOST];
};

struct bench {
    const char *model;
    int n_client, n_token, n_round, n_thread;
    struct round *round;
};

static struct vlm *open_model(const struct bench *b, int door, struct err *err)
{
    return vlm_open(
        &(struct vlm_options){.model = b->model,
                              .n_ctx = 4096,
                              .n_thread = b->n_thread,
                              .n_batch_max = b->n_client + VLM_PREFIXES_KEPT,
                              .model_server_fd = door,
                              .model_server_wait_s = 60},
        err);
}

static void await_others(struct round *r, int n)
{
    atomic_fetch_add(&r->n_ready, 1);
    while (atomic_load(&r->n_ready) < n && !atomic_load(&r->failed))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Client i of n writes its answer. */
static void write_answer(const struct bench *b, int door, int i, int n)
{
    struct err err = {0};
    struct vlm_answer answer = {0};
    struct arena *arena = arena_new();
    struct schema *schema =
        schema_parse(span_of(endless), "answer", NULL, &err);
    struct vlm_request request = {
        .grammar = err_failed(&err) ? NULL : grammar_compile(schema, &err),
        .sampling = {.temperature = 1, .top_p = 1, .seed = (uint64_t)i},
        .max_tokens = b->n_token};
    struct vlm *v = open_model(b, door, &err);
    struct vlm_session *s = vlm_session_open(v, &err);
    vlm_feed_text(s, span_of("What stands on this page? Give all of it."),
                  false, &err);
    await_others(b->round, n);
    b->round->began[i] = clock_seconds();
    vlm_generate(s, &request, arena, &answer, &err);
    b->round->ended[i] = clock_seconds();
    if (err_failed(&err) || answer.n_sampled + answer.n_forced < b->n_token) {
        fprintf(stderr, "reader-bench: %s\n",
                err_failed(&err) ? err.text : "an answer ended early");
        atomic_store(&b->round->failed, 1);
    }
    _exit(0);
}

static double rate(const struct bench *b, int n)
{
    double first = b->round->began[0], last = b->round->ended[0];
    for (int i = 1; i < n; i++) {
        if (b->round->began[i] < first) first = b->round->began[i];
        if (b->round->ended[i] > last) last = b->round->ended[i];
    }
    return n * b->n_token / (last - first);
}

static double run(const struct bench *b, int n)
{
    int door[2] = {0, 0};
    pid_t reader = 0;
    *b->round = (struct round){.n_ready = 0};
    if (n > 1 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door) != 0) exit(1);
    if (n > 1 && !(reader = fork())) {
        struct err err = {0};
        close(door[0]);
        vlm_serve(open_model(b, 0, &err),
                  &(struct vlm_serving){
                      .listen_fd = door[1], .n_place = n, .why = err.text},
                  &err);
        _exit(0);
    }
    if (n > 1) close(door[1]);
    for (int i = 0; i < n; i++)
        if (!fork()) write_answer(b, door[0], i, n);
    if (n > 1) close(door[0]);
    while (wait(NULL) > 0)
        continue;
    if (atomic_load(&b->round->failed)) exit(1);
    return rate(b, n);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int number(int argc, char **argv, int i, int otherwise, int most)
{
    int n = argc > i ? (int)strtol(argv[i], NULL, 10) : otherwise;
    return n < 1 ? 1 : n > most ? most : n;
}

int main(int argc, char **argv)
{
    double one[ROUNDS_MOST], several[ROUNDS_MOST];
    if (argc < 2) return 2;
    struct bench b = {.model = argv[1],
                      .n_client = number(argc, argv, 2, 4, CLIENTS_MOST),
                      .n_token = number(argc, argv, 3, 32, 4000),
                      .n_round = number(argc, argv, 4, 5, ROUNDS_MOST),
                      .n_thread = number(argc, argv, 5, 2, 256)};
    b.round = mmap(NULL, sizeof *b.round, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b.round == MAP_FAILED) return 1;
    for (int i = 0; i < b.n_round; i++) {
        one[i] = run(&b, 1);
        several[i] = run(&b, b.n_client);
        printf("one %8.2f tokens/s, %d with a reader %8.2f: %.2f\n", one[i],
               b.n_client, several[i], several[i] / one[i]);
        fflush(stdout);
    }
    qsort(one, (size_t)b.n_round, sizeof *one, ascending);
    qsort(several, (size_t)b.n_round, sizeof *several, ascending);
    printf("%s: %d answers at a time, %.2f times the tokens/s of one\n",
           b.model, b.n_client, several[b.n_round / 2] / one[b.n_round / 2]);
    return 0;
}
