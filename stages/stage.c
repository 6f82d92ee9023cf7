/* stage.c - see stage.h: the order of things, and nothing else. */
#include "stages/stage.h"

#include <unistd.h>

#include "stages/ask/merge_answers.h"
#include "stages/ask/page_text_prompt.h"
#include "stages/ask/question.h"
#include "stages/ask/schema_names.h"
#include "stages/confidence/checks.h"
#include "stages/confidence/confidence.h"
#include "stages/fallback/fallback.h"
#include "stages/input/identify.h"
#include "stages/long/long_document.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { PROMPT_FILE_MAX = 1 << 20, BLANK_ANSWER_MAX = 1 << 20 };

/* Plain text of a page's value: its "lines", one below the other. */
static char *page_lines(struct document *doc, const cJSON *value)
{
    struct buf text = buf_limit(1 << 22);
    struct json_stream *stream = document_stream(doc);
    const cJSON *lines = json_get(value, "lines"), *line = NULL;
    while (lines && (line = json_next(stream, lines, line))) {
        if (cJSON_IsString(line)) buf_print(&text, "%s\n", line->valuestring);
    }
    char *copy = arena_copy(doc->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* What a blank page says: the smallest value, which must consist of nothing. */
static cJSON *blank_value(struct document_run *r)
{
    struct grammar *g = grammar_compile(r->doc->schema, r->err);
    struct buf text = buf_limit(BLANK_ANSWER_MAX);
    if (g) grammar_smallest(g, &text, r->err);
    cJSON *value = json_parse(buf_span(&text), r->err);
    buf_free(&text);
    grammar_free(g);
    if (err_failed(r->err) || json_holds_nothing(value)) return value;
    cJSON_Delete(value);
    err_reason(r->err, ERR_INPUT, "no-pages",
               "every page is blank, and the schema %s has no null for that",
               schema_name(r->doc->schema));
    return NULL;
}

/* The answer to a question, joined to what the earlier ones gave. */
static void take_answer(struct document_run *r, const struct question *q)
{
    struct document *doc = r->doc;
    struct field *kept = doc->field;
    int n_kept = doc->n_field;
    doc->field = NULL;
    doc->n_field = 0;
    cJSON *value = question_ask(r, q);
    if (r->fallback) value = r->fallback->answer(r, q, value);
    struct field *field = doc->field;
    int n_field = doc->n_field;
    doc->field = kept;
    doc->n_field = n_kept;
    if (!value) return;
    if (doc->page_text) doc->page_text[q->from] = page_lines(doc, value);
    merge_answers(doc, value, field, n_field, doc->page[q->from].number);
}

/* The next page of the file, shown to the engine unless it is blank. */
static bool show_page(struct document_run *r, struct image *image,
                      const struct page_view *seen, int index)
{
    struct document *doc = r->doc;
    struct page *page = &doc->page[index];
    const struct engine_api *api = r->desk->engine->api;
    r->page = page->number;
    document_run_find_words(r, index, seen);
    prepare_page(image, seen, page, &r->target, r->desk->settings, r->err);
    if (err_failed(r->err) || page->blank) return false;
    r->cramped = page->cramped && !r->squeezed && doc->n_page == 1;
    if (r->cramped) return false;
    document_run_enter(r, "extract");
    page_text_prompt_add(r, index, 0, 1, r->room);
    struct view view = {.image = image, .page = page};
    if (engine_facts(r->desk->engine)->wants_lines)
        view.lines = page_view_lines(seen, r->err);
    if (!err_failed(r->err)) api->page(r->desk->engine, doc, &view, r->err);
    return true;
}

/* The pages of a question, in order; how many were shown. */
static int show_pages(struct document_run *r, const struct question *q)
{
    int n_shown = 0, index = q->from;
    struct image image = {0};
    document_run_enter(r, "rasterise");
    /* behind the last page, the rasteriser must have come to its end */
    while ((index < q->to || q->to == r->doc->n_page) &&
           document_run_draw(r, index, &image, r->err)) {
        struct page_view *seen = page_view_new(
            &image, r->desk->settings->deskew, r->doc->scratch, r->err);
        bool shown = show_page(r, &image, seen, index);
        if (shown && q->to - q->from == r->doc->n_page)
            long_document_count_lines(r, seen, index);
        page_view_close(seen);
        n_shown += shown;
        index++;
        image_free(&image);
        if (err_failed(r->err) && !r->err->page) r->err->page = r->page;
        document_run_enter(r, "rasterise");
    }
    return n_shown;
}

static bool is_per_page(const struct document *doc)
{
    return cJSON_IsTrue(
        json_get(schema_root(doc->schema), "x-platen-per-page"));
}

static int ask_question(struct document_run *r, const struct question *q)
{
    document_run_enter(r, "prompt");
    evidence_pages_begin(&r->shown);
    page_text_prompt_begin(r);
    r->desk->engine->api->begin(r->desk->engine, r->doc, r->err);
    int n_shown = show_pages(r, q);
    if (n_shown && !err_failed(r->err)) take_answer(r, q);
    return n_shown;
}

/* Shows a question's pages and asks; how many pages were not blank. */
static int run_question(struct document_run *r, const struct question *q)
{
    r->room = page_text_prompt_budget_of_pages(r, q->to - q->from);
    int n_shown = ask_question(r, q);
    if (page_text_prompt_was_too_long(r)) {
        document_run_restart(r, q->from);
        n_shown = ask_question(r, q);
        r->mute = false;
    }
    if (err_failed(r->err) && !r->err->page && q->to - q->from == 1 &&
        r->doc->n_page > 1)
        r->err->page = r->doc->page[q->from].number;
    return n_shown;
}

static void say_broken(void *arg, const struct checks_broken *broken)
{
    document_warn(arg,
                  &(struct warning){.code = WARN_CHECK_FAILED,
                                    .pointer = broken->pointer},
                  "review %s: %s", broken->pointer, broken->text);
    confidence_note_check(arg, broken->in, broken->n_in, false);
}

static void note_held(void *arg, const char *const *in, int n_in)
{
    confidence_note_check(arg, in, n_in, true);
}

/* What does not add up is said, and left as it was read. */
static void check_sums(struct document_run *r)
{
    struct checks *checks = checks_new(r->doc->schema, r->err);
    if (!err_failed(r->err))
        checks_run(checks, r->doc->data, document_stream(r->doc), say_broken,
                   r->doc);
    if (!err_failed(r->err)) checks_report(checks, note_held, r->doc);
    checks_free(checks);
}

/* The last word on what is published: joining, ordering and dropping guesses
 * are behind it, and nothing changes the value any more. */
static void check_data(struct document_run *r)
{
    struct document *doc = r->doc;
    document_run_enter(r, "validate");
    if (err_failed(r->err)) return;
    schema_order(doc->schema, doc->data);
    question_check_data(doc, r->err);
    if (doc->n_page > 1 && !r->err->page)
        err_context(r->err, "all pages together");
    check_sums(r);
}

/* A schema that describes one page: a question a page, the answers joined. What
 * an answer takes besides its value ends with its page. */
static int run_page_by_page(struct document_run *r)
{
    struct document *doc = r->doc;
    int n_shown = 0;
    doc->scratch = arena_new();
    for (int from = 0; from < doc->n_page && !err_failed(r->err); from++) {
        n_shown +=
            run_question(r, &(struct question){.from = from, .to = from + 1});
        doc->n_read = from + 1;
        document_drop_answer(doc);
        page_words_drop(r->reader, from);
    }
    arena_free(doc->scratch);
    doc->scratch = doc->arena;
    return n_shown;
}

/* One question about all pages. Where its answer is too much, or the only page's
 * print too small in one picture, and smaller parts can be asked about: a plan for
 * that (*plan may be there already), and no failure. */
static int run_one_question(struct document_run *r, struct plan **plan,
                            bool *less, struct err *no_plan)
{
    const struct schema *schema = r->doc->schema;
    bool outline = engine_facts(r->desk->engine)->outline;
    const struct question all = {.to = r->doc->n_page};
    int n_shown = run_question(r, &all);
    bool too_large = question_was_too_large(r->err);
    if (!too_large && (!r->cramped || err_failed(r->err))) return n_shown;
    if (!*plan) *plan = plan_new(schema, outline, no_plan);
    bool lines = r->cramped && r->fallback && r->fallback->may_read_lines(r);
    *less = *plan && !(*plan)->row_is_page && !lines &&
            (r->cramped || ((*plan)->n_array && !(*plan)->lists));
    if (*less) *r->err = (struct err){0};
    if (*less || !r->cramped) return n_shown;
    r->squeezed = true;
    document_run_restart(r, 0);
    return run_question(r, &all);
}

/* Is the answer about all pages other than what they say? */
static bool is_lacking(struct document_run *r, struct plan **plan)
{
    const struct engine_facts *facts = engine_facts(r->desk->engine);
    struct err no_plan = {0};
    if (err_failed(r->err) || !r->doc->data) return false;
    if (!*plan) *plan = plan_new(r->doc->schema, facts->outline, &no_plan);
    return *plan && !long_document_check_single(r, *plan);
}

/* One question where all fits in one, else page by page (window/). One page
 * needs no plan, which costs a schema or two, before its answer is too much, or is
 * held against the page's text. */
static int run_whole(struct document_run *r)
{
    struct err no_plan = {0};
    int n_shown = 0, n_page = r->doc->n_page;
    const struct engine_facts *facts = engine_facts(r->desk->engine);
    struct plan *plan =
        n_page > 1 ? plan_new(r->doc->schema, facts->outline, &no_plan) : NULL;
    if (err_failed(&no_plan) && facts->images_max &&
        n_page > facts->images_max) {
        *r->err = no_plan;
        return 0;
    }
    bool by_window = plan && long_document_needed(r, plan);
    enum long_document_after after = LONG_DOCUMENT_NONE;
    if (!by_window) {
        n_shown = run_one_question(r, &plan, &by_window, &no_plan);
        if (by_window && n_shown && n_page == 1)
            after = LONG_DOCUMENT_TOO_LARGE;
        if (!by_window && is_lacking(r, &plan)) after = LONG_DOCUMENT_LACKING;
    }
    if (by_window || after == LONG_DOCUMENT_LACKING) {
        n_shown = long_document_run(r, plan, after);
        if (r->doc->page_text && !err_failed(r->err))
            *r->doc->page_text = page_lines(r->doc, r->doc->data);
    }
    plan_free(plan);
    return n_shown;
}

static void run_questions(struct document_run *r)
{
    struct document *doc = r->doc;
    const struct fallback_ask ask = {run_question, run_whole};
    if (err_failed(r->err)) return;
    r->fallback = fallback_begin(r);
    bool per_page = is_per_page(doc);
    if (per_page)
        doc->page_text = arena_array(doc->arena, (size_t)doc->n_page,
                                     sizeof *doc->page_text);
    int n_shown =
        per_page && doc->n_page > 1 ? run_page_by_page(r) : run_whole(r);
    if (r->fallback) n_shown = r->fallback->turn(r, &ask, n_shown);
    r->page = 0;
    if (err_failed(r->err)) return;
    if (n_shown == 0) {
        document_warn(doc, &(struct warning){.code = WARN_BLANK},
                      "every page is blank");
        document_drop_data(doc);
        doc->data = blank_value(r);
    }
    if (r->fallback) r->fallback->finish(r);
    check_data(r);
}

/* The pages, and who reads their words. A picture has none of its own: its
 * OCR begins at once. */
static void open_pages(struct document_run *r)
{
    const struct desk *desk = r->desk;
    struct jail_stop stop = {desk->stop, desk->stop_arg};
    const struct engine_facts *facts = engine_facts(desk->engine);
    r->target = (struct prepare_target){.grid = facts->grid,
                                        .min_pixels = facts->min_pixels,
                                        .max_pixels = facts->max_pixels,
                                        .print_px = facts->print_px};
    r->doc->want_words = true;
    r->doc->want_invoice = r->doc->type == FILE_PDF && !r->doc->part &&
                           strcmp(facts->name, "null") != 0;
    r->reader = page_words_new(r->doc, desk->settings, &stop,
                               strcmp(facts->name, "null") != 0);
    if (facts->hears && !strcmp(desk->settings->ground, "prompt"))
        page_words_expect(r->reader);
    page_words_set_finer(r->reader,
                         &(struct page_finer){document_run_draw_finer, r});
    if (r->doc->type != FILE_PDF && !err_failed(r->err))
        page_words_start_ocr(r->reader);
    r->raster =
        rasterise_open(r->doc, desk->settings, &r->target, &stop, r->err);
    desk->engine->stop = document_run_should_stop;
    desk->engine->stop_arg = r;
}

static void close_pages(struct document_run *r)
{
    struct engine *engine = r->desk->engine;
    engine->api->end(engine, r->doc);
    engine->stop = r->desk->stop;
    engine->stop_arg = r->desk->stop_arg;
    rasterise_close(r->raster);
    page_words_free(r->reader);
    evidence_pages_end(&r->shown);
}

/* Fits are kept beside what else is known of a model. */
static void weigh(struct document *doc, const struct desk *desk)
{
    const struct settings *settings = desk->settings;
    const struct engine_facts *facts = engine_facts(desk->engine);
    const char *model = *facts->model_hash ? facts->model_hash : facts->model;
    if (!settings->plain_confidence && settings->cache) {
        struct calibration fit = calibration_load(
            settings->cache, model, schema_hash(doc->schema)->hex);
        confidence_use_fit(doc, &fit);
    }
    const struct warning doubt = {.code = WARN_MODEL_DOUBTFUL};
    if (facts->doubt) document_warn(doc, &doubt, "the model: %s", facts->doubt);
    confidence_document(doc, facts, settings->review_threshold);
}

void stage_run(struct document *doc, const struct desk *desk, struct err *err)
{
    if (err_failed(err)) return;
    struct document_run r = {
        .doc = doc, .desk = desk, .since = clock_seconds(), .err = err};
    doc->stage = "identify";
    doc->seed = desk->settings->seed;
    identify_document(doc, desk->settings, err);
    document_run_enter(&r, "rasterise");
    open_pages(&r);
    if (!err_failed(err)) run_questions(&r);
    close_pages(&r);
    if (!err_failed(err)) weigh(doc, desk);
    document_check_rows(doc, err);
    document_run_enter(&r, "export");
}

struct schema *stage_load_schema(const char *name, const struct desk *desk,
                                 struct arena *arena, const char **prompt,
                                 struct err *err)
{
    if (err_failed(err)) return NULL;
    const struct settings *settings = desk->settings;
    bool is_file = strchr(name, '/') || strstr(name, ".json");
    char *path = is_file ? arena_copy(arena, span_of(name))
                         : arena_text(arena, "%s/%s.schema.json",
                                      settings->schemas, name);
    if (!is_file && (*name == '.' || !file_map_can_read(path))) {
        err_reason(err, ERR_CONFIG, "unknown-schema", "no schema %s in %s%s",
                   name, settings->schemas,
                   schema_names_hint(settings->schemas, name, arena));
        return NULL;
    }
    const char *catalogue = settings->schema_catalogue;
    struct schema_options options = {
        .catalogue = catalogue && *catalogue ? catalogue : NULL,
        .format_asserts = true,
        .for_generation = true,
        .stop = desk->stop,
        .stop_arg = desk->stop_arg};
    dialect_of_name(settings->draft, &options.dialect);
    struct schema *schema = schema_load(path, &options, err);
    for (int i = 0; schema && schema_note(schema, i); i++)
        log_warn("%s", schema_note(schema, i));
    checks_free(checks_new(schema, err)); /* are they written right? */
    if (err_failed(err)) {
        schema_free(schema);
        return NULL;
    }
    size_t stem = strlen(path);
    if (stem > 12 && !strcmp(path + stem - 12, ".schema.json")) stem -= 12;
    char *beside = arena_text(arena, "%.*s.prompt.md", (int)stem, path);
    *prompt = "";
    if (schema && !access(beside, R_OK))
        *prompt = file_map_read(beside, PROMPT_FILE_MAX, arena, err).data;
    return schema;
}
