/* stage_test.c - questions, tries and the last check, with an engine that says
 * what the test wants to hear about real pages. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/document/reason.h"
#include "stages/stages.h"
#include "tests/unit/stages/usual_settings.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { ASKED_MAX = 8 };

/* What the engine says when it is asked for the n-th time. */
struct line {
    const char *text;   /* of the answer */
    const char *reason; /* or the failure: model-truncated, context-full ... */
    struct field field[3];
};

struct actor {
    struct engine engine;
    struct engine_facts facts;
    const struct line *line;
    int n_asked, n_begun, n_page;
    int max_tokens[ASKED_MAX], pages[ASKED_MAX];
    const char *finding[ASKED_MAX];
};

static const struct engine_facts *actor_facts(const struct engine *e)
{
    return &((const struct actor *)e)->facts;
}

static void actor_begin(struct engine *e, struct document *doc, struct err *err)
{
    (void)doc;
    (void)err;
    struct actor *a = (struct actor *)e;
    a->n_begun++;
    a->n_page = 0;
}

static void actor_page(struct engine *e, struct document *doc,
                       const struct view *view, struct err *err)
{
    (void)doc;
    (void)view;
    (void)err;
    ((struct actor *)e)->n_page++;
}

static void actor_answer(struct engine *e, struct document *doc,
                         const struct engine_try *now, struct err *err)
{
    struct actor *a = (struct actor *)e;
    assert_true(a->n_asked < ASKED_MAX);
    const struct line *line = &a->line[a->n_asked];
    a->max_tokens[a->n_asked] = now->max_tokens;
    a->finding[a->n_asked] = now->finding;
    a->pages[a->n_asked++] = a->n_page;
    if (line->reason) {
        bool full = !strcmp(line->reason, "context-full");
        err_reason(err, full ? ERR_LIMIT : ERR_ANSWER, line->reason, "%s",
                   line->text);
        return;
    }
    doc->answer = span_of(line->text);
    doc->n_field = 0;
    doc->field = arena_array(doc->arena, 3, sizeof *doc->field);
    while (doc->n_field < 3 && line->field[doc->n_field].pointer) {
        doc->field[doc->n_field] = line->field[doc->n_field];
        doc->n_field++;
    }
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
    struct settings settings;
    struct actor actor;
    struct schema *schema;
    struct document *doc;
    int fd;
    struct err err;
};

static void set_scene(struct scene *s, const char *sample, const char *schema,
                      const struct line *line, int images_max, int room)
{
    char path[4096];
    *s = (struct scene){.fd = -1};
    s->settings = usual_settings();
    s->settings.engine = "native";
    s->settings.ocr = "off";
    s->settings.max_tokens = 100;
    s->settings.review_threshold = .5;
    s->settings.skip_blank = true;
    s->actor = (struct actor){.engine = {.api = &actor_api, .room = room},
                              .facts = {.model = "actor",
                                        .name = "actor",
                                        .model_hash = "",
                                        .grid = 32,
                                        .min_pixels = 65536,
                                        .max_pixels = 100000,
                                        .images_max = images_max},
                              .line = line};
    struct schema_options o = {.format_asserts = true};
    s->schema = schema_parse(span_of(schema), "test", &o, &s->err);
    test_ok(&s->err);
    s->fd = open(test_path(path, sample), O_RDONLY | O_CLOEXEC);
    assert_true(s->fd >= 0);
    s->doc = document_new("id", sample, s->fd);
    s->doc->schema = s->schema;
    struct run_context context = {.settings = &s->settings,
                                  .engine = &s->actor.engine};
    stages_run(s->doc, &context, &s->err);
}

static void end_scene(struct scene *s)
{
    document_free(s->doc);
    schema_free(s->schema);
    close(s->fd);
}

static void data_is(const struct scene *s, const char *want)
{
    test_ok(&s->err);
    struct buf out = buf_limit(10000);
    json_print_stream(&out, s->doc->data, 0, document_stream(s->doc));
    assert_string_equal(out.data, want);
    buf_free(&out);
}

static void failed_as(const struct scene *s, const char *reason)
{
    assert_true(err_failed(&s->err));
    assert_non_null(s->err.reason);
    assert_string_equal(s->err.reason, reason);
}

static const char two_pages[] = "samples/good/two-pages.pdf";
static const char two_scans[] = "samples/good/fax-two-pages.tiff";
static const char one_page[] = "samples/good/kiosk.png";
static const char free_list[] =
    "{\"type\":\"object\",\"additionalProperties\":false,"
    "\"required\":[\"items\"],\"properties\":{\"sum\":{\"type\":[\"number\","
    "\"null\"]},\"items\":{\"type\":\"array\",\"maxItems\":3,"
    "\"uniqueItems\":true,\"items\":{\"type\":\"string\"}}}}";

static void pages_are_one_question_or_several(void **state)
{
    (void)state;
    static const struct line whole[] = {{.text = "{\"items\":[\"a\",\"b\"]}"}};
    struct scene s;
    set_scene(&s, two_pages, free_list, whole, 0, 0);
    data_is(&s, "{\"items\":[\"a\",\"b\"]}");
    assert_int_equal(s.actor.n_asked, 1);
    assert_int_equal(s.actor.n_begun, 1);
    assert_int_equal(s.actor.pages[0], 2);
    end_scene(&s);

    static const struct line each[] = {
        {.text = "{\"items\":[\"a\"]}"},
        {.text = "{\"items\":[\"b\"],\"sum\":2}"}};
    set_scene(&s, two_pages, free_list, each, 1, 0);
    /* in the order of the schema, although the sum came with page 2 */
    data_is(&s, "{\"sum\":2,\"items\":[\"a\",\"b\"]}");
    assert_int_equal(s.actor.n_asked, 2);
    assert_int_equal(s.actor.n_begun, 2);
    assert_int_equal(s.actor.pages[0], 1);
    assert_int_equal(s.actor.pages[1], 1);
    end_scene(&s);
}

/* Each answer is valid; together they are not, and are not published. */
static void joined_pages_are_checked(void **state)
{
    (void)state;
    static const struct line many[] = {{.text = "{\"items\":[\"a\",\"b\"]}"},
                                       {.text = "{\"items\":[\"c\",\"d\"]}"}};
    static const struct line same[] = {{.text = "{\"items\":[\"a\"]}"},
                                       {.text = "{\"items\":[\"a\"]}"}};
    const struct line *line[] = {many, same};
    for (int i = 0; i < 2; i++) {
        struct scene s;
        set_scene(&s, two_pages, free_list, line[i], 1, 0);
        failed_as(&s, "schema-invalid");
        assert_non_null(strstr(s.err.text, "/items: found"));
        assert_string_equal(s.doc->stage, "validate");
        end_scene(&s);
    }
}

/* The guess of page 2 is dropped there, and the sure value of page 1 stays:
 * whatever its key is called. */
static void evidence_is_that_of_the_right_page(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"additionalProperties\":false,"
        "\"x-platen-per-page\":true,\"required\":[\"a/b\"],\"properties\":{"
        "\"a/b\":{\"type\":[\"string\",\"null\"],"
        "\"x-platen-required-evidence\":true},"
        "\"c~d\":{\"type\":[\"string\",\"null\"]}}}";
    static const struct line each[] = {
        {.text = "{\"a/b\":\"x\",\"c~d\":null}",
         .field = {{.pointer = "/a~1b", .p = .9, .p_legal = 1},
                   {.pointer = "/c~0d", .p = .8, .p_legal = 1}}},
        {.text = "{\"a/b\":\"y\",\"c~d\":\"z\"}",
         .field = {{.pointer = "/a~1b", .p = .1, .p_legal = 1},
                   {.pointer = "/c~0d", .p = .7, .p_legal = 1}}}};
    struct scene s;
    set_scene(&s, two_scans, schema, each, 0, 0);
    data_is(&s, "{\"a/b\":\"x\",\"c~d\":\"z\"}");
    assert_int_equal(s.doc->n_field, 2);
    assert_true(s.doc->field[0].p > .85 && !s.doc->field[0].dropped);
    assert_true(s.doc->field[1].p < .75);
    bool found = false; /* that the document is unread comes first */
    for (int i = 0; i < s.doc->warnings->n; i++)
        found |= strstr(s.doc->warnings->row[i].text,
                        "page 2: dropped /a~1b") != NULL;
    assert_true(found);
    end_scene(&s);
}

/* What the words of page 1 prove of its values is still there after page 2. */
static void evidence_outlives_its_page(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"additionalProperties\":false,"
        "\"x-platen-per-page\":true,\"required\":[\"lines\"],\"properties\":{"
        "\"lines\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";
    static const struct line each[] = {
        {.text = "{\"lines\":[\"Lamp\",\"Cable\"]}",
         .field = {{.pointer = "/lines/0", .p = .9, .p_legal = 1},
                   {.pointer = "/lines/1", .p = .9, .p_legal = 1}}},
        {.text = "{\"lines\":[\"Notebook\",\"Pencil\"]}",
         .field = {{.pointer = "/lines/0", .p = .9, .p_legal = 1},
                   {.pointer = "/lines/1", .p = .9, .p_legal = 1}}}};
    struct scene s;
    set_scene(&s, two_pages, schema, each, 0, 0);
    data_is(&s, "{\"lines\":[\"Lamp\",\"Cable\",\"Notebook\",\"Pencil\"]}");
    assert_int_equal(s.doc->n_field, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s.doc->field[i].n_evidence, 1);
        assert_int_equal(s.doc->field[i].evidence->page, 1 + i / 2);
    }
    assert_int_equal(s.doc->token_probs.n, 0);
    end_scene(&s);
}

/* Asked again with more room, as far as there is any; never with the same. */
static void a_cut_answer_gets_more_room(void **state)
{
    (void)state;
    static const struct line cut[] = {
        {.text = "cut after 100", .reason = "model-truncated"},
        {.text = "{\"items\":[\"a\"]}"}};
    static const struct line twice[] = {
        {.text = "cut after 100", .reason = "model-truncated"},
        {.text = "went round", .reason = "model-loop"}};
    static const struct line full[] = {
        {.text = "cut after 100", .reason = "model-truncated"},
        {.text = "too long", .reason = "context-full"}};
    struct scene s;
    set_scene(&s, one_page, free_list, cut, 0, 0);
    data_is(&s, "{\"items\":[\"a\"]}");
    assert_int_equal(s.actor.max_tokens[0], 100);
    assert_int_equal(s.actor.max_tokens[1], 400);
    assert_null(s.actor.finding[1]);
    end_scene(&s);

    static const struct line wrong[] = {
        {.text = "{\"items\":[1]}"},
        {.text = "too long", .reason = "context-full"}};
    const struct line *worse[] = {twice, full, wrong};
    for (int i = 0; i < 3; i++) {
        set_scene(&s, one_page, free_list, worse[i], 0, 0);
        failed_as(&s, i < 2 ? "model-truncated" : "schema-invalid");
        assert_non_null(strstr(s.err.text, worse[i][1].text));
        if (i < 2) assert_int_equal(reason_of(&s.err)->fate, FATE_REJECT);
        assert_int_equal(s.actor.n_asked, 2);
        end_scene(&s);
    }
}

static void room_bounds_the_second_try(void **state)
{
    (void)state;
    static const struct line cut[] = {
        {.text = "cut after 100", .reason = "model-truncated"},
        {.text = "{\"items\":[\"a\"]}"}};
    struct scene s;
    set_scene(&s, one_page, free_list, cut, 0, 130);
    test_ok(&s.err);
    assert_int_equal(s.actor.max_tokens[1], 130);
    end_scene(&s);

    set_scene(&s, one_page, free_list, cut, 0, 100);
    failed_as(&s, "model-truncated");
    assert_int_equal(s.actor.n_asked, 1);
    assert_non_null(strstr(s.err.text, "too small for a longer one"));
    assert_null(strstr(s.err.text, "fewer pages"));
    end_scene(&s);
}

/* Words around one value that fits are harmless, and told. */
static void words_around_a_value_are_left_out(void **state)
{
    (void)state;
    static const char *const good[] = {
        "Here you are: {\"items\":[\"a\"]} Enjoy!",
        "```json\n{\"items\":[\"a\"]}\n```\nThat is all.",
        "```json {\"items\":[\"a\"]} ```",
        "so it must be {\"items\":[\"b\"]}\n</think>\n{\"items\":[\"a\"]}",
        "the record: {\"items\":[\"a\"]}",
        "1 record\n\n{\"items\":[\"a\"]}",
        "{\"no\":1} is wrong, this is right: {\"items\":[\"a\"]} [1]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct line line[] = {{.text = good[i]}};
        struct scene s;
        set_scene(&s, one_page, free_list, line, 0, 0);
        data_is(&s, "{\"items\":[\"a\"]}");
        assert_int_equal(s.doc->warnings->n, 1);
        end_scene(&s);
    }
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"{\"items\":[\"a\"]} or {\"items\":[\"b\"]}", "model-invalid-json"},
        {"{\"items\":[\"a\"]} twice: {\"items\":[\"a\"]}",
         "model-invalid-json"},
        {"this: [{\"items\":[\"a\"]}]", "schema-invalid"},
        {"this: {\"items\":[\"a\"], \"x\": {\"items\":[]}",
         "model-invalid-json"},
        {"no value at all", "model-invalid-json"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct line line[] = {{.text = bad[i].text}, {.text = bad[i].text}};
        struct scene s;
        set_scene(&s, one_page, free_list, line, 0, 0);
        failed_as(&s, bad[i].reason);
        assert_int_equal(s.actor.n_asked, 2);
        assert_non_null(s.actor.finding[1]);
        end_scene(&s);
    }
}

TEST_GROUP(stage, cmocka_unit_test(pages_are_one_question_or_several),
           cmocka_unit_test(joined_pages_are_checked),
           cmocka_unit_test(evidence_is_that_of_the_right_page),
           cmocka_unit_test(evidence_outlives_its_page),
           cmocka_unit_test(a_cut_answer_gets_more_room),
           cmocka_unit_test(room_bounds_the_second_try),
           cmocka_unit_test(words_around_a_value_are_left_out))
