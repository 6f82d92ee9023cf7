/* words_fuzz.c - any words anywhere, read by the words reader: what it says is in the
 * value that it gives, outside of arrays at its pointer, and none of it is null.
 *
 * The first byte chooses a schema. Words are separated by blanks, which also move the
 * next one, and lines by line ends; byte 1 is a page's end.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/words/words_reader.h"

enum { WORDS_MOST = 512, PAGES_MOST = 3 };

#define TEXT   "{\"type\":[\"string\",\"null\"]}"
#define DATE   "{\"type\":[\"string\",\"null\"],\"format\":\"date\"}"
#define NUMBER "{\"type\":[\"number\",\"null\"]}"
#define PARTY                                                                 \
    "{\"type\":\"object\",\"properties\":{\"name\":" TEXT ",\"address\":"     \
    "{\"type\":\"object\",\"properties\":{\"street\":" TEXT ",\"city\":" TEXT \
    ",\"postal_code\":" TEXT "}},\"vat_id\":" TEXT "}}"
#define ROWS(members)                                     \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
    "\"properties\":{" members "}}}"

static const char *const schemas[] = {
    "{\"type\":\"object\",\"properties\":{\"seller\":" PARTY ",\"buyer\":" PARTY
    ",\"invoice_number\":" TEXT ",\"date\":" DATE ",\"due_date\":" DATE
    ",\"items\":" ROWS(
        "\"description\":" TEXT ",\"quantity\":" NUMBER ",\"unit\":" TEXT
        ",\"price\":" NUMBER
        ",\"amount\":" NUMBER) ",\"taxes\":" ROWS("\"rate\":" NUMBER
                                                  ",\"base\":" NUMBER
                                                  ",\"tax\":" NUMBER) ","
                                                                      "\"subtot"
                                                                      "al\""
                                                                      ":" NUMBER
                                                                      ",\"tax\""
                                                                      ":" NUMBER
                                                                      ",\"total"
                                                                      "\""
                                                                      ":" NUMBER
                                                                      ",\"iban"
                                                                      "\":" TEXT
                                                                      ",\"bic\""
                                                                      ":" TEXT
                                                                      ",\"email"
                                                                      "\":" TEXT
                                                                      ",\"curre"
                                                                      "ncy\":{"
                                                                      "\"type\""
                                                                      ":["
                                                                      "\"string"
                                                                      "\","
                                                                      "\"null\""
                                                                      "],"
                                                                      "\"patter"
                                                                      "n\":\"^["
                                                                      "A-Z]{3}$"
                                                                      "\"}}}",
    "{\"type\":\"object\",\"properties\":{\"account_number\":" TEXT
    ",\"period_start\":" DATE ",\"period_end\":" DATE
    ",\"opening_balance\":" NUMBER ",\"closing_balance\":" NUMBER
    ",\"transactions\":" ROWS("\"booking_date\":" DATE ",\"value_date\":" DATE
                              ",\"debit\":" NUMBER ",\"credit\":" NUMBER
                              ",\"text\":" TEXT ",\"counterparty\":" TEXT) "}}",
    "{\"type\":\"object\",\"properties\":{\"items\":" ROWS(
        "\"name\":" TEXT ",\"quantity\":" NUMBER
        ",\"price\":" NUMBER) ",\"total\":" NUMBER "}}"};

/* The words of a page; *at: behind it. */
static void read_page(const char **at, struct words *words,
                      struct word word[WORDS_MOST], struct arena *arena)
{
    double x = 0.05, y = 0.03;
    *words = (struct words){.word = word, .aspect = 0.7};
    while (**at > 1 && words->n_word < WORDS_MOST) {
        size_t n = strcspn(*at, " \n\1");
        if (n) {
            word[words->n_word++] =
                (struct word){x,
                              y,
                              0.008 * (double)n,
                              0.01,
                              arena_copy(arena, (struct span){*at, n}),
                              1};
            x += 0.008 * (double)n;
            *at += n;
        } else if (*(*at)++ == '\n') {
            x = 0.05;
            y += 0.015;
        } else {
            x += 0.008;
        }
    }
    *at += strcspn(*at, "\1");
    *at += **at == 1;
}

static void check(const struct words_answer *read)
{
    assert(cJSON_IsObject(read->value));
    assert(read->n_scalar <= read->n_wanted);
    for (int i = 0; i < read->n_found; i++) {
        const struct words_found *f = &read->found[i];
        assert(f->p > 0 && f->p <= 1 && *f->pointer == '/');
        if (f->array) assert(f->row >= 0);
    }
}

int words_fuzz(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    struct err err = {0};
    struct schema_options options = {.format_asserts = true};
    const char *text = schemas[*data % (sizeof schemas / sizeof *schemas)];
    struct schema *schema =
        schema_parse(span_of(text), "words", &options, &err);
    assert(schema);
    struct arena *arena = arena_new();
    const char *at =
        arena_copy(arena, (struct span){(const char *)data + 1, size - 1});
    struct words words[PAGES_MOST];
    struct numbered_words page[PAGES_MOST];
    struct word *word =
        arena_array(arena, PAGES_MOST * WORDS_MOST, sizeof *word);
    int n = 0;
    do {
        read_page(&at, &words[n], word + n * WORDS_MOST, arena);
        page[n] = (struct numbered_words){n + 1, &words[n]};
        n++;
    } while (*at && n < PAGES_MOST);
    struct words_answer read = words_reader_read(schema, page, n, arena);
    check(&read);
    cJSON_Delete(read.value);
    arena_free(arena);
    schema_free(schema);
    return 0;
}
