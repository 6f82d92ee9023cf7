/* progress_test.c - the line of progress says what is known, and no more. */
#include "pipeline/observe/page_rate.h"
#include "pipeline/observe/progress.h"
#include "tests/support/test.h"

static void expect(const struct progress *p, double now, int columns,
                   const char *want)
{
    struct buf text = buf_limit(1000);
    progress_print(p, now, columns, &text);
    assert_string_equal(buf_span(&text).data, want);
    buf_free(&text);
}

static void hear(struct progress *p, const char *id, int n_read, int n_page,
                 double now)
{
    struct progress_step step = {.id = id,
                                 .name = id,
                                 .stage = "extract",
                                 .page = n_read + 1,
                                 .n_page = n_page,
                                 .n_read = n_read};
    progress_update(p, &step, now);
}

/* Documents that end after 10 s each. */
static void end_some(struct progress *p, int n)
{
    for (int i = 0; i < n; i++) {
        hear(p, "short", 0, 3, 100);
        progress_end(p, "short", true, 110);
    }
}

static void progress_says_what_is_left(void **state)
{
    (void)state;
    struct progress *p = progress_new(false);
    expect(p, 100, 200, "");
    progress_expect(p, 1);
    hear(p, "a.pdf", 0, 2000, 100);
    expect(p, 103, 200,
           "0 of 1 document, page 1 of 2,000, 3 s: a.pdf, extract");
    hear(p, "a.pdf", 1, 2000, 500); /* a model was loaded */
    hear(p, "a.pdf", 2, 2000, 508);
    expect(p, 508, 200, "0 of 1 document, page 3 of 2,000, 408 s: a.pdf");
    hear(p, "a.pdf", 111, 2000, 500 + 110 * 8);
    expect(p, 500 + 110 * 8, 200,
           "0 of 1 document, page 112 of 2,000, about 252 min left: a.pdf");
    progress_free(p);
}

static void progress_counts_all_documents(void **state)
{
    (void)state;
    struct progress *p = progress_new(false);
    end_some(p, 2);
    hear(p, "a.pdf", 11, 21, 110);
    progress_expect(p, 1300);
    for (int i = 1; i < 5; i++)
        hear(p, "a.pdf", 11 + i, 21, 110 + 6 * i);
    expect(p, 134, 200,
           "2 of 1,302 documents, page 16 of 21, about 1 min left of this "
           "one: a.pdf");
    end_some(p, 2);
    progress_expect(p, 337);
    /* 336 of 10 s each, and 36 s of pages */
    expect(p, 134, 200,
           "4 of 341 documents, page 16 of 21, about 57 min left: a.pdf");
    /* a page that takes longer than the others */
    progress_expect(p, 1);
    expect(p, 134, 200,
           "4 of 5 documents, page 16 of 21, about 1 min left: a.pdf");
    expect(p, 1010, 200,
           "4 of 5 documents, page 16 of 21, about 4 min left: a.pdf");
    progress_free(p);
}

static void progress_keeps_to_one_document(void **state)
{
    (void)state;
    struct progress *p = progress_new(false);
    progress_expect(p, 3);
    hear(p, "a.pdf", 5, 100, 0);
    hear(p, "b.pdf", 4, 100, 0);
    expect(p, 1, 200, "0 of 3 documents, page 6 of 100, 1 s: a.pdf and 1 more");
    hear(p, "c.pdf", 0, 500, 1);
    expect(p, 2, 200,
           "0 of 3 documents, page 1 of 500, 1 s: c.pdf and 2 more, extract");
    progress_end(p, "c.pdf", false, 2);
    progress_end(p, "unknown", false, 2);
    hear(p, "a.pdf", 6, 100, 3);
    expect(p, 3, 29, "0 of 3 documents");
    expect(p, 3, 32, "0 of 3 documents, page 7 of 100");
    expect(p, 3, 37, "0 of 3 documents, page 7 of 100, 3 s");
    expect(p, 3, 45, "0 of 3 documents, page 7 of 100, 3 s: a.pd...");
    expect(p, 3, 10, "");
    progress_end(p, "a.pdf", true, 4);
    expect(p, 4, 200, "1 of 4 documents, page 5 of 100, 4 s: b.pdf");
    progress_free(p);
}

/* Four at once, 10 s each time: 2.5 s a page from the first word on. */
static void tempo_is_not_that_of_a_burst(void **state)
{
    (void)state;
    struct page_rate t = {0};
    double now = 100;
    page_rate_add(&t, 0, now);
    for (int n = 1; n <= 300; n++) {
        page_rate_add(&t, n, now += n % 4 == 1 ? 10 : 0.1);
        double page = page_rate_of_page(&t, now + 0.05);
        assert_true(page < 0 || (page > 2.3 && page < 2.9));
        if (n >= 5) assert_true(page > 0);
    }
    /* one long wait is forgotten */
    page_rate_add(&t, 301, now += 200);
    for (int n = 302; n <= 420; n++)
        page_rate_add(&t, n, now += 1);
    assert_true(page_rate_of_page(&t, now) < 1.1);
}

static void tempo_goes_by_the_last_pages(void **state)
{
    (void)state;
    struct page_rate t = {0};
    double now = 0;
    assert_true(page_rate_of_page(&t, 5) < 0);
    for (int n = 1; n <= 200; n++)
        page_rate_add(&t, n, now += n < 100 ? 1 : 10);
    assert_true(page_rate_of_page(&t, now) > 9.9);
    assert_true(page_rate_left(&t, 200, now) < 0.1);
    page_rate_add(&t, 3, now); /* begun anew */
    assert_true(page_rate_of_page(&t, now) < 0);
    for (int n = 4; n <= 9; n++)
        page_rate_add(&t, n, now += 2);
    assert_true(page_rate_of_page(&t, now) < 2.1);
}

TEST_GROUP(progress, cmocka_unit_test(progress_says_what_is_left),
           cmocka_unit_test(progress_counts_all_documents),
           cmocka_unit_test(progress_keeps_to_one_document),
           cmocka_unit_test(tempo_is_not_that_of_a_burst),
           cmocka_unit_test(tempo_goes_by_the_last_pages))
