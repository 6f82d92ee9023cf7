/* unfence.c - see unfence.h. What is removed, in this order, each at most once:
 *
 *   1. a byte order mark, and white space at both ends
 *   2. a leading <think> ... </think> block, empty or filled
 *   3. a fence around all the rest: a line of three or more ` or ~ with
 *      nothing or the word json behind it, and a closing line of the same
 *      character, at least as long, with nothing but white space behind it
 *
 * Prose, a second block, a fence that is not closed: not ours to repair.
 */
#include "stages/unfence.h"

#include <strings.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct span trim(struct span s)
{
    while (s.size && is_space(*s.data))
        s = (struct span){s.data + 1, s.size - 1};
    while (s.size && is_space(s.data[s.size - 1]))
        s.size--;
    return s;
}

static bool begins(struct span s, const char *text)
{
    size_t n = strlen(text);
    return s.size >= n && !memcmp(s.data, text, n);
}

static struct span skip(struct span s, size_t n)
{
    return (struct span){s.data + n, s.size - n};
}

/* Where `text` stands in s, or s.size. */
static size_t find(struct span s, const char *text)
{
    for (size_t i = 0; i < s.size; i++)
        if (begins(skip(s, i), text)) return i;
    return s.size;
}

static struct span drop_thinking(struct span s, struct err *err)
{
    static const char opening[] = "<think>", closing[] = "</think>";
    if (!begins(s, opening)) return s;
    size_t at = find(s, closing);
    if (at == s.size) {
        err_reason(err, ERR_ANSWER, "model-invalid-json",
                   "a think block that is not closed");
        return s;
    }
    return trim(skip(s, at + strlen(closing)));
}

/* How many of the fence character `c` the line begins with. */
static size_t fence_length(struct span line, char c)
{
    size_t n = 0;
    while (n < line.size && line.data[n] == c)
        n++;
    return n;
}

/* The line at the head of s without its end; `taken` counts the end too. */
static struct span first_line(struct span s, size_t *taken)
{
    size_t n = find(s, "\n");
    *taken = n < s.size ? n + 1 : n;
    return (struct span){s.data, n};
}

static struct span drop_fence(struct span s, struct err *err)
{
    char c = s.size ? *s.data : '\0';
    if (c != '`' && c != '~') return s;
    size_t taken;
    struct span line = first_line(s, &taken);
    size_t length = fence_length(line, c);
    struct span info = trim(skip(line, length));
    bool known = info.size == 0 ||
                 (info.size == 4 && !strncasecmp(info.data, "json", 4));
    if (length < 3 || !known)
        return s; /* not JSON either; the parser says so */

    struct span inner = skip(s, taken), rest = inner;
    while (rest.size) {
        line = first_line(rest, &taken);
        size_t n = fence_length(line, c);
        if (n >= length && trim(skip(line, n)).size == 0) break;
        rest = skip(rest, taken);
    }
    inner.size -= rest.size;
    if (!rest.size)
        err_reason(err, ERR_ANSWER, "model-invalid-json",
                   "a fence that is not closed");
    else if (trim(skip(rest, taken)).size)
        err_reason(err, ERR_ANSWER, "model-invalid-json",
                   "text behind the closing fence");
    return trim(inner);
}

struct span unfence(struct span answer, struct err *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    if (err_failed(err)) return answer;
    struct span s = begins(answer, bom) ? skip(answer, strlen(bom)) : answer;
    s = drop_thinking(trim(s), err);
    return drop_fence(s, err);
}
