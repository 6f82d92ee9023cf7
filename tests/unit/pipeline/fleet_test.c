/* What goes with a document to a fleet, and where its bytes lie. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_settings.h"
#include "pipeline/fleet/fleet_store.h"
#include "tests/unit/pipeline/spool_box.h"

static struct fleet_store store_of(const struct spool_box *b)
{
    return (struct fleet_store){.folder = b->path,
                                .key = "",
                                .secret = "",
                                .session = "",
                                .host = "here"};
}

static void settings_come_back(void **state)
{
    struct spool_box *b = *state;
    struct buf lines = buf_limit(1 << 16), again = buf_limit(1 << 16);
    config_set(b->config, "dpi", "201", "flag", &b->err);
    config_set(b->config, "pages", "1-3,7", "flag", &b->err);
    config_set(b->config, "format", "json,xml", "flag", &b->err);
    fleet_settings_print(b->config, &lines);
    struct config *own = config_open(NULL, &b->err);
    config_set(own, "dpi", "99", "flag", &b->err);
    config_set(own, "threads", "3", "flag", &b->err);
    struct config *got =
        fleet_settings_apply(own, lines.data, b->path, &b->err);
    test_ok(&b->err);
    fleet_settings_print(got, &again);
    assert_string_equal(lines.data, again.data);
    assert_int_equal(got->stage.dpi, 201);
    assert_int_equal(got->stage.n_thread, 3);
    assert_string_equal(got->stage.schemas, b->path);
    config_close(got);
    config_close(own);
    buf_free(&lines);
    buf_free(&again);
}

static void a_job_may_not_set_what_is_the_machines(void **state)
{
    struct spool_box *b = *state;
    static const char *const lines[] = {"model = /etc/passwd\n",
                                        "dpi = 100\nraster_program = /bin/sh\n",
                                        "endpoint = http://elsewhere\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct err err = {0};
        struct config *c =
            fleet_settings_apply(b->config, lines[i], b->path, &err);
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_non_null(strstr(err.text, "must not set"));
        config_close(c);
    }
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool has_file(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void schemas_travel_by_their_hash(void **state)
{
    struct spool_box *b = *state;
    struct fleet_store store = store_of(b);
    char from[100], to[100];
    snprintf(from, sizeof from, "%s/from", b->path);
    snprintf(to, sizeof to, "%s/to", b->path);
    assert_int_equal(mkdir(from, 0700) + mkdir(to, 0700), 0);
    write_file(from, "a.schema.json", "{}");
    write_file(from, "a.prompt.md", "read");
    write_file(from, "README.md", "not for others");
    /* what no schema can be read from hinders no other */
    char folder[120], link[120];
    snprintf(folder, sizeof folder, "%s/b.schema.json", from);
    snprintf(link, sizeof link, "%s/c.schema.json", from);
    assert_int_equal(mkdir(folder, 0700) + symlink("nowhere", link), 0);
    struct hash one = fleet_settings_put(&store, from, &b->err);
    struct hash same = fleet_settings_put(&store, from, &b->err);
    assert_string_equal(one.hex, same.hex);
    fleet_settings_get(&store, one.hex, to, &b->err);
    test_ok(&b->err);
    assert_true(has_file(to, "a.schema.json") && has_file(to, "a.prompt.md"));
    assert_false(has_file(to, "README.md"));
    write_file(from, "a.prompt.md", "read on");
    struct hash other = fleet_settings_put(&store, from, &b->err);
    assert_string_not_equal(one.hex, other.hex);
    /* a list that leads out of the folder is none */
    struct span evil = span_of("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934"
                               "ca495991b7852b855  ../a.schema.json\n");
    struct hash hash = hash_bytes(evil);
    fleet_store_put(&store, evil, &hash, &b->err);
    test_ok(&b->err);
    struct err err = {0};
    fleet_settings_get(&store, hash.hex, to, &err);
    assert_string_equal(err.reason, "store-damaged");
}

static void bytes_are_held_to_their_hash(void **state)
{
    struct spool_box *b = *state;
    struct fleet_store store = store_of(b);
    struct arena *arena = arena_new();
    struct err err = {0};
    struct span text = span_of("forty-two");
    struct hash hash = hash_bytes(text);
    char folder[100], name[100];
    fleet_store_put(&store, text, &hash, &b->err);
    fleet_store_put(&store, text, &hash, &b->err);
    struct span got = fleet_store_read(&store, hash.hex, 100, arena, &b->err);
    test_ok(&b->err);
    assert_true(span_equal(got, text));
    fleet_store_read(&store, hash.hex, 8, arena, &err);
    assert_string_equal(err.reason, "too-large");
    snprintf(folder, sizeof folder, "%s/%.2s", b->path, hash.hex);
    snprintf(name, sizeof name, "%s", hash.hex);
    write_file(folder, name, "forty-one");
    err = (struct err){0};
    fleet_store_read(&store, hash.hex, 100, arena, &err);
    assert_string_equal(err.reason, "store-damaged");
    /* another size is seen, and mended, when it is put again */
    write_file(folder, name, "cut");
    fleet_store_put(&store, text, &hash, &b->err);
    got = fleet_store_read(&store, hash.hex, 100, arena, &b->err);
    test_ok(&b->err);
    assert_true(span_equal(got, text));
    hash.hex[0] = hash.hex[0] == '0' ? '1' : '0';
    err = (struct err){0};
    fleet_store_read(&store, hash.hex, 100, arena, &err);
    assert_string_equal(err.reason, "store-damaged");
    arena_free(arena);
}

static void a_store_is_a_folder_or_a_bucket_with_keys(void **state)
{
    (void)state;
    struct fleet_store s = {.key = "", .secret = ""};
    struct err err = {0};
    fleet_store_place(&s, "/srv/fleet", &err);
    test_ok(&err);
    assert_string_equal(s.folder, "/srv/fleet");
    fleet_store_place(&s, "s3://pages/fleet", &err);
    assert_int_equal(err.kind, ERR_ARGS);
    err = (struct err){0};
    s.key = s.secret = "k";
    fleet_store_place(&s, "s3://pages/fleet", &err);
    test_ok(&err);
    assert_string_equal(s.bucket, "pages/fleet");
    assert_null(s.folder);
    fleet_store_place(&s, "", &err);
    assert_int_equal(err.kind, ERR_ARGS);
}

#define IN_BOX(test) \
    cmocka_unit_test_setup_teardown(test, spool_box_open, spool_box_close)

TEST_GROUP(fleet, IN_BOX(settings_come_back),
           IN_BOX(a_job_may_not_set_what_is_the_machines),
           IN_BOX(schemas_travel_by_their_hash),
           IN_BOX(bytes_are_held_to_their_hash),
           cmocka_unit_test(a_store_is_a_folder_or_a_bucket_with_keys))
