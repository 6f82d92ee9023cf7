/* signs.c - values that are known by their form (words_inside.h): currencies, values of
 * enumerations, e-mail addresses, codes of banks.
 */
#include <ctype.h>
#include <string.h>

#include "stages/alignment/check_digits.h"
#include "stages/alignment/label.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/scalar_labels.h"
#include "vlm/json/json.h"

enum { IBAN_TOKENS = 10, BIC_LABEL = 2 };

int signs_account(const struct words_reading *r, int token,
                  char out[static IBAN_BYTES])
{
    size_t n = 0;
    int end = r->l.table.line[alignment_token(&r->l, token)->line + 1].first;
    for (int t = token; t < end && t < token + IBAN_TOKENS; t++) {
        const char *text = alignment_token(&r->l, t)->place->text;
        size_t size = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        bool begins = text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'A' &&
                      text[1] <= 'Z' && strspn(text + 2, "0123456789") >= 2;
        if (n + size >= IBAN_BYTES || !size || (t == token && !begins) ||
            text[size + strspn(text + size, ".,;")])
            break;
        memcpy(out + n, text, size);
        n += size;
        out[n] = '\0';
        if (n >= 15 && check_digits_are_right(out, CHECK_DIGITS_IBAN)) return t;
    }
    return -1;
}

/* Whether a town is printed as in the United States: "Boise, ID 83723". */
static bool has_state(const struct words_reading *r)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int t = 1; t + 1 < r->l.table.n_token; t++) {
        const char *state = alignment_token(&r->l, t)->place->text;
        const char *before = alignment_token(&r->l, t - 1)->place->text;
        const char *code = alignment_token(&r->l, t + 1)->place->text;
        if (strspn(state, capitals) == 2 && !state[2] && strchr(before, ',') &&
            strspn(code, "0123456789") == 5)
            return true;
    }
    return false;
}

/* Whether a number with decimals or groups begins at the token, or goes on there. */
static bool is_amount(const struct words_reading *r, int t)
{
    if (r->inside[t]) return true;
    for (int i = r->figure_at[t]; i >= 0; i = r->figure_next[i]) {
        const struct canon *c = &r->l.table.figure[i].canon;
        if (c->kind != CANON_DATE && c->form != FORM_NONE) return true;
    }
    return false;
}

static bool is_amount_at(const struct words_reading *r, int t, int line)
{
    return t >= 0 && t < r->l.table.n_token &&
           alignment_token(&r->l, t)->line == line && is_amount(r, t);
}

/* Whether the code or sign at the token is a currency's: not, away from amounts, the
 * beginning of a name ("CRC Porto"), the end of a code ("4304 KD") or a cell of a row,
 * such as a unit ("BRL", a barrel). */
static bool is_currency(const struct words_reading *r, int t)
{
    const struct token *own = alignment_token(&r->l, t);
    const char *text = own->place->text;
    if (!isalpha((unsigned char)*text) || is_amount_at(r, t, own->line) ||
        is_amount_at(r, t - 1, own->line) || is_amount_at(r, t + 1, own->line))
        return true;
    bool named = label_cell_start(&r->l, t) == t &&
                 label_cell_end(&r->l, t) > t + 1 &&
                 isalpha((unsigned char)*own[1].place->text);
    bool coded =
        strlen(text) <= 2 && t && own[-1].line == own->line && own[-1].figure;
    return !named && !coded && !words_print_is_of_row(r, t);
}

enum { NO_CURRENCY = -1, SEVERAL = -2 };

/* The token of the only currency that is printed. */
static int only_currency(const struct words_reading *r)
{
    int only = NO_CURRENCY;
    for (int t = 0; t < r->l.table.n_token; t++) {
        const char *code =
            currency_code(alignment_token(&r->l, t)->place->text);
        if (!code || !is_currency(r, t)) continue;
        if (only >= 0 &&
            strcmp(code, currency_code(
                             alignment_token(&r->l, only)->place->text)) != 0)
            return SEVERAL;
        only = t;
    }
    return only;
}

/* The only currency that is printed; dollars are those of the address. */
static void find_currency(struct words_reading *r, struct leaf_slot *s)
{
    int token = only_currency(r);
    const char *only =
        token < 0 ? NULL
                  : currency_code(alignment_token(&r->l, token)->place->text);
    for (int t = 0;
         token == NO_CURRENCY && has_state(r) && t < r->l.table.n_token; t++) {
        const char *text = alignment_token(&r->l, t)->place->text;
        if (text[strspn(text, "(-")] != '$') continue;
        only = "USD";
        token = t;
    }
    if (!only || !slots_admit(r, s, only)) return;
    s->text = only;
    s->by = BY_SIGN;
    s->first = s->last = token;
}

/* --- values of an enumeration */

/* The tokens from t on that are the words of the text; their number, or 0. */
static int n_equal(const struct words_reading *r, int t, const char *text)
{
    int n = 0, end = label_cell_end(&r->l, t);
    while (*text) {
        size_t size = strcspn(text, " _");
        struct folded want =
            fold_text(arena_text(r->arena, "%.*s", (int)size, text), r->arena);
        if (t + n >= end ||
            strcmp(alignment_token(&r->l, t + n)->fold.byte, want.byte) != 0)
            return 0;
        text += size + strspn(text + size, " _");
        n++;
    }
    return n;
}

/* The only value of the enumeration that is a cell of its own, or has the slot's
 * label. */
static void find_choice(struct words_reading *r, struct leaf_slot *s)
{
    const cJSON *node = schema_follow_nullable(r->schema, s->node);
    const cJSON *choice = NULL, *only = NULL;
    int first = -1, n = 0;
    cJSON_ArrayForEach(choice, json_get(node, "enum"))
    {
        for (int t = 0; cJSON_IsString(choice) && t < r->l.table.n_token; t++) {
            int own = n_equal(r, t, choice->valuestring);
            if (!own || r->used[t]) continue;
            bool cell = label_cell_start(&r->l, t) == t &&
                        label_cell_end(&r->l, t) == t + own;
            if (!cell && scalar_labels_fit_announced(r, s, t) < fit_least)
                continue;
            if (only && only != choice) return;
            only = choice;
            first = t;
            n = own;
        }
    }
    if (only)
        words_print_take(r, s, BY_PART_OF_LABEL, only->valuestring, first,
                         first + n - 1);
}

/* --- e-mail addresses and codes of banks */

/* "name@example.com" without a label in front and signs behind; NULL: none. */
static const char *email_of(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    const char *at = strchr(text, '@'), *colon = strrchr(text, ':');
    if (!at || at == text || !strchr(at, '.')) return NULL;
    if (colon && colon < at) text = colon + 1;
    size_t n = strlen(text);
    while (n && strchr(".,;)>", text[n - 1]))
        n--;
    return arena_text(r->arena, "%.*s", (int)n, text);
}

/* "HELADEF1LTL" behind "BIC" or "SWIFT"; NULL: none. */
static const char *bic_of(const struct words_reading *r, int t)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char both[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *text = alignment_token(&r->l, t)->place->text;
    size_t n = strlen(text);
    if ((n != 8 && n != 11) || strspn(text, letters) < 6 ||
        strspn(text, both) != n || !t)
        return NULL;
    int line = alignment_token(&r->l, t)->line;
    bool named = false; /* "BIC", "Swift code:" */
    for (int k = t - 1; k >= t - BIC_LABEL && k >= 0; k--) {
        const struct token *own = alignment_token(&r->l, k);
        named =
            named || (own->line == line && (strstr(own->fold.byte, "bic") ||
                                            strstr(own->fold.byte, "swift")));
    }
    return named ? text : NULL;
}

/* Whether the address or code is of somebody else than the sender, or of a bank, by its
 * name: "member_email". */
static bool is_of_another(const struct leaf_slot *s)
{
    static const char *const plain[] = {
        "email",   "address", "contact", "seller",  "sender",
        "company", "bic",     "bank",    "account", "number"};
    for (int i = 0; i < s->wanted->n_meaning; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            known |= s->wanted->meaning[i] == meaning_of(plain[k]);
        if (!known) return true;
    }
    return false;
}

/* The only one of the pages; the customer's needs a label. */
static void find_only(struct words_reading *r, struct leaf_slot *s)
{
    uint32_t customer = meaning_of("customer");
    const char *only = NULL;
    int token = -1;
    for (int t = 0; t < r->l.table.n_token; t++) {
        const char *text =
            s->kind == SLOT_EMAIL ? email_of(r, t) : bic_of(r, t);
        if (!text || (only && !strcmp(text, only))) continue;
        if (only) return;
        only = text;
        token = t;
    }
    bool of_other =
        meaning_shared(s->wanted->path, s->wanted->n_path, &customer, 1) ||
        is_of_another(s);
    if (only && !r->used[token] && slots_admit(r, s, only) &&
        (!of_other || party_headings_say(r, s, token) == PARTY_HEADING_OWN))
        words_print_take(r, s, BY_SIGN, only, token, token);
}

void signs_read(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (s->array >= 0 || s->text) continue;
        if (s->kind == SLOT_CURRENCY)
            find_currency(r, s);
        else if (s->kind == SLOT_CHOICE)
            find_choice(r, s);
        else if (s->kind == SLOT_EMAIL || s->kind == SLOT_BIC)
            find_only(r, s);
    }
}
