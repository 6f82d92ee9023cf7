/* expected.c - see expected.h. */
#include "vlm/generate/expected.h"

#include <string.h>

enum { NEXT_MOST = 96 }; /* bytes looked ahead */

void expected_begin(struct expected_answer *e, struct span text)
{
    *e = (struct expected_answer){.text = text};
}

/* Finds the pair between two offsets, and goes on behind it. */
static bool find_pair(struct expected_answer *e, size_t from, size_t to)
{
    const char *text = e->text.data, *hit;
    while (to - from >= e->n_pair &&
           (hit = memchr(text + from, '"', to - from - e->n_pair + 1))) {
        from = (size_t)(hit - text);
        if (!memcmp(hit, e->pair, e->n_pair)) {
            e->at = from + e->n_pair;
            e->lost = false;
            return true;
        }
        from++;
    }
    return false;
}

/* A key or a string is complete. The same string under the same key is looked
 * for everywhere, a key only ahead: each row has it. */
static void find_again(struct expected_answer *e, bool is_key)
{
    if (!e->lost || e->n_pair > EXPECTED_PAIR) return;
    if (!find_pair(e, e->at, e->text.size) && !is_key)
        find_pair(e, 0, e->text.size);
}

static void keep_byte(struct expected_answer *e, char c)
{
    if (e->n_pair < EXPECTED_PAIR) e->pair[e->n_pair] = c;
    if (e->n_pair <= EXPECTED_PAIR) e->n_pair++;
}

static void read_byte(struct expected_answer *e, char c)
{
    bool opens = !e->quoted && c == '"', closes = false;
    if (opens && !e->after_key) e->n_pair = 0;
    keep_byte(e, c);
    if (e->quoted) {
        closes = c == '"' && !e->escaped;
        e->escaped = c == '\\' && !e->escaped;
    }
    if (opens || closes) e->quoted = opens;
    if (closes && e->after_key) find_again(e, false);
    if (e->quoted || closes) return;
    if (c == ':') {
        find_again(e, true);
        e->after_key = true;
    } else if (strchr(",[{}", c)) {
        e->after_key = false;
    }
}

void expected_note(struct expected_answer *e, struct span bytes)
{
    for (size_t i = 0; i < bytes.size && e->text.size; i++) {
        bool same = !e->lost && e->at < e->text.size &&
                    e->text.data[e->at] == bytes.data[i];
        e->at += same;
        e->lost = !same;
        read_byte(e, bytes.data[i]);
    }
}

/* Is what begins here, outside of a string, not known? */
static bool is_unknown(struct span text, size_t at)
{
    char c = text.data[at], next = at + 1 < text.size ? text.data[at + 1] : 0;
    return c == 'n' || (c == '[' && next == ']') ||
           (c == ']' && at && text.data[at - 1] == '[');
}

struct span expected_next(const struct expected_answer *e)
{
    struct span s = e->text;
    bool quoted = e->quoted, escaped = e->escaped;
    size_t end = e->at;
    if (e->lost) return (struct span){"", 0};
    for (; end < s.size && end < e->at + NEXT_MOST; end++) {
        char c = s.data[end];
        if (!quoted && is_unknown(s, end)) break;
        if (c == '"' && !escaped) quoted = !quoted;
        escaped = quoted && c == '\\' && !escaped;
    }
    return (struct span){s.data + e->at, end - e->at};
}
