/* example_choice_test.c - whose name a document has, and which of the sender's
 * documents is the most similar. */
#include "pipeline/spool/example_choice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/confidence/earlier.h"
#include "tests/support/test.h"
#include "vlm/json/json.h"

struct sought {
    char name[EARLIER_TEXT];
    int n;
};

static void count(void *arg, const char *name)
{
    struct sought *s = arg;
    s->n += !strcmp(s->name, name);
}

static int times(const char *words, const char *sender)
{
    struct sought s = {.n = 0};
    earlier_fold(sender, s.name);
    example_choice_names(span_of(words), count, &s);
    return s.n;
}

static void a_name_is_found_as_it_is_compared(void **state)
{
    (void)state;
    static const char page[] = "INVOICE\tNo. 7\n"
                               "\tM\xc3\xbcller & S\xc3\xb6hne GmbH, Hafen 1\n"
                               "to: Harbour Tools\tLtd.\n"
                               "xy zw";
    assert_true(times(page, "MULLER & SOHNE AG") > 0);
    assert_true(times(page, "Harbour Tools Ltd") > 0);
    assert_int_equal(times(page, "Hafen Seven"), 0);
    assert_int_equal(times(page, "Tools xy"), 0);   /* another line */
    assert_int_equal(times(page, "bour Tools"), 0); /* part of a word */
    assert_int_equal(times(page, "xy"), 0);         /* too short for a name */
    assert_true(times(page, "xy zw") > 0);
    assert_int_equal(times("", "xy zw"), 0);
}

/* Lines of any length, and bytes that are no text. */
static void any_words_will_do(void **state)
{
    (void)state;
    static char long_line[20000];
    memset(long_line, 'x', sizeof long_line - 1);
    assert_int_equal(times(long_line, "Harbour"), 0);
    for (size_t i = 5; i < sizeof long_line - 1; i += 6)
        long_line[i] = ' ';
    assert_true(times(long_line, "xxxxx xxxxx") > 0);
    assert_int_equal(times("\xff\xfe \x80\n\n\n \t \n\x01 Harbour\xff", "Har"),
                     0);
}

static struct example_candidate candidate(const char *id, const char *sender,
                                          const char *words)
{
    return (struct example_candidate){
        .id = id, .sender = sender, .words = span_of(words)};
}

static void the_most_similar_comes_first(void **state)
{
    (void)state;
    static const char words[] = "Harbour\nInvoice number 17\nTotal due 4.50\n";
    struct example_candidate all[] = {
        candidate("1", "harbour", "Harbour\nBill 3\nSum total owed 9.75\n"),
        candidate("2", "harbour", "Harbour\nInvoice number 99\nTotal due 8.15"),
        candidate("3", "harbour", "Harbour\nInvoice number 23\nTotal due 1.20"),
        candidate("4", "buyer", "Harbour\nInvoice letter 17\nTotal paid 1.30"),
        candidate("5", "harbour", "quite another thing is written here"),
    };
    assert_int_equal(example_choice_rank(span_of(words), all, 5), 3);
    assert_string_equal(all[0].id, "3"); /* as similar as 2, and later */
    assert_string_equal(all[1].id, "2");
    assert_string_equal(all[2].id, "1");
    assert_int_equal(all[0].likeness, EXAMPLE_LIKENESS);
    assert_true(all[2].likeness >= EXAMPLE_LIKENESS_LEAST);
    assert_int_equal(example_choice_rank(span_of("nothing alike"), all, 3), 0);
    assert_int_equal(example_choice_rank(span_of(""), NULL, 0), 0);
}

/* What a reader gets is JSON, whatever the words are. */
static void the_list_is_json(void **state)
{
    (void)state;
    char text[1000];
    struct err err = {0};
    struct buf list = buf_limit(1000);
    assert_int_equal(example_choice_file(&list), -1);
    cJSON *value = json_parse(span_of("{\"a\":1.50}"), &err);
    struct example_candidate one = candidate("1", "s", "\"\xff\n\t\x01");
    example_choice_print(&one, value, &list);
    example_choice_print(&one, value, &list);
    example_choice_end(&list);
    int fd = example_choice_file(&list);
    assert_true(fd >= 0);
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    cJSON *read_back = json_parse((struct span){text, (size_t)n}, &err);
    test_ok(&err);
    assert_int_equal(cJSON_GetArraySize(read_back), 2);
    assert_true(json_equal(json_get(read_back->child, "value"), value));
    cJSON_Delete(read_back);
    cJSON_Delete(value);
    buf_free(&list);
}

TEST_GROUP(example_choice, cmocka_unit_test(a_name_is_found_as_it_is_compared),
           cmocka_unit_test(any_words_will_do),
           cmocka_unit_test(the_most_similar_comes_first),
           cmocka_unit_test(the_list_is_json))
