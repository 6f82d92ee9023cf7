/* config_schema_test.c - the sections [schema.NAME] of platen.conf. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/config/config.h"

/* The configuration of a file with these lines; flag: "KEY=VALUE" of the command
 * line, or NULL. */
static struct config *read_lines(const char *lines, const char *key,
                                 const char *value, struct err *err)
{
    char path[] = "/tmp/platen-conf.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, lines, strlen(lines)), (ssize_t)strlen(lines));
    close(fd);
    struct config *c = config_open(path, err);
    if (key) config_set(c, key, value, "flag", err);
    config_finish(c, err);
    unlink(path);
    return c;
}

static const char two[] =
    "[engine]\nmodel = /m/large.gguf\nmmproj = /m/eyes.gguf\n"
    "mtp = /m/mtp-large.gguf\nmodel_sha256 = "
    "0123456789abcdef0123456789abcdef0123456789abcdef01234"
    "56789abcdef\nseed = 7\n"
    "[schema.receipt]\nmodel = /s/small.gguf\n"
    "[limits]\nmax_pages = 9\n"
    "[schema.photo]\nmax-pixels = 1000000\n"
    "[schema.letter]\nendpoint = http://127.0.0.1:1/v1\n";

static void a_section_is_what_differs(void **state)
{
    (void)state;
    struct err err = {0};
    struct config *c = read_lines(two, NULL, NULL, &err);
    test_ok(&err);
    const struct config *r = config_for(c, "receipt");
    assert_true(r != c && config_for(c, "invoice") == c);
    assert_string_equal(r->stage.model, "/s/small.gguf");
    /* what belongs to the other model */
    assert_string_equal(r->stage.mmproj, "");
    assert_string_equal(r->stage.mtp, "");
    assert_string_equal(r->stage.model_sha256, "");
    assert_true(r->stage.seed == 7 && r->stage.max_pages == 9);
    assert_true(c->stage.max_pages == 9 && c->stage.max_pixels == 0);
    assert_string_equal(c->stage.model, "/m/large.gguf");
    const struct config *p = config_for(c, "photo");
    assert_true(p->stage.max_pixels == 1000000);
    assert_string_equal(p->stage.mmproj, "/m/eyes.gguf");
    assert_true(config_same_model(c, p) && !config_same_model(c, r));
    const struct config *l = config_for(c, "letter");
    assert_string_equal(l->stage.engine, "endpoint");
    assert_false(config_same_model(c, l));
    assert_true(c->several_models && config_shares_model(r));
    assert_true(config_each_schema(c, c) == r &&
                config_each_schema(c, r) == p &&
                config_each_schema(c, p) == l && !config_each_schema(c, l));
    config_close(c);
}

static void a_flag_is_for_all_schemas(void **state)
{
    (void)state;
    struct err err = {0};
    struct config *c = read_lines(two, "engine", "null", &err);
    test_ok(&err);
    assert_string_equal(config_for(c, "receipt")->stage.engine, "null");
    assert_string_equal(config_for(c, "letter")->stage.engine, "null");
    assert_true(config_for(c, "photo")->stage.max_pixels == 1000000);
    assert_false(c->several_models);
    config_close(c);
    c = read_lines(two, "model", "/m/other.gguf", &err);
    test_ok(&err);
    assert_string_equal(config_for(c, "receipt")->stage.model, "/m/other.gguf");
    assert_string_equal(config_for(c, "letter")->stage.engine, "native");
    config_close(c);
    c = read_lines(two, "max_pixels", "5", &err);
    test_ok(&err);
    assert_true(config_for(c, "photo")->stage.max_pixels == 5);
    assert_string_equal(config_for(c, "receipt")->stage.model, "/s/small.gguf");
    config_close(c);
}

static void the_key_of_one_endpoint_is_not_sent_to_another(void **state)
{
    (void)state;
    struct err err = {0};
    setenv("OPENAI_API_KEY", "secret", 1);
    struct config *c = read_lines("engine = endpoint\nendpoint = http://a/v1\n"
                                  "[schema.b]\nendpoint = http://b/v1\n"
                                  "[schema.c]\nendpoint_model = c\n",
                                  NULL, NULL, &err);
    test_ok(&err);
    assert_true(c->stage.endpoint_key_fd > 0);
    assert_int_equal(config_for(c, "b")->stage.endpoint_key_fd, 0);
    assert_int_equal(config_for(c, "c")->stage.endpoint_key_fd,
                     c->stage.endpoint_key_fd);
    config_close(c);
}

static void refused(const char *lines, const char *words)
{
    struct err err = {0};
    struct config *c = read_lines(lines, NULL, NULL, &err);
    assert_int_equal(err.kind, ERR_CONFIG);
    if (!strstr(err.text, words)) fail_msg("%s: no \"%s\"", err.text, words);
    config_close(c);
}

static void a_wrong_one_is_refused_with_its_line(void **state)
{
    (void)state;
    refused("[schema.a]\njobs = 2\n", ":2: jobs cannot be set for a schema");
    refused("[schema.a]\nmodle = 2\n", ":2: modle: no such key; did you mean");
    refused("[schema.a]\nmodel = 1\n\nmodel = 2\n", ":4: model is already set");
    refused("[schema.]\nmodel = 1\n", ":2: must be [schema.NAME]");
    refused("[shema.a]\nmodel = 1\n", ":2: [shema.a]: no such section");
    refused("[schema.a]\nmodel = 1\nendpoint = http://a\n", ":2: [schema.a]");
    refused("[schema.a]\nmodel_sha256 = 1\n", "64 hex digits");
    char many[2000] = "";
    for (int i = 0; i <= CONFIG_SCHEMAS_MAX; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "[schema.a%d]\nmodel = 1\n", i);
    refused(many, ":64: [schema.a31]: more than 31");
}

TEST_GROUP(config_schema, cmocka_unit_test(a_section_is_what_differs),
           cmocka_unit_test(a_flag_is_for_all_schemas),
           cmocka_unit_test(the_key_of_one_endpoint_is_not_sent_to_another),
           cmocka_unit_test(a_wrong_one_is_refused_with_its_line))
