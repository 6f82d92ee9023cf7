/* classify.c - see classify.h. */
#include "stages/ask/classify.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/ask/question.h"
#include "stages/input/identify.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum {
    CLASSIFY_MAX = 1000,
    CLASSIFY_FILE_MOST = 16 << 20,
    CLASSIFY_NAMED_MAX = 3
};
enum {
    CLASSIFY_TEXT_MOST = 1 << 20,
    CLASSIFY_LINE_MOST = 400,
    CLASSIFY_NAME_SAID = 80
};

static const char TAIL[] = ".schema.json";
static const char NONE[] = "none of these";

struct classify_row {
    const char *name, *title, *description;
    bool out; /* was answered before, and is no choice any more */
};

/* The schemas by name; behind them "none of these". */
struct classify_list {
    struct classify_row *row;
    int n;
};

/* What the model chose. */
struct classify_choice {
    struct classify_row *row;
    double p, p_legal;
    bool measured, legal_unknown; /* as of a field (document.h) */
};

static int compare_rows(const void *a, const void *b)
{
    const struct classify_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Title and description, as far as the file is JSON. */
static void read_texts(struct classify_row *row,
                       const struct settings *settings, struct arena *arena)
{
    struct err own = {0};
    struct arena *file = arena_new();
    const char *path =
        arena_text(file, "%s/%s%s", settings->schemas, row->name, TAIL);
    struct span text = file_map_read(path, CLASSIFY_FILE_MOST, file, &own);
    cJSON *root = json_parse(json_unmarked(text, &own), &own);
    row->title =
        arena_copy(arena, span_of(json_get_text_or_empty(root, "title")));
    row->description =
        arena_copy(arena, span_of(json_get_text_or_empty(root, "description")));
    if (err_failed(&own)) log_warn("%s", own.text);
    cJSON_Delete(root);
    arena_free(file);
}

static bool take_name(struct classify_row *row, const char *folder,
                      const char *file, struct arena *arena)
{
    const char *path = arena_text(arena, "%s/%s", folder, file);
    size_t n = strlen(file), tail = sizeof TAIL - 1;
    if (*file == '.' || n <= tail || strcmp(file + n - tail, TAIL) != 0)
        return false;
    if (!file_map_can_read(path)) {
        log_warn("%s: no file that can be read: left out", path);
        return false;
    }
    row->name = arena_copy(arena, (struct span){file, n - tail});
    return strcmp(row->name, NONE) != 0;
}

static struct classify_list list_kinds(const struct settings *settings,
                                       struct arena *arena, struct err *err)
{
    struct classify_list list = {0};
    DIR *folder = err_failed(err) ? NULL : opendir(settings->schemas);
    if (!folder) {
        if (!err_failed(err)) err_errno(err, "%s", settings->schemas);
        return list;
    }
    list.row = arena_array(arena, CLASSIFY_MAX + 1, sizeof *list.row);
    for (struct dirent *e; (e = readdir(folder)) && list.n < CLASSIFY_MAX;)
        list.n +=
            take_name(&list.row[list.n], settings->schemas, e->d_name, arena);
    closedir(folder);
    if (!list.n)
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "there is no schema in %s to choose from",
                   settings->schemas);
    qsort(list.row, (size_t)list.n, sizeof *list.row, compare_rows);
    list.row[list.n++] = (struct classify_row){.name = NONE};
    return list;
}

/* ---- the question ------------------------------------------------------ */

/* One line of at most so many bytes. */
static void put_line(struct buf *out, const char *text)
{
    size_t n = strlen(text);
    if (n > CLASSIFY_LINE_MOST) n = utf8_cut(text, CLASSIFY_LINE_MOST);
    for (size_t i = 0; i < n; i++)
        buf_add(out, text[i] == '\n' || text[i] == '\r' ? " " : &text[i], 1);
}

static const char *prompt_of(const struct classify_list *list,
                             struct arena *arena)
{
    struct buf text = buf_limit(CLASSIFY_TEXT_MOST);
    buf_add_text(&text, "Which kind of document is this? These are known:\n");
    for (int i = 0; i < list->n - 1; i++) {
        const struct classify_row *row = &list->row[i];
        if (row->out) continue;
        buf_print(&text, "\n- %s", row->name);
        if (*row->title) buf_add_text(&text, ": ");
        put_line(&text, row->title);
        if (*row->description) buf_add_text(&text, ". ");
        put_line(&text, row->description);
    }
    buf_print(&text,
              "\n\nAnswer with the name of the one that it is. Answer \"%s\" "
              "where it is of another kind, or where you cannot tell.",
              NONE);
    const char *copy = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* {"kind": one of the names} */
static struct schema *schema_of(const struct classify_list *list,
                                struct err *err)
{
    if (err_failed(err)) return NULL;
    cJSON *root = json_parse(
        span_of("{\"title\":\"Kind of document\",\"type\":\"object\","
                "\"additionalProperties\":false,\"required\":[\"kind\"],"
                "\"properties\":{\"kind\":{\"type\":\"string\"}}}"),
        err);
    cJSON *names = cJSON_AddArrayToObject(
        cJSON_GetObjectItem(cJSON_GetObjectItem(root, "properties"), "kind"),
        "enum");
    for (int i = 0; i < list->n; i++)
        if (!list->row[i].out)
            cJSON_AddItemToArray(names, cJSON_CreateString(list->row[i].name));
    struct buf text = buf_limit(CLASSIFY_TEXT_MOST);
    json_print(&text, root, 0);
    cJSON_Delete(root);
    struct schema *schema = schema_parse(buf_span(&text), "kind", NULL, err);
    buf_free(&text);
    return schema;
}

/* Shows the first page that is not blank; its index, or -1. */
static int show_first_page(struct document_run *r)
{
    struct document *doc = r->doc;
    struct image image = {0};
    int shown = -1;
    for (int i = 0; shown < 0 && i < doc->n_page &&
                    rasterise_next(r->raster, &image, r->err);
         i++) {
        r->page = doc->page[i].number;
        prepare_page(&image, NULL, &doc->page[i], &r->target, r->desk->settings,
                     r->err);
        if (!doc->page[i].blank && !err_failed(r->err)) {
            shown = i;
            r->desk->engine->api->page(
                r->desk->engine, doc,
                &(struct view){.image = &image, .page = &doc->page[i]}, r->err);
        }
        image_free(&image);
        if (err_failed(r->err) && !r->err->page) r->err->page = r->page;
    }
    return shown;
}

/* The document's pages from the first on, as the desk wants them. */
static void open_pages(struct document_run *r)
{
    const struct engine_facts *facts = engine_facts(r->desk->engine);
    struct jail_stop stop = {r->desk->stop, r->desk->stop_arg};
    r->target = (struct prepare_target){.grid = facts->grid,
                                        .min_pixels = facts->min_pixels,
                                        .max_pixels = facts->max_pixels};
    r->raster =
        rasterise_open(r->doc, r->desk->settings, &r->target, &stop, r->err);
}

static void take_choice(const struct document *doc, const cJSON *value,
                        const struct classify_list *list,
                        struct classify_choice *out)
{
    const char *name = json_get_text_or_empty(value, "kind");
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->row[i].name, name)) out->row = &list->row[i];
    for (int i = 0; i < doc->n_field; i++)
        if (!strcmp(doc->field[i].pointer, "/kind")) {
            out->p = doc->field[i].p;
            out->p_legal = doc->field[i].p_legal;
            out->measured = !doc->field[i].unmeasured;
            out->legal_unknown = doc->field[i].legal_unknown;
        }
}

/* Asks once; row is NULL after a failure, and where every page is blank. */
static struct classify_choice ask(struct document_run *r,
                                  const struct classify_list *list)
{
    struct classify_choice choice = {0};
    struct document *doc = r->doc;
    struct engine *engine = r->desk->engine;
    struct schema *schema = schema_of(list, r->err);
    doc->schema = schema;
    doc->prompt = prompt_of(list, doc->arena);
    doc->field = NULL;
    doc->n_field = 0;
    open_pages(r);
    engine->api->begin(engine, doc, r->err);
    int page = err_failed(r->err) ? -1 : show_first_page(r);
    rasterise_close(r->raster);
    r->raster = NULL;
    struct question q = {.from = page, .to = page + 1};
    cJSON *value = page < 0 || err_failed(r->err) ? NULL : question_ask(r, &q);
    if (value) take_choice(doc, value, list, &choice);
    cJSON_Delete(value);
    engine->api->end(engine, doc);
    doc->schema = NULL;
    doc->prompt = NULL;
    schema_free(schema);
    return choice;
}

/* ---- the verdict ------------------------------------------------------- */

static bool is_none(const struct classify_choice *c)
{
    return c->row && !strcmp(c->row->name, NONE);
}

/* An answer that names no kind is no matter of a schema that could be loosened:
 * what it was is told, and the remedy is that of kinds. */
static void name_unclear(const struct classify_list *list, struct err *err)
{
    char said[sizeof err->text];
    const char *why = err->reason ? err->reason : "";
    if (strcmp(why, "schema-invalid") != 0 &&
        strcmp(why, "model-invalid-json") != 0)
        return;
    snprintf(said, sizeof said, "%s", err->text);
    *err = (struct err){.page = err->page};
    err_reason(err, ERR_ANSWER, "unclear-schema",
               "the model names none of the %d kind%s: %s", list->n - 1,
               list->n == 2 ? "" : "s", said);
}

/* Rounded down: what is just below what is asked for must not read as that. */
static void print_p(double p, struct buf *out)
{
    buf_print(out, " %.2f", floor(p * 100 + 1e-9) / 100);
}

/* 0.70, and 0.995 as it was set. */
static int digits_of(double p)
{
    return fabs(p * 100 - round(p * 100)) < 1e-9 ? 2 : 4;
}

/* The likeliest names, each found by asking without those before it: the
 * probability of a name is the model's own, whatever else may be chosen. */
static void refuse(struct document_run *r, struct classify_list *list,
                   struct classify_choice choice)
{
    const struct classify_choice first = choice;
    struct buf text = buf_limit(CLASSIFY_LINE_MOST);
    buf_add_text(&text, "");
    for (int i = 0; choice.row && !err_failed(r->err); i++) {
        const char *name = choice.row->name;
        size_t n = strlen(name);
        if (n > CLASSIFY_NAME_SAID) n = utf8_cut(name, CLASSIFY_NAME_SAID);
        buf_print(&text, "%s%.*s", i ? ", " : "", (int)n, name);
        if (choice.measured) print_p(choice.p, &text);
        choice.row->out = true;
        if (!first.measured || i + 1 == CLASSIFY_NAMED_MAX || i + 2 >= list->n)
            break;
        choice = ask(r, list);
        /* who names one that is out has no more to say, and said enough */
        if (r->err->kind == ERR_ANSWER) {
            *r->err = (struct err){0};
            choice.row = NULL;
        }
    }
    if (!err_failed(r->err) && !text.size)
        err_reason(r->err, ERR_ANSWER, "unclear-schema", "every page is blank");
    else if (!first.measured)
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "the endpoint, which gives no probabilities, says: %s",
                   text.data);
    else if (is_none(&first) &&
             first.p >= r->desk->settings->classify_threshold)
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "the model says that it is of none of the %d kind%s: %s",
                   list->n - 1, list->n == 2 ? "" : "s", text.data);
    else
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "of %d kind%s the likeliest are %s; a probability of %.*f "
                   "is asked for (classify_threshold)",
                   list->n - 1, list->n == 2 ? "" : "s", text.data,
                   digits_of(r->desk->settings->classify_threshold),
                   r->desk->settings->classify_threshold);
    buf_free(&text);
}

static bool is_clear(const struct classify_choice *c,
                     const struct document_run *r)
{
    if (!c->row || is_none(c)) return false;
    double above = r->desk->settings->classify_threshold;
    return !c->measured || (c->p >= above && c->p_legal >= above);
}

/* What was asked so far is not the document's own answer. */
static void forget_question(struct document *doc)
{
    doc->field = NULL;
    doc->n_field = 0;
    doc->answer = (struct span){0};
    doc->n_try = 0;
    doc->n_page = 0;
    doc->page = NULL;
}

static void refuse_model(struct err *err)
{
    err_reason(err, ERR_CONFIG, "model-refused",
               "this model reads the outline of one schema and answers no "
               "question, so it cannot tell kinds apart: take a Qwen3.5 model "
               "(model), an endpoint, or name the schema instead of \"auto\"");
}

void classify_check(const struct settings *settings, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    if (engine_asks_outline(settings, err)) refuse_model(err);
    list_kinds(settings, arena, err);
    arena_free(arena);
}

const char *classify_choose(struct document *doc, const struct desk *desk,
                            struct err *err)
{
    if (err_failed(err)) return NULL;
    struct document_run r = {
        .doc = doc, .desk = desk, .since = clock_seconds(), .err = err};
    const struct engine_facts *facts = engine_facts(desk->engine);
    doc->stage = "kind";
    doc->seed = desk->settings->seed;
    desk->engine->stop = desk->stop;
    desk->engine->stop_arg = desk->stop_arg;
    if (facts->outline) refuse_model(err);
    identify_document(doc, desk->settings, err);
    struct classify_list list = list_kinds(desk->settings, doc->arena, err);
    for (int i = 0; i < list.n - 1 && !err_failed(err); i++)
        read_texts(&list.row[i], desk->settings, doc->arena);
    struct classify_choice choice = {0};
    if (!err_failed(err)) {
        choice = ask(&r, &list);
        name_unclear(&list, err);
    }
    if (!err_failed(err) && !is_clear(&choice, &r)) refuse(&r, &list, choice);
    doc->stage = "kind";
    if (err_failed(err)) return NULL;
    forget_question(doc);
    doc->kind =
        (struct document_kind){choice.row->name, choice.p, choice.p_legal,
                               choice.measured, choice.legal_unknown};
    if (!choice.measured)
        document_warn(doc,
                      &(struct warning){.code = WARN_CLASSIFICATION_UNMEASURED},
                      "%s was chosen by an endpoint that gives no "
                      "probabilities",
                      choice.row->name);
    return choice.row->name;
}
