/* page_files.c - see page_files.h. */
#include "pipeline/review/page/page_files.h"

#include <string.h>

#include "vlm/base/embed.h"

#define TAKE(name, file) EMBED(page_files_##name, "pipeline/review/page/" file)

TAKE(index, "index.html")
TAKE(style, "style.css")
TAKE(app, "app.js")
TAKE(add, "add.js")
TAKE(explain, "explain.js")
TAKE(failed, "failed.js")
TAKE(form, "form.js")
TAKE(monitor, "monitor.js")
TAKE(net, "net.js")
TAKE(paper, "paper.js")
TAKE(review, "review.js")
TAKE(typed, "typed.js")
TAKE(ui, "ui.js")
TAKE(view, "view.js")

#define TEXT(kind)  "text/" kind "; charset=utf-8"
#define BYTES(name) page_files_##name, page_files_##name##_end

static const struct page_file files[] = {
    {"/", TEXT("html"), BYTES(index)},
    {"/style.css", TEXT("css"), BYTES(style)},
    {"/app.js", TEXT("javascript"), BYTES(app)},
    {"/add.js", TEXT("javascript"), BYTES(add)},
    {"/explain.js", TEXT("javascript"), BYTES(explain)},
    {"/failed.js", TEXT("javascript"), BYTES(failed)},
    {"/form.js", TEXT("javascript"), BYTES(form)},
    {"/monitor.js", TEXT("javascript"), BYTES(monitor)},
    {"/net.js", TEXT("javascript"), BYTES(net)},
    {"/paper.js", TEXT("javascript"), BYTES(paper)},
    {"/review.js", TEXT("javascript"), BYTES(review)},
    {"/typed.js", TEXT("javascript"), BYTES(typed)},
    {"/ui.js", TEXT("javascript"), BYTES(ui)},
    {"/view.js", TEXT("javascript"), BYTES(view)},
};

const struct page_file *page_files_find(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].path, path)) return &files[i];
    return NULL;
}
