/* pattern_translate.c - ECMA-262 syntax to PCRE2's; see pattern.h.
 *
 * SOURCE  ECMA-262, 22.2.1 (with the u flag), and annex B for literal braces
 * and brackets.
 */
#include "vlm/schema/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "vlm/base/text.h"

struct es {
    const char *at;
    struct buf *out;
    int depth;       /* open groups */
    bool repeatable; /* a quantifier can follow */
    const char *why;
};

static const char SPACE[] =
    "\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"
    "\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
static const char NOT_SPACE[] =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-"
    "\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}"
    "\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

static bool reject(struct es *e, const char *why)
{
    if (!e->why) e->why = why;
    return false;
}

static int hex_digits(const char *text, int n)
{
    int value = 0;
    for (int i = 0; i < n; i++) {
        int digit = text_hex_digit(text[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool append_rune(struct es *e, long rune)
{
    if (rune < 0 || rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff))
        return reject(e, "an escape for an invalid code point");
    buf_print(e->out, "\\x{%lx}", (unsigned long)rune);
    return true;
}

/* After "\u". */
static bool unicode_escape(struct es *e)
{
    if (*e->at == '{') {
        char *end;
        long rune = strtol(e->at + 1, &end, 16);
        if (end == e->at + 1 || *end != '}' || e->at[1] == '-')
            return reject(e, "\\u{...} needs hex digits");
        e->at = end + 1;
        return append_rune(e, rune);
    }
    long rune = hex_digits(e->at, 4);
    if (rune < 0) return reject(e, "\\u needs four hex digits");
    e->at += 4;
    if (rune >= 0xd800 && rune <= 0xdbff && e->at[0] == '\\' &&
        e->at[1] == 'u') {
        long low = hex_digits(e->at + 2, 4);
        if (low >= 0xdc00 && low <= 0xdfff) {
            rune = 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
            e->at += 6;
        }
    }
    return append_rune(e, rune);
}

const char *pattern_category(struct span name)
{
    static const char *const t[][2] = {{"Letter", "L"},
                                       {"Cased_Letter", "L&"},
                                       {"LC", "L&"},
                                       {"Uppercase_Letter", "Lu"},
                                       {"Lowercase_Letter", "Ll"},
                                       {"Titlecase_Letter", "Lt"},
                                       {"Modifier_Letter", "Lm"},
                                       {"Other_Letter", "Lo"},
                                       {"Mark", "M"},
                                       {"Nonspacing_Mark", "Mn"},
                                       {"Spacing_Mark", "Mc"},
                                       {"Enclosing_Mark", "Me"},
                                       {"Number", "N"},
                                       {"Decimal_Number", "Nd"},
                                       {"digit", "Nd"},
                                       {"Letter_Number", "Nl"},
                                       {"Other_Number", "No"},
                                       {"Punctuation", "P"},
                                       {"punct", "P"},
                                       {"Connector_Punctuation", "Pc"},
                                       {"Dash_Punctuation", "Pd"},
                                       {"Open_Punctuation", "Ps"},
                                       {"Close_Punctuation", "Pe"},
                                       {"Initial_Punctuation", "Pi"},
                                       {"Final_Punctuation", "Pf"},
                                       {"Other_Punctuation", "Po"},
                                       {"Symbol", "S"},
                                       {"Math_Symbol", "Sm"},
                                       {"Currency_Symbol", "Sc"},
                                       {"Modifier_Symbol", "Sk"},
                                       {"Other_Symbol", "So"},
                                       {"Separator", "Z"},
                                       {"Space_Separator", "Zs"},
                                       {"Line_Separator", "Zl"},
                                       {"Paragraph_Separator", "Zp"},
                                       {"Other", "C"},
                                       {"Control", "Cc"},
                                       {"cntrl", "Cc"},
                                       {"Format", "Cf"},
                                       {"Surrogate", "Cs"},
                                       {"Private_Use", "Co"},
                                       {"Unassigned", "Cn"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (span_equal(name, span_of(t[i][0]))) return t[i][1];
    return NULL;
}

/* After "\p" or "\P". */
static bool property_escape(struct es *e, char letter)
{
    const char *end = *e->at == '{' ? strchr(e->at, '}') : NULL;
    if (!end || end == e->at + 1) return reject(e, "\\p needs {a property}");
    const char *name = e->at + 1;
    for (const char *p = name; p < end; p++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                    "0123456789_=",
                    *p))
            return reject(e, "an invalid property name");
    const char *equals = memchr(name, '=', (size_t)(end - name));
    struct span key = {name, equals ? (size_t)(equals - name) : 0};
    const char *value = equals ? equals + 1 : name;
    struct span v = {value, (size_t)(end - value)};
    const char *kind = "";
    if (span_equal(key, span_of("Script")) || span_equal(key, span_of("sc")))
        kind = "sc:";
    else if (span_equal(key, span_of("Script_Extensions")) ||
             span_equal(key, span_of("scx")))
        kind = "scx:";
    const char *brief = *kind ? NULL : pattern_category(v);
    if (brief) v = span_of(brief);
    buf_print(e->out, "\\%c{%s%.*s}", letter, kind, (int)v.size, v.data);
    e->at = end + 1;
    return true;
}

static bool class_escape(struct es *e, char c, bool in_class)
{
    const char *open = in_class ? "" : "[", *close = in_class ? "" : "]";
    switch (c) {
    case 's': buf_print(e->out, "%s%s%s", open, SPACE, close); return true;
    case 'S': buf_print(e->out, "%s%s%s", open, NOT_SPACE, close); return true;
    case 'p':
    case 'P': return property_escape(e, c);
    default: buf_print(e->out, "\\%c", c); return true; /* d D w W */
    }
}

static bool control_escape(struct es *e, char c)
{
    static const char from[] = "tnvfr";
    static const char to[] = {9, 10, 11, 12, 13};
    const char *at = strchr(from, c);
    if (at) return append_rune(e, to[at - from]);
    char letter = *e->at;
    if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')))
        return reject(e, "\\c needs a letter");
    e->at++;
    return append_rune(e, letter % 32);
}

/* After "\k": copies the name of a group. */
static bool named_reference(struct es *e)
{
    const char *end = *e->at == '<' ? strchr(e->at, '>') : NULL;
    if (!end || end == e->at + 1) return reject(e, "\\k needs <a name>");
    buf_add_text(e->out, "\\k");
    buf_add(e->out, e->at, (size_t)(end + 1 - e->at));
    e->at = end + 1;
    return true;
}

/* At a backslash. */
static bool escape(struct es *e, bool in_class)
{
    char c = e->at[1];
    if (!c) return reject(e, "a backslash at the end");
    e->at += 2;
    e->repeatable = true;
    if (strchr("dDwWsSpP", c)) return class_escape(e, c, in_class);
    if (strchr("tnvfrc", c)) return control_escape(e, c);
    if (c == 'u') return unicode_escape(e);
    if (c == 'x') {
        int rune = hex_digits(e->at, 2);
        if (rune < 0) return reject(e, "\\x needs two hex digits");
        e->at += 2;
        return append_rune(e, rune);
    }
    if (c == '0' && !text_is_digit(*e->at)) return append_rune(e, 0);
    if (c == 'b' && in_class) return append_rune(e, 8);
    if ((c == 'b' || c == 'B') && !in_class) {
        e->repeatable = false;
        buf_print(e->out, "\\%c", c);
        return true;
    }
    if (c >= '1' && c <= '9' && !in_class) {
        buf_print(e->out, "\\g{%c", c);
        while (text_is_digit(*e->at))
            buf_add(e->out, e->at++, 1);
        buf_add_text(e->out, "}");
        return true;
    }
    if (c == 'k' && !in_class) return named_reference(e);
    if ((unsigned char)c < 0x80 && !text_is_digit(c) &&
        !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c > 0x20)
        return append_rune(e, c);
    return reject(e, "an unknown escape");
}

/* A literal character. */
static void literal(struct es *e)
{
    unsigned char c = (unsigned char)*e->at;
    if (c == 0xc0 && (unsigned char)e->at[1] == 0x80) {
        buf_add_text(e->out, "\\x{0}");
        e->at += 2;
    } else if (c < 0x80) {
        bool word = text_is_digit(c) || (c >= 'a' && c <= 'z') ||
                    (c >= 'A' && c <= 'Z') || c <= 0x20;
        buf_print(e->out, word ? "%c" : "\\%c", c);
        e->at++;
    } else {
        do {
            buf_add(e->out, e->at++, 1);
        } while (((unsigned char)*e->at & 0xc0) == 0x80);
    }
}

/* At "[". */
static bool character_class(struct es *e)
{
    buf_add_text(e->out, "[");
    e->at++;
    if (*e->at == '^') buf_add(e->out, e->at++, 1);
    while (*e->at && *e->at != ']') {
        if (*e->at == '\\') {
            bool set = e->at[1] && strchr("dDwWsSpP", e->at[1]);
            if (!escape(e, true)) return false;
            if (set && *e->at == '-') { /* annex B: "[\w-.]" is not a range */
                buf_add_text(e->out, "\\-");
                e->at++;
            }
        } else if (*e->at == '-') {
            bool set =
                e->at[1] == '\\' && e->at[2] && strchr("dDwWsSpP", e->at[2]);
            buf_add_text(e->out, set ? "\\-" : "-");
            e->at++; /* PCRE2 reads other ranges the same way */
        } else {
            literal(e);
        }
    }
    if (!*e->at) return reject(e, "[ without ]");
    e->at++;
    buf_add_text(e->out, "]");
    e->repeatable = true;
    return true;
}

/* At "(". */
static bool open_group(struct es *e)
{
    static const char *const plain[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!"};
    e->depth++;
    e->repeatable = false;
    if (e->at[1] != '?') {
        buf_add(e->out, e->at++, 1);
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        size_t n = strlen(plain[i]);
        if (strncmp(e->at, plain[i], n) != 0) continue;
        buf_add(e->out, e->at, n);
        e->at += n;
        return true;
    }
    const char *end = e->at[2] == '<' ? strchr(e->at, '>') : NULL;
    if (!end || end == e->at + 3)
        return reject(e, "an unknown kind of group (?");
    buf_add(e->out, e->at, (size_t)(end + 1 - e->at));
    e->at = end + 1;
    return true;
}

/* Is this {n}, {n,} or {n,m}? Sets *end to its end and *order to n <= m. */
static bool is_braces(const char *at, const char **end, bool *order)
{
    char *p;
    if (!text_is_digit(at[1])) return false;
    long least = strtol(at + 1, &p, 10), most = least;
    if (*p == ',') {
        p++;
        most = text_is_digit(*p) ? strtol(p, &p, 10) : INT32_MAX;
    }
    if (*p != '}') return false;
    *end = p + 1;
    *order = least <= most;
    return true;
}

/* Copies a quantifier if there is one here. */
static bool quantifier(struct es *e, bool *taken)
{
    const char *end = e->at + 1;
    bool order = true;
    *taken = strchr("*+?", *e->at) != NULL ||
             (*e->at == '{' && is_braces(e->at, &end, &order));
    if (!*taken) return true;
    if (!e->repeatable) return reject(e, "a quantifier with nothing to repeat");
    if (!order) return reject(e, "{n,m} with n above m");
    buf_add(e->out, e->at, (size_t)(end - e->at));
    e->at = end;
    if (*e->at == '?') buf_add(e->out, e->at++, 1);
    e->repeatable = false;
    return true;
}

static bool term(struct es *e)
{
    bool taken = false;
    if (!quantifier(e, &taken)) return false;
    if (taken) return true;
    switch (*e->at) {
    case '\\': return escape(e, false);
    case '[': return character_class(e);
    case '(': return open_group(e);
    case ')':
        if (e->depth-- == 0) return reject(e, ") without (");
        buf_add(e->out, e->at++, 1);
        e->repeatable = true;
        return true;
    case '|':
    case '^':
    case '$':
        buf_add(e->out, e->at++, 1);
        e->repeatable = false;
        return true;
    case '.':
        buf_add_text(e->out, "[^\\n\\r\\x{2028}\\x{2029}]");
        e->at++;
        e->repeatable = true;
        return true;
    default:
        literal(e);
        e->repeatable = true;
        return true;
    }
}

bool pattern_translate(const char *text, struct buf *out, const char **why)
{
    struct es e = {.at = text, .out = out};
    while (*e.at && term(&e))
        continue;
    if (!e.why && e.depth > 0) e.why = "( without )";
    if (!e.why && out->full) e.why = "too long";
    *why = e.why;
    return !e.why;
}
