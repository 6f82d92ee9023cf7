/* page_range.c - see page_range.h. */
#include "stages/document/page_range.h"

#include <limits.h>
#include <string.h>

enum { PAGE_MAX = 1000000 };

/* Reads a number from 1, or returns 0; advances *at. */
static int read_number(const char **at)
{
    long n = 0;
    while (**at >= '0' && **at <= '9') {
        n = n * 10 + (*(*at)++ - '0');
        if (n > PAGE_MAX) return 0;
    }
    return (int)n;
}

/* Keeps the ranges ascending and disjoint. */
static void insert_range(struct page_range *p, int first, int last)
{
    int at = 0;
    while (at < p->n_range && p->range[at].last + 1 < first)
        at++;
    int end = at;
    for (; end < p->n_range && p->range[end].first <= last; end++) {
        if (p->range[end].first < first) first = p->range[end].first;
        if (p->range[end].last > last) last = p->range[end].last;
    }
    memmove(&p->range[at + 1], &p->range[end],
            (size_t)(p->n_range - end) * sizeof p->range[0]);
    p->n_range += 1 - (end - at);
    p->range[at].first = first;
    p->range[at].last = last;
}

void page_range_parse(struct page_range *pages, const char *text,
                      struct err *err)
{
    if (err_failed(err)) return;
    *pages = (struct page_range){0};
    const char *at = text;
    while (*at) {
        int first = read_number(&at);
        int last = first;
        if (*at == '-') {
            at++;
            last = *at && *at != ',' ? read_number(&at) : PAGE_MAX;
        }
        bool bad = first < 1 || last < first || (*at && *at != ',');
        if (*at == ',' && !*++at) bad = true;
        if (bad || pages->n_range == PAGE_RANGE_MAX - 1) {
            err_set(err, ERR_ARGS,
                    "pages \"%.60s\": expected numbers and ranges from 1, such "
                    "as 1-3,7",
                    text);
            return;
        }
        insert_range(pages, first, last);
    }
}

int page_range_next(const struct page_range *pages, int after, int n_page)
{
    int next = after + 1;
    if (next > n_page) return 0;
    if (pages->n_range == 0) return next;
    for (int i = 0; i < pages->n_range; i++) {
        if (pages->range[i].last < next) continue;
        if (pages->range[i].first > next) next = pages->range[i].first;
        return next <= n_page ? next : 0;
    }
    return 0;
}

int page_range_count(const struct page_range *pages, int n_page,
                     struct err *err)
{
    if (err_failed(err)) return 0;
    if (pages->n_range == 0) return n_page;
    int n = 0;
    for (int i = 0; i < pages->n_range; i++) {
        int first = pages->range[i].first, last = pages->range[i].last;
        if (first > n_page) break;
        n += (last > n_page ? n_page : last) - first + 1;
    }
    if (n == 0)
        err_reason(err, ERR_ARGS, "no-such-page",
                   "page %d was requested, but the document has %d %s",
                   pages->range[0].first, n_page,
                   n_page == 1 ? "page" : "pages");
    return n;
}
