/* check_digits.c - see check_digits.h. */
#include "stages/alignment/check_digits.h"

#include <stddef.h>
#include <string.h>

enum { SIZE_MAX_OF_CODE = 40, IBAN_LEAST = 15, IBAN_MOST = 34 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Copies letters, in upper case, and digits; their number, or -1 if there are
 * too many or others. */
static int read_code(const char *text, char out[SIZE_MAX_OF_CODE])
{
    int n = 0;
    for (; *text; text++) {
        if (strchr(" .-/", *text)) continue;
        char c = *text >= 'a' && *text <= 'z' ? (char)(*text - 32) : *text;
        if ((!is_digit(c) && !is_upper(c)) || n == SIZE_MAX_OF_CODE - 1)
            return -1;
        out[n++] = c;
    }
    out[n] = '\0';
    return n;
}

/* The remainder modulo 97 with the first four characters at the end and letters
 * as 10 to 35. */
static int remainder_97(const char *code, int n)
{
    int rest = 0;
    for (int i = 0; i < n; i++) {
        char c = code[(i + 4) % n];
        int value = is_digit(c) ? c - '0' : c - 'A' + 10;
        rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
    }
    return rest;
}

static bool is_iban(const char *code, int n)
{
    return n >= IBAN_LEAST && n <= IBAN_MOST && is_upper(code[0]) &&
           is_upper(code[1]) && is_digit(code[2]) && is_digit(code[3]) &&
           remainder_97(code, n) == 1;
}

static bool is_reference(const char *code, int n)
{
    return strncmp(code, "RF", 2) != 0 ||
           (n > 4 && n <= 25 && remainder_97(code, n) == 1);
}

/* Weights 3 and 1 alternate from the right, before the check digit. */
static bool is_gtin(const char *code, int n)
{
    int sum = 0;
    if (n != 8 && n != 12 && n != 13 && n != 14) return false;
    for (int i = 0; i < n; i++) {
        if (!is_digit(code[i])) return false;
        sum += (code[i] - '0') * ((n - i) % 2 ? 1 : 3);
    }
    return sum % 10 == 0;
}

static bool is_isbn(const char *code, int n)
{
    int sum = 0;
    if (n == 13) return is_gtin(code, n);
    for (int i = 0; i < 10 && n == 10; i++) {
        bool ten = i == 9 && code[i] == 'X';
        if (!ten && !is_digit(code[i])) return false;
        sum += (10 - i) * (ten ? 10 : code[i] - '0');
    }
    return n == 10 && sum % 11 == 0;
}

/* The countries of the EU and the United Kingdom, and the lengths of what
 * follows them (Council Directive 2006/112/EC, Article 215; Commission's VIES). */
static const struct {
    char country[3];
    int least, most;
} vat[] = {{"AT", 9, 9},   {"BE", 10, 10}, {"BG", 9, 10},  {"CY", 9, 9},
           {"CZ", 8, 10},  {"DE", 9, 9},   {"DK", 8, 8},   {"EE", 9, 9},
           {"EL", 9, 9},   {"ES", 9, 9},   {"FI", 8, 8},   {"FR", 11, 11},
           {"GB", 9, 12},  {"HR", 11, 11}, {"HU", 8, 8},   {"IE", 8, 9},
           {"IT", 11, 11}, {"LT", 9, 12},  {"LU", 8, 8},   {"LV", 11, 11},
           {"MT", 8, 8},   {"NL", 12, 12}, {"PL", 10, 10}, {"PT", 9, 9},
           {"RO", 2, 10},  {"SE", 12, 12}, {"SI", 8, 8},   {"SK", 10, 10},
           {"XI", 9, 12}};

static bool is_vat(const char *code, int n)
{
    for (size_t i = 0; i < sizeof vat / sizeof *vat; i++)
        if (!strncmp(code, vat[i].country, 2) && strpbrk(code, "0123456789"))
            return n - 2 >= vat[i].least && n - 2 <= vat[i].most;
    return true;
}

bool check_digits_are_right(const char *text, enum check_digits_of kind)
{
    char code[SIZE_MAX_OF_CODE];
    int n = read_code(text, code);
    if (n < 0) return kind == CHECK_DIGITS_RF || kind == CHECK_DIGITS_VAT;
    switch (kind) {
    case CHECK_DIGITS_IBAN: return is_iban(code, n);
    case CHECK_DIGITS_GTIN: return is_gtin(code, n);
    case CHECK_DIGITS_ISBN: return is_isbn(code, n);
    case CHECK_DIGITS_RF: return is_reference(code, n);
    case CHECK_DIGITS_VAT: return is_vat(code, n);
    }
    return true;
}
