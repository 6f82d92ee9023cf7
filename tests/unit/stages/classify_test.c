/* kind_test.c - which schema a document is of, with an engine that says what
 * the test wants to hear about a real page. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/ask/classify.h"
#include "stages/document/reason.h"
#include "stages/record/record.h"
#include "tests/unit/stages/usual_settings.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { ASKED_MAX = 4 };

/* What the engine says when it is asked for the n-th time. */
struct line {
    const char *text;
    double p, p_legal;
};

struct actor {
    struct engine engine;
    struct engine_facts facts;
    const struct line *line;
    int n_asked, n_page;
    char asked[ASKED_MAX][4000]; /* schema and prompt */
};

static const struct engine_facts *actor_facts(const struct engine *e)
{
    return &((const struct actor *)e)->facts;
}

static void actor_begin(struct engine *e, struct document *doc, struct err *err)
{
    struct actor *a = (struct actor *)e;
    assert_true(a->n_asked < ASKED_MAX);
    if (err_failed(err)) return;
    struct buf text = buf_limit(4000);
    json_print(&text, schema_root(doc->schema), 0);
    snprintf(a->asked[a->n_asked], sizeof a->asked[0], "%s\n%s", text.data,
             doc->prompt);
    buf_free(&text);
}

static void actor_page(struct engine *e, struct document *doc,
                       const struct view *view, struct err *err)
{
    (void)doc;
    (void)err;
    assert_true(view->image->width_px > 0 && view->page->number > 0);
    ((struct actor *)e)->n_page++;
}

static void actor_answer(struct engine *e, struct document *doc,
                         const struct engine_try *now, struct err *err)
{
    (void)now;
    (void)err;
    struct actor *a = (struct actor *)e;
    const struct line *line = &a->line[a->n_asked++];
    doc->answer = span_of(line->text);
    doc->n_field = a->facts.unmeasured ? 0 : 1;
    doc->field = arena_array(doc->arena, 1, sizeof *doc->field);
    *doc->field = (struct field){
        .pointer = "/kind", .p = line->p, .p_legal = line->p_legal};
}

static void actor_end(struct engine *e, struct document *doc)
{
    (void)e;
    (void)doc;
}

static const struct engine_api actor_api = {
    .facts = actor_facts,
    .begin = actor_begin,
    .page = actor_page,
    .answer = actor_answer,
    .end = actor_end,
};

struct scene {
    char schemas[4096];
    struct settings settings;
    struct actor actor;
    struct document *doc;
    int fd;
    struct err err;
};

static const char *choose(struct scene *s, const struct line *line)
{
    char path[4096];
    s->settings = usual_settings();
    s->settings.schemas = test_path(s->schemas, "schemas");
    s->settings.max_tokens = 100;
    s->settings.classify_threshold = .7;
    s->settings.skip_blank = true;
    s->actor.engine.api = &actor_api;
    s->actor.facts.name = "actor";
    s->actor.facts.model = "actor";
    s->actor.facts.model_hash = "";
    s->actor.facts.grid = 32;
    s->actor.facts.min_pixels = 65536;
    s->actor.facts.max_pixels = 100000;
    s->actor.line = line;
    s->fd =
        open(test_path(path, "samples/good/kiosk.png"), O_RDONLY | O_CLOEXEC);
    assert_true(s->fd >= 0);
    s->doc = document_new("id", "receipt.png", s->fd);
    struct run_context context = {.settings = &s->settings,
                                  .engine = &s->actor.engine};
    struct classify_list *list =
        classify_list(&s->settings, s->doc->arena, &s->err);
    struct document_kind kind =
        classify_choose(s->doc, &context, list, &s->err);
    if (kind.name) classify_note(s->doc, &kind);
    return kind.name;
}

static void end_scene(struct scene *s)
{
    close(s->fd);
    document_free(s->doc);
}

static void a_sure_choice_is_taken_and_recorded(void **state)
{
    (void)state;
    static const struct line line[] = {{"{\"kind\":\"receipt\"}", .93, .97}};
    struct scene s = {.fd = -1};
    assert_string_equal(choose(&s, line), "receipt");
    test_ok(&s.err);
    assert_int_equal(s.actor.n_asked, 1);
    assert_int_equal(s.actor.n_page, 1);
    /* all schemas, and none of them, with what they are called */
    assert_non_null(strstr(s.actor.asked[0], "\"receipt\""));
    assert_non_null(strstr(s.actor.asked[0], "\"none of these\"]"));
    assert_non_null(strstr(s.actor.asked[0], "\n- bank-statement: "));
    /* the document is otherwise as it was, for its own questions */
    assert_null(s.doc->schema);
    assert_int_equal(s.doc->n_field, 0);
    assert_int_equal(s.doc->n_try, 0);
    struct err err = {0};
    struct schema *schema =
        schema_parse(span_of("true"), "receipt", NULL, &err);
    s.doc->schema = schema;
    s.doc->data = cJSON_CreateNull();
    struct record *record = record_new(s.doc, &s.actor.facts);
    const cJSON *kind = json_get(record_tree(record), "classification");
    assert_string_equal(json_get_text(kind, "name"), "receipt");
    assert_string_equal(json_number(json_get(kind, "p")), "0.9300");
    assert_string_equal(json_number(json_get(kind, "p_legal")), "0.9700");
    record_free(record);
    end_scene(&s);
    schema_free(schema);
}

/* The next likeliest is what is said when the likeliest is no choice. */
static void a_doubtful_choice_names_the_candidates(void **state)
{
    (void)state;
    static const struct line line[] = {{"{\"kind\":\"receipt\"}", .41, .97},
                                       {"{\"kind\":\"none of these\"}", .3, .5},
                                       {"{\"kind\":\"invoice\"}", .2, .3}};
    struct scene s = {.fd = -1};
    assert_null(choose(&s, line));
    assert_string_equal(reason_of(&s.err)->code, "unclear-schema");
    assert_string_equal(
        s.err.text,
        "of 6 schemas the most likely: receipt 0.41, none of these 0.30, "
        "invoice 0.20; a probability of 0.70 is required "
        "(classify_threshold)");
    assert_int_equal(s.actor.n_asked, 3);
    assert_null(strstr(s.actor.asked[1], "receipt"));
    assert_null(strstr(s.actor.asked[2], "\"none of these\"]"));
    end_scene(&s);
}

static void sure_of_none_is_unclear_too(void **state)
{
    (void)state;
    static const struct line line[] = {
        {"{\"kind\":\"none of these\"}", .99, .99},
        {"{\"kind\":\"page\"}", .01, .01},
        {"{\"kind\":\"letter\"}", 0, 0}};
    struct scene s = {.fd = -1};
    assert_null(choose(&s, line));
    assert_string_equal(reason_of(&s.err)->code, "unclear-schema");
    assert_non_null(strstr(s.err.text, "none of these 0.99, page 0.01"));
    end_scene(&s);
}

/* Without probabilities its word is taken; "none of these" fails. */
static void an_unmeasured_word_is_taken(void **state)
{
    (void)state;
    static const struct line yes[] = {{"{\"kind\":\"invoice\"}", 0, 0}};
    static const struct line no[] = {{"{\"kind\":\"none of these\"}", 0, 0}};
    struct scene s = {.fd = -1};
    s.actor.facts.unmeasured = true;
    assert_string_equal(choose(&s, yes), "invoice");
    assert_non_null(strstr(s.doc->warnings->row[0].text, "no probabilities"));
    end_scene(&s);
    s = (struct scene){.fd = -1};
    s.actor.facts.unmeasured = true;
    assert_null(choose(&s, no));
    assert_string_equal(reason_of(&s.err)->code, "unclear-schema");
    assert_non_null(strstr(s.err.text, "answered: none of these"));
    assert_int_equal(s.actor.n_asked, 1);
    end_scene(&s);
}

static void a_model_of_outlines_is_not_asked(void **state)
{
    (void)state;
    struct scene s = {.fd = -1};
    s.actor.facts.prompt_is_keys = true;
    assert_null(choose(&s, NULL));
    assert_string_equal(reason_of(&s.err)->code, "model-refused");
    assert_int_equal(s.actor.n_asked, 0);
    end_scene(&s);
}

TEST_GROUP(kind, cmocka_unit_test(a_sure_choice_is_taken_and_recorded),
           cmocka_unit_test(a_doubtful_choice_names_the_candidates),
           cmocka_unit_test(sure_of_none_is_unclear_too),
           cmocka_unit_test(an_unmeasured_word_is_taken),
           cmocka_unit_test(a_model_of_outlines_is_not_asked))
