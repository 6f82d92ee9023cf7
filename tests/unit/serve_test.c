/* serve_test.c - how a reader puts together what its clients ask (vlm/model_server): tokens
 * of all in one pass, pictures that hold up nobody, a prompt read once. */
#include "vlm/model_server/serve.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/false_device.h"
#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/model_server/remote_device.h"

enum { CLIENTS = 4, MANY = 8, TOKENS = 60, PROMPT = 200 };

struct reader {
    struct false_device device;
    int door[2];
    int n_place;
    pthread_t thread;
    struct err err;
};

static void *be_reader(void *arg)
{
    struct reader *r = arg;
    struct serve_options o = {
        .listen_fd = r->door[1], .n_place = r->n_place, .n_vocab = FALSE_VOCAB};
    serve(&r->device.face, &o, "", &r->err);
    return NULL;
}

static void open_reader(struct reader *r, int n_place, double pass_s)
{
    *r = (struct reader){.n_place = n_place};
    false_device_open(&r->device);
    r->device.pass_s = pass_s;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, r->door), 0);
    assert_int_equal(pthread_create(&r->thread, NULL, be_reader, r), 0);
}

static void close_reader(struct reader *r)
{
    close(r->door[0]);
    pthread_join(r->thread, NULL);
    close(r->door[1]);
    test_ok(&r->err);
    assert_int_equal(r->device.n_state, 0);
}

struct client {
    pthread_t thread;
    int door, number, n_prompt;
    int n_look;
    atomic_int *n_ready; /* of those that write */
    int sum;             /* what was predicted from */
    struct err err;
};

static void read_tokens(struct device_state *s, const int32_t *token, int n,
                        struct err *err)
{
    struct position at[PROMPT];
    for (int i = 0; i < n; i++)
        at[i] = position_text(s->n_past + i);
    struct device_run run = {.state = s, .n = n, .token = token, .at = at};
    device_forward(s->device, &run, 1, err);
}

static void show_picture(struct device *d, struct err *err)
{
    struct image im = image_new(16, 16, 3, err);
    memset(im.data, 0, im.stride_bytes * 16);
    device_rows_free(device_encode_image(d, &im, err));
    image_free(&im);
}

static void write_answer(struct client *c, struct device_state *s)
{
    float logits[FALSE_VOCAB];
    atomic_fetch_add(c->n_ready, 1);
    while (atomic_load(c->n_ready) < CLIENTS)
        usleep(100);
    for (int i = 0; i < TOKENS; i++) {
        read_tokens(s, &(int32_t){c->number + 1}, 1, &c->err);
        device_head(s->device, &(struct device_place){s, 0}, 1, logits,
                    &c->err);
    }
    c->sum = (int)logits[0] / FALSE_VOCAB;
}

static void *be_client(void *arg)
{
    struct client *c = arg;
    int32_t prompt[PROMPT];
    struct device *d = remote_device_open(
        &(struct remote_options){
            .server_fd = c->door, .wait_s = 20, .n_vocab = FALSE_VOCAB},
        &c->err);
    struct device_state *s = device_state_new(d, &c->err);
    for (int i = 0; i < c->n_prompt; i++)
        prompt[i] = i % FALSE_VOCAB;
    if (!err_failed(&c->err) && c->n_prompt)
        read_tokens(s, prompt, c->n_prompt, &c->err);
    for (int i = 0; !err_failed(&c->err) && i < c->n_look; i++)
        show_picture(d, &c->err);
    if (!err_failed(&c->err) && c->n_ready) write_answer(c, s);
    device_state_free(s);
    device_close(d);
    return NULL;
}

static void run_clients(struct reader *r, struct client *c, int n)
{
    for (int i = 0; i < n; i++) {
        c[i].door = r->door[0];
        c[i].number = i;
        assert_int_equal(pthread_create(&c[i].thread, NULL, be_client, &c[i]),
                         0);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(c[i].thread, NULL);
        test_ok(&c[i].err);
    }
}

static void tokens_of_all_go_in_one_pass(void **state)
{
    (void)state;
    struct reader r;
    atomic_int ready = 0;
    struct client c[CLIENTS] = {{.n_ready = &ready},
                                {.n_ready = &ready},
                                {.n_ready = &ready},
                                {.n_ready = &ready}};
    open_reader(&r, CLIENTS, 0.02);
    run_clients(&r, c, CLIENTS);
    close_reader(&r);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(c[i].sum, TOKENS * (i + 1));
    assert_int_equal(r.device.n_run, CLIENTS * TOKENS);
    if (r.device.n_pass > 2 * TOKENS) /* one by one it were CLIENTS * TOKENS */
        fail_msg("%d passes of %d runs", r.device.n_pass, r.device.n_run);
}

/* How many passes there were beside the pictures that one client shows while n
 * others write answers. A pass takes pass_s: long enough that clients that the
 * machine lets wait still ask in time. */
static int passes_beside(int n_look, int n, double pass_s)
{
    struct reader r;
    atomic_int ready = CLIENTS - 1;
    struct client c[MANY + 1] = {{.n_look = n_look}};
    for (int i = 1; i <= n; i++)
        c[i].n_ready = &ready;
    open_reader(&r, MANY + 1, pass_s);
    run_clients(&r, c, n + 1);
    close_reader(&r);
    assert_int_equal(r.device.n_look, n_look);
    for (int i = 1; i <= n; i++)
        assert_int_equal(c[i].sum, TOKENS * (i + 1));
    return r.device.n_pass_in_look;
}

/* They go together with what will be said of it. */
static void few_answers_wait_for_a_picture(void **state)
{
    (void)state;
    int n = passes_beside(1, 1, 0.005);
    if (n > 1) fail_msg("%d passes beside a picture", n);
}

static void a_picture_does_not_hold_up_many_answers(void **state)
{
    (void)state;
    int n = passes_beside(1, MANY, 0.1);
    if (n < FALSE_PARTS / 2) fail_msg("%d passes beside a picture", n);
}

static void no_answer_waits_for_ever(void **state)
{
    (void)state;
    int n = passes_beside(12, 1, 0.01);
    if (n < 2 * FALSE_PARTS) fail_msg("%d passes beside 12 pictures", n);
}

static void a_prompt_is_read_once(void **state)
{
    (void)state;
    struct reader r;
    struct client c[CLIENTS] = {{.n_prompt = PROMPT},
                                {.n_prompt = PROMPT},
                                {.n_prompt = PROMPT},
                                {.n_prompt = PROMPT - 1}};
    open_reader(&r, CLIENTS, 0.005);
    run_clients(&r, c, CLIENTS);
    close_reader(&r);
    assert_int_equal(r.device.n_row, PROMPT + PROMPT - 1);
}

static void who_finds_no_place_waits_for_one(void **state)
{
    (void)state;
    struct reader r;
    struct client c[CLIENTS] = {{.n_prompt = PROMPT},
                                {.n_prompt = PROMPT - 1},
                                {.n_prompt = PROMPT - 2},
                                {.n_prompt = PROMPT - 3}};
    open_reader(&r, 1, 0.005);
    run_clients(&r, c, CLIENTS);
    close_reader(&r);
    assert_int_equal(r.device.n_row, 4 * PROMPT - 6);
}

static void hostile_asks_hurt_nobody(void **state)
{
    (void)state;
    assert_true(fuzz_replay("model_server", model_server_fuzz) > 100);
}

TEST_GROUP(serve, cmocka_unit_test(tokens_of_all_go_in_one_pass),
           cmocka_unit_test(few_answers_wait_for_a_picture),
           cmocka_unit_test(a_picture_does_not_hold_up_many_answers),
           cmocka_unit_test(no_answer_waits_for_ever),
           cmocka_unit_test(a_prompt_is_read_once),
           cmocka_unit_test(who_finds_no_place_waits_for_one),
           cmocka_unit_test(hostile_asks_hurt_nobody))
