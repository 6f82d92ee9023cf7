/* mtp_together_test.c - guesses of several documents, which one model server holds, are
 * verified in passes for all: the answers of each alone without guesses, in fewer
 * passes. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/answering.h"
#include "tests/support/golden.h"
#include "tests/support/prophet.h"
#include "tests/support/test.h"
#include "vlm/generate/vlm_mtp.h"

enum { MOST = 5, STOP_AT = 20, LATE_AT = 15 };

static const char model[] = "tests/vectors/micro-mtp-q8_0.gguf";

static void adjust(struct vlm_options *o)
{
    o->kv_f32 = o->exact = true;
    o->n_ctx = 900;
    o->n_batch_max = MOST + VLM_PREFIXES_KEPT;
}

static void off(struct vlm_options *o)
{
    adjust(o);
    o->mtp_off = true;
}

/* --- one document ------------------------------------------------------------ */

/* What is special about document i of five. */
enum { ENDS_EARLY = 1, COPIES = 2, JOINS_LATE = 3, IS_STOPPED = 4 };

struct document {
    pthread_t thread;
    int i;
    bool free;         /* text, not JSON */
    struct span words; /* of the page */
    int n_asked;       /* calls of stop */
    sem_t
        *begun; /* posted by document 0 for the one that joins late; NULL: none
                   * joins late or is stopped */
    struct answering bench; /* with the server's model */
    struct vlm_answer answer;
    struct vlm_spent spent;
    struct err err;
};

static bool is_stopped(void *arg)
{
    struct document *d = arg;
    d->n_asked++;
    if (d->begun && d->i == 0 && d->n_asked == LATE_AT) sem_post(d->begun);
    return d->begun && d->i == IS_STOPPED && d->n_asked == STOP_AT;
}

static void write_answer(struct document *d, const struct answering *b)
{
    struct vlm_session *s = answering_fed(b, d->i);
    struct vlm_request r = {.grammar = d->free ? NULL : b->grammar,
                            .words = d->words,
                            .stop = is_stopped,
                            .stop_arg = d,
                            .max_tokens = d->i == ENDS_EARLY ? 23
                                          : d->free          ? 90
                                                             : 300,
                            .sampling = {.temperature = d->i == 2 ? 1.5f : 0,
                                         .top_p = 1,
                                         .seed = (uint64_t)d->i}};
    vlm_generate(s, &r, b->arena, &d->answer, &d->err);
    d->spent = *vlm_spent(s);
    vlm_session_close(s);
}

/* A process with its document, as a thread. */
static void *be_document(void *arg)
{
    struct document *d = arg;
    if (d->begun && d->i == JOINS_LATE) sem_wait(d->begun);
    write_answer(d, &d->bench);
    return NULL;
}

/* --- the server -------------------------------------------------------------- */

struct server {
    pthread_t thread;
    struct answering bench;
    int door[2];
    struct err err;
};

static void *be_server(void *arg)
{
    struct server *r = arg;
    struct vlm_serving with = {.listen_fd = r->door[1], .n_place = MOST};
    vlm_serve(r->bench.v, &with, &r->err);
    return NULL;
}

static struct answering open_client(int door)
{
    struct err err = {0};
    char path[4096];
    struct answering b = {.arena = arena_new()};
    struct vlm_options o = {.model = test_path(path, model),
                            .n_thread = 1,
                            .model_server_fd = door,
                            .model_server_wait_s = 20};
    off(&o);
    b.v = vlm_open(&o, &err);
    b.schema = schema_parse(span_of(prophet_schema), "test", NULL, &err);
    b.grammar = grammar_compile(b.schema, &err);
    test_ok(&err);
    return b;
}

static void write_together(struct document *d, int n, bool prophet)
{
    struct server r = {.bench = answering_open(model, prophet_schema, adjust)};
    if (prophet) prophet_make(r.bench.v);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, r.door), 0);
    assert_int_equal(pthread_create(&r.thread, NULL, be_server, &r), 0);
    for (int i = 0; i < n; i++)
        d[i].bench = open_client(r.door[0]);
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&d[i].thread, NULL, be_document, &d[i]),
                         0);
    for (int i = 0; i < n; i++)
        pthread_join(d[i].thread, NULL);
    close(r.door[0]);
    /* the server ends with its last client */
    for (int i = 0; i < n; i++) {
        vlm_close(d[i].bench.v);
        d[i].bench.v = NULL;
        test_ok(&d[i].err);
    }
    pthread_join(r.thread, NULL);
    close(r.door[1]);
    test_ok(&r.err);
    answering_close(&r.bench);
}

/* --- both ----------------------------------------------------------------- */

static void assert_alike(const struct vlm_answer *a, const struct vlm_answer *b)
{
    assert_true(span_equal(a->text, b->text));
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->n_sampled, b->n_sampled);
    assert_int_equal(a->n_leaf, b->n_leaf);
    for (int i = 0; i < a->n_leaf; i++) {
        assert_true(a->leaf[i].p == b->leaf[i].p);
        assert_true(a->leaf[i].p_legal == b->leaf[i].p_legal);
    }
}

/* Writes them alone without guesses, and copies document COPIES' words from its
 * answer. */
static void write_alone(struct document *alone, struct document *d, int n,
                        const struct answering *b)
{
    for (int i = 0; i < n; i++) {
        alone[i] = d[i];
        alone[i].begun = NULL;
        write_answer(&alone[i], b);
        test_ok(&alone[i].err);
        assert_int_equal(alone[i].spent.n_guessed, 0);
        if (i != COPIES || n < MOST) continue;
        char *cells = arena_copy(b->arena, alone[i].answer.text);
        for (char *at = cells; *at; at++)
            if (strchr("{}[]\":,", *at)) *at = '\t';
        d[i].words = (struct span){cells, alone[i].answer.text.size};
    }
}

static void assert_stopped(const struct vlm_answer *a, struct span whole)
{
    assert_int_equal(a->finish, VLM_FINISH_CANCELLED);
    assert_true(a->text.size > 0 && a->text.size < whole.size);
    assert_memory_equal(a->text.data, whole.data, a->text.size);
}

struct passes {
    int n_with, n_without, n_right, n_guessed;
};

static struct passes compare(int n, bool free, bool prophet)
{
    struct answering b = answering_open(model, prophet_schema, off);
    struct document d[MOST] = {{.i = 0}}, alone[MOST];
    struct passes p = {0};
    sem_t begun;
    sem_init(&begun, 0, 0);
    if (prophet) prophet_make(b.v);
    for (int i = 0; i < n; i++)
        d[i] = (struct document){
            .i = i, .free = free, .begun = n == MOST ? &begun : NULL};
    write_alone(alone, d, n, &b);
    write_together(d, n, prophet);
    for (int i = 0; i < n; i++) {
        assert_true(d[i].spent.n_guessed > 0 || n > 2);
        if (i == IS_STOPPED) {
            assert_stopped(&d[i].answer, alone[i].answer.text);
        } else {
            assert_alike(&d[i].answer, &alone[i].answer);
            p.n_with += d[i].answer.n_pass;
            p.n_without += alone[i].answer.n_pass;
        }
        p.n_right += d[i].spent.n_drafted;
        p.n_guessed += d[i].spent.n_guessed;
        answering_close(&d[i].bench);
    }
    print_message("%d documents: %d of %d guesses right, %d passes instead of "
                  "%d\n",
                  n, p.n_right, p.n_guessed, p.n_with, p.n_without);
    sem_destroy(&begun);
    answering_close(&b);
    return p;
}

static void two_that_know_write_in_fewer_passes(void **state)
{
    (void)state;
    struct passes p = compare(2, false, true);
    assert_true(2 * p.n_with < p.n_without);
    p = compare(2, true, true);
    assert_true(3 * p.n_with < 2 * p.n_without);
}

/* One ends early, one joins late, one is stopped, one copies words of its page, and
 * what one draws at a temperature nobody knows. How many guess at a time depends on
 * how many write. */
static void five_write_what_each_writes_alone(void **state)
{
    (void)state;
    for (int free = 0; free < 2; free++) {
        struct passes p = compare(MOST, free, true);
        assert_true(p.n_guessed > 0);
        assert_true(p.n_with < p.n_without);
    }
}

static void wrong_guesses_change_no_bit(void **state)
{
    (void)state;
    for (int n = 2; n <= MOST; n += MOST - 2) {
        struct passes p = compare(n, false, false);
        assert_true(p.n_with <= p.n_without);
        assert_true(p.n_right < p.n_guessed);
    }
}

/* Four answers have no rows to spare, one has. */
static void answers_share_the_rows_that_cost_little(void **state)
{
    (void)state;
    static const struct {
        int n_own, n_together, most;
    } is[] = {{1, 0, 3}, {1, 1, 3}, {2, 1, 2}, {4, 1, 0}, {5, 1, 3},
              {1, 2, 1}, {2, 2, 0}, {3, 2, 3}, {1, 3, 0}, {1, 4, 0},
              {2, 4, 1}, {1, 5, 1}, {1, 7, 0}, {1, 99, 0}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        assert_int_equal(vlm_mtp_most(is[i].n_own, is[i].n_together),
                         is[i].most);
}

TEST_GROUP(mtp_together, cmocka_unit_test(two_that_know_write_in_fewer_passes),
           cmocka_unit_test(five_write_what_each_writes_alone),
           cmocka_unit_test(wrong_guesses_change_no_bit),
           cmocka_unit_test(answers_share_the_rows_that_cost_little))
