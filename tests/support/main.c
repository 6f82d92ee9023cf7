/* main.c - runs the unit tests whose group or name contains one of the arguments,
 * without groups that begin with what stands behind a "-" (-gpu).
 *
 * Closes with "N passed, N failed, N skipped"; tests/run adds it up.
 */
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cairo's text asks fontconfig, which keeps its fonts for the life of a process;
 * libdav1d loses a buffer when it refuses data. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libdav1d\n";
}

static struct test_group *groups;

void test_register(struct test_group *group)
{
    struct test_group **at = &groups;
    while (*at && strcmp((*at)->name, group->name) < 0)
        at = &(*at)->next;
    group->next = *at;
    *at = group;
}

void test_ok(const struct err *err)
{
    if (err_failed(err)) fail_msg("unexpected failure: %s", err->text);
}

const char *test_path(char out[static 4096], const char *path)
{
    const char *root = getenv("PLATEN_ROOT");
    snprintf(out, 4096, "%s/%s", root ? root : ".", path);
    return out;
}

const char *test_shared(void)
{
    static char path[4096];
    const char *given = getenv("PLATEN_SHARED");
    snprintf(path, sizeof path, "%s", given ? given : "../shared");
    if (access(path, R_OK)) {
        print_message("skip: ../shared is not here (set PLATEN_SHARED)\n");
        skip();
    }
    return path;
}

void *test_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s: %s", path, strerror(errno));
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    void *data = malloc((size_t)n + 1);
    if (!data || fread(data, 1, (size_t)n, f) != (size_t)n)
        fail_msg("%s: cannot be read", path);
    fclose(f);
    ((char *)data)[n] = '\0';
    *size = (size_t)n;
    return data;
}

void test_give(void *block)
{
    free(block);
}

static bool is_wanted(const char *group, const char *test, char **part)
{
    bool any = false, found = false;
    for (; *part; part++) {
        const char *name = *part + (**part == '-');
        if (**part == '-' && !strncmp(group, name, strlen(name))) return false;
        if (**part == '-') continue;
        any = true;
        found = found || strstr(group, name) || strstr(test, name);
    }
    return found || !any;
}

/* cmocka prints and counts inside a group; counts across groups come from its
 * return value, skips from a one-line reporter of our own. */
int main(int argc, char **argv)
{
    (void)argc;
    int n_passed = 0, n_failed = 0;
    for (struct test_group *g = groups; g; g = g->next) {
        struct CMUnitTest picked[512];
        size_t n = 0;
        for (size_t i = 0; i < g->n_test && n < 512; i++)
            if (is_wanted(g->name, g->test[i].name, argv + 1))
                picked[n++] = g->test[i];
        if (n == 0) continue;
        int failed = _cmocka_run_group_tests(g->name, picked, n, NULL, NULL);
        if (failed < 0) failed = (int)n;
        n_failed += failed;
        n_passed += (int)n - failed;
    }
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed > 0;
}
