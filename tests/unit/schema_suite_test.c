/* schema_suite_test.c - the JSON-Schema-Test-Suite for draft 2020-12, from
 * tests/vectors/json-schema or, for `make test-suites`, from the folder in
 * PLATEN_JSON_SCHEMA_SUITE (then remotes/ lies two folders up). */
#include "tests/support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct tally {
    const char *catalogue;
    struct schema_options options;
    int n_test, n_good;
};

static const struct json_rules LOOSE = {.depth_max = 256, .nul = true};

static void try_case(struct tally *t, const struct schema *schema,
                     const cJSON *test, const char *what)
{
    struct err err = {0};
    struct findings findings;
    struct arena *arena = arena_new();
    bool valid =
        schema_validate(schema, json_get(test, "data"), arena, &findings, &err);
    bool want = cJSON_IsTrue(json_get(test, "valid"));
    t->n_test++;
    if (valid == want && !err_failed(&err) &&
        (valid || findings.n_finding > 0)) {
        t->n_good++;
    } else {
        print_message("%s / %s: %s, want %s %s\n", what,
                      json_get_text(test, "description"),
                      valid ? "valid" : "not valid", want ? "valid" : "not",
                      err.text);
    }
    arena_free(arena);
}

static void run_group(struct tally *t, const cJSON *group, const char *file)
{
    char what[300];
    snprintf(what, sizeof what, "%s: %s", file,
             json_get_text(group, "description"));
    struct buf text = buf_limit(1 << 24);
    struct err err = {0};
    json_print(&text, json_get(group, "schema"), 0);
    struct schema *s =
        schema_parse(buf_span(&text), "schema", &t->options, &err);
    if (!s) print_message("%s: %s\n", what, err.text);
    const cJSON *test = NULL;
    cJSON_ArrayForEach(test, json_get(group, "tests"))
    {
        if (s)
            try_case(t, s, test, what);
        else
            t->n_test++;
    }
    schema_free(s);
    buf_free(&text);
}

static void run_folder(struct tally *t, const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) fail_msg("%s is not here", folder);
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".json")) continue;
        char path[5000];
        size_t size;
        struct err err = {0};
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = test_read(path, &size);
        cJSON *groups =
            json_parse_rules((struct span){text, size}, LOOSE, &err);
        test_ok(&err);
        const cJSON *group = NULL;
        cJSON_ArrayForEach(group, groups)
        {
            run_group(t, group, e->d_name);
        }
        cJSON_Delete(groups);
        test_give(text);
    }
    closedir(d);
}

/* The folder of the tests, or of the remotes, of either copy of the suite. */
static void place(char out[static 4200], const char *ours, const char *theirs)
{
    const char *suite = getenv("PLATEN_JSON_SCHEMA_SUITE");
    char path[4096];
    if (suite)
        snprintf(out, 4200, "%s/%s", suite, theirs);
    else
        snprintf(out, 4200, "%s", test_path(path, "tests/vectors/json-schema"));
    if (!suite) snprintf(out + strlen(out), 100, "/%s", ours);
}

static struct tally run(const char *ours, const char *theirs,
                        struct schema_options options)
{
    char folder[4200], remotes[4200];
    place(folder, ours, theirs);
    place(remotes, "remotes", "remotes");
    options.catalogue = remotes;
    struct tally t = {.options = options};
    run_folder(&t, folder);
    print_message("%s: %d of %d\n", ours, t.n_good, t.n_test);
    return t;
}

static void required_tests_of_2020_12_all_hold(void **state)
{
    (void)state;
    struct tally t =
        run("required", "tests/draft2020-12", (struct schema_options){0});
    assert_int_equal(t.n_test, 1299);
    assert_int_equal(t.n_good, 1299);
}

static void formats_hold_where_they_are_asserted(void **state)
{
    (void)state;
    struct tally t = run("format", "tests/draft2020-12/optional/format",
                         (struct schema_options){.format_asserts = true});
    assert_int_equal(t.n_test, 764);
    /* libidn2 2.3 lacks two of RFC 5893: rule 4, and labels of one name */
    assert_true(t.n_good >= 762);
}

static void optional_tests_hold(void **state)
{
    (void)state;
    struct tally t = run("optional", "tests/draft2020-12/optional",
                         (struct schema_options){.lenient = true});
    assert_true(t.n_good >= t.n_test - 3);
}

/* The older drafts, from ../shared: their files name their own draft. */
static void required_tests_of_older_drafts_all_hold(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum dialect dialect;
        int n_test;
    } draft[] = {{"draft2019-09", DIALECT_2019_09, 1259},
                 {"draft7", DIALECT_7, 927},
                 {"draft6", DIALECT_6, 839},
                 {"draft4", DIALECT_4, 618}};
    char folder[4200], remotes[4200];
    bool all = true;
    snprintf(remotes, sizeof remotes,
             "%s/suites/JSON-Schema-Test-Suite/remotes", test_shared());
    for (size_t i = 0; i < sizeof draft / sizeof *draft; i++) {
        struct tally t = {.options = {.catalogue = remotes,
                                      .dialect = draft[i].dialect,
                                      .lenient = true}};
        snprintf(folder, sizeof folder,
                 "%s/suites/JSON-Schema-Test-Suite/tests/%s", test_shared(),
                 draft[i].name);
        run_folder(&t, folder);
        print_message("%s: %d of %d\n", draft[i].name, t.n_good, t.n_test);
        all &= t.n_test == draft[i].n_test && t.n_good == t.n_test;
    }
    assert_true(all);
}

TEST_GROUP(schema_suite, cmocka_unit_test(required_tests_of_2020_12_all_hold),
           cmocka_unit_test(formats_hold_where_they_are_asserted),
           cmocka_unit_test(optional_tests_hold),
           cmocka_unit_test(required_tests_of_older_drafts_all_hold))
