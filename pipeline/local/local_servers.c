/* local_servers.c - see local_servers.h. */
#include "pipeline/local/local_servers.h"

#include <string.h>

#include "pipeline/supervisor/model_server.h"
#include "stages/children/spawner.h"
#include "stages/engine/fetch_process.h"

struct local_servers {
    struct config config; /* with one job: a document at a time */
    struct process_server *spawner;
    struct model_server *model;   /* NULL: the command opens the model */
    struct process_server *fetch; /* NULL: no endpoint */
};

void local_servers_ensure(struct local_servers *s)
{
    if (!s) return;
    process_server_ensure(s->spawner);
    model_server_ensure(s->model);
    process_server_ensure(s->fetch);
}

struct local_servers *local_servers_new(const struct config *config,
                                        struct settings *settings,
                                        struct err *err)
{
    if (err_failed(err)) return NULL;
    struct local_servers *s = mem_alloc(1, sizeof *s);
    s->config = *config;
    s->config.jobs = 1;
    s->spawner = spawner_new(&config->stage, err);
    process_server_ensure(s->spawner); /* before the model is opened */
    if (!strcmp(config->stage.engine, "endpoint"))
        s->fetch = fetch_process_new(&config->stage, err);
    s->model = model_server_new(&s->config, 1);
    settings->fetch_fd = process_server_door(s->fetch);
    settings->model_server_fd = model_server_door(s->model);
    settings->spawner_door = process_server_door(s->spawner);
    local_servers_ensure(s);
    if (!err_failed(err)) return s;
    local_servers_free(s);
    return NULL;
}

void local_servers_free(struct local_servers *s)
{
    if (!s) return;
    model_server_free(s->model);
    process_server_free(s->fetch);
    process_server_free(s->spawner);
    mem_free(s);
}
