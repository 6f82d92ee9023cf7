/* base_test.c - arena, buf, cursor, image, map, hash. */
#include "tests/support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/cursor.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/base/image.h"
#include "vlm/base/own_folder.h"

static void count_up(void *n)
{
    ++*(int *)n;
}

static void arena_is_aligned_and_zeroed(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        char *p = arena_alloc(a, size);
        assert_int_equal((uintptr_t)p % (size >= 64 ? 64 : 16), 0);
        assert_int_equal(p[0], 0);
        assert_int_equal(p[size - 1], 0);
        memset(p, 0xff, size);
    }
    arena_free(a);
}

static void arena_runs_deferred_calls_once(void **state)
{
    (void)state;
    int n = 0;
    struct arena *a = arena_new();
    arena_defer(a, count_up, &n);
    arena_reset(a);
    assert_int_equal(n, 1);
    arena_defer(a, count_up, &n);
    arena_free(a);
    assert_int_equal(n, 2);
}

static void arena_keeps_a_block_over_reset(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    arena_alloc(a, 100);
    arena_reset(a);
    size_t before = mem_calls();
    arena_alloc(a, 100);
    assert_int_equal(mem_calls(), before);
    arena_free(a);
}

static void buf_stops_at_its_limit(void **state)
{
    (void)state;
    struct buf b = buf_limit(5);
    buf_add_text(&b, "abc");
    buf_print(&b, "%d", 12);
    assert_false(b.full);
    assert_string_equal(b.data, "abc12");
    buf_add_text(&b, "x");
    assert_true(b.full);
    assert_string_equal(b.data, "abc12");
    buf_free(&b);
}

static void cursor_overrun_is_sticky(void **state)
{
    (void)state;
    struct cursor c = {.bytes = (const unsigned char *)"\x01\x02\x03",
                       .size = 3};
    assert_int_equal(cursor_u16le(&c), 0x0201);
    assert_int_equal(cursor_u32le(&c), 0);
    assert_true(c.overrun);
    assert_null(cursor_read(&c, 1));
    assert_null(cursor_read(&c, UINT64_MAX));
}

static void image_sides_have_limits(void **state)
{
    (void)state;
    struct err err = {0};
    struct image image = image_new(3, 2, 3, &err);
    test_ok(&err);
    assert_int_equal(image.stride_bytes, 9);
    image_free(&image);
    image_new(65536, 1, 1, &err);
    assert_int_equal(err.kind, ERR_LIMIT);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    struct err err = {0};
    file_map_open("/nonexistent/model.gguf", &err);
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "/nonexistent/model.gguf"));
}

static void a_directory_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    file_map_open("/tmp", &err);
    assert_true(err_failed(&err));
}

static void hash_of_abc(void **state)
{
    (void)state;
    struct hash h = hash_bytes(span_of("abc"));
    assert_string_equal(h.hex, "ba7816bf8f01cfea414140de5dae2223b00361a39617"
                               "7a9cb410ff61f20015ad");
}

static void hash_of_a_file_whose_position_is_shared(void **state)
{
    (void)state;
    struct err err = {0};
    FILE *f = tmpfile();
    assert_non_null(f);
    fputs("abc", f);
    assert_int_equal(fflush(f), 0);
    for (int at = 0; at < 4; at++) {
        lseek(fileno(f), at, SEEK_SET);
        assert_string_equal(hash_fd(fileno(f), &err).hex,
                            hash_bytes(span_of("abc")).hex);
        assert_int_equal(lseek(fileno(f), 0, SEEK_CUR), at);
    }
    assert_false(err_failed(&err));
    fclose(f);
}

static void only_a_folder_of_ones_own_is_believed(void **state)
{
    (void)state;
    char top[] = "/tmp/platen-own-XXXXXX", path[64], link[64];
    struct err err = {0};
    assert_non_null(mkdtemp(top));
    snprintf(path, sizeof path, "%s/a/cache", top);
    snprintf(link, sizeof link, "%s/link", top);
    assert_false(own_folder_is(NULL) || own_folder_is(""));
    assert_false(own_folder_is(path));
    own_folder_make(path, &err);
    assert_false(err_failed(&err));
    assert_true(own_folder_is(path));
    assert_int_equal(symlink(path, link), 0);
    assert_false(own_folder_is(link));
    own_folder_make(link, &err);
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_int_equal(chmod(path, 0770), 0);
    assert_false(own_folder_is(path));
    assert_int_equal(chmod(path, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_false(own_folder_is(path));
    }
    rmdir(path);
    unlink(link);
    snprintf(path, sizeof path, "%s/a", top);
    rmdir(path);
    rmdir(top);
}

TEST_GROUP(base, cmocka_unit_test(arena_is_aligned_and_zeroed),
           cmocka_unit_test(arena_runs_deferred_calls_once),
           cmocka_unit_test(arena_keeps_a_block_over_reset),
           cmocka_unit_test(buf_stops_at_its_limit),
           cmocka_unit_test(cursor_overrun_is_sticky),
           cmocka_unit_test(image_sides_have_limits),
           cmocka_unit_test(a_missing_file_is_named),
           cmocka_unit_test(a_directory_is_refused),
           cmocka_unit_test(hash_of_abc),
           cmocka_unit_test(hash_of_a_file_whose_position_is_shared),
           cmocka_unit_test(only_a_folder_of_ones_own_is_believed))
