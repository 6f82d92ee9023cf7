/* words_parties_test.c - what the words of drawn pages decide for names, addresses,
 * accounts and currencies. */
#include "tests/support/test.h"

#include <string.h>

#include "tests/unit/stages/words_page.h"

static void parties_are_blocks(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        /* the letterhead is the sender's, though nobody asks for one */
        {"Harbour Tools Ltd\n12 Quay Street\nBristol BS1 4RN\n"
         "Phone 0117 496 0123\n\n\n"
         "Mill Lane Bakery\n4 Mill Lane\nBath BA1 2QR\n\n\n"
         "Invoice number: 4711\n",
         "\"invoice_number\":" TEXT ",\"customer_name\":" TEXT
         ",\"customer_address\":" TEXT,
         "{\"invoice_number\":\"4711\",\"customer_name\":"
         "\"Mill Lane Bakery\",\"customer_address\":"
         "\"4 Mill Lane, Bath BA1 2QR\"}"},
        /* beside a town the address is the street */
        {"Harbour Tools Ltd\n12 Quay Street\nBristol BS1 4RN\n\n\n"
         "Invoice date: 2024-03-18\n",
         "\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
         ",\"address\":" TEXT ",\"postal_code\":" TEXT ",\"city\":" TEXT "}}",
         "{\"seller\":{\"name\":\"Harbour Tools Ltd\",\"address\":"
         "\"12 Quay Street\",\"postal_code\":\"BS1 4RN\","
         "\"city\":\"Bristol\"}}"},
        {"Harbour Tools Ltd\n12 Quay Street, Bristol BS1 4RN\n\n\n"
         "Bill to\nMill Lane Bakery Ltd\n4 Mill Lane\nBath BA1 2QR\n\n\n"
         "Invoice date: 2024-03-18\n",
         "\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
         "}},\"buyer\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
         ",\"address\":" TEXT "}}",
         "{\"seller\":{\"name\":\"Harbour Tools Ltd\"},\"buyer\":{"
         "\"name\":\"Mill Lane Bakery Ltd\","
         "\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    WORDS_PAGE_ASSERT(row);
}

#define PARTIES                                                               \
    "\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT          \
    ",\"address\":" TEXT "}},\"buyer\":{\"type\":\"object\",\"properties\":{" \
    "\"name\":" TEXT ",\"address\":" TEXT "}}"

/* Below a heading numbers with labels can be above the name, and a blank line between it
 * and the address; forms of address and persons are no part of either. */
static void names_are_below_numbers_and_above_gaps(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Seller:\nGLN 4333741000005\nNo.: 549910\nMINSTER TOOLS\n\n"
         "17 Quay Street\nBristol BS1 4RN\n\n\n"
         "Buyer:\nMr\nJohn Miller\nAttn: Accounts\n4 Mill Lane\n"
         "Bath BA1 2QR\n\n\nInvoice date: 2024-03-18\n",
         PARTIES,
         "{\"seller\":{\"name\":\"MINSTER TOOLS\",\"address\":"
         "\"17 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"John Miller\",\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void heads_of_goods_and_numbers_announce_nobody(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Harbour Tools Ltd\n12 Quay Street\nBristol BS1 4RN\n\n\n\n"
         "Art-Nr-Kunde\nDescription               Price\n"
         "Beech mallet              36.00\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools Ltd\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":null,"
         "\"address\":null}}"},
        {"Harbour Tools Ltd\n12 Quay Street\nBristol BS1 4RN\n\n\n\n"
         "Description               Price\nBeech mallet              36.00\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools Ltd\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":null,"
         "\"address\":null}}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* Only the sender is in the foot, or can be reached; a title is nobody. */
static void senders_are_in_the_foot_or_have_contacts(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Reminder\n\n\nMill Lane Bakery\n4 Mill Lane\nBath BA1 2QR\n\n\n\n\n\n"
         "\n\n\n\nPlease pay.\n\n\n\n\n\n\n\n\n\n\n\n"
         "Harbour Tools\n12 Quay Street\nBristol BS1 4RN\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"Mill Lane Bakery\",\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
        {"Packing slip                  Harbour Tools\n"
         "                              12 Quay Street\n"
         "                              Bristol BS1 4RN\n"
         "                              www.harbour.example\n\n\n"
         "Bill to\nMill Lane Bakery Ltd\n4 Mill Lane\nBath BA1 2QR\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"Mill Lane Bakery Ltd\",\"address\":"
         "\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* A mail address or a web page is the sender's only if it can be nobody else's: not in a
 * sentence, not below whom it is sent to, not that of two. */
static void who_is_written_to_can_be_reached_too(void **state)
{
    (void)state;
#define ANNA   "Anna Miller\n3 Mill Lane\nBath BA1 2QR\n\n"
#define TOOLS  "Harbour Tools Ltd\n12 Quay Street\nBristol BS1 4RN\n"
#define LETTER "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nPlease cancel it.\n"
#define SENT(seller, buyer) \
    "{\"seller\":{\"name\":\"" seller "},\"buyer\":{\"name\":\"" buyer "}}"
#define IS_ANNA "Anna Miller\",\"address\":\"3 Mill Lane, Bath BA1 2QR\""
#define IS_TOOLS           \
    "Harbour Tools Ltd\"," \
    "\"address\":\"12 Quay Street, Bristol BS1 4RN\""
    static const struct words_page_row row[] = {
        {ANNA TOOLS "harbour@tools.example\n" LETTER, PARTIES,
         SENT(IS_ANNA, IS_TOOLS)},
        {ANNA TOOLS "\n\nYour order by www.harbour-tools.example\n" LETTER,
         PARTIES, SENT(IS_ANNA, IS_TOOLS)},
        {"Anna Miller             Harbour Tools Ltd\n"
         "3 Mill Lane             12 Quay Street\n"
         "Bath BA1 2QR            Bristol BS1 4RN\n" LETTER
         "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nI ordered at shop@harbour.example.\n",
         PARTIES, SENT(IS_ANNA, IS_TOOLS)},
        /* at the right of whom it is sent to */
        {"Anna Miller             Harbour Tools Ltd\n"
         "3 Mill Lane             12 Quay Street\n"
         "Bath BA1 2QR            Bristol BS1 4RN\n"
         "                        info@harbour.example\n" LETTER,
         PARTIES, SENT(IS_TOOLS, IS_ANNA)},
        {"Anna Miller             Harbour Tools Ltd\n"
         "3 Mill Lane             12 Quay Street\n"
         "Bath BA1 2QR            Bristol BS1 4RN\n"
         "anna@miller.example     info@harbour.example\n" LETTER,
         PARTIES, SENT(IS_ANNA, IS_TOOLS)},
    };
    WORDS_PAGE_ASSERT(row);
}

static void accounts_have_check_digits(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Bank details   DE02 1203 0000 0000 2020 51\n", "\"iban\":" TEXT,
         "{\"iban\":\"DE02 1203 0000 0000 2020 51\"}"},
        /* the form that the schema wants */
        {"Bank details   DE02 1203 0000 0000 2020 51\n",
         "\"iban\":{\"type\":[\"string\",\"null\"],"
         "\"pattern\":\"^[A-Z0-9]+$\"}",
         "{\"iban\":\"DE02120300000000202051\"}"},
        {"IBAN  DE03 1203 0000 0000 2020 51\n", "\"iban\":" TEXT,
         "{\"iban\":null}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void the_only_currency_is_the_currency(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Subtotal    \u20AC 10.00\nTotal       \u20AC 12.00\n",
         "\"currency\":" TEXT, "{\"currency\":\"EUR\"}"},
        {"Total       10.00\n", "\"currency\":" TEXT, "{\"currency\":null}"},
        /* a registry, and what is beside an amount */
        {"Total       10.00 EUR\nKES Lisbon, Share capital 5 000\n",
         "\"currency\":" TEXT, "{\"currency\":\"EUR\"}"},
        /* a unit: a barrel */
        {"Description    Unit    Quantity    Amount\n"
         "Stout          BRL            4    129.20\n"
         "Porter         BRL            3     96.70\n"
         "Lager          BOX            1     40.00\n\n"
         "Total                              265.90\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"unit\":" TEXT
                           ",\"quantity\":" NUMBER
                           ",\"amount\":" NUMBER) ","
                                                  "\"currency\":" TEXT,
         "{\"items\":[{\"description\":\"Stout\",\"unit\":\"BRL\","
         "\"quantity\":4,\"amount\":129.2},{\"description\":\"Porter\","
         "\"unit\":\"BRL\",\"quantity\":3,\"amount\":96.7},"
         "{\"description\":\"Lager\",\"unit\":\"BOX\","
         "\"quantity\":1,\"amount\":40}],\"currency\":null}"},
        /* choices that are currencies */
        {"Valor       R$ 10.00\n",
         "\"moeda\":{\"type\":[\"string\",\"null\"],\"enum\":[\"EUR\",\"BRL\","
         "null]}",
         "{\"moeda\":\"BRL\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

#define TAX_IDS                                                        \
    "\"seller\":{\"type\":\"object\",\"properties\":{\"tax_id\":" TEXT \
    "}},\"buyer\":{\"type\":\"object\",\"properties\":{\"tax_id\":" TEXT "}}"

static void a_number_of_a_party_is_no_tax_and_no_other_partys(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"VAT ID DE 232 446 240    Bank: Quay Bank\n\nTotal      34.73\n",
         "\"tax\":" NUMBER ",\"total\":" NUMBER,
         "{\"tax\":null,\"total\":34.73}"},
        {"VAT   TL 232 446 240\nTotal TL 1 232 446 240\n",
         "\"tax\":" NUMBER ",\"total\":" NUMBER,
         "{\"tax\":232446240,\"total\":1232446240}"},
        {"About the seller: Quay Tools\nFirm ID: 821017432\n"
         "VAT ID: 821017432MVA\n",
         TAX_IDS,
         "{\"seller\":{\"tax_id\":\"821017432MVA\"},"
         "\"buyer\":{\"tax_id\":null}}"},
        {"VAT ID: DE136695976\nTotal  34.73\nVAT ID: DE136695976\n", TAX_IDS,
         "{\"seller\":{\"tax_id\":\"DE136695976\"},"
         "\"buyer\":{\"tax_id\":null}}"},
        {"VAT ID: DE136695976        VAT ID: ATU12345675\n", TAX_IDS,
         "{\"seller\":{\"tax_id\":null},\"buyer\":{\"tax_id\":null}}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* Whether the words are sure of the value at the pointer. */
static bool is_sure(const char *page, const char *properties,
                    const char *pointer)
{
    struct arena *arena = arena_new();
    struct words words = drawn_page_words(page, arena);
    const char *schema = arena_text(
        arena, "{\"type\":\"object\",\"properties\":{%s}}", properties);
    struct words_answer read = words_page_read(schema, &words, 1, arena);
    double p = -1;
    for (int i = 0; i < read.n_found; i++)
        if (!strcmp(read.found[i].pointer, pointer)) p = read.found[i].p;
    assert_true(p > 0);
    cJSON_Delete(read.value);
    arena_free(arena);
    return p >= 0.9;
}

/* What has no colon can be the next label; a name with a word of labels is a title. */
static void texts_and_titles_are_doubtful(void **state)
{
    (void)state;
    static const char subject[] = "\"subject\":" TEXT;
    assert_true(is_sure("Subject: Repair of a boiler\n", subject, "/subject"));
    assert_false(is_sure("Subject      Equipment\n", subject, "/subject"));
    static const char foot[] = "12 Quay Street\nBristol BS1 4RN\n"
                               "mail@example.com\n\n\nDate: 2024-03-18\n";
    struct arena *arena = arena_new();
    assert_true(is_sure(arena_text(arena, "Harbour Tools\n%s", foot), PARTIES,
                        "/seller/name"));
    assert_false(is_sure(arena_text(arena, "Purchase order form\n%s", foot),
                         PARTIES, "/seller/name"));
    arena_free(arena);
}

TEST_GROUP(words_parties, cmocka_unit_test(parties_are_blocks),
           cmocka_unit_test(names_are_below_numbers_and_above_gaps),
           cmocka_unit_test(heads_of_goods_and_numbers_announce_nobody),
           cmocka_unit_test(senders_are_in_the_foot_or_have_contacts),
           cmocka_unit_test(who_is_written_to_can_be_reached_too),
           cmocka_unit_test(accounts_have_check_digits),
           cmocka_unit_test(the_only_currency_is_the_currency),
           cmocka_unit_test(a_number_of_a_party_is_no_tax_and_no_other_partys),
           cmocka_unit_test(texts_and_titles_are_doubtful))
