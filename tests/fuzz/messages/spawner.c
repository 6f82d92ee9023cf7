/* spawner.c - clients of the spawner, taken over by a document: it starts the
 * three programs and nothing else, and ends what it started, for each client its
 * own. The programs are played. */
#define _GNU_SOURCE 1
#include <sys/prctl.h>
#define prctl(...)         ((void)0) /* of this process */
#define process_spawn      played_spawn
#define process_kill       played_kill
#define spawner_start_here fuzzed_spawner_start_here
#define spawner_new        fuzzed_spawner_new
#define spawner_start      fuzzed_spawner_start
#define spawner_end        fuzzed_spawner_end
#define spawn_start        fuzzed_spawn_start
#define spawn_job_check    fuzzed_spawn_job_check
#include "stages/children/spawn.c" /* for its process_spawn */
#define close_fd close_end
#include "stages/children/spawner.c" /* how it serves a client is static */

#include <assert.h>
#include <limits.h>

#include "tests/fuzz/messages/play.h"

enum { FIRST = INT_MAX / 2, LIVE = 64, CLIENTS = 2 };

static struct scene {
    const struct settings *settings;
    int last, n_live;
    bool live[LIVE];
} scene;

/* Numbers and names as spawn.c knows them. */
static void check_arguments(const char *const *argument)
{
    for (; *argument; argument++) {
        PLAY_TEXT("");
        play_check_text(*argument, SPAWN_PAGES_SIZE);
        assert(!strchr(*argument, ';'));
    }
}

pid_t played_spawn(const struct process_program *program, struct err *err)
{
    const struct settings *s = scene.settings;
    bool raster = !strcmp(program->path, s->raster_program);
    assert(raster || !strcmp(program->path, s->ocr_program) ||
           !strcmp(program->path, s->annotate_program));
    check_arguments(program->argument);
    for (int i = 0; program->environment[i]; i++)
        assert(strchr(program->environment[i], '='));
    if (err_failed(err)) return 0;
    assert(program->n_move <= PROCESS_MOVES);
    assert(raster || program->n_move <= SANDBOX_FD_OUT + 1);
    for (int i = 0; i < program->n_move; i++)
        assert(fcntl(program->move[i], F_GETFD) >= 0);
    if (scene.last == LIVE - 1 || scene.last % 7 == 6) {
        scene.last++;
        err_set(err, ERR_SYSTEM, "no more processes");
        scene.last %= LIVE - 1;
        return 0;
    }
    while (scene.live[scene.last])
        scene.last = (scene.last + 1) % LIVE;
    scene.live[scene.last] = true;
    scene.n_live++;
    return FIRST + scene.last++;
}

int played_kill(pid_t pid)
{
    int i = pid - FIRST;
    assert(i >= 0 && i < LIVE && scene.live[i]);
    scene.live[i] = false;
    scene.n_live--;
    return 9;
}

static void read_replies_of(int client)
{
    struct message m;
    for (enum message_end end;;) {
        end = message_receive(client, &replies, false, &m);
        assert(end != MESSAGE_BROKEN);
        if (end != MESSAGE_RECEIVED) return;
        const struct started *told = (const void *)&m.body;
        bool started =
            m.type == REPLY_STARTED && told->failure.kind == ERR_NONE;
        assert(started ? m.n_fd >= 2 && told->child >= FIRST : m.n_fd == 0);
        for (int i = 0; i < m.n_fd; i++)
            close(m.fd[i]);
    }
}

void messages_spawner(struct play *p)
{
    static const uint16_t at[] = {offsetof(struct spawn_job, program),
                                  offsetof(struct spawn_job, builds),
                                  offsetof(struct spawn_job, passwords),
                                  offsetof(struct spawn_job, type),
                                  offsetof(struct spawn_job, pages),
                                  offsetof(struct spawn_job, skip),
                                  offsetof(struct spawn_job, max_pixels)};
    const struct spawn_job raster = {
        .program = SPAWN_RASTER, .type = "pdf", .pages = "1-3", .dpi = 150};
    const struct spawn_job ocr = {.program = SPAWN_OCR};
    const struct spawn_job mark = {.program = SPAWN_ANNOTATE, .builds = true};
    static const int64_t child = FIRST;
    enum { N_AT = sizeof at / sizeof *at };
    const struct play_type type[] = {
        {REQUEST_START, &raster, sizeof raster, at, N_AT},
        {REQUEST_START, &ocr, sizeof ocr, at, N_AT},
        {REQUEST_START, &mark, sizeof mark, at, N_AT},
        {REQUEST_END, &child, sizeof child, NULL, 0}};
    const struct settings settings = {.raster_program = "/bin/sh",
                                      .ocr_program = "/bin/true",
                                      .annotate_program = "/bin/false",
                                      .ocr_languages = "eng",
                                      .ocr_engine = "tesseract",
                                      .ocr_data = "",
                                      .ocr_models = "",
                                      .passwords_fd = 2,
                                      .sandbox = "required"};
    int pair[2], client[CLIENTS];
    struct err err = {0};
    const int keep[2] = {0, 0};
    int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    assert(!made);
    p->type = type;
    p->n_type = sizeof type / sizeof *type;
    scene = (struct scene){.settings = &settings};
    for (int i = 0; i < CLIENTS; i++) {
        client[i] = fd_pass_connect(pair[0], &err);
        fcntl(client[i], F_SETFL, O_NONBLOCK);
        while (play_byte(p) & 15 && play_send(p, client[i]))
            continue;
        shutdown(client[i], SHUT_WR);
    }
    close(pair[0]);
    serve((void *)(uintptr_t)&settings, pair[1], keep);
    close(pair[1]);
    assert(scene.n_live == 0);
    for (int i = 0; i < CLIENTS; i++) {
        read_replies_of(client[i]);
        close(client[i]);
    }
}
