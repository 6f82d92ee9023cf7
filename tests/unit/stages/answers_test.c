/* Answers that are given again: to the very same questions alone. */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/answers.h"
#include "vlm/schema/schema.h"

/* An engine that counts what it is told. */
struct counting {
    struct engine engine;
    int n_begin, n_context, n_page, n_answer;
    int first_pixel; /* of the last page */
};

static const struct engine_facts *facts(const struct engine *e)
{
    static const struct engine_facts f = {
        .name = "counting", .model = "m", .model_hash = "h"};
    (void)e;
    return &f;
}

static void begin(struct engine *e, struct document *doc, struct err *err)
{
    (void)doc;
    (void)err;
    ((struct counting *)e)->n_begin++;
}

static void context(struct engine *e, const char *text, struct err *err)
{
    (void)text;
    (void)err;
    ((struct counting *)e)->n_context++;
}

static void page(struct engine *e, struct document *doc,
                 const struct view *view, struct err *err)
{
    struct counting *c = (struct counting *)e;
    (void)doc;
    (void)err;
    c->n_page++;
    c->first_pixel = view->image->data[0];
}

static void answer(struct engine *e, struct document *doc,
                   const struct engine_try *now, struct err *err)
{
    static const struct document_token token[] = {{3, -0.1}, {7, -0.7}};
    static const struct field_place place = {2, {.1, .2, .3, .4}, 0.6};
    struct counting *c = (struct counting *)e;
    (void)err;
    c->n_answer++;
    e->room = 1000 + now->max_tokens;
    doc->answer = span_of("{\"a\":\"\xc3\xa4\"}");
    doc->told = (struct document_told){token, 2};
    doc->n_field = 0;
    *document_add_field(doc) = (struct field){
        .pointer = "/a", .p = 1.0 / 3, .p_legal = 0.5, .n_token = 2};
    doc->look = arena_array(doc->arena, 1, sizeof *doc->look);
    doc->look[0] = (struct field_look){.place = &place, .n_place = 1};
    doc->n_prompt_tokens += 11;
    doc->n_sampled += 5;
    doc->n_forced += 3;
}

static void end(struct engine *e, struct document *doc)
{
    (void)e;
    (void)doc;
}

static const struct engine_api api = {.facts = facts,
                                      .begin = begin,
                                      .context = context,
                                      .page = page,
                                      .answer = answer,
                                      .end = end};

/* One question about a page whose pixels are all `pixel`. */
static struct document *ask(struct engine *e, const struct schema *schema,
                            uint8_t pixel, int max_tokens)
{
    struct err err = {0};
    struct document *doc = document_new("id", "name", -1);
    struct image image = image_new(4, 2, 1, &err);
    struct page of = {.number = 3, .dpi = 150};
    struct view view = {.image = &image, .page = &of};
    struct engine_try now = {.attempt = 1, .max_tokens = max_tokens};
    memset(image.data, pixel, 8);
    doc->schema = schema;
    doc->prompt = "read";
    e->api->begin(e, doc, &err);
    e->api->context(e, "before", &err);
    e->api->page(e, doc, &view, &err);
    image_free(&image);
    e->api->answer(e, doc, &now, &err);
    e->api->end(e, doc);
    test_ok(&err);
    return doc;
}

static void check_answer(const struct document *doc, const struct engine *e,
                         int max_tokens)
{
    assert_true(span_equal(doc->answer, span_of("{\"a\":\"\xc3\xa4\"}")));
    assert_int_equal(doc->n_field, 1);
    assert_string_equal(doc->field[0].pointer, "/a");
    assert_true(doc->field[0].p == 1.0 / 3 && doc->field[0].p_legal == 0.5);
    assert_int_equal(doc->field[0].n_token, 2);
    assert_int_equal(doc->told.n, 2);
    assert_true(doc->told.token[1].end == 7 &&
                doc->told.token[1].log_p == -0.7);
    assert_int_equal(doc->look[0].n_place, 1);
    assert_true(doc->look[0].place[0].box.h == .4 &&
                doc->look[0].place[0].weight == 0.6);
    assert_int_equal(doc->look[0].ink.page, 0);
    assert_int_equal(doc->n_prompt_tokens, 11);
    assert_int_equal(doc->n_sampled, 5);
    assert_int_equal(doc->n_forced, 3);
    assert_int_equal(e->room, 1000 + max_tokens);
}

static struct schema *any_schema(void)
{
    struct err err = {0};
    struct schema_options options = {.lenient = false};
    struct schema *s =
        schema_parse(span_of("{\"type\":\"object\"}"), "s", &options, &err);
    test_ok(&err);
    return s;
}

static int no_file(void)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    assert_true(fd >= 0);
    return fd;
}

/* What a first engine answered lies in a file, from which a second one gives. */
static void the_same_question_is_not_asked_twice(void **state)
{
    (void)state;
    struct err err = {0};
    struct settings settings = {.temperature = 0};
    struct schema *schema = any_schema();
    int fd = no_file();
    struct counting first = {.engine = {.api = &api}}, next = first;
    struct engine *e = answers_open(&first.engine, &settings, -1, fd, &err);
    test_ok(&err);
    struct document *doc = ask(e, schema, 7, 100);
    assert_int_equal(first.n_answer, 1);
    check_answer(doc, e, 100);
    document_free(doc);
    engine_close(e);

    e = answers_open(&next.engine, &settings, fd, -1, &err);
    doc = ask(e, schema, 7, 100);
    check_answer(doc, e, 100);
    document_free(doc);
    assert_int_equal(next.n_begin + next.n_page + next.n_answer, 0);
    /* another try of it: the engine behind is told all of it, late */
    doc = ask(e, schema, 7, 200);
    check_answer(doc, e, 200);
    document_free(doc);
    assert_int_equal(next.n_begin * 100 + next.n_context * 10 + next.n_page,
                     111);
    assert_int_equal(next.first_pixel, 7);
    /* another picture */
    doc = ask(e, schema, 8, 100);
    document_free(doc);
    assert_int_equal(next.n_answer, 2);
    assert_int_equal(next.first_pixel, 8);
    engine_close(e);
    close(fd);
    schema_free(schema);
}

static void other_settings_make_another_question(void **state)
{
    (void)state;
    struct err err = {0};
    struct settings one = {.temperature = 0}, other = {.temperature = 0.1};
    struct schema *schema = any_schema();
    int fd = no_file();
    struct counting first = {.engine = {.api = &api}}, next = first;
    struct engine *e = answers_open(&first.engine, &one, -1, fd, &err);
    document_free(ask(e, schema, 7, 100));
    engine_close(e);
    e = answers_open(&next.engine, &other, fd, -1, &err);
    document_free(ask(e, schema, 7, 100));
    assert_int_equal(next.n_answer, 1);
    engine_close(e);
    close(fd);
    schema_free(schema);
}

/* What a crash cut off, or nobody wrote, is no answer. */
static void a_line_that_is_none_is_passed_over(void **state)
{
    (void)state;
    struct err err = {0};
    struct settings settings = {.temperature = 0};
    struct schema *schema = any_schema();
    int fd = no_file();
    char line[4000];
    struct counting first = {.engine = {.api = &api}}, next = first;
    struct engine *e = answers_open(&first.engine, &settings, -1, fd, &err);
    document_free(ask(e, schema, 7, 100));
    engine_close(e);
    ssize_t n = pread(fd, line, sizeof line, 0);
    assert_true(n > 200);
    line[n - 20] = '"';
    assert_int_equal(pwrite(fd, line, (size_t)n, 0), n);
    assert_int_equal(write(fd, "{\"key\":\"half", 12), 12);
    e = answers_open(&next.engine, &settings, fd, -1, &err);
    test_ok(&err);
    struct document *doc = ask(e, schema, 7, 100);
    assert_int_equal(next.n_answer, 1);
    check_answer(doc, e, 100);
    document_free(doc);
    engine_close(e);
    close(fd);
    schema_free(schema);
}

TEST_GROUP(answers, cmocka_unit_test(the_same_question_is_not_asked_twice),
           cmocka_unit_test(other_settings_make_another_question),
           cmocka_unit_test(a_line_that_is_none_is_passed_over))
