/* answers.c - see answers.h. */
#define _GNU_SOURCE
#include "stages/engine/answers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stages/engine/answers_text.h"
#include "stages/version.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { KEY_SIZE = 130, QUESTION_SIZE = 64, TEXT_MAX = 1 << 20 };
enum { LINE_MAX_BYTES = 64 << 20 };

static const char line_begins[] = "{\"key\":\"";

/* Where an answer lies in the file. */
struct answers_kept {
    char key[KEY_SIZE]; /* of the question, ".", of the try */
    off_t at;
    size_t size;
};

/* What a question was told before its answer was asked for. */
struct answers_step {
    char *context; /* or a picture: */
    struct image image;
    const struct page *page;
    double top;
};

struct answers {
    struct engine engine;
    struct engine_api api;
    struct engine *inner;
    const struct settings *settings;
    int from, to;
    struct answers_kept *kept;
    size_t n_kept, room;

    /* the question at hand */
    const struct schema *schema;
    const char *prompt;
    struct buf text; /* stands for all of it */
    char question[65];
    struct answers_step *step;
    size_t n_step;
    bool passed_on; /* `inner` was told all of it; else it may be known */
};

/* --- the file ------------------------------------------------------------ */

static void note_line(struct answers *a, const char *line, off_t at, size_t n)
{
    size_t head = sizeof line_begins - 1;
    if (n < head + KEY_SIZE || memcmp(line, line_begins, head) != 0) return;
    if (a->n_kept == a->room) {
        a->room = a->room ? 2 * a->room : 64;
        a->kept = mem_grow(a->kept, a->room, sizeof *a->kept);
    }
    struct answers_kept *k = &a->kept[a->n_kept++];
    *k = (struct answers_kept){.at = at, .size = n};
    memcpy(k->key, line + head, KEY_SIZE - 1);
}

static void read_lines(struct answers *a, struct err *err)
{
    int copy = a->from < 0 ? -1 : fcntl(a->from, F_DUPFD_CLOEXEC, 3);
    FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
    char *line = NULL;
    size_t room = 0;
    off_t at = 0;
    if (!in) {
        if (a->from >= 0) err_errno(err, "answers");
        if (copy >= 0) close(copy);
        return;
    }
    rewind(in);
    for (ssize_t n; (n = getline(&line, &room, in)) > 0; at += n)
        if (line[n - 1] == '\n') note_line(a, line, at, (size_t)n);
    free(line);
    fclose(in);
}

/* What cannot be written is asked for again by whoever needs it. */
static void add_line(const struct answers *a, const char *key,
                     const struct answers_text *t, const struct document *doc)
{
    struct buf line = buf_limit(LINE_MAX_BYTES);
    buf_print(&line, "%s%s\",", line_begins, key);
    answers_text_print(t, doc, &line);
    struct span whole = buf_span(&line);
    off_t end = lseek(a->to, 0, SEEK_END);
    ssize_t n = line.full ? 0 : write(a->to, whole.data, whole.size);
    if (n != (ssize_t)whole.size && end >= 0 && ftruncate(a->to, end) != 0)
        lseek(a->to, end, SEEK_SET);
    buf_free(&line);
}

static const struct answers_kept *find(const struct answers *a, const char *key,
                                       size_t n)
{
    for (size_t i = 0; i < a->n_kept; i++)
        if (!strncmp(a->kept[i].key, key, n)) return &a->kept[i];
    return NULL;
}

/* The kept answer becomes the document's; false where it cannot be read. */
static bool give(struct answers *a, const struct answers_kept *k,
                 struct document *doc)
{
    char *line = arena_take(doc->scratch, k->size + 1);
    if (pread(a->from, line, k->size, k->at) != (ssize_t)k->size) return false;
    return answers_text_take((struct span){line, k->size - 1}, doc,
                             &a->engine.room);
}

/* --- the question -------------------------------------------------------- */

/* The engine behind, which is told what this one was. */
static struct engine *behind(struct answers *a)
{
    a->inner->stop = a->engine.stop;
    a->inner->stop_arg = a->engine.stop_arg;
    a->inner->dictated = a->engine.dictated;
    return a->inner;
}

static void forget(struct answers *a)
{
    for (size_t i = 0; i < a->n_step; i++) {
        mem_give(a->step[i].context);
        image_free(&a->step[i].image);
    }
    mem_give(a->step);
    a->step = NULL;
    a->n_step = 0;
}

static struct answers_step *add_step(struct answers *a)
{
    a->step = mem_grow(a->step, a->n_step + 1, sizeof *a->step);
    a->step[a->n_step] = (struct answers_step){.context = NULL};
    return &a->step[a->n_step++];
}

static void tell_step(struct answers *a, const struct answers_step *s,
                      struct document *doc, struct err *err)
{
    struct engine *inner = behind(a);
    struct view view = {&s->image, s->page, s->top};
    if (err_failed(err)) return;
    if (s->context)
        inner->api->context(inner, s->context, err);
    else
        inner->api->page(inner, doc, &view, err);
}

/* Nobody has answered it: the engine behind is told all of it. */
static void pass_on(struct answers *a, struct document *doc, struct err *err)
{
    struct engine *inner = behind(a);
    const struct schema *schema = doc->schema;
    const char *prompt = doc->prompt;
    if (a->passed_on) return;
    a->passed_on = true;
    doc->schema = a->schema;
    doc->prompt = a->prompt;
    inner->api->begin(inner, doc, err);
    for (size_t i = 0; i < a->n_step; i++)
        tell_step(a, &a->step[i], doc, err);
    doc->schema = schema;
    doc->prompt = prompt;
    forget(a);
}

static struct hash hash_of(const char *text)
{
    return hash_bytes(span_of(text));
}

static void answers_begin(struct engine *engine, struct document *doc,
                          struct err *err)
{
    struct answers *a = (struct answers *)engine;
    const struct engine_facts *f = engine_facts(a->inner);
    if (err_failed(err)) return;
    forget(a);
    a->schema = doc->schema;
    a->prompt = doc->prompt;
    a->passed_on = false;
    buf_cut(&a->text, 0);
    buf_print(&a->text, "%s %s %s %s %d %d %.17g %lld %s %s\n", PLATEN_VERSION,
              f->name, f->model, f->model_hash, f->n_ctx, f->n_flight > 1,
              a->settings->temperature, (long long)a->settings->seed,
              schema_hash(doc->schema)->hex,
              hash_of(doc->prompt ? doc->prompt : "").hex);
}

static void answers_context(struct engine *engine, const char *text,
                            struct err *err)
{
    struct answers *a = (struct answers *)engine;
    if (err_failed(err)) return;
    buf_print(&a->text, "context %s\n", hash_of(text).hex);
    size_t n = strlen(text) + 1;
    struct answers_step *s = add_step(a);
    s->context = mem_take(n, 1);
    memcpy(s->context, text, n);
}

static void copy_image(struct image *to, const struct image *from,
                       struct err *err)
{
    *to = image_new(from->width_px, from->height_px, from->n_channel, err);
    if (to->data)
        memcpy(to->data, from->data,
               from->stride_bytes * (size_t)from->height_px);
}

static void answers_page(struct engine *engine, struct document *doc,
                         const struct view *view, struct err *err)
{
    struct answers *a = (struct answers *)engine;
    const struct image *image = view->image;
    if (err_failed(err)) return;
    struct span pixels = {(const char *)image->data,
                          image->stride_bytes * (size_t)image->height_px};
    answers_text_page(view, hash_bytes(pixels).hex, &a->text);
    struct hash question = hash_bytes(buf_span(&a->text));
    memcpy(a->question, question.hex, sizeof a->question);
    if (a->passed_on) {
        struct engine *inner = behind(a);
        inner->api->page(inner, doc, view, err);
        return;
    }
    struct answers_step *s = add_step(a);
    s->page = view->page;
    s->top = view->top;
    copy_image(&s->image, image, err);
    /* one that nobody was asked goes its way at once */
    if (!find(a, a->question, QUESTION_SIZE)) pass_on(a, doc, err);
}

/* Of the words it may copy nothing depends. */
static void key_of(const struct answers *a, const struct engine_try *now,
                   char key[static KEY_SIZE])
{
    struct buf text = buf_limit(TEXT_MAX);
    buf_print(&text, "%d %d %d %d\n", now->attempt, now->max_tokens,
              now->finding != NULL, now->lines != NULL);
    buf_print(&text, "%s\n%s", now->finding ? now->finding : "",
              now->lines ? now->lines : "");
    snprintf(key, KEY_SIZE, "%.64s.%.64s", a->question,
             hash_bytes(buf_span(&text)).hex);
    buf_free(&text);
}

static void answers_answer(struct engine *engine, struct document *doc,
                           const struct engine_try *now, struct err *err)
{
    struct answers *a = (struct answers *)engine;
    char key[KEY_SIZE];
    if (err_failed(err)) return;
    key_of(a, now, key);
    const struct answers_kept *k = find(a, key, KEY_SIZE - 1);
    if (k && give(a, k, doc)) return;
    struct answers_text before = answers_text_of(doc);
    struct engine *inner = behind(a);
    pass_on(a, doc, err);
    inner->api->answer(inner, doc, now, err);
    a->engine.room = inner->room;
    before.room = inner->room;
    if (a->to >= 0 && !err_failed(err)) add_line(a, key, &before, doc);
}

static bool answers_ahead(struct engine *engine, struct document *doc,
                          const struct engine_try *now, struct err *err)
{
    struct answers *a = (struct answers *)engine;
    char key[KEY_SIZE];
    if (err_failed(err)) return false;
    key_of(a, now, key);
    if (find(a, key, KEY_SIZE - 1)) return true;
    pass_on(a, doc, err);
    struct engine *inner = behind(a);
    return inner->api->ahead(inner, doc, now, err);
}

static void answers_end(struct engine *engine, struct document *doc)
{
    struct answers *a = (struct answers *)engine;
    struct engine *inner = behind(a);
    forget(a);
    inner->api->end(inner, doc);
}

static void answers_learn(struct engine *engine, const struct schema *schema,
                          struct err *err)
{
    engine_learn(((struct answers *)engine)->inner, schema, err);
}

static const struct engine_facts *answers_facts(const struct engine *engine)
{
    return engine_facts(((const struct answers *)engine)->inner);
}

static void answers_close(struct engine *engine)
{
    struct answers *a = (struct answers *)engine;
    a->inner->stop = a->engine.stop;
    forget(a);
    buf_free(&a->text);
    mem_give(a->kept);
    mem_give(a);
}

struct engine *answers_open(struct engine *inner,
                            const struct settings *settings, int from, int to,
                            struct err *err)
{
    if (err_failed(err)) return NULL;
    struct answers *a = mem_take(1, sizeof *a);
    const struct engine_api *of = inner->api;
    a->api = (struct engine_api){
        NULL,          answers_close, answers_facts,  answers_begin,
        NULL,          answers_page,  answers_answer, answers_end,
        answers_learn, NULL,          NULL,           NULL,
    };
    if (of->context) a->api.context = answers_context;
    if (of->ahead) a->api.ahead = answers_ahead;
    a->engine = (struct engine){.api = &a->api};
    a->inner = inner;
    a->settings = settings;
    /* one that reads nothing costs nothing, and says so about each page */
    a->from = strcmp(engine_facts(inner)->name, "null") ? from : -1;
    a->to = to;
    a->text = buf_limit(TEXT_MAX);
    read_lines(a, err);
    if (!err_failed(err)) return &a->engine;
    answers_close(&a->engine);
    return NULL;
}
