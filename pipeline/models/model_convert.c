/* model_convert.c - runs a conversion and shows its progress. */
#include "pipeline/models/model_convert.h"

#include <stdio.h>
#include <unistd.h>

#include "vlm/convert/convert.h"

/* On a terminal: one line, overwritten for each tensor. */
static void show_progress(void *arg, const char *tensor, int done, int all)
{
    (void)arg;
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%d of %d: %-40s", done + 1, all, tensor);
    if (done + 1 == all) fputc('\n', stderr);
}

void model_convert(const struct command_line *line, const char *folder,
                   int n_thread, struct err *err)
{
    if (err_failed(err)) return;
    struct convert_options o = {
        .folder = folder,
        .out = command_value(line, "out"),
        .type = command_value(line, "type"),
        .imatrix = command_value(line, "imatrix"),
        .n_thread = n_thread,
        .tell = show_progress,
    };
    if (!o.out || !o.type) {
        err_set(err, ERR_ARGS, "missing: --out FILE.gguf and --type TYPE");
        return;
    }
    struct arena *arena = arena_new();
    const char *mmproj = convert_run(&o, arena, err);
    if (!err_failed(err)) printf("%s\n", o.out);
    if (mmproj) printf("%s\n", mmproj);
    arena_free(arena);
}
