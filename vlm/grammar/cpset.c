/* cpset.c - see cpset.h. */
#include "vlm/grammar/cpset.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "vlm/schema/pattern.h"

void cpset_add(struct cpset *s, struct arena *arena, uint32_t first,
               uint32_t last)
{
    if (s->n > 0 && s->range[s->n - 1].last + 1 == first) {
        s->range[s->n - 1].last = last;
        return;
    }
    *ARENA_ADD(arena, s->range, s->n) = (struct cprange){first, last};
}

void cpset_add_set(struct cpset *s, struct arena *arena,
                   const struct cpset *other)
{
    for (int i = 0; i < other->n; i++)
        cpset_add(s, arena, other->range[i].first, other->range[i].last);
}

static int by_first(const void *a, const void *b)
{
    uint32_t x = ((const struct cprange *)a)->first;
    uint32_t y = ((const struct cprange *)b)->first;
    return (x > y) - (x < y);
}

void cpset_normalise(struct cpset *s)
{
    if (s->n == 0) return;
    qsort(s->range, (size_t)s->n, sizeof *s->range, by_first);
    int n = 1;
    for (int i = 1; i < s->n; i++) {
        struct cprange *last = &s->range[n - 1];
        if (s->range[i].first > last->last + 1)
            s->range[n++] = s->range[i];
        else if (s->range[i].last > last->last)
            last->last = s->range[i].last;
    }
    s->n = n;
}

void cpset_negate(struct cpset *s, struct arena *arena)
{
    cpset_normalise(s);
    struct cpset out = {0};
    uint32_t at = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->range[i].first > at)
            cpset_add(&out, arena, at, s->range[i].first - 1);
        at = s->range[i].last + 1;
    }
    if (at <= CPSET_MAX) cpset_add(&out, arena, at, CPSET_MAX);
    *s = out;
}

bool cpset_has(const struct cpset *s, uint32_t c)
{
    int low = 0, high = s->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->range[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n && s->range[low].first <= c;
}

void cpset_add_escape(struct cpset *s, struct arena *arena, char letter)
{
    static const struct cprange spaces[] = {
        {0x9, 0xD},       {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
        {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
        {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
    };
    if (letter == 's') {
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
            cpset_add(s, arena, spaces[i].first, spaces[i].last);
        return;
    }
    cpset_add(s, arena, '0', '9');
    if (letter == 'd') return;
    cpset_add(s, arena, 'A', 'Z');
    cpset_add(s, arena, '_', '_');
    cpset_add(s, arena, 'a', 'z');
}

static const char categories[] = " Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps "
                                 "Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs "
                                 "Co Cn ";

static bool add_property(struct cpset *s, struct arena *arena, struct span name)
{
    char want[40] = {0}, spaced[8] = " ";
    if (name.size == 0 || name.size >= sizeof want) return false;
    memcpy(want, name.data, name.size);
    const char *value = strchr(want, '=');
    if (value && strncmp(want, "gc=", 3) &&
        strncmp(want, "General_Category=", 17))
        return false;
    value = value ? value + 1 : want;
    if (!strcmp(value, "Any") || !strcmp(value, "ASCII")) {
        cpset_add(s, arena, 0, value[1] == 'n' ? CPSET_MAX : 0x7F);
        return true;
    }
    const char *brief = pattern_category(span_of(value));
    if (brief) value = brief;
    size_t n = strlen(value);
    if (n < 1 || n > 2) return false;
    memcpy(spaced + 1, value, n);
    if (n == 2) spaced[3] = ' ';
    if (!strstr(categories, spaced)) return false;
    for (uint32_t c = 0; c <= CPSET_MAX; c++)
        if (!strncmp(utf8proc_category_string((utf8proc_int32_t)c), value, n))
            cpset_add(s, arena, c, c);
    return true;
}

bool cpset_add_property(struct cpset *s, struct arena *arena, struct span name,
                        struct cpset_known *known)
{
    if (!known) return add_property(s, arena, name);
    const char *key = arena_copy(arena, name);
    struct cpset *set = text_table_find(&known->set, key);
    if (!set) {
        set = arena_alloc(known->arena, sizeof *set);
        if (!add_property(set, known->arena, name)) return false;
        text_table_put(&known->set, known->arena,
                       arena_copy(known->arena, name), set);
    }
    cpset_add_set(s, arena, set);
    return true;
}
