/* windows_say.c - see windows_say.h. */
#include "stages/window/windows_say.h"

#include "stages/window/scalars.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { SAID_MAX = 60, GAP_PAGES_MAX = 8, TEXT_MAX = 1 << 16 };

static void say_said(struct buf *out, const cJSON *said)
{
    buf_print(out, "page %s says ", json_number(json_get(said, "page")));
    json_print_brief(out, json_get(said, "value"), SAID_MAX);
}

/* The value that was taken comes first. */
static void say_conflict(void *arg, const char *pointer, const cJSON *entry)
{
    struct buf text = buf_limit(TEXT_MAX);
    const cJSON *other = NULL;
    struct document *doc = arg;
    cJSON *conflict = cJSON_Duplicate(entry, true);
    cJSON_DeleteItemFromObjectCaseSensitive(conflict, "fields");
    cJSON_AddItemToObject(doc->conflicts, pointer, conflict);
    say_said(&text, entry);
    cJSON_ArrayForEach(other, json_get(entry, "others"))
    {
        buf_add_text(&text, ", ");
        say_said(&text, other);
    }
    document_warn(
        doc, &(struct warning){.code = WARN_PAGES_DIFFER, .pointer = pointer},
        "review %s: %s", pointer, buf_span(&text).data);
    buf_free(&text);
}

/* How many, and the first pages of them; a page's gaps stand together. */
static void say_gaps(struct document *doc)
{
    struct buf pages = buf_limit(TEXT_MAX);
    const cJSON *gap = NULL;
    int n = 0, before = 0;
    cJSON_ArrayForEach(gap, doc->gaps)
    {
        int page = json_get(gap, "page")->valueint;
        if (page == before) continue;
        before = page;
        if (n < GAP_PAGES_MAX)
            buf_print(&pages, "%s%d", n ? ", " : "", page);
        else if (n == GAP_PAGES_MAX)
            buf_add_text(&pages, ", ...");
        n++;
    }
    if (n)
        document_warn(doc, &(struct warning){.code = WARN_GAPS},
                      "review: the record has gaps, rows that were seen on a "
                      "page and not read (%d, page %s)",
                      cJSON_GetArraySize(doc->gaps), buf_span(&pages).data);
    buf_free(&pages);
}

void windows_say(const cJSON *scalars, struct document *doc)
{
    scalars_conflicts(scalars, say_conflict, doc);
    say_gaps(doc);
}
