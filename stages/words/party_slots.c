/* party_slots.c - the names and addresses that the schema asks for (blocks.h). */
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/words/blocks.h"

static int shared_names(const struct leaf_slot *name,
                        const struct leaf_slot *address)
{
    const struct wanted_value *a = name->wanted, *b = address->wanted;
    return meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning);
}

bool party_slots_is_text(const struct leaf_slot *s)
{
    return s->kind == SLOT_TEXT && s->array < 0 &&
           slots_address_part(s->wanted) == N_ADDRESS_PART;
}

static bool is_called_name(const struct leaf_slot *s)
{
    return party_slots_is_text(s) &&
           (wanted_has_meaning(s->wanted, "description") ||
            wanted_has_meaning(s->wanted, "company"));
}

bool party_slots_is_first(const struct words_reading *r,
                          const struct leaf_slot *s)
{
    for (const struct leaf_slot *o = r->slot; o < r->slot + r->n_slot; o++)
        if (o->parent == s->parent && o != s &&
            ((o < s && party_slots_is_text(o) && !is_called_name(s)) ||
             (is_called_name(o) && (o < s || !is_called_name(s)))))
            return false;
    return s->parent->string;
}

/* Whether it is the lines below a name. */
static bool is_address(const struct leaf_slot *s)
{
    return s->kind == SLOT_ADDRESS && s->array < 0 && !s->is_street;
}

/* The only address that the schema asks for, or NULL. */
static struct leaf_slot *only_address(const struct words_reading *r)
{
    struct leaf_slot *only = NULL;
    for (int i = 0; i < r->n_slot; i++) {
        if (!is_address(&r->slot[i])) continue;
        if (only) return NULL;
        only = &r->slot[i];
    }
    return only;
}

struct leaf_slot *party_slots_address(const struct words_reading *r,
                                      const struct leaf_slot *name)
{
    if (name->parent->string && !party_slots_is_first(r, name)) return NULL;
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (!is_address(s)) continue;
        if (s->parent == name->parent &&
            (s->parent->string || shared_names(name, s)))
            return s;
    }
    struct leaf_slot *next = (struct leaf_slot *)(uintptr_t)name + 1;
    if (next < r->slot + r->n_slot && is_address(next)) return next;
    return wanted_has_meaning(name->wanted, "customer") ? only_address(r)
                                                        : NULL;
}

bool party_slots_has_address(const struct words_reading *r,
                             const struct leaf_slot *name)
{
    bool of_party = !name->parent->string || party_slots_is_first(r, name);
    return party_slots_address(r, name) ||
           (of_party && address_parts_are_asked(r, name));
}

bool party_slots_is_of(const struct leaf_slot *s, const char *one,
                       const char *two)
{
    uint32_t role[] = {meaning_of(one), meaning_of(two)};
    const struct wanted_value *a = s->wanted;
    return meaning_shared(a->meaning, a->n_meaning, role, 2) ||
           meaning_shared(a->path, a->n_path, role, 2);
}

/* Whether the slot is of an object that is a party by its name. */
bool party_slots_is_of_party(const struct leaf_slot *s)
{
    static const char *const party[] = {"seller", "customer", "sender",
                                        "delivery"};
    bool is = false;
    for (size_t i = 0; i < sizeof party / sizeof *party; i++) {
        uint32_t own = meaning_of(party[i]);
        is = is || meaning_shared(s->wanted->path, s->wanted->n_path, &own, 1);
    }
    return is;
}

bool party_slots_is_name(const struct words_reading *r,
                         const struct leaf_slot *s)
{
    return party_slots_is_text(s) && !s->text &&
           (party_slots_has_address(r, s) ||
            (party_slots_is_first(r, s) &&
             (is_called_name(s) || party_slots_is_of_party(s))));
}

/* Whether the line below the name is none of an address, or the name of a house: two
 * lines with numbers follow. */
static bool has_title(const struct words_reading *r,
                      const struct print_block *b)
{
    int n = 0;
    for (int i = b->n_name + 1; i < b->n; i++)
        n += words_print_has_digit(r, b->first[i], b->last[i]);
    return n >= 2 &&
           !words_print_has_digit(r, b->first[b->n_name], b->last[b->n_name]);
}

/* Whether a word of the line is one of labels or titles that no company's name explains:
 * "Purchase order", "Employee no." */
static bool has_label_word(const struct words_reading *r, int first, int last)
{
    struct label_words p = {.n_meaning = 0};
    for (int t = first; t <= last; t++)
        label_add(&r->l, &p, t, 0);
    uint32_t number = meaning_of("number");
    return !block_is_company(r, first, last) &&
           (meaning_roles_of_kind(meaning_roles(p.meaning, p.n_meaning),
                                  KIND_DATE | KIND_CODE | KIND_AMOUNT |
                                      KIND_TEXT) ||
            meaning_shared(p.meaning, p.n_meaning, &number, 1));
}

void party_slots_take(struct words_reading *r, struct leaf_slot *name,
                      struct leaf_slot *address, const struct print_block *b,
                      enum words_reason by)
{
    const char *text = block_name(r, b);
    if (!slots_admit(r, name, text)) return;
    if (has_label_word(r, b->first[0], b->last[0])) by = BY_BEING_FIRST;
    words_print_take(r, name, by, text, b->first[0], b->last[0]);
    const char *where =
        b->n > b->n_name ? block_address(r, b, b->n_name) : NULL;
    if (!address || address->text || !where || !block_has_address(r, b) ||
        !slots_admit(r, address, where))
        return;
    if (has_title(r, b)) by = BY_BEING_FIRST;
    for (int i = b->n - 1; i >= b->n_name; i--)
        words_print_take(r, address, by, where, b->first[i], b->last[i]);
}

const struct leaf_slot *blocks_name_of(const struct words_reading *r,
                                       const struct leaf_slot *s)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *o = &r->slot[i];
        if (o != s && o->text && party_slots_is_text(o) &&
            o->parent == s->parent &&
            (s->parent->string ? party_slots_is_first(r, o)
                               : shared_names(o, s) > 0))
            return o;
    }
    return NULL;
}
