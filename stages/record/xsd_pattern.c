/* xsd_pattern.c - translates ECMA-262 patterns to XML Schema; see xsd.h.
 *
 * An XML Schema pattern always matches the whole text; it has no lookaround,
 * lazy quantifiers or back references. SOURCE  XML Schema 1.0, part 2,
 * appendix F.
 */
#include <stdlib.h>

#include "stages/record/xsd.h"

struct rewrite {
    const char *at;
    struct buf *out;
    int depth;
    bool in_class;
};

static void print_literal(struct rewrite *r, char c)
{
    static const char meta[] = "\\|.-^?*+{}()[]";
    if (strchr(meta, c)) buf_add_text(r->out, "\\");
    buf_add(r->out, &c, 1);
}

/* Translates the escape at a backslash. */
static bool translate_escape(struct rewrite *r)
{
    char c = r->at[1];
    const char *open = r->in_class ? "" : "[", *close = r->in_class ? "" : "]";
    r->at += 2;
    switch (c) {
    case 'd': buf_print(r->out, "%s0-9%s", open, close); return true;
    case 'w': buf_print(r->out, "%sA-Za-z0-9_%s", open, close); return true;
    case 'D':
        if (!r->in_class) buf_add_text(r->out, "[^0-9]");
        return !r->in_class;
    case 'W':
        if (!r->in_class) buf_add_text(r->out, "[^A-Za-z0-9_]");
        return !r->in_class;
    case 'n':
    case 'r':
    case 't': buf_print(r->out, "\\%c", c); return true;
    default: break;
    }
    bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                (c >= 'A' && c <= 'Z');
    if (word || c <= 0x20) return false;
    print_literal(r, c);
    return true;
}

static bool translate_class(struct rewrite *r)
{
    r->in_class = true;
    buf_add(r->out, r->at++, 1);
    if (*r->at == '^') buf_add(r->out, r->at++, 1);
    if (*r->at == ']') return false;
    while (*r->at && *r->at != ']') {
        if (*r->at == '\\') {
            if (!translate_escape(r)) return false;
        } else if (*r->at == '-') {
            /* a literal at the end, else a range */
            if (r->at[1] == ']')
                print_literal(r, *r->at++);
            else
                buf_add(r->out, r->at++, 1);
        } else if (strchr("[^", *r->at)) {
            print_literal(r, *r->at++);
        } else {
            buf_add(r->out, r->at++, 1);
        }
    }
    if (*r->at) buf_add(r->out, r->at++, 1);
    r->in_class = false;
    return true;
}

static bool translate_term(struct rewrite *r)
{
    switch (*r->at) {
    case '\\': return translate_escape(r);
    case '[': return translate_class(r);
    case '(':
        if (r->at[1] == '?' && r->at[2] != ':') return false;
        r->depth++;
        buf_add_text(r->out, "(");
        r->at += r->at[1] == '?' ? 3 : 1;
        return true;
    case ')':
        r->depth--;
        buf_add(r->out, r->at++, 1);
        return true;
    case '|':
        if (r->depth == 0) return false;
        buf_add(r->out, r->at++, 1);
        return true;
    case '*':
    case '+':
    case '?':
    case '}': buf_add(r->out, r->at++, 1); return *r->at != '?';
    case '.':
        buf_add_text(r->out, "[^\\n\\r]");
        r->at++;
        return true;
    case '^': return false;
    case '$': return false;
    default: buf_add(r->out, r->at++, 1); return true;
    }
}

/* Has the pattern characters that XML cannot hold, or their stand-ins from
 * U+E000 on (mapping.h)? It would match other texts. */
static bool has_standin(const char *pattern)
{
    for (const char *at = pattern; *at; at++)
        if ((unsigned char)*at >= 0xee || (unsigned char)*at == 0xc0 ||
            ((unsigned char)*at < 0x20 && !strchr("\t\n\r", *at)))
            return true;
    return false;
}

bool xsd_pattern(struct buf *out, const char *pattern)
{
    if (has_standin(pattern)) return false;
    size_t n = strlen(pattern);
    bool from_start = *pattern == '^';
    bool to_end =
        n > 0 && pattern[n - 1] == '$' && (n < 2 || pattern[n - 2] != '\\');
    struct rewrite r = {.at = pattern + from_start, .out = out};
    if (!from_start) buf_add_text(out, "[\\s\\S]*");
    const char *end = pattern + n - (to_end && n > (size_t)from_start);
    while (r.at < end)
        if (!translate_term(&r)) return false;
    if (!to_end) buf_add_text(out, "[\\s\\S]*");
    return r.depth == 0 && !out->full;
}
