/* json_fuzz.c - any bytes through the JSON reader: what it takes comes out
 * again as the same value, and strict texts are RFC 8259 texts. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/json/json.h"

static void print_and_reread(const cJSON *value, struct json_rules rules)
{
    struct err err = {0};
    for (int indent = 0; indent <= 2; indent += 2) {
        struct buf text = buf_limit(1 << 26), again = buf_limit(1 << 26);
        json_print(&text, value, indent);
        cJSON *back = json_parse_rules(buf_span(&text), rules, &err);
        assert(back);
        json_print(&again, back, indent);
        assert(span_equal(buf_span(&text), buf_span(&again)));
        if (!rules.duplicates) {
            assert(json_equal(value, back));
            assert(json_equal_hash(value) == json_equal_hash(back));
        }
        cJSON_Delete(back);
        buf_free(&text);
        buf_free(&again);
    }
}

int json_fuzz(const uint8_t *data, size_t size)
{
    /* a copy of exactly the size: reads behind it are found */
    char *copy = mem_alloc(size ? size : 1, 1);
    if (size) memcpy(copy, data, size);
    struct span text = {copy, size};
    struct err strict_err = {0}, rfc_err = {0};
    struct json_rules rfc = {.depth_max = JSON_DEPTH_MOST,
                             .duplicates = true,
                             .nul = true,
                             .any_size = true};
    cJSON *strict = json_parse(text, &strict_err);
    cJSON *loose = json_parse_rules(text, rfc, &rfc_err);
    assert((strict != NULL) == !err_failed(&strict_err));
    assert(!strict || loose);
    if (strict) print_and_reread(strict, (struct json_rules){0});
    if (loose) print_and_reread(loose, rfc);
    cJSON_Delete(strict);
    cJSON_Delete(loose);
    struct buf quoted = buf_limit(1 << 26);
    json_print_string(&quoted, text); /* any bytes make a JSON string */
    struct err err = {0};
    cJSON *string = json_parse_rules(buf_span(&quoted), rfc, &err);
    assert(string);
    cJSON_Delete(string);
    buf_free(&quoted);
    mem_free(copy);
    return 0;
}
