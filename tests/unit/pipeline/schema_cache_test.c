/* shelf_test.c - the schemas that a worker keeps loaded. */
#include "tests/unit/pipeline/spool_box.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/worker/schema_cache.h"

static void write_schema(const struct spool_box *b, int i)
{
    char path[128];
    snprintf(path, sizeof path, "%s/s%d.schema.json", b->path, i);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}",
          f);
    fclose(f);
}

static struct schema *find(struct schema_cache *s, struct spool_box *b, int i)
{
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    struct schema_cache_schema *found =
        schema_cache_find(s, name, b->config, NULL, NULL, &b->err);
    test_ok(&b->err);
    assert_string_equal(found->name, name);
    return found->schema;
}

static bool holds(const struct schema_cache *s, int i)
{
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    for (int at = 0; at < s->n; at++)
        if (!strcmp(s->schema[at].name, name)) return true;
    return false;
}

static void a_full_shelf_drops_the_schema_used_longest_ago(void **state)
{
    struct spool_box *b = *state;
    struct schema_cache s = {.n = 0};
    config_set(b->config, "schemas", b->path, "test", &b->err);
    for (int i = 0; i < SCHEMA_CACHE_MAX + 2; i++)
        write_schema(b, i);
    struct schema *first = NULL;
    for (int i = 0; i < SCHEMA_CACHE_MAX; i++) {
        struct schema *one = find(&s, b, i);
        if (i == 0) first = one;
    }
    assert_ptr_equal(find(&s, b, 0), first); /* used again: now 1 is oldest */
    find(&s, b, SCHEMA_CACHE_MAX);
    assert_true(holds(&s, 0) && holds(&s, SCHEMA_CACHE_MAX - 1));
    assert_false(holds(&s, 1));
    find(&s, b, SCHEMA_CACHE_MAX + 1);
    assert_true(holds(&s, SCHEMA_CACHE_MAX)); /* the newest stays */
    assert_false(holds(&s, 2));
    schema_cache_clear(&s);
}

TEST_GROUP(shelf, cmocka_unit_test_setup_teardown(
                      a_full_shelf_drops_the_schema_used_longest_ago,
                      spool_box_open, spool_box_close))
