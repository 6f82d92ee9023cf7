/* classify.c - see classify.h. */
#include "stages/ask/classify.h"
#include "stages/engine/engine.h"

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
#include "vlm/base/text.h"
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
    CLASSIFY_NAME_MOST = 80
};

static const char SUFFIX[] = ".schema.json";
static const char NONE[] = "none of these";
static const char INVOICE_SCHEMA[] = "invoice";

struct classify_row {
    const char *name, *title, *description;
    bool excluded; /* answered before, no longer a choice */
};

/* The schemas in the order of their names, then "none of these". */
struct classify_list {
    struct classify_row *row;
    int n;
};

/* The model's choice. */
struct classify_choice {
    struct classify_row *row;
    double p, p_legal;
    bool measured, legal_unknown; /* as in struct document_kind */
};

static int compare_rows(const void *a, const void *b)
{
    const struct classify_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Reads title and description; "" if the file is not JSON. */
static void read_texts(struct classify_row *row,
                       const struct settings *settings, struct arena *arena)
{
    struct err own = {0};
    struct arena *file = arena_new();
    const char *path =
        arena_text(file, "%s/%s%s", settings->schemas, row->name, SUFFIX);
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

static bool add_schema(struct classify_row *row, const char *folder,
                       const char *file, struct arena *arena)
{
    const char *path = arena_text(arena, "%s/%s", folder, file);
    size_t stem = text_stem(file, SUFFIX);
    if (!stem || *file == '.') return false;
    if (!file_map_can_read(path)) {
        log_warn("%s: not a readable file: skipped", path);
        return false;
    }
    row->name = arena_copy(arena, (struct span){file, stem});
    return strcmp(row->name, NONE) != 0;
}

static struct classify_list find_schemas(const struct settings *settings,
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
            add_schema(&list.row[list.n], settings->schemas, e->d_name, arena);
    closedir(folder);
    if (!list.n)
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "%s has no schema to choose from", settings->schemas);
    qsort(list.row, (size_t)list.n, sizeof *list.row, compare_rows);
    list.row[list.n++] = (struct classify_row){.name = NONE};
    return list;
}

struct classify_list *classify_list(const struct settings *settings,
                                    struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct classify_list *list = arena_alloc(arena, sizeof *list);
    *list = find_schemas(settings, arena, err);
    for (int i = 0; i < list->n - 1 && !err_failed(err); i++)
        read_texts(&list->row[i], settings, arena);
    return list;
}

/* --- the question -------------------------------------------------------- */

/* Prints the text as one line of at most CLASSIFY_LINE_MOST bytes. */
static void print_line(struct buf *out, const char *text)
{
    size_t n = strlen(text);
    if (n > CLASSIFY_LINE_MOST) n = utf8_cut(text, CLASSIFY_LINE_MOST);
    for (size_t i = 0; i < n; i++)
        buf_add(out, text[i] == '\n' || text[i] == '\r' ? " " : &text[i], 1);
}

static const char *build_prompt(const struct classify_list *list,
                                struct arena *arena)
{
    struct buf text = buf_limit(CLASSIFY_TEXT_MOST);
    buf_add_text(&text, "Which kind of document is this? These are known:\n");
    for (int i = 0; i < list->n - 1; i++) {
        const struct classify_row *row = &list->row[i];
        if (row->excluded) continue;
        buf_print(&text, "\n- %s", row->name);
        if (*row->title) buf_add_text(&text, ": ");
        print_line(&text, row->title);
        if (*row->description) buf_add_text(&text, ". ");
        print_line(&text, row->description);
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
static struct schema *build_schema(const struct classify_list *list,
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
        if (!list->row[i].excluded)
            cJSON_AddItemToArray(names, cJSON_CreateString(list->row[i].name));
    struct buf text = buf_limit(CLASSIFY_TEXT_MOST);
    json_print(&text, root, 0);
    cJSON_Delete(root);
    struct schema *schema = schema_parse(buf_span(&text), "kind", NULL, err);
    buf_free(&text);
    return schema;
}

/* Shows the first page that is not blank; returns its index, or -1. */
static int show_first_page(struct document_run *r)
{
    struct document *doc = r->doc;
    struct image image = {0};
    int shown = -1;
    for (int i = 0; shown < 0 && i < doc->n_page &&
                    document_run_draw(r, i, &image, r->err);
         i++) {
        r->page = doc->page[i].number;
        prepare_page(&image, NULL, &doc->page[i], &r->target,
                     r->context->settings, r->err);
        if (!doc->page[i].blank && !err_failed(r->err)) {
            shown = i;
            r->context->engine->api->page(
                r->context->engine, doc,
                &(struct view){.image = &image, .page = &doc->page[i]}, r->err);
        }
        image_free(&image);
        if (err_failed(r->err) && !r->err->page) r->err->page = r->page;
    }
    return shown;
}

/* Starts the rasteriser at the first page. */
static void open_pages(struct document_run *r)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    struct child_process_stop stop = {r->context->stop, r->context->stop_arg};
    r->target = (struct prepare_target){.grid = facts->grid,
                                        .min_pixels = facts->min_pixels,
                                        .max_pixels = facts->max_pixels};
    r->raster =
        rasterise_open(r->doc, r->context->settings, &r->target, &stop, r->err);
}

static void read_choice(const struct document *doc, const cJSON *value,
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

/* Asks once; row is NULL after a failure, and if every page is blank. */
static struct classify_choice ask_schema(struct document_run *r,
                                         const struct classify_list *list)
{
    struct classify_choice choice = {0};
    struct document *doc = r->doc;
    struct engine *engine = r->context->engine;
    struct schema *schema = build_schema(list, r->err);
    doc->schema = schema;
    doc->prompt = build_prompt(list, doc->arena);
    doc->field = NULL;
    doc->n_field = 0;
    open_pages(r);
    engine->api->begin(engine, doc, r->err);
    int page = err_failed(r->err) ? -1 : show_first_page(r);
    rasterise_close(r->raster);
    r->raster = NULL;
    struct question q = {.from = page, .to = page + 1};
    cJSON *value = page < 0 || err_failed(r->err) ? NULL : question_ask(r, &q);
    if (value) read_choice(doc, value, list, &choice);
    cJSON_Delete(value);
    engine->api->end(engine, doc);
    doc->schema = NULL;
    doc->prompt = NULL;
    schema_free(schema);
    return choice;
}

/* --- the verdict --------------------------------------------------------- */

static bool is_none(const struct classify_choice *c)
{
    return c->row && !strcmp(c->row->name, NONE);
}

/* An answer that names no schema of the list gets the reason unclear-schema:
 * the remedy of schema-invalid, to loosen the schema, would not help. */
static void report_unknown_name(const struct classify_list *list,
                                struct err *err)
{
    char answer[sizeof err->text];
    const char *why = err->reason ? err->reason : "";
    if (strcmp(why, "schema-invalid") != 0 &&
        strcmp(why, "model-invalid-json") != 0)
        return;
    snprintf(answer, sizeof answer, "%s", err->text);
    *err = (struct err){.page = err->page};
    err_reason(err, ERR_ANSWER, "unclear-schema",
               "the model names none of the %d schema%s: %s", list->n - 1,
               list->n == 2 ? "" : "s", answer);
}

/* Rounded down: just below the threshold must not look like the threshold. */
static void print_p(double p, struct buf *out)
{
    buf_print(out, " %.2f", floor(p * 100 + 1e-9) / 100);
}

/* Decimals of a threshold: 0.70, but 0.9950. */
static int digits_of(double p)
{
    return fabs(p * 100 - round(p * 100)) < 1e-9 ? 2 : 4;
}

/* Fails with the most likely names. Each is found by asking again without the
 * names before it: the probability of a name does not depend on the choices. */
static void report_unclear(struct document_run *r, struct classify_list *list,
                           struct classify_choice choice)
{
    const struct classify_choice first = choice;
    struct buf text = buf_limit(CLASSIFY_LINE_MOST);
    buf_add_text(&text, "");
    for (int i = 0; choice.row && !err_failed(r->err); i++) {
        const char *name = choice.row->name;
        size_t n = strlen(name);
        if (n > CLASSIFY_NAME_MOST) n = utf8_cut(name, CLASSIFY_NAME_MOST);
        buf_print(&text, "%s%.*s", i ? ", " : "", (int)n, name);
        if (choice.measured) print_p(choice.p, &text);
        choice.row->excluded = true;
        if (!first.measured || i + 1 == CLASSIFY_NAMED_MAX || i + 2 >= list->n)
            break;
        choice = ask_schema(r, list);
        /* an answer that names an out schema ends the list */
        if (r->err->kind == ERR_ANSWER) {
            *r->err = (struct err){0};
            choice.row = NULL;
        }
    }
    if (!err_failed(r->err) && !text.size)
        err_reason(r->err, ERR_ANSWER, "unclear-schema", "every page is blank");
    else if (!first.measured)
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "the endpoint, which reports no probabilities, answered: %s",
                   text.data);
    else if (is_none(&first) &&
             first.p >= r->context->settings->classify_threshold)
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "the model says that it fits none of the %d schema%s: %s",
                   list->n - 1, list->n == 2 ? "" : "s", text.data);
    else
        err_reason(r->err, ERR_ANSWER, "unclear-schema",
                   "of %d schema%s the most likely: %s; a probability of %.*f "
                   "is required (classify_threshold)",
                   list->n - 1, list->n == 2 ? "" : "s", text.data,
                   digits_of(r->context->settings->classify_threshold),
                   r->context->settings->classify_threshold);
    buf_free(&text);
}

static bool is_clear(const struct classify_choice *c,
                     const struct document_run *r)
{
    if (!c->row || is_none(c)) return false;
    double least = r->context->settings->classify_threshold;
    return !c->measured || (c->p >= least && c->p_legal >= least);
}

/* Resets what the question left in the document. */
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
               "this model fills in a given schema and answers no questions, "
               "so it cannot choose a schema: use a Qwen3.5 model (model) or "
               "an endpoint, or name the schema instead of \"auto\"");
}

void classify_check(const struct settings *settings, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    if (engine_asks_outline(settings, err)) refuse_model(err);
    find_schemas(settings, arena, err);
    arena_free(arena);
}

void classify_note(struct document *doc, const struct document_kind *kind)
{
    doc->kind = *kind;
    if (!kind->measured)
        document_warn(doc,
                      &(struct warning){.code = WARN_CLASSIFICATION_UNMEASURED},
                      "schema %s was chosen by an endpoint that reports no "
                      "probabilities",
                      kind->name);
}

/* An e-invoice in XML is an invoice, whatever a model would say. */
static struct document_kind choose_for_invoice(struct classify_list *list,
                                               struct err *err)
{
    for (int i = 0; i < list->n - 1 && !err_failed(err); i++)
        if (!strcmp(list->row[i].name, INVOICE_SCHEMA))
            return (struct document_kind){
                .name = INVOICE_SCHEMA, .p = 1, .p_legal = 1, .measured = true};
    err_reason(err, ERR_INPUT, "unclear-schema",
               "an e-invoice in XML, but there is no schema \"%s\"",
               INVOICE_SCHEMA);
    return (struct document_kind){.name = NULL};
}

struct document_kind classify_choose(struct document *doc,
                                     const struct run_context *context,
                                     struct classify_list *list,
                                     struct err *err)
{
    const struct document_kind none = {.name = NULL};
    if (err_failed(err)) return none;
    struct document_run r = {.doc = doc,
                             .context = context,
                             .quarter_turns = doc->turns,
                             .since = clock_seconds(),
                             .err = err};
    doc->stage = "classify";
    doc->seed = context->settings->seed;
    context->engine->stop = context->stop;
    context->engine->stop_arg = context->stop_arg;
    for (int i = 0; i < list->n; i++)
        list->row[i].excluded = false;
    identify_document(doc, context->settings, err);
    if (document_is_xml_invoice(doc)) return choose_for_invoice(list, err);
    if (engine_facts(context->engine)->prompt_is_keys) refuse_model(err);
    struct classify_choice choice = {0};
    if (!err_failed(err)) {
        choice = ask_schema(&r, list);
        report_unknown_name(list, err);
    }
    if (!err_failed(err) && !is_clear(&choice, &r))
        report_unclear(&r, list, choice);
    doc->stage = "classify";
    if (err_failed(err)) return none;
    forget_question(doc);
    return (struct document_kind){choice.row->name, choice.p, choice.p_legal,
                                  choice.measured, choice.legal_unknown};
}
