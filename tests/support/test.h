/* test.h - what every test file includes.
 *
 * A test is a function `static void says_what_holds(void **state)`; the table
 * at the foot of its file registers it:
 *     TEST_GROUP(err, cmocka_unit_test(first_failure_wins), ...)
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vlm/base/err.h"

struct test_group {
    const char *name;
    const struct CMUnitTest *test;
    size_t n_test;
    struct test_group *next;
};

void test_register(struct test_group *group);

/* Fails the test with the error's own text. */
void test_ok(const struct err *err);

/* The folder ../shared (PLATEN_SHARED overrides), or skips the test. */
const char *test_shared(void);

/* `path` below the repository's root, in a static buffer of the caller. */
const char *test_path(char out[static 4096], const char *path);

/* The whole file in memory (free with test_give); fails when it is absent. */
void *test_read(const char *path, size_t *size);
void test_give(void *block);

#define TEST_GROUP(id, ...)                                                   \
    static const struct CMUnitTest id##_tests[] = {__VA_ARGS__};              \
    __attribute__((constructor)) static void id##_register(void)              \
    {                                                                         \
        static struct test_group group = {                                    \
            #id, id##_tests, sizeof id##_tests / sizeof id##_tests[0], NULL}; \
        test_register(&group);                                                \
    }

#endif
