/* backends.c - see backends.h. */
#include "pipeline/supervisor/backends.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/supervisor/model_server.h"
#include "stages/engine/fetch_process.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

struct backend {
    struct config config;         /* of its first user, for the largest page */
    struct model_server *server;  /* NULL: workers load the model, or none */
    struct process_server *fetch; /* NULL: no endpoint, or workers start one */
    bool loaded;           /* a document was assigned, and not unloaded */
    double used, unloaded; /* clock_seconds */
    double bytes; /* of its files; once it was loaded, as model plan says */
};

struct backends {
    const struct config *config;
    int n, n_place;
    struct backend backend[BACKENDS_MOST];
    struct user { /* a configuration, and its backend */
        const struct config *config;
        int backend;
    } user[BACKENDS_MOST];
    int n_user;
    double budget; /* bytes; 0: unknown */
    double device; /* bytes of a GPU that models can have, if one is used */
};

/* Before it is loaded. */
static double file_bytes(const struct settings *s)
{
    const char *const file[] = {s->model, s->mmproj, s->mtp};
    struct stat st;
    double sum = 0;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (stat(file[i], &st) == 0) sum += (double)st.st_size;
    return sum;
}

static bool is_endpoint(const struct config *c)
{
    return !strcmp(c->stage.engine, "endpoint");
}

/* Engines words and null. */
static bool needs_none(const struct config *c)
{
    return !is_endpoint(c) && !settings_have_model(&c->stage);
}

static bool can_share(const struct config *a, const struct config *b)
{
    bool same_endpoint = is_endpoint(a) && is_endpoint(b) &&
                         !strcmp(a->stage.endpoint, b->stage.endpoint) &&
                         a->stage.endpoint_key_fd == b->stage.endpoint_key_fd;
    /* the workers of a fleet have the models */
    return *a->fleet || same_endpoint || config_same_model(a, b) ||
           (needs_none(a) && needs_none(b));
}

static void add_user(struct backends *b, const struct config *config)
{
    int i = 0;
    while (i < b->n && !can_share(&b->backend[i].config, config))
        i++;
    b->user[b->n_user++] = (struct user){config, i};
    struct settings *s = &b->backend[i].config.stage;
    if (i == b->n) {
        b->backend[b->n++] =
            (struct backend){.config = *config,
                             .unloaded = clock_seconds(),
                             .bytes = settings_have_model(&config->stage)
                                          ? file_bytes(&config->stage)
                                          : 0};
        b->backend[i].config.schema = NULL;
    } else if (settings_page_pixels(&config->stage) > settings_page_pixels(s)) {
        s->max_pixels = config->stage.max_pixels;
    }
}

/* For as many documents as there would be without other models and endpoints. */
static void make_server(struct backends *b, struct backend *k)
{
    int n = config_jobs(&k->config);
    if (b->n_place && !k->server)
        k->server =
            model_server_new(&k->config, n < b->n_place ? n : b->n_place);
}

struct backends *backends_new(const struct config *config, int n_place)
{
    struct err none = {0};
    struct backends *b = mem_alloc(1, sizeof *b);
    b->config = config;
    b->n_place = n_place;
    b->budget = (double)config_model_memory(config);
    add_user(b, config);
    for (const struct config *s = config_each_schema(config, config); s;
         s = config_each_schema(config, s))
        add_user(b, s);
    for (int i = 0; i < b->n && n_place; i++) {
        struct backend *k = &b->backend[i];
        make_server(b, k);
        if (is_endpoint(&k->config))
            k->fetch = fetch_process_new(&k->config.stage, &none);
    }
    return b;
}

void backends_free(struct backends *b)
{
    if (!b) return;
    for (int i = 0; i < b->n; i++) {
        model_server_free(b->backend[i].server);
        process_server_free(b->backend[i].fetch);
    }
    mem_free(b);
}

struct process_server *backends_retire(struct backends *b,
                                       struct process_server *retired)
{
    for (int i = 0; i < b->n; i++) {
        model_server_retire(b->backend[i].server);
        retired = process_server_retire(b->backend[i].fetch, retired);
        b->backend[i].fetch = NULL;
    }
    return retired;
}

bool backends_retired_ended(struct backends *b)
{
    bool ended = true;
    for (int i = 0; i < b->n; i++) {
        struct backend *k = &b->backend[i];
        if (model_server_retired_ended(k->server)) {
            model_server_free(k->server);
            k->server = NULL;
        }
        ended &= !k->server;
    }
    return ended;
}

int backends_count(const struct backends *b)
{
    return b->n;
}

int backends_of(const struct backends *b, const struct config *config)
{
    for (int i = 0; i < b->n_user; i++)
        if (b->user[i].config == config) return b->user[i].backend;
    return 0;
}

void backends_use(struct backends *b, int i)
{
    struct backend *k = &b->backend[i];
    make_server(b, k);
    if (b->config->several_models && k->server && !k->loaded)
        log_note("loading %s", k->config.stage.model);
    k->loaded = true;
    k->used = clock_seconds();
    model_server_ensure(k->server);
    process_server_ensure(k->fetch);
}

void backends_ensure(struct backends *b, bool busy)
{
    for (int i = 0; i < b->n; i++) {
        struct backend *k = &b->backend[i];
        /* an idle one that has ended is reaped, or its descriptor stays ready */
        if ((busy && k->loaded) || model_server_fd(k->server) >= 0)
            model_server_ensure(k->server);
        process_server_ensure(k->fetch);
    }
}

nfds_t backends_fds(const struct backends *b, struct pollfd *fds)
{
    nfds_t n = 0;
    for (int i = 0; i < b->n; i++) {
        const struct backend *k = &b->backend[i];
        const int fd[] = {model_server_fd(k->server),
                          process_server_end_fd(k->fetch)};
        for (int j = 0; j < 2; j++)
            if (fd[j] >= 0)
                fds[n++] = (struct pollfd){.fd = fd[j], .events = POLLIN};
    }
    return n;
}

int backends_places(const struct backends *b, int i)
{
    return model_server_places(b->backend[i].server);
}

void backends_enter(struct backends *b, int i, struct settings *settings)
{
    for (int j = 0; j < b->n; j++) {
        int model = model_server_enter(b->backend[j].server);
        int fetch = process_server_enter(b->backend[j].fetch);
        if (j == i) {
            settings->model_server_fd = model;
            settings->fetch_fd = fetch;
            continue;
        }
        if (model > 0) close(model);
        if (fetch > 0) close(fetch);
    }
}

void backends_order(struct backends *b, struct model_order_row *row)
{
    for (int i = 0; i < b->n; i++) {
        struct backend *k = &b->backend[i];
        struct model_server_memory m = model_server_memory(k->server);
        if (m.bytes > 0) k->bytes = m.bytes;
        if (m.device > b->device) b->device = m.device;
        row[i].bytes = k->bytes;
        row[i].loaded = k->loaded;
        row[i].used = k->used;
        row[i].unloaded = k->unloaded;
    }
    bool on_device = b->device > 0 && !b->config->model_memory;
    double budget = on_device ? b->device : b->budget;
    model_order(row, b->n, b->n_place ? budget : 0, b->config->model_patience_s,
                clock_seconds());
}

void backends_unload(struct backends *b, int i)
{
    struct backend *k = &b->backend[i];
    log_note("unloading %s", k->config.stage.model);
    model_server_free(k->server);
    k->server = NULL;
    k->loaded = false;
    k->unloaded = clock_seconds();
}
