/* vocab_gen.c - see vocab_gen.h.
 *
 * In the manner of a byte-level BPE of 248,320 rows: most rows are words, with
 * or without a space in front; then come punctuation runs of code and JSON,
 * characters of other scripts, whole or cut anywhere, and white space.
 */
#include "tests/support/vocab_gen.h"

#include "tests/support/schema_gen.h"

enum { PADDING = 5, TOKEN_MOST = 200 };

static const char *const fixed[] = {"\",\"",
                                    "\":\"",
                                    "\":",
                                    "\"}",
                                    "\"},",
                                    "\"},{\"",
                                    "},{\"",
                                    "{\"",
                                    "[{\"",
                                    "\":[",
                                    "\"]",
                                    "\"],",
                                    "\"],\"",
                                    "]}",
                                    "}]",
                                    "}]}",
                                    "}}",
                                    "[]",
                                    "[],",
                                    "null",
                                    "null,",
                                    "null}",
                                    "true",
                                    "false",
                                    "\":null,\"",
                                    "\":[{\"",
                                    "\":[]",
                                    "\"},\n",
                                    ", \"",
                                    "\" ",
                                    "\\n",
                                    "\\\"",
                                    "\\u",
                                    "\\u00",
                                    "\\\\",
                                    "ud83d",
                                    "\\ud83d\\ude00",
                                    "de00",
                                    "00e9",
                                    "://",
                                    "https",
                                    "www.",
                                    ".com",
                                    "@",
                                    "```",
                                    "...",
                                    "\n\n",
                                    "\t\t",
                                    "    ",
                                    "-0",
                                    ".0",
                                    "0.",
                                    "--",
                                    "():",
                                    "\\",
                                    "\",",
                                    "\":-",
                                    "1}",
                                    "5,\"",
                                    "\"a\":",
                                    "\"\"",
                                    "\"\",",
                                    "\xC3\xA9",
                                    "\xE2\x82\xAC",
                                    "\xF0\x9F\x98\x80",
                                    "\xE2\x82",
                                    "\x9F\x98",
                                    "\xF0\x9F",
                                    "na\xC3\xAFve",
                                    "\xED\xA0\x80",
                                    "\xC0\x80",
                                    "\x01",
                                    "\x7F"};

static size_t put_character(struct random_bits *r, char *out)
{
    static const uint32_t first[] = {0xC0,   0x391,  0x410,  0x5D0,
                                     0x627,  0x905,  0xE01,  0x3041,
                                     0x4E00, 0xAC00, 0x1F300};
    int script = random_below(r, 11);
    uint32_t c =
        first[script] + (uint32_t)random_below(r, script >= 8 ? 4000 : 60);
    if (c < 0x800) {
        out[0] = (char)(unsigned char)(0xC0 | c >> 6);
        out[1] = (char)(unsigned char)(0x80 | (c & 0x3F));
        return 2;
    }
    size_t n = c < 0x10000 ? 3 : 4;
    out[0] = (char)(unsigned char)((n == 3 ? 0xE0 : 0xF0) | c >> (6 * (n - 1)));
    for (size_t i = 1; i < n; i++)
        out[i] = (char)(unsigned char)(0x80 | (c >> (6 * (n - 1 - i)) & 0x3F));
    return n;
}

static size_t put_word(struct random_bits *r, char *out)
{
    static const char *const part[] = {
        "er",  "in",  "tion", "al", "re", "st", "con", "ment", "ing", "ly",
        "pro", "com", "a",    "e",  "o",  "u",  "th",  "s",    "t",   "n",
        "de",  "is",  "or",   "an", "le", "ra", "ver", "ter",  "ge",  "um"};
    size_t n = 0;
    if (random_below(r, 2)) out[n++] = ' ';
    int n_part = 1 + random_below(r, 4);
    for (int i = 0; i < n_part; i++) {
        const char *p = part[random_below(r, 30)];
        memcpy(out + n, p, strlen(p));
        n += strlen(p);
    }
    size_t at = n > 1 && out[0] == ' ' ? 1 : 0;
    if (random_below(r, 3) == 0) out[at] = (char)(out[at] - 32);
    return n;
}

static size_t put_marks(struct random_bits *r, char *out)
{
    static const char marks[] = "\"\",:{}[]()<>.;=+-*/\\'`_#@!? \n";
    int n = 1 + random_below(r, 5);
    for (int i = 0; i < n; i++)
        out[i] = marks[random_below(r, (int)sizeof marks - 1)];
    return (size_t)n;
}

static size_t put_token(struct random_bits *r, char *out)
{
    size_t n = 0;
    switch (random_below(r, 20)) {
    case 0: return put_marks(r, out);
    case 1:
        memset(out, " \n\t-=*"[random_below(r, 6)], 64);
        return 2 + (size_t)random_below(r, 62);
    case 2: /* a piece of a character, from its middle or to it */
        n = put_character(r, out);
        if (random_below(r, 2)) return n - 1;
        memmove(out, out + 1, n - 1);
        return n - 1;
    case 3:
    case 4:
    case 5:
    case 6:
        for (int i = 1 + random_below(r, 4); i > 0; i--)
            n += put_character(r, out + n);
        return n;
    default: return put_word(r, out);
    }
}

struct vocab_gen vocab_gen(int n, uint64_t seed)
{
    struct random_bits r = {seed};
    struct vocab_gen v = {arena_new(), NULL, n};
    v.bytes = arena_array(v.arena, (size_t)n, sizeof *v.bytes);
    int at = 0;
    for (; at < 256; at++) {
        char byte = (char)(unsigned char)at;
        v.bytes[at] =
            (struct span){arena_copy(v.arena, (struct span){&byte, 1}), 1};
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        v.bytes[at++] = span_of(fixed[i]);
    while (at < n - PADDING) {
        char token[TOKEN_MOST];
        size_t size = put_token(&r, token);
        v.bytes[at++] = (struct span){
            arena_copy(v.arena, (struct span){token, size}), size};
    }
    return v;
}
