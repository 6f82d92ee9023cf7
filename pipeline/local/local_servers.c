/* local_servers.c - see local_servers.h. */
#include "pipeline/local/local_servers.h"

#include <string.h>

#include "pipeline/process/spawner_process.h"
#include "pipeline/supervisor/model_server.h"
#include "stages/engine/fetch_process.h"

struct local_servers {
    struct config config; /* with one job: a document at a time */
    const struct settings *given;
    struct settings *settings;
    struct spawner_process *spawner;
    struct model_server *model;  /* NULL: the command opens the model */
    struct fetch_process *fetch; /* NULL: no endpoint */
};

static void ensure_spawner(struct local_servers *s, struct err *err)
{
    if (!spawner_process_ended(s->spawner)) return;
    spawner_process_free(s->spawner);
    s->spawner = spawner_process_start(s->given, err);
    s->settings->spawner_door = spawner_process_door(s->spawner);
}

void local_servers_ensure(struct local_servers *s, struct err *err)
{
    if (err_failed(err) || !s) return;
    ensure_spawner(s, err);
    model_server_ensure(s->model);
    fetch_process_ensure(s->fetch);
}

struct local_servers *local_servers_new(const struct config *config,
                                        struct settings *settings,
                                        struct err *err)
{
    if (err_failed(err)) return NULL;
    struct local_servers *s = mem_alloc(1, sizeof *s);
    s->config = *config;
    s->config.jobs = 1;
    s->given = &config->stage;
    s->settings = settings;
    ensure_spawner(s, err);
    if (!strcmp(config->stage.engine, "endpoint"))
        s->fetch = fetch_process_new(&config->stage, err);
    s->model = model_server_new(&s->config, 1);
    settings->fetch_fd = fetch_process_door(s->fetch);
    settings->model_server_fd = model_server_door(s->model);
    local_servers_ensure(s, err);
    if (!err_failed(err)) return s;
    local_servers_free(s);
    return NULL;
}

void local_servers_free(struct local_servers *s)
{
    if (!s) return;
    model_server_free(s->model);
    fetch_process_free(s->fetch);
    spawner_process_free(s->spawner);
    mem_free(s);
}
