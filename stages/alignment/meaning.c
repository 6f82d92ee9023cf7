/* meaning.c - the meanings of words, and roles; see meaning.h. */
#include "stages/alignment/meaning.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/print/fold.h"
#include "stages/print/vocabulary.h"
#include "vlm/base/fnv.h"

enum {
    STEM_LEAST = 3,   /* letters of the first part of a compound */
    LAST_LEAST = 2,   /* and of its last, "nr" */
    STEM_LETTERS = 5, /* of a word without its ending */
    WORD_BYTES = 128
};

/* --- of words */

uint32_t meaning_of(const char *word)
{
    return (uint32_t)fnv_bytes(FNV_START, word, strlen(word));
}

void meaning_add(uint32_t *out, int *n, uint32_t meaning)
{
    for (int i = 0; i < *n; i++)
        if (out[i] == meaning) return;
    if (*n < MEANINGS_MAX) out[(*n)++] = meaning;
}

/* The vocabulary's meaning of a part of a word, also of a plural; NULL: none. */
static const char *known_meaning(const char *word, size_t size)
{
    const char *means = vocabulary_meaning(word, size);
    if (!means && size > 2 && word[size - 1] == 's')
        means = vocabulary_meaning(word, size - 1);
    return means;
}

/* The size of the first part of a compound whose last is a known word: "pakbonnr",
 * "rechnungsbetrag", "fakturadatum"; 0: it is none. The words for what is paid in and
 * out make none: "Vorhaben". */
static size_t stem_size(const char *word, size_t size)
{
    for (size_t n = STEM_LEAST; n + LAST_LEAST <= size; n++) {
        size_t left = size - n;
        bool number = left == 2 && !memcmp(word + n, "nr", 2);
        const char *means = number || left >= STEM_LEAST + 1
                                ? vocabulary_meaning(word + n, left)
                                : NULL;
        if (means && *means &&
            !vocabulary_is(word + n, left, VOCABULARY_DEBIT) &&
            !vocabulary_is(word + n, left, VOCABULARY_CREDIT))
            return n;
    }
    return 0;
}

static void add_known(uint32_t *out, int *n, const char *means)
{
    for (const char *at = means; *at;) {
        size_t one = strcspn(at, " ");
        meaning_add(out, n, (uint32_t)fnv_bytes(FNV_START, at, one));
        at += one + strspn(at + one, " ");
    }
}

/* The word with "ae", "oe" and "ue" as a fold of the umlauts writes them. */
static size_t without_digraphs(const char *word, size_t size, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        out[n++] = word[i];
        if (strchr("aou", word[i]) && i + 1 < size && word[i + 1] == 'e') i++;
    }
    return n;
}

size_t meaning_stem_size(const char *word, size_t size)
{
    static const char *const ending[] = {"als", "ures", "al", "ure", "ing",
                                         "ed",  "es",   "e",  "s"};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        size_t n = strlen(ending[i]);
        if (size >= STEM_LETTERS + n && !memcmp(word + size - n, ending[i], n))
            return size - n;
    }
    return size;
}

/* Adds the meanings of a folded word. */
static void add_word(uint32_t *out, int *n, const char *given,
                     size_t given_size)
{
    char word[WORD_BYTES];
    if (given_size > sizeof word) return;
    const char *means = known_meaning(given, given_size);
    size_t size = without_digraphs(given, given_size, word);
    if (!means) means = known_meaning(word, size);
    if (means) {
        add_known(out, n, means);
        return;
    }
    size_t stem = stem_size(given, given_size);
    if (stem) { /* before its vowels are: "Steuerbetrag" is no "steurbetrag" */
        memcpy(word, given, given_size);
        size = given_size;
    } else {
        stem = stem_size(word, size);
    }
    if (stem) {
        add_word(out, n, word, stem);
        add_word(out, n, word + stem, size - stem);
    } else {
        size = meaning_stem_size(word, size);
        meaning_add(out, n, (uint32_t)fnv_bytes(FNV_START, word, size));
    }
}

/* The length of an abbreviation whose letters are divided: "B/L", "P.O.", "U.M.";
 * 0: none. */
static size_t abbreviation_size(const char *at)
{
    size_t n = 0;
    while (isalpha((unsigned char)at[n]) && at[n + 1] &&
           strchr("./", at[n + 1]) && isalpha((unsigned char)at[n + 2]))
        n += 2;
    return n && !isalnum((unsigned char)at[n + 1]) ? n + 1 : 0;
}

/* The length of an article that a vowel cuts short: d'emission, l'ordre. */
static size_t elided_size(const char *at)
{
    if (!strchr("dlDL", at[0]) || !at[0]) return 0;
    if (at[1] == '\'') return 2;
    return !strncmp(at + 1, "\u2019", 3) ? 4 : 0;
}

/* The length of a word of a name, which ends before a sign or between aB. */
static size_t word_size(const char *at, bool name)
{
    size_t n = 1;
    for (; at[n] && !strchr("_-./ \t\n:,;()", at[n]); n++)
        if (name && isupper((unsigned char)at[n]) &&
            islower((unsigned char)at[n - 1]))
            break;
    return n;
}

int meaning_of_text(const char *text, bool name, int least, uint32_t *out)
{
    int n = 0;
    bool to = false, by = false;
    struct arena *arena = arena_new_brief();
    for (const char *at = text; at && *at;) {
        at += strspn(at, "_-./ \t\n:,;()");
        at += elided_size(at);
        if (!*at) break;
        size_t joined = abbreviation_size(at);
        size_t size = joined ? joined : word_size(at, name);
        char *word = arena_copy(arena, (struct span){at, size});
        for (size_t i = 2; i < joined; i += 2) /* "B/L" is "bl" */
            memmove(word + i / 2, at + i, 1);
        if (joined) word[joined / 2 + 1] = '\0';
        struct folded f = fold_text(word, arena);
        if (f.n >= least) add_word(out, &n, f.byte, (size_t)f.n);
        to |= name && n &&
              (!strcmp(f.byte, "to") || !strcmp(f.byte, "an") ||
               (!strcmp(f.byte, "a") && !at[size])); /* "factureA" */
        by |= name && n && !strcmp(f.byte, "by");
        at += size;
    }
    arena_free(arena);
    for (int i = 0; i < n; i++) /* who is billed, and who sold */
        if (to && out[i] == meaning_of("invoice"))
            out[i] = meaning_of("customer");
        else if (by && out[i] == meaning_of("customer"))
            out[i] = meaning_of("seller");
    return n;
}

int meaning_of_folded(const char *word, size_t size, uint32_t *out)
{
    int n = 0;
    add_word(out, &n, word, size);
    return n;
}

int meaning_shared(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
    int n = 0;
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++)
            n += a[i] == b[k];
    return n;
}

/* Removes a meaning; whether it was there. */
static bool take(uint32_t *meaning, int *n, const char *word)
{
    uint32_t own = meaning_of(word);
    for (int i = 0; i < *n; i++) {
        if (meaning[i] != own) continue;
        memmove(meaning + i, meaning + i + 1,
                (size_t)(--*n - i) * sizeof *meaning);
        return true;
    }
    return false;
}

void meaning_join(uint32_t *meaning, int *n)
{
    uint32_t tax = meaning_of("tax"), total = meaning_of("total");
    uint32_t due = meaning_of("due");
    if (meaning_shared(meaning, *n, &due, 1)) { /* "net to pay", "amount due" */
        take(meaning, n, "subtotal");
        bool amount = take(meaning, n, "amount");
        if (take(meaning, n, "balance") || amount)
            meaning_add(meaning, n, total);
    }
    uint32_t number = meaning_of("number");
    if (meaning_shared(meaning, *n, &tax, 1) &&
        meaning_shared(meaning, *n, &number, 1)) { /* "your VAT number" */
        if (take(meaning, n, "our"))
            meaning_add(meaning, n, meaning_of("seller"));
        if (take(meaning, n, "your"))
            meaning_add(meaning, n, meaning_of("customer"));
    }
    if (meaning_shared(meaning, *n, &tax, 1) && take(meaning, n, "price"))
        meaning_add(meaning, n, meaning_of("percent")); /* "VAT rate" */
    bool of_total = meaning_shared(meaning, *n, &total, 1);
    if (of_total && take(meaning, n, "subtotal")) { /* "total net" */
        take(meaning, n, "total");
        meaning_add(meaning, n, meaning_of("subtotal"));
    }
    if (!of_total && !meaning_shared(meaning, *n, &tax, 1)) return;
    bool before = take(meaning, n, "before"), with = take(meaning, n, "with");
    if (!before && !with) return;
    take(meaning, n, "tax");
    if (before) take(meaning, n, "total");
    meaning_add(meaning, n, before ? meaning_of("subtotal") : total);
}

/* --- roles */

/* What a value is of; two values of one kind with different roles are different
 * values. */
static const struct {
    const char *word; /* a meaning of the vocabulary */
    unsigned kinds;   /* of values that the role tells apart */
} roles[] = {
    /* the first four as role_own, role_yours and role_former */
    {"invoice", KIND_DATE | KIND_CODE},
    {"your", KIND_CODE},
    {"our", KIND_CODE},
    {"opening", KIND_DATE | KIND_CODE | KIND_AMOUNT | KIND_TEXT},
    {"order", KIND_DATE | KIND_CODE},
    {"delivery", KIND_DATE | KIND_CODE | KIND_TEXT},
    {"due", KIND_DATE},
    {"birth", KIND_DATE},
    {"customer", KIND_CODE | KIND_TEXT},
    {"seller", KIND_CODE | KIND_TEXT},
    {"sender", KIND_TEXT},
    {"tax", KIND_CODE | KIND_AMOUNT},
    {"account", KIND_CODE},
    {"phone", KIND_CODE},
    {"closing", KIND_AMOUNT},
    {"total", KIND_AMOUNT},
    {"subtotal", KIND_AMOUNT},
    {"discount", KIND_AMOUNT | KIND_DATE},
    {"cash", KIND_AMOUNT},
    {"change", KIND_AMOUNT},
    /* these tell no values apart, but are another meaning than theirs */
    {"subject", 0},
    {"address", 0},
    {"city", 0},
};
enum { N_ROLES = sizeof roles / sizeof *roles };

/* Words that say only of what kind a value is, or where. */
static const char *const generic[] = {"date", "number", "amount", "description",
                                      "contained"};

/* The roles among the meanings, as bits. */
unsigned meaning_roles(const uint32_t *meaning, int n)
{
    unsigned found = 0;
    for (int r = 0; n && r < N_ROLES; r++) {
        uint32_t own = meaning_of(roles[r].word);
        for (int i = 0; i < n; i++)
            if (meaning[i] == own) found |= 1u << r;
    }
    return found;
}

/* Those that tell values of the kind apart. */
unsigned meaning_roles_of_kind(unsigned found, unsigned kind)
{
    for (int r = 0; r < N_ROLES; r++)
        if (!(roles[r].kinds & kind)) found &= ~(1u << r);
    return found;
}

bool meaning_is_role(uint32_t meaning)
{
    return meaning_roles_of_kind(meaning_roles(&meaning, 1), ~0u);
}

/* The roles that a label gives to values of the kind. "Amount due" is a
 * total. */
unsigned meaning_roles_of_label(const struct label_words *p, unsigned kind)
{
    uint32_t due = meaning_of("due");
    unsigned found = meaning_roles(p->meaning, p->n_meaning);
    for (int i = 0; i < p->n_meaning; i++)
        if (kind == KIND_AMOUNT && p->meaning[i] == due)
            found |= meaning_roles(&(uint32_t){meaning_of("total")}, 1);
    return meaning_roles_of_kind(found, kind);
}

static double dice(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
    return n_a && n_b ? 2.0 * meaning_shared(a, n_a, b, n_b) / (n_a + n_b) : 0;
}

/* Copies the meanings without generic ones, unless that is all. */
static int specific(const uint32_t *meaning, int n, uint32_t *out)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        bool only_kind = false;
        for (size_t g = 0; g < sizeof generic / sizeof *generic; g++)
            only_kind |= meaning[i] == meaning_of(generic[g]);
        if (!only_kind) out[left++] = meaning[i];
    }
    if (left) return left;
    memcpy(out, meaning, (size_t)n * sizeof *meaning);
    return n;
}

double meaning_fit(const uint32_t *meaning, int n, const struct label_words *p)
{
    uint32_t own[2 * MEANINGS_MAX], other[MEANINGS_MAX];
    int n_own = specific(meaning, n, own);
    int n_other = specific(p->meaning, p->n_meaning, other);
    return fmax(dice(meaning, n, p->meaning, p->n_meaning),
                dice(own, n_own, other, n_other));
}

bool meaning_is_other(const uint32_t *meaning, int n,
                      const struct label_words *p)
{
    uint32_t own[2 * MEANINGS_MAX], other[MEANINGS_MAX];
    int n_own = specific(meaning, n, own);
    int n_other = specific(p->meaning, p->n_meaning, other);
    return n_own < n && n_other < p->n_meaning &&
           !meaning_shared(own, n_own, other, n_other);
}
