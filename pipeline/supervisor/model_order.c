/* model_order.c - see model_order.h. */
#include "pipeline/supervisor/model_order.h"

static double sum_of_loaded(const struct model_order_row *row, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (row[i].loaded) sum += row[i].bytes;
    return sum;
}

static bool fits(const struct model_order_row *row, int n, int i, double budget)
{
    double loaded = sum_of_loaded(row, n);
    return row[i].loaded || row[i].bytes <= 0 || loaded <= 0 || budget <= 0 ||
           loaded + row[i].bytes <= budget;
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

/* Lets go of the least recently used ones until the rest fits into `room`. */
static void make_room(struct model_order_row *row, int n, int keep, double room,
                      double now)
{
    double sum = sum_of_loaded(row, n);
    for (int i; sum > room && (i = by_use(row, n, keep, 1, now)) >= 0;) {
        row[i].go = false;
        row[i].unload = !row[i].busy;
        sum -= row[i].bytes;
    }
}

void model_order(struct model_order_row *row, int n, double budget,
                 double patience, double now)
{
    int next = -1;
    double next_since = 0;
    bool others = false;
    for (int i = 0; i < n; i++) {
        row[i].go = fits(row, n, i, budget);
        row[i].unload = false;
        if (row[i].waits < 0) continue;
        others |= row[i].go;
        double since = row[i].waits > row[i].unloaded ? row[i].waits
                                                      : row[i].unloaded;
        if (row[i].go || (next >= 0 && since >= next_since)) continue;
        next = i;
        next_since = since;
    }
    /* a model can need more than it seemed before it was loaded */
    if (budget > 0) make_room(row, n, by_use(row, n, -1, -1, now), budget, now);
    if (next >= 0 && (!others || now - next_since >= patience))
        make_room(row, n, -1, budget - row[next].bytes, now);
}
