/* pointer_test.c - JSON pointers are written and read the same way. */
#include "tests/support/test.h"

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

static const char text[] = "{\"a/b\":1,\"m~n\":{\"~1\":2},\"\":3,"
                           "\"list\":[4,{\"0\":5}],\"0\":6}";

/* Every value of the tree is found by the pointer that is written for it. */
static void walk(const cJSON *root, const cJSON *at, struct buf *path)
{
    assert_ptr_equal(json_pointer_find(root, buf_span(path).data), at);
    size_t size = path->size;
    int i = 0;
    for (const cJSON *child = at->child; child; child = child->next, i++) {
        json_pointer_add_child(path, at, child, i);
        walk(root, child, path);
        buf_cut(path, size);
    }
}

static void what_is_written_is_found(void **state)
{
    (void)state;
    struct err err = {0};
    cJSON *root = json_parse(span_of(text), &err);
    test_ok(&err);
    struct buf path = buf_limit(1000);
    walk(root, root, &path);
    buf_free(&path);
    assert_int_equal(json_pointer_find(root, "/a~1b")->valueint, 1);
    assert_int_equal(json_pointer_find(root, "/m~0n/~01")->valueint, 2);
    assert_int_equal(json_pointer_find(root, "/")->valueint, 3);
    assert_int_equal(json_pointer_find(root, "/list/1/0")->valueint, 5);
    cJSON_Delete(root);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    static const char *const none[] = {
        "/a/b",     "/a~b",      "a~1b",     "/list/2",         "/list/01",
        "/list/-1", "/list/-",   "/list/",   "/a~1b/0",         "/list/1/1",
        "/m~0n/~1", "/m~0n/~02", "/list/0x", "/list/9999999999"};
    struct err err = {0};
    cJSON *root = json_parse(span_of(text), &err);
    test_ok(&err);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (json_pointer_find(root, none[i])) fail_msg("%s is found", none[i]);
    cJSON_Delete(root);
}

TEST_GROUP(pointer, cmocka_unit_test(what_is_written_is_found),
           cmocka_unit_test(what_is_not_there_is_not_found))
