/* einvoice_terms.c - see einvoice_terms.h. Names in a pointer become meanings
 * of print/vocabulary.c and a few more; rules map these to terms. */
#define _GNU_SOURCE 1 /* strcasestr */
#include "stages/einvoice/einvoice_terms.h"

#include <string.h>
#include <strings.h>

#include "stages/alignment/alignment_inside.h"
#include "vlm/base/fnv.h"
#include "vlm/json/json_pointer.h"

enum idea {
    NUMBER = 1 << 0,
    DATE = 1 << 1,
    INVOICE = 1 << 2,
    DUE = 1 << 3,
    TOTAL = 1 << 4,
    NET = 1 << 5,
    TAX = 1 << 6,
    AMOUNT = 1 << 7,
    PRICE = 1 << 8,
    UNIT = 1 << 9,
    QUANTITY = 1 << 10,
    NAME = 1 << 11,
    BUYER = 1 << 12,
    SELLER = 1 << 13,
    ADDRESS = 1 << 14,
    CURRENCY = 1 << 15,
    DELIVERY = 1 << 16,
    ACCOUNT = 1 << 17,
    IBAN = 1 << 18,
    BIC = 1 << 19,
    PERCENT = 1 << 20,
    BEFORE = 1 << 21, /* before tax */
    WITH = 1 << 22,   /* with tax */
    ISSUE = 1 << 23,
    PAID = 1 << 24,
    PAYMENT = 1 << 25,
    DISCOUNT = 1 << 26,
    ORDER = 1 << 27,
    WRAP = 1 << 28, /* no meaning of its own */
    OTHER = 1 << 29,
    SURCHARGE = 1 << 30
};

static const struct {
    int idea;
    const char *words; /* separated by spaces, in meaning_of_text' form */
} ideas[] = {
    {NUMBER, "number"},
    {DATE, "date"},
    {INVOICE, "invoice"},
    {DUE, "due"},
    {TOTAL, "total"},
    {NET, "subtotal"},
    {TAX, "tax taxes"},
    {AMOUNT, "amount"},
    {PRICE, "price"},
    {UNIT, "unit"},
    {QUANTITY, "quantity"},
    {NAME, "description title"},
    {NAME | NUMBER, "sku"},
    {BUYER, "customer debtor billto recipient"},
    {SELLER, "seller sender creditor issuer provider"},
    {ADDRESS, "address"},
    {CURRENCY, "currency"},
    {DELIVERY, "delivery"},
    {ACCOUNT, "account bank"},
    {IBAN, "iban"},
    {BIC, "bic swift"},
    {PERCENT, "percent percentage pct"},
    {BEFORE, "before excl excluding exclusive without ohne hors exkl zzgl"},
    {WITH, "incl including inclusive with mit inkl after"},
    {ISSUE, "issue issued"},
    {PAID, "paid prepaid deposit prepayment"},
    {PAYMENT, "payment payments pay"},
    {DISCOUNT, "discount allowance allowances"},
    {SURCHARGE, "charge charges surcharge surcharges zuschlag"},
    {ORDER, "order"},
    {WRAP, "header head document doc general info information metadata meta "
           "main summary overview amounts data record result money party"},
};

/* The meanings of the last name, and of those before it. */
struct naming {
    int leaf, path;
    bool reference; /* the name has "ref", which also means number */
    bool position;  /* it is "position", which also means description */
    bool gross;     /* it has "gross", which also means total */
    bool rounding;  /* it has "rounding" */
};

static bool is_word(uint32_t meaning, const char *words)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        size_t stem = meaning_stem_size(at, n);
        if ((uint32_t)fnv_bytes(FNV_START, at, n) == meaning ||
            (uint32_t)fnv_bytes(FNV_START, at, stem) == meaning)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

static int idea_of(uint32_t meaning)
{
    for (size_t i = 0; i < sizeof ideas / sizeof *ideas; i++)
        if (is_word(meaning, ideas[i].words)) return ideas[i].idea;
    return OTHER;
}

static int ideas_of(const char *name)
{
    uint32_t meaning[MEANINGS_MAX];
    int n = name ? meaning_of_text(name, true, 1, meaning) : 0, all = 0;
    for (int i = 0; i < n; i++)
        all |= idea_of(meaning[i]);
    return all;
}

static struct naming naming_of(const char *pointer, const char *called)
{
    struct naming n = {.path = ideas_of(called) & INVOICE};
    struct arena *arena = arena_new();
    struct span token;
    while (json_pointer_next(&pointer, &token)) {
        const char *name = json_pointer_text(token, arena);
        if (json_pointer_index(token) >= 0) continue;
        n.path |= n.leaf;
        n.leaf = ideas_of(name);
        n.reference = strcasestr(name, "ref");
        n.position = !strncasecmp(name, "pos", 3);
        n.gross = strcasestr(name, "gross") || strcasestr(name, "brutto");
        n.rounding =
            strcasestr(name, "rounding") || strcasestr(name, "rundung");
    }
    arena_free(arena);
    return n;
}

/* Whether it has all of `needed`, and otherwise only `allowed`. */
static bool is_all(int ideas_there, int needed, int allowed)
{
    return (ideas_there & needed) == needed &&
           !(ideas_there & ~(needed | allowed));
}

#define TERMS(is_strict, ...)                                   \
    ((struct einvoice_terms){                                   \
        .term = {__VA_ARGS__},                                  \
        .n = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), \
        .strict = (is_strict)})

static const struct einvoice_terms unknown;

/* --- invoice lines -------------------------------------------------------- */

static struct einvoice_terms terms_of_line(struct naming n)
{
    const int about =
        INVOICE | WRAP | NAME | OTHER | ORDER | AMOUNT | TOTAL | SURCHARGE;
    if (n.path & ~about || n.gross) return unknown;
    if (n.position) return TERMS(false, 126);
    if (is_all(n.leaf, QUANTITY, UNIT)) return TERMS(true, 129);
    if (is_all(n.leaf, TAX | PRICE, PERCENT) ||
        is_all(n.leaf, TAX | PERCENT, PRICE))
        return TERMS(true, 152);
    if (is_all(n.leaf, UNIT | PRICE, NET) || is_all(n.leaf, UNIT | AMOUNT, NET))
        return TERMS(true, 146, 148);
    if (is_all(n.leaf, PRICE, NET)) return TERMS(true, 146, 148, 131);
    if ((n.leaf & (AMOUNT | TOTAL | NET)) &&
        is_all(n.leaf, 0, AMOUNT | TOTAL | NET | PRICE))
        return TERMS(true, 131);
    if (is_all(n.leaf, NAME | NUMBER, ORDER))
        return TERMS(false, 155, 156, 157);
    if (is_all(n.leaf, NAME, 0)) return TERMS(false, 153, 154);
    return unknown;
}

/* --- the invoice as a whole ----------------------------------------------- */

static struct einvoice_terms terms_of_party(struct naming n)
{
    int all = n.leaf | n.path;
    bool seller = all & SELLER, buyer = all & BUYER;
    if (seller && buyer) return unknown;
    if (is_all(n.leaf, TAX | NUMBER, SELLER | BUYER)) {
        if (buyer) return TERMS(true, 48, 47);
        return seller ? TERMS(true, 31, 32, 30)
                      : TERMS(true, 31, 32, 30, 48, 47);
    }
    if (!seller && !buyer) return unknown;
    if (is_all(n.leaf, 0, NAME | SELLER | BUYER))
        return seller ? TERMS(false, 27, 28) : TERMS(false, 44, 45);
    if (is_all(n.leaf, NUMBER, SELLER | BUYER))
        return seller ? TERMS(false, 29, 30, 31) : TERMS(false, 46, 47, 48);
    return unknown;
}

static struct einvoice_terms terms_of_code(struct naming n)
{
    if (n.path & (BUYER | DELIVERY | ORDER)) return unknown;
    if (is_all(n.leaf, IBAN, ACCOUNT | NUMBER | SELLER)) return TERMS(true, 84);
    if (is_all(n.leaf, BIC, ACCOUNT | NUMBER | SELLER)) return TERMS(true, 86);
    if (is_all(n.leaf, CURRENCY, INVOICE | NUMBER)) return TERMS(true, 5);
    if (is_all(n.leaf, INVOICE | NUMBER, 0)) return TERMS(true, 1);
    if (is_all(n.leaf, NUMBER, 0) && !n.reference &&
        is_all(n.path, INVOICE, WRAP))
        return TERMS(true, 1);
    if (is_all(n.leaf, ORDER | NUMBER, 0)) return TERMS(false, 13, 14);
    return unknown;
}

static struct einvoice_terms terms_of_date(struct naming n)
{
    if (is_all(n.leaf, DUE | DATE, INVOICE | PAYMENT)) return TERMS(true, 9);
    if (is_all(n.leaf, DELIVERY | DATE, 0)) return TERMS(false, 72, 73, 74);
    if (is_all(n.leaf, DATE, INVOICE | ISSUE) &&
        is_all(n.path, 0, INVOICE | WRAP))
        return TERMS(true, 2);
    return unknown;
}

static struct einvoice_terms terms_of_amount(struct naming n)
{
    const int sum = TOTAL | AMOUNT | PRICE | INVOICE;
    bool known = is_all(n.path, 0, INVOICE | WRAP | PAYMENT | TOTAL | AMOUNT);
    int leaf = n.leaf;
    if (n.rounding) return TERMS(known, 114);
    if (leaf == DUE) return TERMS(known, 115, 112, 9);
    if (n.path & TAX) return TERMS(false, 110, 117, 116, 119);
    if (is_all(leaf, TAX | PRICE, PERCENT) ||
        is_all(leaf, TAX | PERCENT, PRICE))
        return TERMS(known, 119);
    if (is_all(leaf, BEFORE, sum | NET | TAX) || is_all(leaf, NET, sum))
        return TERMS(known, 109, 106);
    if (is_all(leaf, TOTAL | DUE, sum | PAYMENT | WITH))
        return TERMS(known, 115, 112);
    if (is_all(leaf, TOTAL, sum | PAYMENT | WITH) ||
        is_all(leaf, TOTAL | TAX | WITH, sum) ||
        is_all(leaf, AMOUNT | TAX | WITH, sum))
        return TERMS(known, 112, 115);
    if (is_all(leaf, TAX, TOTAL | AMOUNT | INVOICE))
        return TERMS(known, 110, 117, 119);
    if (is_all(leaf, AMOUNT | DUE, sum | PAYMENT))
        return TERMS(known, 115, 112);
    if (is_all(leaf, AMOUNT, INVOICE)) return TERMS(known, 112, 115, 109);
    if (is_all(leaf, PAID, AMOUNT | TOTAL)) return TERMS(known, 113);
    if (is_all(leaf, DISCOUNT, AMOUNT | TOTAL)) return TERMS(false, 107);
    if (is_all(leaf, SURCHARGE, AMOUNT | TOTAL)) return TERMS(false, 108);
    return unknown;
}

struct einvoice_terms einvoice_terms_of(const char *pointer, const char *called,
                                        bool in_row)
{
    static struct einvoice_terms (*const rule[])(struct naming) = {
        terms_of_party, terms_of_code, terms_of_date, terms_of_amount};
    struct naming n = naming_of(pointer, called);
    if (in_row) return terms_of_line(n);
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        struct einvoice_terms t = rule[i](n);
        if (t.n) return t;
    }
    return unknown;
}

bool einvoice_terms_are_lines(const char *pointer)
{
    struct naming n = naming_of(pointer, "");
    bool named = n.leaf & NAME || n.position || strcasestr(pointer, "/line");
    return named && !(n.path & ~(NAME | INVOICE | WRAP | OTHER));
}

struct einvoice_terms einvoice_terms_of_row(const char *pointer,
                                            const char *called)
{
    struct naming n = naming_of(pointer, called);
    bool tax = n.path & TAX, discount = n.path & DISCOUNT;
    if (tax + discount + !!(n.path & SURCHARGE) != 1) return unknown;
    if (n.leaf & (OTHER | NUMBER | DATE) || !n.leaf || n.gross) return unknown;
    if (tax && is_all(n.leaf, NET, AMOUNT | TOTAL | TAX))
        return TERMS(true, 116);
    if (n.leaf & PERCENT || is_all(n.leaf, PRICE, TAX))
        return tax        ? TERMS(true, 119)
               : discount ? TERMS(true, 94)
                          : TERMS(true, 101);
    if (is_all(n.leaf, 0, AMOUNT | TOTAL | (tax ? TAX : DISCOUNT | SURCHARGE)))
        return tax        ? TERMS(true, 117)
               : discount ? TERMS(true, 92)
                          : TERMS(true, 99);
    if (!tax && is_all(n.leaf, NAME, 0))
        return discount ? TERMS(true, 97) : TERMS(true, 104);
    return unknown;
}

struct einvoice_terms einvoice_terms_of_address(const char *pointer,
                                                const char *called)
{
    struct naming n = naming_of(pointer, called);
    int all = n.leaf | n.path;
    if (!is_all(n.leaf, ADDRESS, SELLER | BUYER) || n.path & DELIVERY)
        return unknown;
    if (!(all & SELLER) == !(all & BUYER)) return unknown;
    return all & SELLER ? TERMS(true, 35, 36, 162, 38, 37, 39, 40)
                        : TERMS(true, 50, 51, 163, 53, 52, 54, 55);
}

bool einvoice_terms_required(int term)
{
    /* those with the cardinality 1..1 */
    static const int all[] = {1,   2,   3,   5,   27,  40,  44,  55,
                              92,  99,  106, 109, 112, 115, 116, 117,
                              118, 126, 129, 130, 131, 146, 151, 153};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == term) return true;
    return false;
}

enum invoice_kind einvoice_terms_kind(int term)
{
    static const int dates[] = {2, 7, 9, 26, 72, 73, 74, 134, 135};
    static const int codes[] = {1,  5,  6,  10,  12,  13,  14, 16, 25,
                                29, 30, 31, 32,  46,  47,  48, 83, 84,
                                86, 38, 53, 126, 155, 156, 157};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (dates[i] == term) return INVOICE_DATE;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == term) return INVOICE_CODE;
    static const int numbers[] = {92,  93,  94,  96,  99,  100, 101, 103, 119,
                                  129, 131, 136, 137, 138, 141, 142, 143, 152};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == term) return INVOICE_NUMBER;
    bool number = (term >= 106 && term <= 117) || (term >= 146 && term <= 149);
    return number ? INVOICE_NUMBER : INVOICE_TEXT;
}
