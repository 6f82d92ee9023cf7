/* model_server.c - see model_server.h. */
#include "pipeline/supervisor/model_server.h"

#include <glob.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/document/reason.h"
#include "stages/engine/shared_model.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* Memory shared by the server and its supervisor. */
struct heartbeat {
    atomic_uint beat;
    atomic_int n_place; /* 0: the model is not open yet */
    atomic_size_t bytes, device;
};

struct model_server {
    const struct config *config;
    int n_place;
    struct process_server *server;
    struct heartbeat *heartbeat;
    unsigned seen;  /* the latest beat seen */
    double seen_at; /* when it was seen */

    /* In the server process. */
    const int *keep;
    bool on_gpu;
};

/* --- in the server process ----------------------------------------------- */

static void beat(void *arg)
{
    struct model_server *r = arg;
    atomic_fetch_add(&r->heartbeat->beat, 1);
}

static void opened(void *arg, const struct shared_model_facts *facts)
{
    struct model_server *r = arg;
    r->on_gpu = facts->device > 0;
    atomic_store(&r->heartbeat->bytes, facts->bytes);
    atomic_store(&r->heartbeat->device, facts->device);
    atomic_store(&r->heartbeat->n_place, facts->n_place);
}

/* The server needs no file: the model is mapped. With a GPU it needs the nodes
 * of the driver; its threads are older than the sandbox, and those Landlock does
 * not reach. */
static void confine(void *arg)
{
    struct model_server *r = arg;
    struct sandbox_profile profile = {
        .threads = true, .messages = true, .parent = getppid()};
    glob_t nodes = {.gl_pathc = 0};
    if (r->on_gpu && !glob("/dev/nvidia*", 0, NULL, &nodes)) {
        profile.device = (const char *const *)nodes.gl_pathv;
        profile.n_device = (int)nodes.gl_pathc;
    }
    (void)sandbox_confine(&profile, r->keep, 2); /* readers insist on theirs */
    globfree(&nodes);
}

static void run_server(void *arg, int door, const int keep[static 2])
{
    struct model_server *r = arg;
    struct err err = {0};
    signals_open_server();
    r->keep = keep;
    atomic_store(&r->heartbeat->n_place, 0);
    shared_model_serve(&r->config->stage,
                       &(struct shared_model_post){.door = door,
                                                   .n_place_max = r->n_place,
                                                   .opened = opened,
                                                   .confine = confine,
                                                   .beat = beat,
                                                   .arg = r},
                       &err);
    if (err_failed(&err)) _exit(EXIT_OTHER);
}

/* --- in the supervisor --------------------------------------------------- */

struct model_server *model_server_new(const struct config *config, int n_place)
{
    struct err err = {0};
    if (!config_shares_model(config)) return NULL;
    void *shared = mmap(NULL, sizeof(struct heartbeat), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return NULL;
    struct model_server *r = mem_alloc(1, sizeof *r);
    *r = (struct model_server){
        .config = config, .n_place = n_place, .heartbeat = shared};
    r->server = process_server_new(
        &(struct process_server_options){.name = "platen-model",
                                         .called = "the model server",
                                         .run = run_server,
                                         .arg = r,
                                         .confined = true},
        &err);
    if (!err_failed(&err)) return r;
    model_server_free(r);
    return NULL;
}

void model_server_retire(struct model_server *r)
{
    if (r) process_server_retire(r->server, NULL);
}

bool model_server_retired_ended(struct model_server *r)
{
    if (r) r->server = process_server_tidy(r->server);
    return r && !r->server;
}

void model_server_free(struct model_server *r)
{
    if (!r) return;
    process_server_free(r->server);
    munmap(r->heartbeat, sizeof *r->heartbeat);
    mem_free(r);
}

/* Kills a server without heartbeat; an idle one beats each second. */
static void check_heartbeat(struct model_server *r)
{
    unsigned beats = atomic_load(&r->heartbeat->beat);
    double now = clock_seconds();
    if (beats != r->seen || r->seen_at <= 0) r->seen_at = now;
    r->seen = beats;
    if (now - r->seen_at < r->config->stage.page_timeout_s) return;
    log_warn("the model server sent no heartbeat for %d s (page_timeout)",
             r->config->stage.page_timeout_s);
    process_server_restart(r->server);
    r->seen_at = now;
}

void model_server_ensure(struct model_server *r)
{
    if (!r) return;
    bool ran = process_server_end_fd(r->server) >= 0;
    process_server_ensure(r->server);
    if (!ran) r->seen_at = 0;
    if (process_server_end_fd(r->server) >= 0) check_heartbeat(r);
}

int model_server_fd(const struct model_server *r)
{
    return r ? process_server_end_fd(r->server) : -1;
}

int model_server_places(const struct model_server *r)
{
    return r ? atomic_load(&r->heartbeat->n_place) : 0;
}

struct model_server_memory model_server_memory(const struct model_server *r)
{
    struct model_server_memory m = {0};
    if (!r) return m;
    m.bytes = (double)atomic_load(&r->heartbeat->bytes);
    m.device = (double)atomic_load(&r->heartbeat->device);
    return m;
}

int model_server_door(const struct model_server *r)
{
    return r ? process_server_door(r->server) : 0;
}

int model_server_enter(struct model_server *r)
{
    return r ? process_server_enter(r->server) : 0;
}
