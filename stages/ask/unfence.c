/* unfence.c - see unfence.h. */
#include "stages/ask/unfence.h"

#include <strings.h>

#include "vlm/base/text.h"

enum { FENCE_LEAST = 3 };

static struct span trim(struct span s)
{
    while (s.size && text_is_space(s.data[0]))
        s = (struct span){s.data + 1, s.size - 1};
    while (s.size && text_is_space(s.data[s.size - 1]))
        s.size--;
    return s;
}

static struct span after(struct span s, size_t n)
{
    return (struct span){s.data + n, s.size - n};
}

static bool refuse_answer(struct err *err, const char *what)
{
    return err_reason(err, ERR_ANSWER, "model-invalid-json", "the answer %s",
                      what);
}

static struct span strip_think(struct span s, struct err *err)
{
    static const char open[] = "<think>", close[] = "</think>";
    if (!span_starts(s, open)) return s;
    for (size_t i = sizeof open - 1; i < s.size; i++)
        if (span_starts(after(s, i), close))
            return trim(after(s, i + sizeof close - 1));
    refuse_answer(err, "has a <think> that is not closed");
    return s;
}

/* Number of c at the start of s. */
static size_t run_length(struct span s, char c)
{
    size_t n = 0;
    while (n < s.size && s.data[n] == c)
        n++;
    return n;
}

/* Removes the opening and closing line of a fence around s, which is
 * trimmed. */
static struct span strip_fence(struct span s, struct err *err)
{
    char c = s.size ? s.data[0] : '\0';
    if (err_failed(err) || (c != '`' && c != '~')) return s;
    size_t n = run_length(s, c);
    const char *line_end = memchr(s.data, '\n', s.size);
    if (n < FENCE_LEAST || !line_end) {
        refuse_answer(err, "begins with an invalid fence");
        return s;
    }
    size_t first_line = (size_t)(line_end - s.data);
    struct span info = trim((struct span){s.data + n, first_line - n});
    if (info.size && (info.size != 4 || strncasecmp(info.data, "json", 4))) {
        refuse_answer(err, "is in a fence that is not for JSON");
        return s;
    }
    struct span inside = after(s, first_line + 1);
    size_t closing = 0;
    while (closing < inside.size && inside.data[inside.size - 1 - closing] == c)
        closing++;
    size_t left = inside.size - closing;
    bool own_line = left == 0 || inside.data[left - 1] == '\n';
    if (closing < n || !own_line) {
        refuse_answer(err, "has a fence that is not closed");
        return s;
    }
    return trim((struct span){inside.data, left});
}

/* Bytes of the array or object at the start of s; 0: it does not end. Brackets
 * in strings do not count. */
static size_t size_of_value(struct span s)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < s.size; i++) {
        char c = s.data[i];
        if (in_string) {
            if (c == '\\') i++;
            in_string = c != '"';
        } else if (c == '"')
            in_string = true;
        else if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* Does anything follow the value at the start of s? A value that is cut short
 * is left to the parser. */
static bool has_more(struct span s)
{
    if (s.data[0] != '{' && s.data[0] != '[') return false;
    size_t n = size_of_value(s);
    return n && n != s.size;
}

struct span unfence(struct span answer, struct err *err)
{
    struct span none = {"", 0};
    if (err_failed(err)) return none;
    struct span s = answer;
    if (span_starts(s, "\xEF\xBB\xBF")) s = after(s, 3);
    s = strip_think(trim(s), err);
    s = strip_fence(s, err);
    if (err_failed(err)) return none;

    if (s.size == 0)
        refuse_answer(err, "is empty");
    else if (!s.data[0] || !strchr("{[\"-0123456789tfn", s.data[0]))
        refuse_answer(err, "does not begin with a JSON value");
    else if (has_more(s))
        refuse_answer(err, "has text after the JSON value");
    return err_failed(err) ? none : s;
}

/* Skips thinking without a start mark: up to the last end mark that is followed
 * by a bracket. */
static struct span after_thinking(struct span s)
{
    static const char close[] = "</think>";
    for (size_t i = s.size; i-- > 0;) {
        if (!span_starts(after(s, i), close)) continue;
        struct span rest = after(s, i + sizeof close - 1);
        if (memchr(rest.data, '{', rest.size) ||
            memchr(rest.data, '[', rest.size))
            return rest;
    }
    return s;
}

int unfence_values(struct span answer, struct span value[static UNFENCE_MAX],
                   struct err *err)
{
    if (err_failed(err)) return 0;
    struct span s = after_thinking(strip_think(trim(answer), err));
    int n = 0;
    for (size_t i = 0, size; i < s.size && !err_failed(err); i += size) {
        size = 1;
        if (s.data[i] == '}' || s.data[i] == ']') {
            refuse_answer(err, "has an unmatched closing bracket");
        } else if (s.data[i] == '{' || s.data[i] == '[') {
            size = size_of_value(after(s, i));
            if (!size)
                refuse_answer(err, "has a JSON value that is cut short");
            else if (n == UNFENCE_MAX)
                refuse_answer(err, "has too many JSON values");
            else
                value[n++] = (struct span){s.data + i, size};
        }
    }
    return err_failed(err) ? 0 : n;
}
