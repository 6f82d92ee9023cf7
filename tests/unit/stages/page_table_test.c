/* page_table_test.c - the page table, the alignment of rows to its lines, and the words
 * that lines are known by. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/alignment/row_lines.h"
#include "stages/print/page_table.h"
#include "stages/print/vocabulary.h"
#include "vlm/json/json.h"

enum { LINES_MOST = 8, WORDS_MOST = 64 };

/* A page of lines, a word each 0.15 of its width. */
struct printed {
    struct word word[WORDS_MOST];
    struct words words;
    struct page_table table;
    struct arena *arena;
};

static void print(struct printed *p, const char *const *line, int n_line)
{
    *p = (struct printed){.arena = arena_new()};
    for (int l = 0; l < n_line; l++) {
        char *copy = arena_text(p->arena, "%s", line[l]), *rest = NULL;
        double x = 0.05;
        for (char *w = strtok_r(copy, " ", &rest); w;
             w = strtok_r(NULL, " ", &rest)) {
            p->word[p->words.n_word++] = (struct word){
                x, 0.1 + 0.03 * l, 0.01 * (double)strlen(w), 0.012, w, 1};
            x += 0.15;
        }
    }
    p->words.word = p->word;
    p->words.aspect = 1;
    struct numbered_words page = {1, &p->words};
    page_table_of_pages(&page, 1, p->arena, &p->table);
}

static void a_word_knows_its_line_column_and_neighbours(void **state)
{
    (void)state;
    static const char *const line[] = {"Item Price", "Tea 12,50-",
                                       "Milk (3,25)"};
    struct printed p;
    print(&p, line, 3);
    const struct page_table *t = &p.table;
    assert_int_equal(t->n_line, 3);
    assert_int_equal(t->n_token, 6);
    assert_int_equal(t->line[3].first, 6);
    const struct token *tea = &t->token[2];
    assert_string_equal(tea->place->text, "Tea");
    assert_string_equal(tea->fold.byte, "tea");
    assert_int_equal(tea->line, 1);
    assert_int_equal(tea->part, 0);
    assert_int_equal(tea->right, 3);
    assert_int_equal(tea->below, 4);
    assert_int_equal(t->token[3].part, 1);
    assert_int_equal(t->token[3].below, 5);
    assert_true(t->token[3].figure && !tea->figure);
    assert_int_equal(t->n_figure, 2);
    assert_int_equal(t->figure[0].sign, SIGN_NEGATIVE);
    assert_int_equal(t->figure[1].sign, SIGN_NEGATIVE);
    assert_int_equal(t->line[1].said.n_item, 2);
    arena_free(p.arena);
}

static void words_from_right_to_left_are_linked_as_they_are_read(void **state)
{
    (void)state;
    struct word word[] = {{0.1, 0.1, 0.04, 0.012, "Name:", 1},
                          {0.145, 0.1, 0.04, 0.012, "\u05DB\u05D4\u05DF", 1},
                          {0.19, 0.1, 0.04, 0.012, "\u05DE\u05E9\u05D4", 1},
                          {0.235, 0.1, 0.04, 0.012, "12,50", 1}};
    struct words words = {.word = word, .n_word = 4, .aspect = 1};
    struct numbered_words page = {1, &words};
    struct page_table t;
    struct arena *arena = arena_new();
    page_table_of_pages(&page, 1, arena, &t);
    assert_int_equal(t.n_line, 1);
    assert_int_equal(t.token[0].right, 2);
    assert_int_equal(t.token[2].right, 1);
    assert_int_equal(t.token[1].right, 3);
    assert_int_equal(t.token[3].right, -1);
    arena_free(arena);
}

/* "n n n": the line of each row, -1: none; `shared`, `least` as in alignment.h. */
static const char *aligned(const struct printed *p, const char *rows,
                           bool shared)
{
    struct err err = {0};
    const struct canons *line[LINES_MOST];
    struct aligned_row row[LINES_MOST] = {{.line = 0}};
    cJSON *all = json_parse(span_of(rows), &err);
    test_ok(&err);
    struct row_alignment a = {.row = row,
                              .line = line,
                              .n_line = p->table.n_line,
                              .least = 0.4,
                              .span = ROW_LINES_MAX,
                              .shared = shared,
                              .arena = p->arena};
    for (int l = 0; l < a.n_line; l++)
        line[l] = &p->table.line[l].said;
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, all)
    {
        row[a.n_row].line = -1;
        canon_add_value(&row[a.n_row++].said, each, p->arena);
    }
    assert_true(row_lines_find(&a));
    const char *said = "";
    for (int r = 0; r < a.n_row; r++)
        said = arena_text(p->arena, "%s%s%d", said, r ? " " : "", row[r].line);
    cJSON_Delete(all);
    return said;
}

static void rows_are_laid_onto_lines_in_their_order(void **state)
{
    (void)state;
    static const char *const line[] = {"Item Price", "Tea 12.50", "Milk 3.25",
                                       "Tea 12.50", "Total 28.25"};
    static const char tea[] = "{\"item\":\"Tea\",\"price\":12.5}";
    static const char milk[] = "{\"item\":\"Milk\",\"price\":3.25}";
    struct printed p;
    print(&p, line, 5);
    assert_string_equal(
        aligned(&p, arena_text(p.arena, "[%s,%s,%s]", tea, milk, tea), false),
        "1 2 3");
    /* each line is one row's */
    assert_string_equal(
        aligned(&p, arena_text(p.arena, "[%s,%s,%s]", tea, tea, tea), false),
        "1 3 -1");
    assert_string_equal(
        aligned(&p, arena_text(p.arena, "[%s,%s]", milk, milk), false), "2 -1");
    /* and of what is printed nowhere there is no line */
    assert_string_equal(
        aligned(&p, "[{\"item\":\"Salt\",\"price\":7.75}]", false), "-1");
    arena_free(p.arena);
}

static void a_price_below_a_name_is_of_the_row_above(void **state)
{
    (void)state;
    static const char *const line[] = {"Tea",  "12.50", "Milk", "3.25",
                                       "Salt", "0.75",  "Oil",  "9.80"};
    struct printed p;
    print(&p, line, 8);
    /* the price of the row above makes Milk no row of lines 1 and 2 */
    assert_string_equal(aligned(&p,
                                "[{\"item\":\"Tea\",\"price\":12.5},"
                                "{\"item\":\"Milk\",\"price\":12.5},"
                                "{\"item\":\"Salt\",\"price\":0.75},"
                                "{\"item\":\"Oil\",\"price\":9.8}]",
                                false),
                        "0 2 4 6");
    /* and a row given twice is not two halves of one */
    assert_string_equal(aligned(&p,
                                "[{\"item\":\"Tea\",\"price\":12.5},"
                                "{\"item\":\"Milk\",\"price\":3.25},"
                                "{\"item\":\"Milk\",\"price\":3.25},"
                                "{\"item\":\"Salt\",\"price\":0.75}]",
                                false),
                        "0 2 -1 4");
    arena_free(p.arena);
}

static void texts_of_a_list_may_share_a_line(void **state)
{
    (void)state;
    static const char *const line[] = {"red green blue", "white"};
    struct printed p;
    print(&p, line, 2);
    assert_string_equal(aligned(&p, "[\"red\",\"green\",\"white\"]", true),
                        "0 0 1");
    assert_string_equal(aligned(&p, "[\"red\",\"green\",\"white\"]", false),
                        "0 -1 1");
    arena_free(p.arena);
}

static void lines_are_known_by_their_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum vocabulary_line line;
        bool says;
    } each[] = {{"total 12.50", VOCABULARY_SUM, true},
                {"totally 12.50", VOCABULARY_SUM, false},
                {"the total 12.50", VOCABULARY_SUM, false},
                {"page 3 brought forward 12.50", VOCABULARY_CARRIED, true},
                {"19 % mwst 2.50", VOCABULARY_TAX, true},
                {"cash 20.00", VOCABULARY_PAYMENT, true},
                {"cashew 20.00", VOCABULARY_PAYMENT, false},
                {"desk lamp on request", VOCABULARY_UNPRICED, true},
                {"on request", VOCABULARY_UNPRICED, false}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_int_equal(vocabulary_says(each[i].text, each[i].line),
                         each[i].says);
    assert_string_equal(vocabulary_meaning("summe", 5), "total");
    assert_string_equal(vocabulary_meaning("netto", 5), "subtotal");
    assert_null(vocabulary_meaning("carried forward", 15));
}

TEST_GROUP(
    page_table, cmocka_unit_test(a_word_knows_its_line_column_and_neighbours),
    cmocka_unit_test(words_from_right_to_left_are_linked_as_they_are_read),
    cmocka_unit_test(rows_are_laid_onto_lines_in_their_order),
    cmocka_unit_test(a_price_below_a_name_is_of_the_row_above),
    cmocka_unit_test(texts_of_a_list_may_share_a_line),
    cmocka_unit_test(lines_are_known_by_their_words))
