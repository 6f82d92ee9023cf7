/* address_parts.c - streets, postal codes, cities and countries that are values of
 * their own (words_inside.h).
 *
 * The town is the last line with a number, "50803 Köln", "Boise, ID 83723" or
 * "Sheffield S7 2GH"; the street is the one above it, the country the one below.
 */
#include <ctype.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/words/words_inside.h"

enum { PIECES_MOST = 16 };

/* Tokens first to last of each part; first -1: none. */
struct address_parts {
    struct {
        int first, last;
    } part[N_ADDRESS_PART];
};

/* Lines, or the pieces of a line between commas. */
struct address_pieces {
    int first[PIECES_MOST], last[PIECES_MOST], n;
};

static const char *text_of(const struct words_reading *r, int t)
{
    return alignment_token(&r->l, t)->place->text;
}

/* Whether the token is n capitals, and nothing else but a comma. */
static bool is_capitals(const struct words_reading *r, int t, size_t n)
{
    const char *text = text_of(r, t);
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == n &&
           text[n + strspn(text + n, ",")] == '\0';
}

/* Whether the line ends with a house number, "Via Roma, 12". */
static bool is_house_number(const struct words_reading *r, int t, int last)
{
    return t == last && strlen(text_of(r, t)) < 4 &&
           words_print_has_digit(r, t, t);
}

static void add_pieces(const struct words_reading *r, struct address_pieces *p,
                       int first, int last)
{
    for (int t = first; t <= last; t++) {
        if (t < last &&
            (!strchr(text_of(r, t), ',') || is_house_number(r, t + 1, last)))
            continue;
        if (p->n == PIECES_MOST) return;
        p->first[p->n] = first;
        p->last[p->n++] = t;
        first = t + 1;
    }
}

/* Whether the tokens are a state and its code: "ID 83723". */
static bool is_state(const struct words_reading *r, int first, int last)
{
    return last == first + 1 && is_capitals(r, first, 2) &&
           words_print_has_digit(r, last, last);
}

static void set_part(struct address_parts *a, enum address_part part, int first,
                     int last)
{
    a->part[part].first = first <= last ? first : -1;
    a->part[part].last = last;
}

/* How many tokens at the start of the town are its code: "50803", "6561 SB",
 * "602 00", "D-50803". */
static int leading_code(const struct words_reading *r, int first, int last)
{
    const char *text = text_of(r, first);
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789");
    if (text[n] || !strpbrk(text, "0123456789") || n < 3 || first == last)
        return 0;
    const char *next = text_of(r, first + 1);
    bool digits = n == 3 && strlen(next) == 2 &&
                  words_print_has_digit(r, first + 1, first + 1);
    bool letters = n == 4 && is_capitals(r, first + 1, 2);
    return first + 1 < last && (digits || letters) ? 2 : 1;
}

/* The same at its end: "S7 2GH", "83723". */
static int trailing_code(const struct words_reading *r, int first, int last)
{
    const char *text = text_of(r, last);
    size_t digits = strspn(text, "0123456789");
    if (!words_print_has_digit(r, last, last)) return 0;
    bool british = digits == 1 && strlen(text) == 3 && last - 1 > first &&
                   words_print_has_digit(r, last - 1, last - 1);
    return british ? 2 : digits >= 4;
}

bool address_parts_is_town(const struct words_reading *r, int first, int last)
{
    return leading_code(r, first, last) ||
           (last - first < TOWN_WORDS &&
            !words_print_has_digit(r, first, first) &&
            trailing_code(r, first, last));
}

static void split_town(const struct words_reading *r, int first, int last,
                       struct address_parts *a)
{
    int n = leading_code(r, first, last);
    if (n) {
        set_part(a, ADDRESS_POSTAL_CODE, first, first + n - 1);
        set_part(a, ADDRESS_CITY, first + n, last);
        return;
    }
    n = trailing_code(r, first, last);
    if (!n) return;
    set_part(a, ADDRESS_POSTAL_CODE, last - n + 1, last);
    last -= n;
    if (last > first && (is_capitals(r, last, 2) || is_capitals(r, last, 3))) {
        set_part(a, ADDRESS_STATE, last, last);
        last--;
    }
    set_part(a, ADDRESS_CITY, first, last);
}

/* Whether each word begins with a capital. */
static bool is_proper_name(const struct words_reading *r, int first, int last)
{
    bool proper = last - first < COUNTRY_WORDS;
    for (int t = first; t <= last; t++)
        proper = proper && !islower((unsigned char)*text_of(r, t));
    return proper;
}

/* The parts of the address in the pieces; false: they are none. */
static bool split(const struct words_reading *r, const struct address_pieces *p,
                  struct address_parts *a)
{
    int town = p->n - 1, end;
    for (int i = 0; i < N_ADDRESS_PART; i++)
        a->part[i].first = -1;
    while (town > 0 && !words_print_has_digit(r, p->first[town], p->last[town]))
        town--;
    if (town < 1) return false;
    end = town;
    int first = p->first[town], last = p->last[town];
    bool state = is_state(r, first, last) && town > 1;
    bool alone = trailing_code(r, first - 1, last) == last - first + 1;
    bool above = state || (alone && town > 1);
    if (above) town--;
    if (above && p->last[town] + 1 < first) { /* of two columns of the page */
        if (state) set_part(a, ADDRESS_STATE, first, first);
        set_part(a, ADDRESS_POSTAL_CODE, state ? last : first, last);
        set_part(a, ADDRESS_CITY, p->first[town], p->last[town]);
    } else {
        split_town(r, above ? p->first[town] : first, last, a);
    }
    if (end < p->n - 1 && a->part[ADDRESS_CITY].first >= 0 &&
        is_proper_name(r, p->first[end + 1], p->last[end + 1]))
        set_part(a, ADDRESS_COUNTRY, p->first[end + 1], p->last[end + 1]);
    if (words_print_has_digit(r, p->first[town - 1], p->last[town - 1]))
        set_part(a, ADDRESS_STREET, p->first[town - 1], p->last[town - 1]);
    return a->part[ADDRESS_CITY].first >= 0;
}

static enum address_part part_of(const struct leaf_slot *s)
{
    return s->is_street ? ADDRESS_STREET : slots_address_part(s->wanted);
}

static bool is_part(const struct leaf_slot *s)
{
    return s->array < 0 && !s->text && part_of(s) < N_ADDRESS_PART &&
           (s->kind == SLOT_TEXT || s->kind == SLOT_CODE || s->is_street);
}

/* Whether the slot is of the named party: in its object, in one within it, or with a
 * word of its key. */
static bool is_of_party(const struct leaf_slot *s, const struct leaf_slot *name)
{
    const char *own = name->wanted->asked->pointer;
    const char *other = s->wanted->asked->pointer, *slash = strrchr(own, '/');
    if (slash > own) return !strncmp(own, other, (size_t)(slash - own) + 1);
    const struct wanted_value *a = name->wanted, *b = s->wanted;
    return meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning) ||
           meaning_shared(a->meaning, a->n_meaning, b->path, b->n_path);
}

bool address_parts_are_asked(const struct words_reading *r,
                             const struct leaf_slot *name)
{
    for (int i = 0; i < r->n_slot; i++)
        if (is_part(&r->slot[i]) && is_of_party(&r->slot[i], name)) return true;
    return false;
}

static void take_part(struct words_reading *r, struct leaf_slot *s,
                      const struct address_parts *a, enum words_reason by)
{
    if (!is_part(s)) return;
    enum address_part part = part_of(s);
    if (a->part[part].first < 0) return;
    int first = a->part[part].first, last = a->part[part].last;
    char *text = arena_text(r->arena, "%s", words_print_text(r, first, last));
    size_t n = strlen(text);
    if (n && text[n - 1] == ',') text[n - 1] = '\0';
    if (slots_admit(r, s, text)) words_print_take(r, s, by, text, first, last);
}

void address_parts_read(struct words_reading *r, const struct leaf_slot *name,
                        const struct print_block *b)
{
    struct address_pieces p = {.n = 0};
    struct address_parts a;
    for (int i = 0; i < b->n; i++)
        add_pieces(r, &p, b->first[i], b->last[i]);
    if (!split(r, &p, &a)) return;
    for (int i = 0; i < r->n_slot; i++)
        if (is_of_party(&r->slot[i], name))
            take_part(r, &r->slot[i], &a, name->by);
}
