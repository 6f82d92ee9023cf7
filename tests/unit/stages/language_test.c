/* language_test.c - which language a page's words are in. */
#include "stages/print/language.h"

#include <string.h>

#include "tests/support/test.h"

enum { WORDS_MOST = 60, TEXT_MOST = 400 };

/* The code that is missing from `known` for these words, or "". */
static const char *missing(const char *text, const char *known)
{
    static char copy[TEXT_MOST];
    struct word word[WORDS_MOST] = {{0}};
    struct words words = {.word = word};
    char *rest = copy;
    strncpy(copy, text, sizeof copy - 1);
    for (char *one; (one = strtok_r(rest, " ", &rest));)
        word[words.n_word++].text = one;
    struct language l = language_missing(&words, known);
    return l.code ? l.code : "";
}

static const char german[] =
    "Backerei Miller & S6hne GmbH Rechnung Nr. 2025-118 Datum: 3. Marz fur "
    "Ihre "
    "Bestellung vom 28. Februar Zahlbar innerhalb von 14 Tagen ohne Abzug";
static const char english[] =
    "CORNER GREENGROCER Receipt date: 3 March 2025 Total amount due 12.40 "
    "Thank you for your order Die cast toy, Restaurant Der Hof";
static const char french[] = "Boulangerie Facture numero 12 Montant des "
                             "articles avec TVA Merci de votre "
                             "commande";

static void a_language_that_was_not_told(void **state)
{
    (void)state;
    assert_string_equal(missing(german, "eng"), "deu");
    assert_string_equal(missing(french, "eng"), "fra");
    assert_string_equal(missing(english, "deu"), "eng");
}

static void what_was_told_or_is_not_clear(void **state)
{
    (void)state;
    assert_string_equal(missing(german, "deu+eng"), "");
    assert_string_equal(missing(english, "eng"), "");
    assert_string_equal(missing("Rechnung Datum 12,40", "eng"), "");
    assert_string_equal(missing("und und und und und und", "eng"), "");
    assert_string_equal(missing("", "eng"), "");
}

TEST_GROUP(language, cmocka_unit_test(a_language_that_was_not_told),
           cmocka_unit_test(what_was_told_or_is_not_clear))
