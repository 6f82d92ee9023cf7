/* worker_examples.c - see worker_examples.h. */
#define _GNU_SOURCE
#include "pipeline/worker/worker_examples.h"

#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/spool/example_choice.h"
#include "pipeline/spool/spool_examples.h"
#include "stages/ask/examples.h"
#include "stages/process/process.h"
#include "vlm/base/log.h"

enum { MESSAGE_FOUND = 1, N_MESSAGE }; /* nothing, with a file if there are any */

static const struct message_type type[N_MESSAGE] = {
    [0] = {.least = 1}, [MESSAGE_FOUND] = {.fds = 1}};
static const struct message_types types = {type, N_MESSAGE};

struct example_task {
    const struct worker_examples *w;
    struct span words;
};

static void run_search(void *arg, int fd)
{
    const struct example_task *t = arg;
    const struct worker_examples *w = t->w;
    struct err err = {0};
    struct buf list = buf_limit(EXAMPLES_TEXT_MOST - 2);
    spool_examples_find(w->folder->spool, w->config, w->schema, t->words,
                        config_examples(w->config), &list, &err);
    if (err_failed(&err)) log_warn("no examples: %s", err.text);
    int found = example_choice_file(&list);
    message_send_fds(fd, MESSAGE_FOUND, (struct span){"", 0}, &found,
                     found >= 0);
}

bool worker_examples_are_wanted(const struct config *config,
                                const struct schema *schema)
{
    struct arena *arena = arena_new();
    struct earlier_questions q = {.n = 0};
    if (config_examples(config) && !config->for_fleet && schema)
        q = earlier_questions_of(schema, arena);
    bool wanted = earlier_example(&q);
    arena_free(arena);
    return wanted;
}

int worker_examples_find(const struct worker_examples *w, struct span words,
                         bool whole)
{
    struct process process = PROCESS_NONE;
    struct err err = {0}, late = {0};
    struct example_task task = {w, words};
    const struct process_wait wait = {.stop = w->stop, .arg = w->arg};
    struct message *m = mem_alloc(1, sizeof *m);
    int found = -1;
    if (whole) spool_write(w->folder, SPOOL_WORDS, words, &late);
    process_start(&process,
                  &(struct process_options){.name = "platen-archive",
                                            .run = run_search,
                                            .arg = &task},
                  &err);
    if (process_receive(&process, &types, &wait, m, &err) && m->n_fd)
        found = m->fd[0];
    process_end(&process);
    mem_free(m);
    return found;
}
