/* schema_fuzz.c - a schema, a line end, a value: the loader takes it or says
 * why not, and a verdict comes with findings. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static void validate(const struct schema *s, struct span text)
{
    struct err err = {0}, unreadable = {0};
    cJSON *value = json_parse_rules(text, schema_rules(s), &unreadable);
    if (!value) return;
    struct arena *arena = arena_new();
    struct findings findings;
    bool valid = schema_validate(s, value, arena, &findings, &err);
    if (err_failed(&err))
        assert(!valid);
    else
        assert(valid == (findings.n_finding == 0));
    for (int i = 1; i < findings.n_finding; i++)
        assert(findings.finding[i - 1].rank <= findings.finding[i].rank);
    arena_free(arena);
    cJSON_Delete(value);
}

int schema_fuzz(const uint8_t *data, size_t size)
{
    char *copy = mem_alloc(size ? size : 1, 1);
    if (size) memcpy(copy, data, size);
    char *end = size ? memchr(copy, '\n', size) : NULL;
    struct span schema = {copy, end ? (size_t)(end - copy) : size};
    struct span value = {end ? end + 1 : copy,
                         end ? size - schema.size - 1 : size};
    for (int lenient = 0; lenient < 2; lenient++) {
        struct schema_options o = {.lenient = lenient, .format_asserts = true};
        struct err err = {0};
        struct schema *s = schema_parse(schema, "fuzz", &o, &err);
        assert((s != NULL) == !err_failed(&err));
        if (s) validate(s, value);
        schema_free(s);
    }
    mem_free(copy);
    return 0;
}
