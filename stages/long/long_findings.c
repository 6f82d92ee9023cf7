/* long_findings.c - see long_findings.h. */
#include "stages/long/long_findings.h"

#include <string.h>

#include "stages/long/header_vote.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { SAID_MAX = 60, GAP_PAGES_MAX = 8, TEXT_MAX = 1 << 16 };

/* Parts of a page are read one by one: `part` of it says so. */
static void say_said(struct buf *out, const cJSON *said, const char *part)
{
    buf_print(out, "%spage %s says ", part,
              json_number(json_get(said, "page")));
    json_print_brief(out, json_get(said, "value"), SAID_MAX);
}

/* The chosen value comes first. */
static void say_conflict(void *arg, const char *pointer, const cJSON *entry)
{
    struct buf text = buf_limit(TEXT_MAX);
    const cJSON *other = NULL;
    struct document *doc = arg;
    cJSON *conflict = cJSON_Duplicate(entry, true);
    cJSON_DeleteItemFromObjectCaseSensitive(conflict, "fields");
    cJSON_AddItemToObject(doc->conflicts, pointer, conflict);
    say_said(&text, entry, "");
    cJSON_ArrayForEach(other, json_get(entry, "others"))
    {
        bool same =
            json_equal(json_get(other, "page"), json_get(entry, "page"));
        buf_add_text(&text, ", ");
        say_said(&text, other, same ? "another part of " : "");
    }
    document_warn(
        doc, &(struct warning){.code = WARN_PAGES_DIFFER, .pointer = pointer},
        "review %s: %s", pointer, buf_span(&text).data);
    buf_free(&text);
}

/* Lists the first pages with gaps of one kind in `out`; gaps are sorted by page. Returns
 * the number of gaps of that kind. */
static int list_gaps(const struct document *doc, bool unchecked,
                     struct buf *out)
{
    const cJSON *gap = NULL;
    int n = 0, n_page = 0, before = 0;
    cJSON_ArrayForEach(gap, doc->gaps)
    {
        int page = json_get(gap, "page")->valueint;
        if (cJSON_IsTrue(json_get(gap, "unchecked")) != unchecked) continue;
        n++;
        if (page == before) continue;
        before = page;
        if (n_page < GAP_PAGES_MAX)
            buf_print(out, "%s%d", n_page ? ", " : "", page);
        else if (n_page == GAP_PAGES_MAX)
            buf_add_text(out, ", ...");
        n_page++;
    }
    return n;
}

void long_findings_gaps(struct document *doc, const struct settings *settings)
{
    bool off = !strcmp(settings->ocr, "off");
    struct buf pages = buf_limit(TEXT_MAX);
    int n = list_gaps(doc, false, &pages);
    if (n)
        document_warn(doc, &(struct warning){.code = WARN_GAPS},
                      "review: %d row%s that the page shows %s not read (gaps, "
                      "page %s)",
                      n, n == 1 ? "" : "s", n == 1 ? "was" : "were",
                      buf_span(&pages).data);
    buf_cut(&pages, 0);
    n = list_gaps(doc, true, &pages);
    if (n)
        document_warn(
            doc, &(struct warning){.code = WARN_GAPS},
            "review: %d page%s could not be checked for missing rows, as no "
            "text of %s is known (page %s): %s",
            n, n == 1 ? "" : "s", n == 1 ? "it" : "them", buf_span(&pages).data,
            off ? "set ocr = auto"
                : "Tesseract read no words there; install its data for the "
                  "language of the document (ocr_languages)");
    buf_free(&pages);
}

void long_findings(const cJSON *scalars, struct document *doc,
                   const struct settings *settings)
{
    header_vote_conflicts(scalars, say_conflict, doc);
    long_findings_gaps(doc, settings);
}
