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
#include "vlm/model_server/serve_inside.h"

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
    serve(&r->device.face, &o, NULL, &r->err);
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
    float guess[2];      /* the last drafts */
    atomic_int n_done;   /* tokens of its answer */
    struct client *all;  /* [MANY + 2], or NULL */
    int least;           /* n_done of any of them when it was ready itself */
    struct err err;
};

static void read_as(struct device_state *s, const int32_t *token, int n,
                    bool prompt, struct err *err)
{
    struct position at[PROMPT];
    for (int i = 0; i < n; i++)
        at[i] = position_text(s->n_past + i);
    struct device_run run = {
        .state = s, .n = n, .token = token, .at = at, .prompt = prompt};
    device_forward(s->device, &run, 1, err);
}

static void read_tokens(struct device_state *s, const int32_t *token, int n,
                        struct err *err)
{
    read_as(s, token, n, true, err);
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
        atomic_fetch_add(&c->n_done, 1);
    }
    c->sum = (int)logits[0] / FALSE_VOCAB;
    c->least = TOKENS;
    for (int i = 0; c->all && i < MANY + 2; i++)
        if (atomic_load(&c->all[i].n_done) < c->least)
            c->least = atomic_load(&c->all[i].n_done);
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

static void run_threads(struct reader *r, struct client *c, int n,
                        void *(*run)(void *))
{
    for (int i = 0; i < n; i++) {
        c[i].door = r->door[0];
        c[i].number = i;
        assert_int_equal(pthread_create(&c[i].thread, NULL, run, &c[i]), 0);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(c[i].thread, NULL);
        test_ok(&c[i].err);
    }
}

static void run_clients(struct reader *r, struct client *c, int n)
{
    run_threads(r, c, n, be_client);
}

static void tokens_of_all_go_in_one_pass(void **state)
{
    (void)state;
    struct reader r;
    atomic_int ready = 0;
    struct client c[CLIENTS] = {{.n_ready = &ready}};
    for (int i = 1; i < CLIENTS; i++)
        c[i].n_ready = &ready;
    open_reader(&r, CLIENTS, 0.02);
    run_clients(&r, c, CLIENTS);
    close_reader(&r);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(c[i].sum, TOKENS * (i + 1));
    assert_int_equal(r.device.n_run, CLIENTS * TOKENS);
    if (r.device.n_pass > 2 * TOKENS) /* one by one it were CLIENTS * TOKENS */
        fail_msg("%d passes of %d runs", r.device.n_pass, r.device.n_run);
}

/* More than a pass has room for. */
static void no_answer_is_always_the_last(void **state)
{
    (void)state;
    struct reader r;
    atomic_int ready = CLIENTS - (MANY + 2);
    struct client c[MANY + 2] = {{.number = 0}};
    for (int i = 0; i < MANY + 2; i++)
        c[i].n_ready = &ready, c[i].all = c;
    open_reader(&r, MANY + 2, 0.005);
    run_clients(&r, c, MANY + 2);
    close_reader(&r);
    for (int i = 0; i < MANY + 2; i++)
        if (c[i].least < TOKENS / 4)
            fail_msg("%d of %d tokens when another was ready", c[i].least,
                     TOKENS);
}

static float guess_of(struct device_state *s, int ahead, int n, int32_t pick,
                      struct err *err)
{
    static const int32_t token[FALSE_STEPS] = {1, 2, 3};
    struct position at[FALSE_STEPS] = {{0}};
    const int32_t picks[] = {FALSE_VOCAB - 1, pick};
    float logits[2] = {0};
    const struct device_guess g = {
        .state = s, .ahead = ahead, .n = n, .token = token + ahead, .at = at};
    device_guess(s->device, &g, 1, picks, 2, logits, err);
    if (!err_failed(err))
        assert_int_equal((int)(logits[0] - logits[1]), FALSE_VOCAB - 1 - pick);
    return logits[1];
}

static void *be_guesser(void *arg)
{
    struct client *c = arg;
    const int32_t pick = 3 * c->number;
    struct device *d = remote_device_open(
        &(struct remote_options){
            .server_fd = c->door, .wait_s = 20, .n_vocab = FALSE_VOCAB},
        &c->err);
    struct device_state *s = device_state_new(d, &c->err);
    if (!err_failed(&c->err)) write_answer(c, s);
    for (int i = 0; !err_failed(&c->err) && i < TOKENS; i++) {
        c->guess[0] = guess_of(s, 0, 1, pick, &c->err);
        c->guess[1] = guess_of(s, 1, 2, pick, &c->err);
        read_tokens(s, &pick, 1, &c->err);
        c->sum += pick;
    }
    device_state_free(s);
    device_close(d);
    return NULL;
}

/* Each gets the rows of the head that it wants, after its own tokens. */
static void drafts_of_all_are_one_piece_of_work(void **state)
{
    (void)state;
    struct reader r;
    atomic_int ready = 0;
    struct client c[CLIENTS] = {{.n_ready = &ready}};
    for (int i = 1; i < CLIENTS; i++)
        c[i].n_ready = &ready;
    open_reader(&r, CLIENTS, 0.02);
    run_threads(&r, c, CLIENTS, be_guesser);
    close_reader(&r);
    for (int i = 0; i < CLIENTS; i++) {
        int before = c[i].sum - 3 * i; /* of the last token */
        assert_int_equal((int)c[i].guess[0],
                         (before + 1) * FALSE_VOCAB + 3 * i);
        assert_int_equal((int)c[i].guess[1],
                         (before + 6) * FALSE_VOCAB + 3 * i);
    }
    if (r.device.n_guess_call > 4 * TOKENS) /* one by one 8 * TOKENS */
        fail_msg("%d calls for drafts", r.device.n_guess_call);
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

static struct device_state *open_state(struct reader *r, struct device **d)
{
    struct err err = {0};
    *d = remote_device_open(&(struct remote_options){.server_fd = r->door[0],
                                                     .wait_s = 20,
                                                     .n_vocab = FALSE_VOCAB},
                            &err);
    struct device_state *s = device_state_new(*d, &err);
    test_ok(&err);
    return s;
}

/* A prompt, and examples behind it: each part is read once for all that have it. */
static void what_follows_a_prompt_is_read_once(void **state)
{
    (void)state;
    enum { READERS = 4 };
    static const int32_t second[READERS] = {1, 1, 2, 1};
    struct reader r;
    struct err err = {0};
    struct device *d[READERS];
    struct device_state *s[READERS];
    float logits[FALSE_VOCAB];
    open_reader(&r, READERS, 0);
    for (int i = 0; i < READERS; i++) {
        int32_t part[2][PROMPT];
        for (int k = 0; k < PROMPT; k++)
            part[0][k] = 3, part[1][k] = second[i];
        s[i] = open_state(&r, &d[i]);
        read_tokens(s[i], part[0], PROMPT, &err);
        read_tokens(s[i], part[1], PROMPT, &err);
        device_mark(s[i], 0, &err);
        device_head(d[i], &(struct device_place){s[i], 0}, 1, logits, &err);
        test_ok(&err);
        assert_int_equal((int)logits[0] / FALSE_VOCAB,
                         (3 + second[i]) * PROMPT);
    }
    for (int i = 0; i < READERS; i++) {
        device_state_free(s[i]);
        device_close(d[i]);
    }
    close_reader(&r);
    /* two are kept: the last one's second part had to give way */
    assert_int_equal(r.device.n_row, 4 * PROMPT);
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

/* A client whose first part fails has read the second part only: it is not
 * cached as if it were both, for one that reads both. */
static void a_failed_part_is_not_cached(void **state)
{
    (void)state;
    struct reader r;
    struct device *d[2];
    struct err err = {0}, failed = {0};
    int32_t part[2][PROMPT];
    float logits[FALSE_VOCAB];
    for (int i = 0; i < PROMPT; i++)
        part[0][i] = 2, part[1][i] = 3;
    open_reader(&r, 2, 0);
    struct device_state *s = open_state(&r, &d[0]), *o = open_state(&r, &d[1]);
    atomic_store(&r.device.fail_forward, true);
    read_tokens(s, part[0], PROMPT, &failed);
    assert_true(err_failed(&failed));
    atomic_store(&r.device.fail_forward, false);
    s->n_past = PROMPT; /* places as if it had been read */
    read_tokens(s, part[1], PROMPT, &err);
    read_tokens(o, part[0], PROMPT, &err);
    read_tokens(o, part[1], PROMPT, &err);
    device_head(d[1], &(struct device_place){o, 0}, 1, logits, &err);
    test_ok(&err);
    assert_int_equal((int)logits[0] / FALSE_VOCAB, 5 * PROMPT);
    device_state_free(s);
    device_state_free(o);
    device_close(d[0]);
    device_close(d[1]);
    close_reader(&r);
}

/* The tokens of an answer can have other bits than those of a prompt. */
static void an_answer_is_not_cached(void **state)
{
    (void)state;
    struct reader r;
    struct err err = {0};
    struct device *d[2];
    int32_t token[PROMPT] = {0};
    open_reader(&r, 2, 0);
    struct device_state *s = open_state(&r, &d[0]), *o = open_state(&r, &d[1]);
    read_as(s, token, PROMPT, false, &err);
    read_as(o, token, PROMPT, true, &err);
    test_ok(&err);
    device_state_free(s);
    device_state_free(o);
    device_close(d[0]);
    device_close(d[1]);
    close_reader(&r);
    assert_int_equal(r.device.n_row, 2 * PROMPT);
}

/* The same tokens are not the same text where they stand for a picture. */
static void a_text_with_a_picture_is_not_cached(void **state)
{
    (void)state;
    struct reader r;
    struct err err = {0};
    struct device *d[2];
    struct device_state *s[2];
    int32_t token[PROMPT] = {0};
    struct position at[PROMPT] = {{0}};
    open_reader(&r, 2, 0);
    for (int i = 0; i < 2; i++) {
        float logits[FALSE_VOCAB];
        s[i] = open_state(&r, &d[i]);
        struct image image = image_new(2 * FALSE_GRID, 2 * FALSE_GRID, 1, &err);
        image.data[0] = (uint8_t)(i + 1);
        struct device_rows *picture = device_encode_image(d[i], &image, &err);
        image_free(&image);
        struct device_run run = {.state = s[i],
                                 .n = PROMPT,
                                 .token = token,
                                 .at = at,
                                 .picture = picture,
                                 .n_picture = 4};
        device_forward(d[i], &run, 1, &err);
        device_head(d[i], &(struct device_place){s[i], 0}, 1, logits, &err);
        test_ok(&err);
        assert_int_equal((int)logits[0] / FALSE_VOCAB, 4 * (i + 1));
        device_rows_free(picture);
    }
    for (int i = 0; i < 2; i++) {
        device_state_free(s[i]);
        device_close(d[i]);
    }
    close_reader(&r);
}

/* --- a hostile client beside an honest one: model_server_fuzz ------------------ */

enum { STATES = 3, LONG = 400 };

struct program {
    uint8_t data[8192];
    size_t n;
    uint64_t seed;
    int n_past[STATES]; /* -1: not open */
    int n_guessed[STATES];
    bool has_picture; /* number 0, of four rows */
};

static unsigned pick(struct program *p, unsigned n)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->seed >> 33) % n;
}

/* A request with all of its fields, and numbers in the memory that are valid as
 * tokens, positions and picks. */
static void add_request(struct program *p, const struct wire_request *request)
{
    int32_t field[sizeof *request / sizeof(int32_t)];
    memcpy(field, request, sizeof field);
    uint8_t *at = p->data + p->n;
    bool text = request->op == WIRE_FORWARD && request->picture < 0;
    unsigned which = text ? 0xfffb : 0xffff;
    *at++ = (uint8_t)(field[0] + (request->prompt ? 0 : N_WIRE_OP + 1));
    *at++ = which & 255;
    *at++ = (uint8_t)(which >> 8);
    for (int i = 1; i < (int)(sizeof field / sizeof *field) - 1; i++)
        if (which >> (i - 1) & 1) *at++ = (uint8_t)field[i];
    *at++ = 0;
    *at++ = 1;
    *at++ = (uint8_t)(pick(p, 2) ? 5 : 0);
    *at++ = 200;
    p->n = (size_t)(at - p->data);
}

/* Tokens, now and then with the picture, with logits. */
static void add_text(struct program *p, struct wire_request r)
{
    bool looks = p->has_picture && pick(p, 3) == 0;
    r.op = WIRE_FORWARD;
    r.n = 6 + (int)pick(p, 20);
    r.prompt = pick(p, 4) > 0;
    r.picture = looks ? 0 : -1;
    r.picture_at = looks;
    r.n_picture = looks ? 1 + (int)pick(p, 4) : 0;
    r.n_asked = r.n <= FALSE_STEPS ? (int)pick(p, 3) : 0;
    p->n_past[r.state] += r.n;
    p->n_guessed[r.state] = 0;
    add_request(p, &r);
}

/* A draft; the tokens before it are those of the last one, if any. */
static void add_guess(struct program *p, struct wire_request r, bool in_order)
{
    int *n = &p->n_guessed[r.state];
    r.op = WIRE_GUESS;
    r.other = !in_order ? *n + 1 : pick(p, 2) ? *n : 0;
    r.n = 1 + (int)pick(p, 4);
    r.n_asked = 20;
    *n = r.other + r.n;
    add_request(p, &r);
}

static void add_picture(struct program *p, struct wire_request r)
{
    bool is_new = !p->has_picture;
    r.op = is_new ? WIRE_ENCODE : WIRE_ROWS_FREE;
    r.width = r.height = 2 * FALSE_GRID;
    r.n_channel = 3;
    p->has_picture = is_new;
    add_request(p, &r);
}

/* Whatever is in order, and one in 200 that is not. */
static void add_any(struct program *p)
{
    struct wire_request r = {.state = (int)pick(p, STATES)};
    int *n_past = &p->n_past[r.state];
    unsigned kind = pick(p, 200);
    if (kind == 0) {
        bool drafts = *n_past > 0 && pick(p, 2);
        r.op = WIRE_REWIND;
        r.other = 7;
        if (drafts) add_guess(p, r, false);
        memset(p->n_past, -1, sizeof p->n_past);
        p->has_picture = false;
        if (drafts) return;
    } else if (*n_past < 0) {
        r.op = WIRE_STATE_NEW;
        *n_past = p->n_guessed[r.state] = 0;
    } else if (*n_past > LONG) {
        r.op = WIRE_STATE_CLEAR;
        *n_past = p->n_guessed[r.state] = 0;
    } else if (kind < 60) {
        add_picture(p, r);
        return;
    } else if (kind < 120 && *n_past > 0) {
        if (kind >= 100) {
            add_guess(p, r, true);
            return;
        }
        r.op = kind < 85 ? WIRE_HEAD : WIRE_HEAD_ROWS;
        r.n = 20;
    } else {
        add_text(p, r);
        return;
    }
    add_request(p, &r);
}

static void hostile_requests_tell_nothing_of_others(void **state)
{
    (void)state;
    for (unsigned run = 0; run < 100; run++) {
        struct program p = {.seed = run, .n_past = {-1, -1, -1}};
        while (p.n + 64 < sizeof p.data)
            add_any(&p);
        while (p.n % 4 != run % 4) /* one in four with a device that fails */
            p.data[p.n++] = 0;
        assert_int_equal(model_server_fuzz(p.data, p.n), 0);
    }
}

TEST_GROUP(serve, cmocka_unit_test(tokens_of_all_go_in_one_pass),
           cmocka_unit_test(drafts_of_all_are_one_piece_of_work),
           cmocka_unit_test(no_answer_is_always_the_last),
           cmocka_unit_test(few_answers_wait_for_a_picture),
           cmocka_unit_test(a_picture_does_not_hold_up_many_answers),
           cmocka_unit_test(no_answer_waits_for_ever),
           cmocka_unit_test(a_prompt_is_read_once),
           cmocka_unit_test(what_follows_a_prompt_is_read_once),
           cmocka_unit_test(who_finds_no_place_waits_for_one),
           cmocka_unit_test(a_failed_part_is_not_cached),
           cmocka_unit_test(an_answer_is_not_cached),
           cmocka_unit_test(a_text_with_a_picture_is_not_cached),
           cmocka_unit_test(hostile_asks_hurt_nobody),
           cmocka_unit_test(hostile_requests_tell_nothing_of_others))
