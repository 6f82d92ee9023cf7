/* page_files.c - see page_files.h. */
#include "pipeline/review/page/page_files.h"

#include <string.h>

#include "vlm/base/embed.h"

#define TAKE(name, file) EMBED(page_files_##name, "pipeline/review/page/" file)

TAKE(index, "index.html")
TAKE(style, "style.css")
TAKE(app, "app.js")
TAKE(net, "net.js")
TAKE(form, "form.js")
TAKE(paper, "paper.js")
TAKE(typed, "typed.js")

#define TEXT(kind)  "text/" kind "; charset=utf-8"
#define BYTES(name) page_files_##name, page_files_##name##_end

static const struct page_file files[] = {
    {"/", TEXT("html"), BYTES(index)},
    {"/style.css", TEXT("css"), BYTES(style)},
    {"/app.js", TEXT("javascript"), BYTES(app)},
    {"/net.js", TEXT("javascript"), BYTES(net)},
    {"/form.js", TEXT("javascript"), BYTES(form)},
    {"/paper.js", TEXT("javascript"), BYTES(paper)},
    {"/typed.js", TEXT("javascript"), BYTES(typed)},
};

const struct page_file *page_files_find(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].path, path)) return &files[i];
    return NULL;
}
