/* currency.c - see currency.h. */
#include "stages/print/currency.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { CURRENCY_SIGNS = 4 };

static const struct {
    const char *code, *sign[CURRENCY_SIGNS + 1];
} table[] = {{"EUR", {"\u20AC", "Euro"}},
             {"USD", {"$", "US$"}},
             {"GBP", {"\u00A3"}},
             {"CHF", {"Fr.", "SFr."}},
             {"JPY", {"\u00A5", "\u5186"}},
             {"CNY", {"\u00A5", "\u5143"}},
             {"INR", {"\u20B9", "Rs.", "Rs"}},
             {"KRW", {"\u20A9"}},
             {"PLN", {"z\u0142"}},
             {"CZK", {"K\u010D"}},
             {"SEK", {"kr"}},
             {"NOK", {"kr"}},
             {"DKK", {"kr", "kr."}},
             {"HUF", {"Ft"}},
             {"RON", {"lei"}},
             {"BGN", {"\u043B\u0432", "\u043B\u0432."}},
             {"THB", {"\u0E3F"}},
             {"PHP", {"\u20B1"}},
             {"KZT", {"\u20B8"}},
             {"CAD", {"$", "C$", "CA$"}},
             {"AUD", {"$", "A$"}},
             {"NZD", {"$", "NZ$"}},
             {"BRL", {"R$"}},
             {"TRY", {"\u20BA", "TL"}},
             {"UAH", {"\u20B4"}},
             {"RUB", {"\u20BD"}},
             {"ILS", {"\u20AA"}},
             {"VND", {"\u20AB"}},
             {"NGN", {"\u20A6"}},
             {"MXN", {"$"}},
             {"ZAR", {"R"}},
             {"SGD", {"S$"}},
             {"HKD", {"HK$"}},
             {"TWD", {"NT$"}},
             {"MYR", {NULL}},
             {"IDR", {"Rp", "Rp."}},
             {"PKR", {NULL}},
             {"LKR", {NULL}},
             {"KWD", {"KD"}},
             {"BHD", {NULL}},
             {"JOD", {NULL}},
             {"ISK", {"kr"}},
             {"PYG", {"\u20B2"}},
             {"ARS", {"$"}},
             {"COP", {"$"}},
             {"AED", {"Dhs", "Dhs."}},
             {"QAR", {NULL}},
             {"OMR", {NULL}},
             {"EGP", {NULL}},
             {"TND", {NULL}},
             {"DZD", {NULL}},
             {"BDT", {NULL}},
             {"NPR", {NULL}},
             {"KES", {NULL}},
             {"RSD", {NULL}},
             {"XOF", {NULL}},
             {"XAF", {NULL}}};
enum { N_CODE = sizeof table / sizeof *table };

const char *const *currency_signs(const char *code)
{
    for (size_t i = 0; i < N_CODE; i++)
        if (!strcmp(code, table[i].code)) return table[i].sign;
    return NULL;
}

bool currency_has_thousandths(const char *code)
{
    static const char *const of[] = {"BHD", "JOD", "KWD", "OMR", "TND"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(code, of[i])) return true;
    return false;
}

/* Whether the text is the sign, with nothing but digits and marks around it. One
 * letter alone is no sign, and the end of "R$" is no dollar. */
static bool has_sign(const char *text, const char *sign)
{
    if (!sign[1]) {
        const char *dollar = *sign == '$' ? strchr(text, '$') : NULL;
        return dollar &&
               (dollar == text || !isalpha((unsigned char)dollar[-1]));
    }
    static const char marks[] = "0123456789.,:;'()[]+-";
    const char *at = strstr(text, sign);
    if (!at) return false;
    size_t before = strspn(text, marks), n = strlen(sign);
    return before == (size_t)(at - text) && !at[n + strspn(at + n, marks)];
}

static bool is_of(const char *text, size_t currency)
{
    bool is = has_sign(text, table[currency].code);
    for (int k = 0; table[currency].sign[k]; k++)
        is = is || has_sign(text, table[currency].sign[k]);
    return is;
}

bool currency_is_sign(const char *text)
{
    for (size_t i = 0; i < N_CODE; i++)
        if (is_of(text, i)) return true;
    return false;
}

const char *currency_code(const char *text)
{
    const char *only = NULL;
    for (size_t i = 0; i < N_CODE; i++) {
        if (!is_of(text, i)) continue;
        if (only) return NULL;
        only = table[i].code;
    }
    return only;
}
