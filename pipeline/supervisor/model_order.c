/* model_order.c - see model_order.h. */
#include "pipeline/supervisor/model_order.h"

static double sum_of_loaded(const struct model_order_row *row, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (row[i].loaded) sum += row[i].bytes;
    return sum;
}

/* The one whose documents have waited longest without leave; -1: none. */
static int first_waiting(const struct model_order_row *row, int n,
                         double *since)
{
    int first = -1;
    for (int i = 0; i < n; i++) {
        const struct model_order_row *r = &row[i];
        double from = r->waits > r->unloaded ? r->waits : r->unloaded;
        if (r->go || r->waits < 0 || (first >= 0 && from >= *since)) continue;
        first = i;
        *since = from;
    }
    return first;
}

/* The least (sign 1) or most (-1) recently used one that is loaded and not yet
 * to go, except `keep`; -1: none. A busy one is in use now. */
static int by_use(const struct model_order_row *row, int n, int keep, int sign,
                  double now)
{
    int best = -1;
    double best_used = 0;
    for (int i = 0; i < n; i++) {
        double used = row[i].busy ? now : row[i].used;
        if (i == keep || !row[i].loaded || row[i].bytes <= 0 || !row[i].go)
            continue;
        if (best < 0 || sign * used < sign * best_used) {
            best = i;
            best_used = used;
        }
    }
    return best;
}

/* Lets go of the least recently used ones until the rest of `sum` bytes fits into
 * `room`. Returns the rest. */
static double make_room(struct model_order_row *row, int n, int keep,
                        double sum, double room, double now)
{
    for (int i; sum > room && (i = by_use(row, n, keep, 1, now)) >= 0;) {
        row[i].go = false;
        row[i].unload = !row[i].busy;
        sum -= row[i].bytes;
    }
    return sum;
}

void model_order(struct model_order_row *row, int n, double budget,
                 double patience, double now)
{
    bool others = false;
    int next;
    double since = 0, sum = sum_of_loaded(row, n);
    for (int i = 0; i < n; i++) {
        row[i].go = row[i].loaded || row[i].bytes <= 0;
        row[i].unload = false;
        others |= row[i].go && row[i].waits >= 0;
    }
    while ((next = first_waiting(row, n, &since)) >= 0) {
        if (sum > 0 && budget > 0 && sum + row[next].bytes > budget) break;
        row[next].go = others = true;
        sum += row[next].bytes;
    }
    /* a model can need more than it seemed before it was loaded */
    int latest = by_use(row, n, -1, -1, now);
    if (budget > 0) sum = make_room(row, n, latest, sum, budget, now);
    if (next >= 0 && (!others || now - since >= patience))
        make_room(row, n, -1, sum, budget - row[next].bytes, now);
}
