/* wrong_file.c - see wrong_file.h. */
#include "vlm/base/wrong_file.h"

#include <strings.h>

enum { HEAD_BYTES = 1024 };

/* Without a byte order mark and blanks. */
static struct span skip_blanks(struct span head)
{
    if (span_starts_nocase(head, "\xef\xbb\xbf"))
        head = (struct span){head.data + 3, head.size - 3};
    while (head.size > 0 && strchr(" \t\r\n", *head.data) && *head.data)
        head = (struct span){head.data + 1, head.size - 1};
    return head;
}

/* A comment or an XML declaration can come before <html>. */
static bool is_html(struct span head)
{
    bool found = false;
    if (!span_starts_nocase(head, "<")) return false;
    for (; head.size > 0 && !found; head.data++, head.size--)
        found = span_starts_nocase(head, "<html") ||
                span_starts_nocase(head, "<!doctype html");
    return found;
}

const char *wrong_file_name(struct span head)
{
    if (span_starts_nocase(head, "version https://git-lfs.github.com/spec/"))
        return "a Git LFS pointer, not the file itself: run `git lfs pull` in "
               "its repository";
    if (head.size > HEAD_BYTES) head.size = HEAD_BYTES;
    head = skip_blanks(head);
    if (is_html(head))
        return "an HTML page, perhaps of a login or an error, not the file "
               "itself: open its address in a browser, sign in and download "
               "it again";
    return NULL;
}
