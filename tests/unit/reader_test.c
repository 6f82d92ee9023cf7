/* reader_test.c - a model that works for several at once (vlm_serve): the same bits
 * as alone, and what becomes of clients whose reader ends. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/answering.h"
#include "tests/support/golden.h"
#include "tests/support/test.h"
#include "vlm/base/buf.h"
#include "vlm/session/vlm_check.h"

enum { CLIENTS = 4, ANSWERS = 3, PLACES = 4 };

static const char text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":[\"string\",\"null\"],\"maxLength\":24},"
    "\"date\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"a member whose name takes more tokens than one pass of guesses\":"
    "{\"type\":\"boolean\"},"
    "\"items\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{"
    "\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"maxLength\":20},"
    "\"price\":{\"type\":\"number\",\"minimum\":0,\"maximum\":99999}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}}},"
    "\"required\":[\"merchant\",\"date\",\"a member whose name takes more "
    "tokens than one pass of guesses\",\"items\"],"
    "\"additionalProperties\":false}";

static const char instructions[] =
    "Read the page and give its values as JSON. Dates are written as "
    "2024-12-31, "
    "numbers without thousands separators, names as they are printed; what is "
    "not on the page is null. Do not guess, do not add, do not explain.";

/* How an answer came out, as text. */
struct told {
    struct buf said;
    struct err err;
    int n_drafted;
};

/* A model of our own, or the reader's. */
static struct vlm *open_model(int door, struct err *err)
{
    char model[4096], eye[4096];
    test_path(model, "tests/vectors/micro-f32.gguf");
    test_path(eye, "tests/vectors/micro-mmproj-f32.gguf");
    struct vlm_options o = {.model = model,
                            .mmproj = eye,
                            .n_ctx = 900,
                            .n_thread = 2,
                            .n_batch_max = PLACES + 2,
                            .model_server_fd = door,
                            .model_server_wait_s = 20};
    return vlm_open(&o, err);
}

static struct image picture(int width, int height, unsigned seed)
{
    struct err err = {0};
    struct image im = image_new(width, height, 3, &err);
    for (size_t i = 0; i < im.stride_bytes * (size_t)height; i++)
        im.data[i] = (uint8_t)(((i + seed) * 2654435761u) >> 13);
    return im;
}

static void note_answer(struct buf *out, const struct vlm_answer *a)
{
    buf_print(out, "%d %d %d\n", (int)a->finish, a->n_sampled, a->n_forced);
    buf_add(out, a->text.data, a->text.size);
    for (int i = 0; i < a->n_leaf; i++)
        buf_print(out, "\n%s %.17g %.17g %.17g %.17g", a->leaf[i].pointer,
                  a->leaf[i].p, a->leaf[i].p_min, a->leaf[i].p_min_of_siblings,
                  a->leaf[i].p_legal);
}

static void note_logits(struct vlm *v, struct vlm_session *s, struct told *t)
{
    const float *logits = vlm_logits(s, &t->err);
    if (err_failed(&t->err)) return;
    struct hash h = hash_bytes((struct span){
        (const char *)logits, (size_t)vlm_info(v)->n_vocab * sizeof *logits});
    buf_print(&t->said, "\n%s\n", h.hex);
}

/* The answer as a page would have it: cells with tabs between. */
static struct span words_of(struct span answer, struct arena *arena)
{
    char *cells = arena_copy(arena, answer);
    for (char *at = cells; *at; at++)
        if (strchr("{}[]\":,", *at)) *at = '\t';
    return (struct span){cells, answer.size};
}

/* Question i of client `who`: a prompt that all share, pictures, an answer, a
 * second try from the pages, a guess of the first answer. */
static void ask(struct vlm *v, struct vlm_session *s, const struct grammar *g,
                int who, int i, struct told *t)
{
    struct arena *arena = arena_new();
    struct vlm_answer answer;
    struct image page = picture(64 + 32 * (who % 2), 96, (unsigned)(who + i));
    char question[64];
    snprintf(question, sizeof question, "Invoice %d of %d", i, who);
    if (i) vlm_rewind(s, 0, &t->err);
    if (!i) vlm_feed_text(s, span_of(instructions), false, &t->err);
    if (!i) vlm_mark(s, 0, &t->err);
    vlm_feed_image(s, &page, &t->err);
    vlm_feed_text(s, span_of(question), false, &t->err);
    vlm_mark(s, 1, &t->err);
    struct vlm_request r = {.grammar = g,
                            .max_tokens = 300,
                            .sampling = {.temperature = i % 2 ? 1.5f : 0,
                                         .top_p = 1,
                                         .seed = (uint64_t)(who + i)}};
    for (int again = 0; again < 2; again++) {
        vlm_generate(s, &r, arena, &answer, &t->err);
        if (err_failed(&t->err)) break;
        note_answer(&t->said, &answer);
        note_logits(v, s, t);
        vlm_rewind(s, 1, &t->err);
        r.words = words_of(answer.text, arena);
    }
    t->n_drafted += vlm_spent(s)->n_drafted;
    image_free(&page);
    arena_free(arena);
}

static void tell(int door, int who, struct told *t)
{
    t->said = buf_limit(1 << 20);
    struct schema *schema = schema_parse(span_of(text), "test", NULL, &t->err);
    struct grammar *g = grammar_compile(schema, &t->err);
    struct vlm *v = open_model(door, &t->err);
    struct vlm_session *s = vlm_session_open(v, &t->err);
    for (int i = 0; i < ANSWERS && !err_failed(&t->err); i++)
        ask(v, s, g, who, i, t);
    vlm_session_close(s);
    vlm_close(v);
    grammar_free(g);
    schema_free(schema);
}

/* --- threads of the test, as processes would be --- */

struct client {
    pthread_t thread;
    int door, who;
    struct told told;
};

static void *be_client(void *arg)
{
    struct client *c = arg;
    tell(c->door, c->who, &c->told);
    return NULL;
}

struct reader {
    pthread_t thread;
    int door[2];
    struct err err;
};

static void *be_reader(void *arg)
{
    struct reader *r = arg;
    struct vlm *v = open_model(0, &r->err);
    struct vlm_serving with = {.listen_fd = r->door[1], .n_place = PLACES - 1};
    vlm_serve(v, &with, &r->err);
    vlm_close(v);
    return NULL;
}

static void several_answers_are_those_of_each_alone(void **state)
{
    (void)state;
    struct reader r = {.err = {0}};
    struct client c[CLIENTS] = {{.who = 0}};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, r.door), 0);
    assert_int_equal(pthread_create(&r.thread, NULL, be_reader, &r), 0);
    for (int i = 0; i < CLIENTS; i++) {
        c[i].who = i;
        c[i].door = r.door[0];
        assert_int_equal(pthread_create(&c[i].thread, NULL, be_client, &c[i]),
                         0);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(c[i].thread, NULL);
    close(r.door[0]);
    pthread_join(r.thread, NULL);
    close(r.door[1]);
    test_ok(&r.err);
    int n_drafted = 0;
    for (int i = 0; i < CLIENTS; i++) {
        struct told alone = {.err = {0}};
        tell(0, i, &alone);
        test_ok(&alone.err);
        test_ok(&c[i].told.err);
        assert_string_equal(buf_span(&c[i].told.said).data,
                            buf_span(&alone.said).data);
        assert_int_equal(c[i].told.n_drafted, alone.n_drafted);
        n_drafted += alone.n_drafted;
        buf_free(&alone.said);
        buf_free(&c[i].told.said);
    }
    assert_true(n_drafted > 100);
}

/* What a text was foreseen with: by all layers, and without one. */
static void foresee(int door, double lost[static 2])
{
    struct err err = {0};
    struct vlm *v = open_model(door, &err);
    struct vlm_session *s = vlm_session_open(v, &err);
    for (int i = 0; i < 2; i++) {
        vlm_check_leave_out(s, i ? 1 : -1);
        lost[i] = vlm_check_text(s, 0, &err).loss;
    }
    vlm_session_close(s);
    vlm_close(v);
    test_ok(&err);
}

/* A worker looks at a model that is new to it, whoever holds it. */
static void a_reader_foresees_a_text_as_well(void **state)
{
    (void)state;
    struct reader r = {.err = {0}};
    double lost[2], alone[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, r.door), 0);
    assert_int_equal(pthread_create(&r.thread, NULL, be_reader, &r), 0);
    foresee(r.door[0], lost);
    close(r.door[0]);
    pthread_join(r.thread, NULL);
    close(r.door[1]);
    test_ok(&r.err);
    foresee(0, alone);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(lost[i] - alone[i]) < 1e-5 * alone[i]);
    assert_true(fabs(alone[0] - alone[1]) > 1e-3);
}

/* --- a reader that ends --- */

struct end {
    int left;
};

static void end_soon(void *arg)
{
    struct end *e = arg;
    if (--e->left < 0) _exit(0);
}

static void end_after(int n_beat, struct told *t)
{
    int door[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct err err = {0};
        struct end e = {n_beat};
        close(door[0]);
        vlm_serve(open_model(0, &err),
                  &(struct vlm_serving){.listen_fd = door[1],
                                        .n_place = 1,
                                        .beat = end_soon,
                                        .arg = &e},
                  &err);
        _exit(1);
    }
    tell(door[0], 0, t);
    close(door[0]);
    close(door[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void who_loses_a_reader_is_told_so(void **state)
{
    (void)state;
    for (int n = 2; n < 80; n += 7) {
        struct told t = {.err = {0}};
        end_after(n, &t);
        assert_int_equal(t.err.kind, ERR_SYSTEM);
        assert_string_equal(t.err.reason, "model-server-lost");
        buf_free(&t.said);
    }
}

static void refused(int door, const char *why)
{
    struct err err = {0};
    assert_null(open_model(door, &err));
    assert_string_equal(err.reason, "model-server-lost");
    if (!strstr(err.text, why)) fail_msg("%s", err.text);
}

static void *turn_away(void *arg)
{
    struct reader *r = arg;
    const struct err why = {.kind = ERR_SYSTEM, .text = "it is closed"};
    vlm_serve(NULL, &(struct vlm_serving){.listen_fd = r->door[1], .why = &why},
              &r->err);
    return NULL;
}

static void a_reader_without_a_model_says_why(void **state)
{
    (void)state;
    struct reader r = {.err = {0}};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, r.door), 0);
    assert_int_equal(pthread_create(&r.thread, NULL, turn_away, &r), 0);
    refused(r.door[0], "it is closed");
    close(r.door[0]);
    pthread_join(r.thread, NULL);
    close(r.door[1]);
}

TEST_GROUP(reader, cmocka_unit_test(several_answers_are_those_of_each_alone),
           cmocka_unit_test(a_reader_foresees_a_text_as_well),
           cmocka_unit_test(who_loses_a_reader_is_told_so),
           cmocka_unit_test(a_reader_without_a_model_says_why))
