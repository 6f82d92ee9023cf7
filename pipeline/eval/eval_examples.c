/* eval_examples.c - see eval_examples.h. */
#include "pipeline/eval/eval_examples.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/example_choice.h"
#include "stages/ask/examples.h"
#include "stages/confidence/earlier.h"
#include "stages/stages.h"
#include "vlm/base/hash.h"
#include "vlm/base/text_table.h"
#include "vlm/json/json.h"

/* A document. */
struct noted {
    const char *path;
    const char *schema;
    struct hash hash;   /* of its bytes */
    const char *sender; /* folded; "": unknown */
    struct span words;  /* data NULL: they are not all known */
    cJSON *value;       /* expected */
};

/* A schema, and its questions. */
struct eval_schema {
    const char *name;
    struct schema *schema;
    struct earlier_questions q;
};

struct eval_examples {
    const struct config *config;
    struct arena *arena;
    struct noted *noted;
    struct eval_schema *known;
    int n_noted, n_known;
    int now;   /* the document that is read */
    bool tell; /* the second run */
    int n_told;
};

struct eval_examples *eval_examples_new(const struct config *config)
{
    struct eval_examples *x = mem_alloc(1, sizeof *x);
    x->config = config;
    x->arena = arena_new();
    return x;
}

void eval_examples_free(struct eval_examples *x)
{
    if (!x) return;
    for (int i = 0; i < x->n_noted; i++)
        cJSON_Delete(x->noted[i].value);
    for (int i = 0; i < x->n_known; i++)
        schema_free(x->known[i].schema);
    arena_free(x->arena);
    mem_free(x);
}

void eval_examples_tell(struct eval_examples *x)
{
    x->tell = true;
}

int eval_examples_count(const struct eval_examples *x)
{
    return x->n_told;
}

/* --- the documents ----------------------------------------------------------- */

static const struct eval_schema *schema_of(struct eval_examples *x,
                                           const char *name, struct err *err)
{
    const char *prompt;
    struct run_context context = {.settings = &x->config->stage};
    for (int i = 0; i < x->n_known; i++)
        if (!strcmp(x->known[i].name, name)) return &x->known[i];
    struct schema *schema =
        stages_load_schema(name, &context, x->arena, &prompt, err);
    if (!schema) return NULL;
    struct eval_schema *k = ARENA_ADD(x->arena, x->known, x->n_known);
    k->name = arena_copy(x->arena, span_of(name));
    k->schema = schema;
    k->q = earlier_questions_of(schema, x->arena);
    if (!earlier_example(&k->q))
        err_set(
            err, ERR_ARGS,
            "the schema %s does not say who the sender is: add a \"unique\" "
            "or \"same\" to its x-platen-check (schemas/README.md)",
            name);
    return k;
}

static struct hash hash_file(const char *path, struct err *err)
{
    struct hash hash = {.hex = ""};
    int fd = err_failed(err) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !err_failed(err))
        err_reason(err, ERR_INPUT, "unreadable", "%s: %s", path,
                   strerror(errno));
    if (fd >= 0) hash = hash_fd(fd, err);
    if (fd >= 0) close(fd);
    return hash;
}

void eval_examples_next(struct eval_examples *x, const char *path,
                        const char *schema, const cJSON *data, struct err *err)
{
    char sender[EARLIER_TEXT];
    if (err_failed(err)) return;
    for (x->now = 0; x->now < x->n_noted; x->now++)
        if (!strcmp(x->noted[x->now].path, path)) return;
    const struct eval_schema *k = schema_of(x, schema, err);
    struct hash hash = hash_file(path, err);
    if (err_failed(err)) return;
    earlier_sender(&k->q, data, sender);
    *ARENA_ADD(x->arena, x->noted, x->n_noted) =
        (struct noted){.path = arena_copy(x->arena, span_of(path)),
                       .schema = k->name,
                       .hash = hash,
                       .sender = arena_copy(x->arena, span_of(sender)),
                       .value = cJSON_Duplicate(data, true)};
}

/* --- its examples ------------------------------------------------------------- */

struct names {
    struct arena *arena;
    struct text_table table;
};

static void note_name(void *arg, const char *name)
{
    struct names *n = arg;
    if (text_table_find(&n->table, name)) return;
    text_table_put(&n->table, n->arena, arena_copy(n->arena, span_of(name)), n);
}

static bool may_be_example(const struct eval_examples *x, const struct noted *e,
                           const struct names *names)
{
    const struct noted *own = &x->noted[x->now];
    return e != own && e->words.data && *e->sender && e->value &&
           !strcmp(e->schema, own->schema) &&
           strcmp(e->hash.hex, own->hash.hex) != 0 &&
           text_table_find(&names->table, e->sender);
}

static int find(struct eval_examples *x, struct span words)
{
    struct names names = {.arena = arena_new()};
    struct example_candidate *all = NULL;
    struct buf list = buf_limit(EXAMPLES_TEXT_MOST - 2);
    int n = 0, most = config_examples(x->config);
    if (!most) most = CONFIG_EXAMPLES;
    example_choice_names(words, note_name, &names);
    for (int i = 0; i < x->n_noted; i++)
        if (may_be_example(x, &x->noted[i], &names))
            *ARENA_ADD(names.arena, all, n) =
                (struct example_candidate){.id = x->noted[i].path,
                                           .sender = x->noted[i].sender,
                                           .words = x->noted[i].words,
                                           .of = &x->noted[i]};
    n = example_choice_rank(words, all, n);
    for (int i = 0; i < n && i < most; i++)
        example_choice_print(&all[i], ((struct noted *)all[i].of)->value,
                             &list);
    example_choice_end(&list);
    x->n_told += n > 0;
    int fd = example_choice_file(&list);
    buf_free(&list);
    arena_free(names.arena);
    return fd;
}

int eval_examples_find(void *examples, struct span words, bool whole)
{
    struct eval_examples *x = examples;
    if (x->now >= x->n_noted) return -1;
    if (x->tell) return find(x, words);
    if (whole)
        x->noted[x->now].words =
            (struct span){arena_copy(x->arena, words), words.size};
    return -1;
}
