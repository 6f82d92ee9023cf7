/* stages.c - see stages.h: only the order of the stages. */
#include "stages/stages.h"

#include <unistd.h>

#include "stages/ask/auto_rotate.h"
#include "stages/ask/examples.h"
#include "stages/ask/merge_answers.h"
#include "stages/ask/page_text_prompt.h"
#include "stages/ask/question.h"
#include "stages/ask/schema_names.h"
#include "stages/confidence/checks.h"
#include "stages/confidence/confidence.h"
#include "stages/einvoice/einvoice_explain.h"
#include "stages/einvoice/einvoice_fill.h"
#include "stages/input/identify.h"
#include "stages/long/long_document.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/own_folder.h"
#include "vlm/base/text.h"
#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { PROMPT_FILE_MAX = 1 << 20, BLANK_ANSWER_MAX = 1 << 20 };

/* Text of a page: the "lines" of its value, one per line, or its "markdown". */
static char *page_lines(struct document *doc, const cJSON *value)
{
    struct buf text = buf_limit(1 << 22);
    struct json_stream *stream = document_stream(doc);
    const cJSON *lines = json_get(value, "lines"), *line = NULL;
    while (lines && (line = json_next(stream, lines, line))) {
        if (cJSON_IsString(line)) buf_print(&text, "%s\n", line->valuestring);
    }
    buf_add_text(&text, json_get_text_or_empty(value, "markdown"));
    char *copy = arena_copy(doc->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* The value of a blank document: the smallest one, which must hold no data. */
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

/* Asks a question, or reads the text layer of a page that was not shown, and merges
 * the answer with the earlier ones. */
static void merge_answer(struct document_run *r, const struct question *q)
{
    struct document *doc = r->doc;
    struct field *kept = doc->field;
    int n_kept = doc->n_field;
    doc->field = NULL;
    doc->n_field = 0;
    cJSON *value =
        r->print_too_small ? question_ask_words(r, q) : question_ask(r, q);
    struct field *field = doc->field;
    int n_field = doc->n_field;
    doc->field = kept;
    doc->n_field = n_kept;
    if (!value) return;
    if (doc->page_text) doc->page_text[q->from] = page_lines(doc, value);
    merge_answers(doc, value, field, n_field, doc->page[q->from].number);
}

/* Shows the next page to the engine; false: it is blank, or its print is too
 * small. */
static bool show_page(struct document_run *r, struct image *image,
                      const struct page_view *view, int index)
{
    struct document *doc = r->doc;
    struct page *page = &doc->page[index];
    const struct engine_api *api = r->context->engine->api;
    r->page = page->number;
    document_run_find_words(r, index, view);
    bool words_only =
        r->words_first || engine_facts(r->context->engine)->reads_words;
    if (words_only)
        prepare_examine(view, page, r->context->settings);
    else
        prepare_page(image, view, page, &r->target, r->context->settings,
                     r->err);
    if (err_failed(r->err) || page->blank) return false;
    if (words_only) return true;
    r->print_too_small = page->cramped && !r->print_forced && doc->n_page == 1;
    if (r->print_too_small) return false;
    document_run_enter(r, "extract");
    page_text_prompt_add(r, index, 0, 1, r->text_tokens);
    struct view shown = {.image = image, .page = page};
    if (!err_failed(r->err)) api->page(r->context->engine, doc, &shown, r->err);
    return true;
}

/* Shows the pages of a question in order; returns how many were shown. */
static int show_pages(struct document_run *r, const struct question *q)
{
    int n_shown = 0, index = q->from;
    struct image image = {0};
    document_run_enter(r, "rasterise");
    /* after the last page, the rasteriser must report the end */
    while ((index < q->to || q->to == r->doc->n_page) &&
           document_run_draw(r, index, &image, r->err)) {
        struct page_view *view = page_view_new(
            &image, r->context->settings->deskew, r->doc->scratch, r->err);
        bool shown = show_page(r, &image, view, index);
        if (shown && q->to - q->from == r->doc->n_page && !r->words_first)
            long_document_count_lines(r, view, index);
        page_view_close(view);
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
    evidence_pages_begin(&r->evidence);
    page_text_prompt_begin(r);
    r->context->engine->api->begin(r->context->engine, r->doc, r->err);
    int n_shown = show_pages(r, q);
    if ((n_shown || (r->print_too_small && question_has_layers(r, q))) &&
        !err_failed(r->err))
        merge_answer(r, q);
    return n_shown || !r->doc->by_words ? n_shown : 1;
}

/* Shows a question's pages and asks it; returns how many were shown. If examples
 * or the page's words made it too long, asks again without them. */
static int run_question(struct document_run *r, const struct question *q)
{
    struct question told = *q;
    told.n_token = examples_begin(r, q);
    r->text_tokens = page_text_prompt_budget_of_pages(r, q->to - q->from);
    int n_shown = ask_question(r, told.n_token ? &told : q);
    if (examples_were_too_long(r)) {
        document_run_restart(r, q->from);
        n_shown = ask_question(r, q);
    }
    if (page_text_prompt_was_too_long(r)) {
        document_run_restart(r, q->from);
        n_shown = ask_question(r, q);
        r->no_page_text = false;
    }
    if (err_failed(r->err) && !r->err->page && q->to - q->from == 1 &&
        r->doc->n_page > 1)
        r->err->page = r->doc->page[q->from].number;
    return n_shown;
}

static void note_broken(void *arg, const struct checks_broken *broken)
{
    if (einvoice_explain(arg, broken->pointer, broken->over, broken->tolerance))
        return;
    document_warn(arg,
                  &(struct warning){.code = WARN_CHECK_FAILED,
                                    .pointer = broken->pointer},
                  "review %s: %s", broken->pointer, broken->text);
    confidence_note_check(arg, broken->in, broken->n_in, false);
}

static void note_passed(void *arg, const char *const *in, int n_in)
{
    confidence_note_check(arg, in, n_in, true);
}

/* A failed check is a warning; the values are left as they were read. */
static void check_sums(struct document_run *r)
{
    struct checks *checks = checks_new(r->doc->schema, r->err);
    if (!err_failed(r->err))
        checks_run(checks, r->doc->data, document_stream(r->doc), note_broken,
                   r->doc);
    if (!err_failed(r->err)) checks_report(checks, note_passed, r->doc);
    checks_free(checks);
}

/* Final validation of the data, after merging, ordering and dropping guesses:
 * nothing changes the value any more. */
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
    examples_check(doc);
}

static void rate_document(struct document *doc,
                          const struct run_context *context)
{
    const struct engine_facts *facts = engine_facts_for(context->engine, doc);
    const struct warning doubt = {.code = WARN_MODEL_DOUBTFUL};
    bool by_model = !document_is_xml_invoice(doc) && !doc->by_words;
    if (context->calibration && by_model)
        confidence_use_fit(doc, context->calibration);
    if (facts->doubt) document_warn(doc, &doubt, "the model: %s", facts->doubt);
    confidence_document(doc, facts, context->settings->review_threshold);
}

/* engine = auto: takes what the words decide for the document, if it is all of the
 * value and its record, as stages_run goes on to make it, needs no review. */
static bool take_words(struct document_run *r)
{
    struct document *doc = r->doc;
    const struct question all = {.to = doc->n_page};
    document_run_load_words(r, 0, doc->n_page);
    struct warnings *without = doc->warnings;
    doc->warnings = warnings_new(doc->arena);
    warnings_join(doc->warnings, without);
    doc->data = question_ask_words_first(r, &all);
    if (doc->data) check_data(r);
    if (doc->data && !err_failed(r->err)) rate_document(doc, r->context);
    bool sure = doc->trust && doc->data && !doc->trust->review;
    doc->trust = NULL;
    if (sure) return true;
    document_drop_data(doc);
    doc->warnings = without;
    doc->field = NULL;
    doc->n_field = doc->field_capacity = 0;
    doc->by_words = doc->words_lack = false;
    question_forgive(r->err);
    return false;
}

/* Draws pages for their words alone: all of them, which may answer, or the first
 * ones, to find examples by. False: the model has to be asked. */
static bool read_words_first(struct document_run *r)
{
    bool may_answer = !strcmp(r->context->settings->engine, "auto");
    bool by_examples = examples_are_wanted(r);
    int n = r->doc->n_page, first = n < EXAMPLES_PAGES ? n : EXAMPLES_PAGES;
    if (!may_answer && !by_examples) return false;
    r->words_first = true;
    evidence_pages_begin(&r->evidence);
    int n_shown =
        show_pages(r, &(struct question){.to = may_answer ? n : first});
    r->words_first = false;
    if (by_examples && n_shown && !err_failed(r->err)) examples_find(r, first);
    if (may_answer && n_shown && !err_failed(r->err) && take_words(r))
        return true;
    document_run_restart(r, 0);
    return false;
}

/* A schema that describes one page: one question per page, the answers merged.
 * The other memory of an answer is freed with its page. */
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
        page_words_drop(r->words, from);
    }
    arena_free(doc->scratch);
    doc->scratch = doc->arena;
    return n_shown;
}

/* One question about all pages. If the answer is too large, or the print of the
 * only page too small for one picture, and the schema can be asked about in
 * parts: sets *by_parts and *plan (unless set already), and is no failure. */
static int run_one_question(struct document_run *r, struct plan **plan,
                            bool *by_parts, struct err *no_plan)
{
    const struct schema *schema = r->doc->schema;
    bool outline = engine_facts(r->context->engine)->prompt_is_keys;
    const struct question all = {.to = r->doc->n_page};
    int n_shown = run_question(r, &all);
    bool too_large = question_was_too_large(r->err);
    if (!too_large &&
        (!r->print_too_small || r->doc->by_words || err_failed(r->err)))
        return n_shown;
    if (!*plan) *plan = plan_new(schema, outline, no_plan);
    *by_parts = *plan && !(*plan)->row_is_page &&
                (r->print_too_small || ((*plan)->n_array && !(*plan)->lists));
    if (*by_parts) *r->err = (struct err){0};
    if (*by_parts || !r->print_too_small) return n_shown;
    r->print_forced = true;
    document_run_restart(r, 0);
    return run_question(r, &all);
}

/* Do the rows of the answer about all pages differ from their lines? */
static bool is_incomplete(struct document_run *r, struct plan **plan)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    struct err no_plan = {0};
    if (err_failed(r->err) || !r->doc->data || r->doc->by_words) return false;
    if (!*plan)
        *plan = plan_new(r->doc->schema, facts->prompt_is_keys, &no_plan);
    return *plan && !long_document_check_single(r, *plan) &&
           !long_document_is_final(r);
}

/* Reads the words of the only page, if the embedded model guessed at the parts of
 * it. */
static void replace_guesses(struct document_run *r)
{
    struct document *doc = r->doc;
    const struct engine_facts *facts = engine_facts(r->context->engine);
    const struct question all = {.to = 1};
    if (err_failed(r->err) || doc->n_page != 1 || !facts->prompt_is_keys ||
        !confidence_is_guessed(doc, facts))
        return;
    evidence_pages_begin(&r->evidence);
    cJSON *value = question_ask_words(r, &all);
    if (!value) return;
    document_drop_data(doc);
    cJSON_Delete(doc->gaps);
    cJSON_Delete(doc->conflicts);
    doc->gaps = doc->conflicts = NULL;
    doc->data = value;
}

/* One question if all pages fit in one, else page by page (long/). A plan costs
 * a schema or two: for a single page it is made only once the answer is too
 * large or is compared with the page's text. */
static int run_whole(struct document_run *r)
{
    struct err no_plan = {0};
    int n_shown = 0, n_page = r->doc->n_page;
    const struct engine_facts *facts = engine_facts(r->context->engine);
    struct plan *plan =
        n_page > 1 ? plan_new(r->doc->schema, facts->prompt_is_keys, &no_plan)
                   : NULL;
    if (err_failed(&no_plan) && facts->images_max &&
        n_page > facts->images_max) {
        *r->err = no_plan;
        return 0;
    }
    bool by_page = plan && long_document_needed(r, plan);
    enum long_document_after after = LONG_DOCUMENT_NONE;
    if (!by_page) {
        n_shown = run_one_question(r, &plan, &by_page, &no_plan);
        if (by_page && n_shown && n_page == 1) after = LONG_DOCUMENT_TOO_LARGE;
        if (!by_page && is_incomplete(r, &plan)) after = LONG_DOCUMENT_LACKING;
    }
    if (by_page) examples_drop(r);
    if (by_page || after == LONG_DOCUMENT_LACKING) {
        r->doc->example_text = NULL;
        n_shown = long_document_run(r, plan, after);
        replace_guesses(r);
        if (r->doc->page_text && !err_failed(r->err))
            *r->doc->page_text = page_lines(r->doc, r->doc->data);
    }
    plan_free(plan);
    return n_shown;
}

/* Reads the only page again, turned, if the model could not read it as it is
 * (auto_rotate.h); returns the number of pages shown. */
static int read_turned(struct document_run *r, int n_shown)
{
    struct auto_rotate *t = r->auto_rotate;
    if (!t || !auto_rotate_wanted(t)) return n_shown;
    while (auto_rotate_next(t)) {
        run_question(r, &(struct question){.to = 1});
        auto_rotate_judge(t);
    }
    return auto_rotate_accept(t) ? run_whole(r) : n_shown;
}

static void run_questions(struct document_run *r)
{
    struct document *doc = r->doc;
    if (err_failed(r->err)) return;
    auto_rotate_begin(r);
    bool per_page = is_per_page(doc);
    if (per_page)
        doc->page_text = arena_array(doc->arena, (size_t)doc->n_page,
                                     sizeof *doc->page_text);
    int n_shown = doc->n_page;
    if (per_page || !read_words_first(r)) {
        n_shown =
            per_page && doc->n_page > 1 ? run_page_by_page(r) : run_whole(r);
        n_shown = read_turned(r, n_shown);
    }
    r->page = 0;
    if (err_failed(r->err)) return;
    if (n_shown == 0) {
        document_warn(doc, &(struct warning){.code = WARN_BLANK},
                      "every page is blank");
        document_drop_data(doc);
        doc->data = blank_value(r);
    }
    auto_rotate_back(r);
    check_data(r);
}

/* Starts the rasteriser and the reading of words. A picture has no text layer:
 * OCR starts at once. */
static void open_pages(struct document_run *r)
{
    const struct run_context *context = r->context;
    struct child_process_stop stop = {context->stop, context->stop_arg};
    const struct engine_facts *facts = engine_facts(context->engine);
    r->target = (struct prepare_target){.grid = facts->grid,
                                        .min_pixels = facts->min_pixels,
                                        .max_pixels = facts->max_pixels,
                                        .print_px = facts->print_px};
    r->doc->want_words = true;
    r->doc->want_invoice = r->doc->type == FILE_PDF &&
                           (!r->doc->part || !*r->doc->part->pages) &&
                           strcmp(facts->name, "null") != 0;
    r->words = page_words_new(r->doc, context->settings, &stop,
                              r->doc->want_kept_words ||
                                  strcmp(facts->name, "null") != 0);
    page_words_doubt_layers(r->words);
    page_words_set_finer(r->words,
                         &(struct page_finer){document_run_draw_finer, r});
    if (r->doc->type != FILE_PDF && !err_failed(r->err))
        page_words_start_ocr(r->words);
    r->raster =
        rasterise_open(r->doc, context->settings, &r->target, &stop, r->err);
    context->engine->stop = document_run_should_stop;
    context->engine->stop_arg = r;
}

static void close_pages(struct document_run *r)
{
    struct engine *engine = r->context->engine;
    engine->api->end(engine, r->doc);
    engine->stop = r->context->stop;
    engine->stop_arg = r->context->stop_arg;
    rasterise_close(r->raster);
    if (r->doc->want_kept_words && !err_failed(r->err))
        page_words_await(r->words);
    page_words_free(r->words);
    evidence_pages_end(&r->evidence);
}

struct calibration stages_calibration(const struct settings *settings,
                                      const struct engine *engine,
                                      const struct schema *schema)
{
    const struct engine_facts *facts = engine_facts(engine);
    const char *model = *facts->model_hash ? facts->model_hash : facts->model;
    if (settings->plain_confidence || !own_folder_is(settings->cache))
        return (struct calibration){.id = ""};
    return calibration_load(settings->cache, model, schema_hash(schema)->hex);
}

/* An e-invoice in XML: no pages and no questions. */
static void read_invoice_file(struct document_run *r)
{
    struct child_process_stop stop = {r->context->stop, r->context->stop_arg};
    rasterise_invoice(r->doc, r->context->settings, &stop, r->err);
    document_run_enter(r, "extract");
    einvoice_fill(r->doc, r->err);
    if (!err_failed(r->err)) check_data(r);
}

static void read_pages(struct document_run *r)
{
    open_pages(r);
    if (!err_failed(r->err)) run_questions(r);
    close_pages(r);
}

void stages_run(struct document *doc, const struct run_context *context,
                struct err *err)
{
    if (err_failed(err)) return;
    struct document_run r = {.doc = doc,
                             .context = context,
                             .quarter_turns = doc->turns,
                             .since = clock_seconds(),
                             .err = err};
    doc->stage = "identify";
    doc->seed = context->settings->seed;
    identify_document(doc, context->settings, err);
    document_run_enter(&r, "rasterise");
    if (document_is_xml_invoice(doc))
        read_invoice_file(&r);
    else
        read_pages(&r);
    if (!err_failed(err)) rate_document(doc, context);
    document_check_rows(doc, err);
    clock_utc_text(doc->created);
    document_run_enter(&r, "export");
}

struct schema *stages_load_schema(const char *name,
                                  const struct run_context *context,
                                  struct arena *arena, const char **prompt,
                                  struct err *err)
{
    if (err_failed(err)) return NULL;
    const struct settings *settings = context->settings;
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
        .stop = context->stop,
        .stop_arg = context->stop_arg};
    dialect_of_name(settings->draft, &options.dialect);
    struct schema *schema = schema_load(path, &options, err);
    for (int i = 0; schema && schema_note(schema, i); i++)
        log_warn("%s", schema_note(schema, i));
    checks_free(checks_new(schema, err)); /* reports errors in the checks */
    if (err_failed(err)) {
        schema_free(schema);
        return NULL;
    }
    size_t stem = text_stem(path, ".schema.json");
    if (!stem) stem = strlen(path);
    char *prompt_path = arena_text(arena, "%.*s.prompt.md", (int)stem, path);
    *prompt = "";
    if (schema && !access(prompt_path, R_OK))
        *prompt = file_map_read(prompt_path, PROMPT_FILE_MAX, arena, err).data;
    return schema;
}
