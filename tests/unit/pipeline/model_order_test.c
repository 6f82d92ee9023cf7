/* model_order_test.c - which models are loaded and unloaded, on a clock of its own. */
#include "tests/support/test.h"

#include <string.h>

#include "pipeline/supervisor/model_order.h"

enum { MODELS_MOST = 4, DOCUMENTS = 200, PLACES = 4 };

static struct model_order_row model(double bytes, double waits)
{
    return (struct model_order_row){.bytes = bytes, .waits = waits};
}

static void what_fits_is_loaded_for_the_first_document(void **state)
{
    (void)state;
    struct model_order_row row[] = {model(4, 5), model(5, 6), model(0, 7)};
    model_order(row, 3, 10, 600, 8);
    assert_true(row[0].go && row[1].go && row[2].go);
    row[1].bytes = 7; /* only one of them */
    model_order(row, 3, 10, 600, 8);
    assert_true(row[0].go && !row[1].go && row[2].go);
    row[0].waits = 7;
    model_order(row, 3, 10, 600, 8);
    assert_true(!row[0].go && row[1].go);
    model_order(row, 3, 0, 600, 8); /* no limit is known */
    assert_true(row[0].go && row[1].go);
    row[1].bytes = 70; /* alone it may be too large */
    model_order(row, 3, 10, 600, 8);
    assert_true(row[1].go);
}

static void documents_of_a_loaded_model_go_first(void **state)
{
    (void)state;
    struct model_order_row row[] = {model(8, 50), model(8, 10)};
    row[0].loaded = true;
    model_order(row, 2, 10, 600, 609);
    assert_true(row[0].go && !row[0].unload && !row[1].go);
    row[1].unloaded = 20; /* it waits since then, not since 10 */
    model_order(row, 2, 10, 600, 619);
    assert_true(row[0].go && !row[1].go);
    model_order(row, 2, 10, 600, 620);
    assert_true(!row[0].go && row[0].unload && !row[1].go);
    row[0].busy = true; /* it ends first, and nothing new is begun */
    model_order(row, 2, 10, 600, 620);
    assert_true(!row[0].go && !row[0].unload && !row[1].go);
    row[0].busy = row[0].loaded = false;
    row[0].unloaded = 620;
    model_order(row, 2, 10, 600, 620);
    assert_true(!row[0].go && row[1].go);
}

static void a_model_without_documents_makes_room_at_once(void **state)
{
    (void)state;
    struct model_order_row row[] = {model(4, -1), model(4, -1), model(4, 10)};
    row[0].loaded = row[1].loaded = true;
    row[0].used = 7;
    row[1].used = 5;
    model_order(row, 3, 10, 600, 10);
    assert_true(row[1].unload && !row[0].unload && row[0].go);
    row[1].busy = true; /* used now */
    model_order(row, 3, 10, 600, 10);
    assert_true(row[0].unload && !row[1].unload);
}

static void one_that_was_larger_than_its_files_makes_room(void **state)
{
    (void)state;
    struct model_order_row row[] = {model(4, 1), model(9, 1)};
    row[0].loaded = row[1].loaded = true;
    row[1].used = 3;
    model_order(row, 2, 10, 600, 4);
    assert_true(row[0].unload && row[1].go);
    row[0].loaded = false;
    model_order(row, 2, 5, 600, 4); /* the last one stays */
    assert_true(!row[1].unload && row[1].go);
}

/* --- a day of documents ---------------------------------------------------- */

struct day {
    struct model_order_row row[MODELS_MOST];
    int n, of[DOCUMENTS], n_load,
        n_hasty; /* sooner than patience after unloading */
    double came[DOCUMENTS], ends[DOCUMENTS]; /* ends 0: not begun; -1: done */
    double budget, patience, load_s, wait_most;
    double now;
};

static void look(struct day *d)
{
    for (int i = 0; i < d->n; i++) {
        d->row[i].waits = -1;
        d->row[i].busy = false;
    }
    for (int j = 0; j < DOCUMENTS; j++) {
        struct model_order_row *r = &d->row[d->of[j]];
        r->busy |= d->ends[j] > 0;
        if (d->ends[j] == 0 && d->came[j] <= d->now &&
            (r->waits < 0 || d->came[j] < r->waits))
            r->waits = d->came[j];
    }
}

static void decide(struct day *d)
{
    for (bool again = true; again;) {
        again = false;
        look(d);
        model_order(d->row, d->n, d->budget, d->patience, d->now);
        for (int i = 0; i < d->n; i++) {
            struct model_order_row *r = &d->row[i];
            if (!r->unload) continue;
            assert_true(r->loaded && !r->busy);
            r->loaded = false;
            r->unloaded = d->now;
            again = true;
        }
    }
}

static void load(struct day *d, struct model_order_row *r)
{
    double sum = 0, since = r->waits > r->unloaded ? r->waits : r->unloaded;
    bool others = false;
    r->loaded = true;
    d->n_load++;
    for (int i = 0; i < d->n; i++) {
        sum += d->row[i].loaded ? d->row[i].bytes : 0;
        others |= &d->row[i] != r && d->row[i].waits >= 0;
    }
    assert_true(sum <= d->budget);
    if (d->now - since > d->wait_most) d->wait_most = d->now - since;
    if (others && r->unloaded > 0 && d->now - r->unloaded < d->patience)
        d->n_hasty++;
}

static bool begin_one(struct day *d)
{
    int busy = 0;
    for (int j = 0; j < DOCUMENTS; j++)
        busy += d->ends[j] > 0;
    decide(d);
    for (int j = 0; j < DOCUMENTS && busy < PLACES; j++) {
        struct model_order_row *r = &d->row[d->of[j]];
        if (d->ends[j] != 0 || d->came[j] > d->now || !r->go) continue;
        d->ends[j] = d->now + 1 + (r->loaded ? 0 : d->load_s);
        if (!r->loaded) load(d, r);
        r->used = d->now;
        return true;
    }
    return false;
}

/* Until all are read; returns the time. */
static double live(struct day *d)
{
    for (int left = DOCUMENTS; left; d->now += 0.5) {
        for (int j = 0; j < DOCUMENTS; j++)
            if (d->ends[j] > 0 && d->ends[j] <= d->now) {
                d->ends[j] = -1;
                left--;
            }
        while (begin_one(d))
            continue;
        assert_true(d->now < 100000);
    }
    return d->now;
}

static struct day new_day(int n, double budget, double patience, double arrival)
{
    struct day d = {
        .n = n, .budget = budget, .patience = patience, .load_s = 5, .now = 1};
    unsigned random = 1;
    for (int i = 0; i < n; i++)
        d.row[i].bytes = 6;
    for (int j = 0; j < DOCUMENTS; j++) {
        random = random * 1103515245 + 12345;
        d.of[j] = (int)((random >> 16) % (unsigned)n);
        d.came[j] = 1 + arrival * j;
    }
    return d;
}

static void a_full_folder_loads_each_model_once(void **state)
{
    (void)state;
    for (int n = 1; n <= MODELS_MOST; n++) {
        struct day d = new_day(n, 10, 600, 0);
        live(&d);
        assert_int_equal(d.n_load, n);
    }
}

/* Two models of which one fits, and documents that come faster than they are read. */
static void waiting_loads_no_more_often_than_patience(void **state)
{
    (void)state;
    for (int patience = 5; patience <= 40; patience += 5) {
        struct day d = new_day(2, 10, patience, 0.25);
        double time = live(&d);
        assert_true(d.n_load <= 2 + 2 * time / patience);
        assert_true(d.n_hasty <= 1); /* the last: nothing else is left */
        assert_true(d.wait_most <= patience + d.load_s + 2);
    }
    struct day d = new_day(3, 13, 20, 0.25); /* two of three */
    live(&d);
    assert_true(d.wait_most <= 2 * (20 + d.load_s + 2));
}

TEST_GROUP(model_order,
           cmocka_unit_test(what_fits_is_loaded_for_the_first_document),
           cmocka_unit_test(documents_of_a_loaded_model_go_first),
           cmocka_unit_test(a_model_without_documents_makes_room_at_once),
           cmocka_unit_test(one_that_was_larger_than_its_files_makes_room),
           cmocka_unit_test(a_full_folder_loads_each_model_once),
           cmocka_unit_test(waiting_loads_no_more_often_than_patience))
