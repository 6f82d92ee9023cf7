/* model_ocr.c - see model_ocr.h. */
#include "pipeline/models/model_ocr.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/models/model_fetch.h"
#include "vlm/base/buf.h"
#include "vlm/base/make_folders.h"
#include "vlm/base/span.h"

/* Addresses and hashes are those of the model list of rapidocr 3.10.0 (PyPI),
 * which publishes PaddleOCR's models in the ONNX format, Apache-2.0; sizes are
 * those of the files in that package, -1: not in it. */
static const char published[] =
    "https://www.modelscope.cn/models/RapidAI/RapidOCR/resolve/v3.10.0/onnx";

static const struct ocr_file {
    const char *script; /* "": needed for all */
    const char *path, *sha256;
    int64_t size;
} files[] = {
    {"", "PP-OCRv6/det/PP-OCRv6_det_small.onnx",
     "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
     9929594},
    {"", "PP-OCRv6/rec/PP-OCRv6_rec_small.onnx",
     "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
     21234383},
    {"", "PP-OCRv4/cls/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
     "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
     585532},
    {"cyrillic", "PP-OCRv5/rec/cyrillic_PP-OCRv5_rec_mobile.onnx",
     "90f761b4bfcce0c8c561c0cb5c887b0971d3ec01c32164bdf7374a35b0982711", -1},
    {"devanagari", "PP-OCRv5/rec/devanagari_PP-OCRv5_rec_mobile.onnx",
     "d6f0a906580e3fa6b324a318718f1f31f268b6ea8ef985f91c2012a37f52c91e", -1},
    {"greek", "PP-OCRv5/rec/el_PP-OCRv5_rec_mobile.onnx",
     "b4368bccd557123c702b7549fee6cd1e94b581337d1c9b65310f109131542b7f", -1},
    {"korean", "PP-OCRv5/rec/korean_PP-OCRv5_rec_mobile.onnx",
     "cd6e2ea50f6943ca7271eb8c56a877a5a90720b7047fe9c41a2e541a25773c9b", -1},
    {"tamil", "PP-OCRv5/rec/ta_PP-OCRv5_rec_mobile.onnx",
     "a42448808b7dea87597336f12438935f40353f1949e8360acd9e06b4da21bfe1", -1},
    {"telugu", "PP-OCRv5/rec/te_PP-OCRv5_rec_mobile.onnx",
     "a3690451b50028a09a3316a1274f7c05728151ea3f8fd392696397a7fefcbd92", -1},
    {"thai", "PP-OCRv5/rec/th_PP-OCRv5_rec_mobile.onnx",
     "de541dd83161c241ff426f7ecfd602a0ba77d686cf3ab9a6c255ea82fd08006e", -1},
};

enum { N_FILE = sizeof files / sizeof files[0] };

bool model_ocr_is_asked(const char *what)
{
    return !strncmp(what, "ocr", 3) && (!what[3] || what[3] == ':');
}

const char *model_ocr_folder(const struct hub_paths *paths, struct arena *arena)
{
    return arena_text(arena, "%s/ocr", paths->folder);
}

/* FAIL: ERR_ARGS */
static void check_script(const char *script, struct err *err)
{
    struct buf known = buf_limit(1 << 10);
    bool found = false;
    for (int i = 0; i < N_FILE; i++) {
        found |= !strcmp(files[i].script, script);
        if (*files[i].script) buf_print(&known, " ocr:%s", files[i].script);
    }
    if (!found)
        err_set(err, ERR_ARGS, "ocr:%s: expected ocr or one of%.*s", script,
                (int)buf_span(&known).size, buf_span(&known).data);
    buf_free(&known);
}

static void fetch(const struct ocr_file *file, const char *from,
                  const char *folder, struct arena *arena, struct err *err)
{
    const char *name = strrchr(file->path, '/') + 1;
    const struct model_fetch_from origin = {from, NULL};
    const struct model_fetch_file f = {
        arena_text(arena, "%s/%s", from, file->path),
        arena_text(arena, "%s/%s", folder, name), name, file->size,
        file->sha256};
    if (err_failed(err)) return;
    make_folders_above(f.path, 0755, err);
    model_fetch_file(&origin, &f, err);
}

const char *model_ocr_get(const struct command_line *line, const char *what,
                          struct arena *arena, struct err *err)
{
    char full[PATH_MAX];
    if (err_failed(err)) return "";
    const char *script = what[3] ? what + 4 : "";
    const char *dir = command_value(line, "dir");
    const char *mirror = command_value(line, "mirror");
    struct hub_paths paths = hub_paths_read(arena, err);
    if (err_failed(err)) return "";
    const char *folder = dir ? dir : model_ocr_folder(&paths, arena);
    check_script(script, err);
    for (int i = 0; i < N_FILE; i++)
        if (!*files[i].script || !strcmp(files[i].script, script))
            fetch(&files[i], mirror ? mirror : published, folder, arena, err);
    return !err_failed(err) && realpath(folder, full)
               ? arena_copy(arena, span_of(full))
               : folder;
}
