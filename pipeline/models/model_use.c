/* model_use.c - see model_use.h. */
#include "pipeline/models/model_use.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/atomic_file.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/make_folders.h"

enum { FILE_MOST = 1 << 20, PATH_MOST = 4096 };

/* Does the line set this key? */
static bool sets_key(const char *line, const char *key)
{
    size_t n = strlen(key);
    line += strspn(line, " \t");
    if (strncmp(line, key, n) != 0) return false;
    line += n + strspn(line + n, " \t");
    return *line == '=' || *line == ':';
}

static void add_lines(struct buf *out, const char *model, const char *mmproj)
{
    buf_print(out, "model  = %s\n", model);
    if (*mmproj) buf_print(out, "mmproj = %s\n", mmproj);
}

/* Copies the text with the lines that name a model replaced at the place of the
 * first. */
static void rewrite(struct buf *out, char *text, const char *model,
                    const char *mmproj)
{
    bool written = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *next = text + n + (text[n] == '\n');
        text[n] = 0;
        bool ours = sets_key(text, "model") || sets_key(text, "mmproj") ||
                    sets_key(text, "model_sha256");
        if (ours && !written) add_lines(out, model, mmproj);
        written |= ours;
        if (!ours) buf_print(out, "%s\n", text);
        text = next;
    }
    if (written) return;
    buf_add_text(out, out->size ? "\n[model]\n" : "[model]\n");
    add_lines(out, model, mmproj);
}

void model_use(const char *file, const char *model, const char *mmproj,
               struct err *err)
{
    if (err_failed(err)) return;
    if (strpbrk(model, "\n;#") || strpbrk(mmproj, "\n;#") ||
        strlen(model) > 180 || strlen(mmproj) > 180 ||
        strlen(file) >= PATH_MOST) {
        err_set(err, ERR_CONFIG,
                "%s: this path does not fit in platen.conf (180 characters, no "
                "; or #): choose another folder with --dir",
                model);
        return;
    }
    struct arena *arena = arena_new();
    struct buf out = buf_limit(2 * FILE_MOST);
    char *text = arena_alloc(arena, 1);
    if (access(file, F_OK) == 0) {
        struct span old = file_map_read(file, FILE_MOST, arena, err);
        if (!err_failed(err)) text = arena_copy(arena, old);
    } else {
        make_folders_above(file, 0755, err);
    }
    if (!err_failed(err)) {
        rewrite(&out, text, model, mmproj);
        atomic_file_write(file, buf_span(&out), err);
    }
    buf_free(&out);
    arena_free(arena);
}
