/* string_state.c - see string_state.h. */
#include "vlm/sample/string_state.h"

#include "vlm/base/text.h"

void string_state_start(const struct text_rule *t, struct string_state *s)
{
    (void)t;
    *s = (struct string_state){.state = DFA_START};
}

bool string_state_may_close(const struct text_rule *t,
                            const struct string_state *s)
{
    if (s->part != STRING_STATE_WHOLE) return false;
    return t->dfa ? t->dfa->dist[s->state] == 0 : s->n_char >= t->length_min;
}

static bool has_legal(uint32_t first, uint32_t last)
{
    if (first < 0x20 && last >= 0x20) first = 0x20;
    if (first <= 0xD7FF || last < 0xE000)
        return first < 0x20
                   ? (first <= 13 && last >= 9 && !(first > 10 && last < 13))
                   : first <= 0xD7FF;
    if (first < 0xE000) first = 0xE000;
    return first <= last && !(first >= 0xFFFE && last <= 0xFFFF);
}

/* Is any character of first..last allowed here? */
static bool allows_any(const struct text_rule *t, const struct string_state *s,
                       uint32_t first, uint32_t last)
{
    int left = t->length_max - s->n_char - 1;
    if (last > CPSET_MAX) last = CPSET_MAX;
    if (left < 0 || first > last || !has_legal(first, last)) return false;
    return !t->dfa || dfa_range_dist(t->dfa, s->state, first, last) <= left;
}

static bool end_character(const struct text_rule *t, struct string_state *s,
                          uint32_t c)
{
    int left = t->length_max - s->n_char - 1;
    if (left < 0 || !dfa_char_is_legal(c)) return false;
    if (t->dfa) {
        int next = dfa_step(t->dfa, s->state, c);
        if (t->dfa->dist[next] > left) return false;
        s->state = next;
    }
    s->n_char++;
    s->part = STRING_STATE_WHOLE;
    s->c = s->least = s->high = 0;
    s->n_left = 0;
    return true;
}

static bool begin_character(const struct text_rule *t, struct string_state *s,
                            unsigned char byte)
{
    if (byte == '\\') {
        s->part = STRING_STATE_ESCAPE;
        if (!t->dfa) return allows_any(t, s, 0x20, CPSET_MAX);
        for (const char *c = "\"\\/\n\r\t"; *c; c++)
            if (allows_any(t, s, (unsigned char)*c, (unsigned char)*c))
                return true;
        return false;
    }
    if (byte < 0x20 || byte == '"') return false;
    if (byte < 0x80) return end_character(t, s, byte);
    if (byte < 0xC2 || byte > 0xF4) return false;
    s->n_left = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    s->least = least[s->n_left];
    s->c = byte & (0x3Fu >> s->n_left);
    s->part = STRING_STATE_UTF8;
    uint32_t first = s->c << (6 * s->n_left);
    uint32_t last = first | ((1u << (6 * s->n_left)) - 1);
    return allows_any(t, s, first < s->least ? s->least : first, last);
}

static bool continue_utf8(const struct text_rule *t, struct string_state *s,
                          unsigned char byte)
{
    if ((byte & 0xC0) != 0x80) return false;
    s->c = s->c << 6 | (byte & 0x3F);
    s->n_left--;
    uint32_t first = s->c << (6 * s->n_left);
    uint32_t last = first | ((1u << (6 * s->n_left)) - 1);
    if (first < s->least) first = s->least;
    if (!allows_any(t, s, first, last)) return false;
    return s->n_left > 0 || end_character(t, s, s->c);
}

static bool step_escape(const struct text_rule *t, struct string_state *s,
                        unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
    case '/': return end_character(t, s, byte);
    case 'n': return end_character(t, s, '\n');
    case 'r': return end_character(t, s, '\r');
    case 't': return end_character(t, s, '\t');
    case 'u': break;
    default: return false;
    }
    if (t->dfa) return false;
    s->part = STRING_STATE_HEX;
    s->n_left = 4;
    s->c = 0;
    return true;
}

/* Steps over a digit of \uXXXX. It can become a character in the range given
 * by the digits so far, or a pair that begins in it. */
static bool step_hex(const struct text_rule *t, struct string_state *s,
                     unsigned char byte)
{
    int digit = text_hex_digit(byte);
    if (digit < 0) return false;
    s->c = s->c << 4 | (uint32_t)digit;
    s->n_left--;
    uint32_t first = s->c << (4 * s->n_left);
    uint32_t last = first | ((1u << (4 * s->n_left)) - 1);
    if (s->part == STRING_STATE_LOW) {
        if (s->n_left > 0) return last >= 0xDC00 && first <= 0xDFFF;
        return first >= 0xDC00 && first <= 0xDFFF &&
               end_character(t, s,
                             0x10000 + ((uint32_t)(s->high - 0xD800) << 10) +
                                 (first - 0xDC00));
    }
    bool is_pair = last >= 0xD800 && first <= 0xDBFF;
    if (s->n_left > 0) return is_pair || allows_any(t, s, first, last);
    if (!is_pair) return end_character(t, s, first);
    s->high = (uint16_t)first;
    s->part = STRING_STATE_PAIR;
    return true;
}

static bool step_pair(struct string_state *s, unsigned char byte)
{
    if (byte != (s->part == STRING_STATE_PAIR ? '\\' : 'u')) return false;
    s->part =
        s->part == STRING_STATE_PAIR ? STRING_STATE_PAIR_U : STRING_STATE_LOW;
    s->n_left = 4;
    s->c = 0;
    return true;
}

bool string_state_step(const struct text_rule *t, struct string_state *s,
                       unsigned char byte)
{
    struct string_state next = *s;
    bool ok = false;
    switch ((enum string_state_part)s->part) {
    case STRING_STATE_WHOLE: ok = begin_character(t, &next, byte); break;
    case STRING_STATE_UTF8: ok = continue_utf8(t, &next, byte); break;
    case STRING_STATE_ESCAPE: ok = step_escape(t, &next, byte); break;
    case STRING_STATE_HEX:
    case STRING_STATE_LOW: ok = step_hex(t, &next, byte); break;
    case STRING_STATE_PAIR:
    case STRING_STATE_PAIR_U: ok = step_pair(&next, byte); break;
    }
    if (ok) *s = next;
    return ok;
}

/* Number of texts that continue with one of first..last, at most `most`. */
static int count_range(const struct text_rule *t, const struct string_state *s,
                       uint32_t first, uint32_t last, int most)
{
    int left = t->length_max - s->n_char - 1, n = 0;
    if (!allows_any(t, s, first, last)) return 0;
    if (last > CPSET_MAX) last = CPSET_MAX;
    for (uint32_t c = first; c <= last && n < most; c++) {
        if (!dfa_char_is_legal(c)) continue;
        if (t->dfa)
            n += dfa_count(t->dfa, dfa_step(t->dfa, s->state, c), left,
                           most - n);
        else
            n = left > 0 ? most : n + 1;
    }
    return n;
}

static int count_escapes(const struct text_rule *t,
                         const struct string_state *s, int most)
{
    int n = 0;
    if (!t->dfa) return most; /* \u can become nearly any character */
    for (const char *c = "\"\\/\n\r\t"; *c && n < most; c++)
        n += count_range(t, s, (unsigned char)*c, (unsigned char)*c, most - n);
    return n;
}

int string_state_count(const struct text_rule *t, const struct string_state *s,
                       int most)
{
    int left = t->length_max - s->n_char, bits = s->n_left * 4;
    uint32_t first = s->c, c = s->c;
    switch ((enum string_state_part)s->part) {
    case STRING_STATE_WHOLE:
        if (t->dfa) return dfa_count(t->dfa, s->state, left, most);
        return left > 0 || most < 1 ? most : 1;
    case STRING_STATE_ESCAPE: return count_escapes(t, s, most);
    case STRING_STATE_PAIR:
    case STRING_STATE_PAIR_U: return most < 1024 ? most : 1024;
    case STRING_STATE_UTF8:
        bits = s->n_left * 6;
        first = c << bits;
        if (first < s->least) first = s->least;
        return count_range(t, s, first, c << bits | ((1u << bits) - 1), most);
    case STRING_STATE_HEX: break;
    case STRING_STATE_LOW: /* counted like a character below U+10000 */
        return left > 1 || s->n_left > 1 || most < 1 ? most : 1;
    }
    first = c << bits;
    uint32_t last = first | ((1u << bits) - 1);
    bool is_pair = last >= 0xD800 && first <= 0xDBFF;
    return is_pair ? most : count_range(t, s, first, last, most);
}
