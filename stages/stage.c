/* stage.c - see stage.h: the order of things, and nothing else. */
#include "stages/stage.h"

#include <stdio.h>
#include <unistd.h>

#include "stages/evidence.h"
#include "stages/identify.h"
#include "stages/page/prepare.h"
#include "stages/rasterise.h"
#include "stages/record/merge.h"
#include "stages/unfence.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/log.h"
#include "vlm/base/map.h"
#include "vlm/base/now.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"

enum { TRY_MAX = 2, FINDING_MAX = 5, PROMPT_FILE_MAX = 1 << 20 };
enum { BLANK_ANSWER_MAX = 1 << 20 };

/* A run over one document: what the steps share. */
struct run {
    struct document *doc;
    const struct desk *desk;
    struct raster *raster;
    struct prepare_target target;
    bool each_page; /* every page is a question of its own */
    int page;       /* at hand, from 1; 0: none */
    double since;   /* when the present stage began */
    struct err *err;
};

static void tell(const struct run *r)
{
    if (r->desk->progress)
        r->desk->progress(r->desk->progress_arg, r->doc, r->page);
}

static void enter(struct run *r, const char *stage)
{
    if (err_failed(r->err)) return;
    double now = now_seconds();
    document_add_time(r->doc, r->doc->stage, now - r->since);
    r->since = now;
    r->doc->stage = stage;
    tell(r);
    if (r->desk->stop && r->desk->stop(r->desk->stop_arg))
        err_reason(r->err, ERR_CANCELLED, "cancelled", "asked to stop");
}

/* The first findings as one line for people and for the second try. */
static const char *findings_text(struct document *doc, const struct findings *f)
{
    struct buf text = buf_limit(2000);
    for (int i = 0; i < f->n_finding && i < FINDING_MAX; i++)
        buf_print(&text, "%s%s: found %s, wanted %s", i ? "; " : "",
                  *f->finding[i].instance ? f->finding[i].instance : "/",
                  f->finding[i].found, f->finding[i].wanted);
    const char *copy = arena_copy(doc->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* The answer as a value that is valid, or NULL and what is wrong with it. */
static cJSON *accept_answer(struct run *r, const char **finding)
{
    struct document *doc = r->doc;
    enter(r, "unfence");
    struct span inner = unfence(doc->answer, r->err);
    cJSON *value = NULL;
    if (!err_failed(r->err)) {
        value = json_parse(inner, r->err);
        if (!value) {
            r->err->kind = ERR_ANSWER;
            r->err->reason = "model-invalid-json";
        }
    }
    enter(r, "validate");
    struct findings found = {0};
    if (value &&
        !schema_validate(doc->schema, value, doc->arena, &found, r->err)) {
        *finding = findings_text(doc, &found);
        err_reason(r->err, ERR_ANSWER, "schema-invalid", "%s", *finding);
    }
    if (!err_failed(r->err)) {
        schema_order(doc->schema, value);
        return value;
    }
    cJSON_Delete(value);
    if (!*finding) *finding = arena_copy(doc->arena, span_of(r->err->text));
    return NULL;
}

/* Asks until an answer is valid, twice at most, about one page or (0) all. */
static cJSON *ask(struct run *r, int page)
{
    const char *finding = NULL;
    cJSON *value = NULL;
    for (int attempt = 1; attempt <= TRY_MAX && !value; attempt++) {
        if (attempt > 1) {
            if (r->err->kind != ERR_ANSWER) break;
            document_warn(r->doc, "asked again: %s", r->err->text);
            *r->err = (struct err){0};
        }
        enter(r, "extract");
        if (err_failed(r->err)) break;
        r->doc->n_try++;
        r->doc->seed = r->desk->settings->seed + attempt - 1;
        r->desk->engine->api->answer(r->desk->engine, r->doc, attempt, finding,
                                     r->err);
        if (!err_failed(r->err)) value = accept_answer(r, &finding);
    }
    if (!value) return NULL;
    evidence_require(r->doc, value, page,
                     !engine_facts(r->desk->engine)->unmeasured,
                     r->desk->settings->review_below, r->err);
    return value;
}

/* Plain text of a page's value: its "lines", one below the other. */
static char *text_of(struct document *doc, const cJSON *value)
{
    struct buf text = buf_limit(1 << 22);
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, json_get(value, "lines"))
    {
        if (cJSON_IsString(line)) buf_print(&text, "%s\n", line->valuestring);
    }
    char *copy = arena_copy(doc->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* What a blank page says: the smallest value, which must consist of nothing. */
static bool holds_nothing(const cJSON *value)
{
    const cJSON *child = NULL;
    if (cJSON_IsNull(value)) return true;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) return false;
    cJSON_ArrayForEach(child, value)
    {
        if (!holds_nothing(child)) return false;
    }
    return true;
}

static cJSON *blank_value(struct run *r)
{
    struct grammar *g = grammar_compile(r->doc->schema, r->err);
    struct buf text = buf_limit(BLANK_ANSWER_MAX);
    if (g) grammar_smallest(g, &text, r->err);
    cJSON *value = json_parse(buf_span(&text), r->err);
    buf_free(&text);
    grammar_free(g);
    if (err_failed(r->err) || holds_nothing(value)) return value;
    cJSON_Delete(value);
    err_reason(r->err, ERR_INPUT, "no-pages",
               "every page is blank, and the schema %s has no null for that",
               schema_name(r->doc->schema));
    return NULL;
}

/* Asks about the page that was just shown, and joins the answer to what the
 * earlier pages gave. */
static void ask_page(struct run *r, int index)
{
    struct document *doc = r->doc;
    struct field *kept = doc->field;
    int n_kept = doc->n_field;
    doc->field = NULL;
    doc->n_field = 0;
    cJSON *value = ask(r, doc->page[index].number);
    struct field *field = doc->field;
    int n_field = doc->n_field;
    doc->field = kept;
    doc->n_field = n_kept;
    if (!value) return;
    if (doc->page_text) doc->page_text[index] = text_of(doc, value);
    merge_page(doc, value, field, n_field, doc->page[index].number);
}

/* One page shown to the engine; a question of its own where each page is. */
static void show_page(struct run *r, struct image *image, int index)
{
    struct document *doc = r->doc;
    struct page *page = &doc->page[index];
    const struct engine_api *api = r->desk->engine->api;
    enter(r, "prepare");
    prepare_page(image, page, &r->target, r->desk->settings, r->err);
    if (err_failed(r->err) || page->blank) return;
    if (r->each_page) {
        enter(r, "prompt");
        api->begin(r->desk->engine, doc, r->err);
    }
    enter(r, "extract");
    if (!err_failed(r->err)) api->page(r->desk->engine, doc, image, r->err);
    if (r->each_page && !err_failed(r->err)) ask_page(r, index);
}

static int show_pages(struct run *r)
{
    int n_shown = 0, index = 0;
    struct image image = {0};
    enter(r, "rasterise");
    while (!err_failed(r->err) && rasterise_next(r->raster, &image, r->err)) {
        r->page = r->doc->page[index].number;
        show_page(r, &image, index);
        if (err_failed(r->err) && !r->err->page)
            r->err->page = r->doc->page[index].number;
        n_shown += !r->doc->page[index].blank;
        index++;
        image_free(&image);
        enter(r, "rasterise");
    }
    return n_shown;
}

static bool asks_each_page(const struct run *r)
{
    const cJSON *root = schema_root(r->doc->schema);
    int images_max = engine_facts(r->desk->engine)->images_max;
    return cJSON_IsTrue(json_get(root, "x-platen-per-page")) ||
           (images_max > 0 && r->doc->n_page > images_max);
}

/* Values that the model was not sure of are named for a second look. */
static void warn_of_doubt(struct document *doc, double review_below)
{
    for (int i = 0; i < doc->n_field; i++)
        if (doc->field[i].p < review_below && !doc->field[i].dropped)
            document_warn(doc, "review %s: probability %.2f",
                          doc->field[i].pointer, doc->field[i].p);
}

static void run_pages(struct run *r)
{
    struct document *doc = r->doc;
    r->each_page = asks_each_page(r);
    if (cJSON_IsTrue(json_get(schema_root(doc->schema), "x-platen-per-page")))
        doc->page_text = arena_array(doc->arena, (size_t)doc->n_page,
                                     sizeof *doc->page_text);
    if (!r->each_page) {
        enter(r, "prompt");
        r->desk->engine->api->begin(r->desk->engine, doc, r->err);
    }
    int n_shown = show_pages(r);
    if (err_failed(r->err)) return;
    if (n_shown == 0) {
        document_warn(doc, "every page is blank");
        doc->data = blank_value(r);
    } else if (!r->each_page) {
        doc->data = ask(r, 0);
    }
}

void stage_run(struct document *doc, const struct desk *desk, struct err *err)
{
    if (err_failed(err)) return;
    struct run r = {
        .doc = doc, .desk = desk, .since = now_seconds(), .err = err};
    desk->engine->stop = desk->stop;
    desk->engine->stop_arg = desk->stop_arg;
    doc->stage = "identify";
    doc->seed = desk->settings->seed;
    identify_document(doc, desk->settings, err);
    enter(&r, "rasterise");
    const struct engine_facts *facts = engine_facts(desk->engine);
    r.target = (struct prepare_target){facts->grid, facts->min_pixels,
                                       facts->max_pixels};
    struct jail_stop stop = {desk->stop, desk->stop_arg};
    r.raster = rasterise_open(doc, desk->settings, &r.target, &stop, err);
    if (!err_failed(err)) run_pages(&r);
    desk->engine->api->end(desk->engine, doc);
    rasterise_close(r.raster);
    if (!err_failed(err)) warn_of_doubt(doc, desk->settings->review_below);
    enter(&r, "export");
}

struct schema *stage_load_schema(const char *name,
                                 const struct settings *settings,
                                 struct arena *arena, const char **prompt,
                                 struct err *err)
{
    if (err_failed(err)) return NULL;
    bool is_file = strchr(name, '/') || strstr(name, ".json");
    char *path = is_file ? arena_copy(arena, span_of(name))
                         : arena_text(arena, "%s/%s.schema.json",
                                      settings->schemas, name);
    if (!is_file && (*name == '.' || access(path, R_OK))) {
        err_reason(err, ERR_CONFIG, "unknown-schema", "no schema %s in %s",
                   name, settings->schemas);
        return NULL;
    }
    const char *catalogue = settings->schema_catalogue;
    struct schema_options options = {
        .catalogue = catalogue && *catalogue ? catalogue : NULL,
        .format_asserts = true};
    dialect_of_name(settings->draft, &options.dialect);
    struct schema *schema = schema_load(path, &options, err);
    for (int i = 0; schema && schema_note(schema, i); i++)
        log_warn("%s", schema_note(schema, i));
    size_t stem = strlen(path);
    if (stem > 12 && !strcmp(path + stem - 12, ".schema.json")) stem -= 12;
    char *beside = arena_text(arena, "%.*s.prompt.md", (int)stem, path);
    *prompt = "";
    if (schema && !access(beside, R_OK))
        *prompt = map_read(beside, PROMPT_FILE_MAX, arena, err).data;
    return schema;
}
