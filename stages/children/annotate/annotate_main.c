/* annotate_main.c - platen-annotate: draws boxes and values onto one page.
 *
 * Started by stages/children/annotate.c; not for direct use. The values are
 * untrusted text, which a model read from an untrusted document: shaping it
 * needs a process that cannot open files. The order is read only after the
 * sandbox is entered.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "stages/children/annotate/annotate_wire.h"
#include "stages/children/build.h"
#include "stages/children/installed.h"
#include "stages/children/sandbox/sandbox.h"

/* LeakSanitizer needs ptrace, which the sandbox forbids. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

struct mark_task {
    struct sandbox_limits limits;
    bool allow_unsandboxed;
};

static bool read_options(struct mark_task *task, int argc, char **argv)
{
    enum { MEMORY = 1, CPU, PARENT, UNSANDBOXED };
    static const struct option options[] = {
        {"memory", required_argument, NULL, MEMORY},
        {"cpu", required_argument, NULL, CPU},
        {"parent", required_argument, NULL, PARENT},
        {"allow-unsandboxed", no_argument, NULL, UNSANDBOXED},
        {0}};
    int option;
    task->limits.turns_max = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        long long n = optarg ? strtoll(optarg, NULL, 10) : 0;
        switch (option) {
        case MEMORY: task->limits.memory_bytes = n; break;
        case CPU: task->limits.cpu_s = (int)n; break;
        case PARENT: task->limits.parent = (long)n; break;
        case UNSANDBOXED: task->allow_unsandboxed = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

static void draw_order(struct mark_fonts *fonts)
{
    struct mark_sheet sheet = {.n_mark = 0};
    if (!fonts) {
        annotate_wire_fail(MARK_NO_FONT);
        return;
    }
    if (!annotate_wire_order(&sheet)) {
        annotate_wire_fail(MARK_NO_ORDER);
        return;
    }
    cairo_surface_t *picture =
        annotate_draw_page(&sheet.page, sheet.mark, sheet.n_mark, fonts);
    if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS)
        annotate_wire_picture(picture);
    else
        annotate_wire_fail(MARK_NO_MEMORY);
}

int main(int argc, char **argv)
{
    struct mark_task task = {.allow_unsandboxed = false};
    const char *path[SANDBOX_PATH_MAX];
    struct stat st;
    if (build_asked(argc, argv)) return 0;
    if (!read_options(&task, argc, argv) || fstat(SANDBOX_FD_OUT, &st)) {
        fputs("platen-annotate is started by platen; see "
              "stages/children/annotate.c\n",
              stderr);
        return 1;
    }
    if (!sandbox_tie(&task.limits)) return 1;
    installed_fonts();
    struct mark_fonts *fonts = annotate_text_fonts();
    int n_path = annotate_text_folders(path, SANDBOX_PATH_MAX);
    struct walls walls = sandbox_enter(&task.limits, path, n_path);
    if (sandbox_greet(&walls, task.allow_unsandboxed)) draw_order(fonts);
    return 0;
}
