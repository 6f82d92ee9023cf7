/* pdf_tokens.c - see pdf_tokens.h. (ISO 32000-1, 7.2 to 7.3) */
#include "stages/children/raster/pdf/pdf_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "vlm/base/text.h"

bool pdf_tokens_is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' ||
           c == '\0';
}

static bool is_delimiter(uint8_t c)
{
    return strchr("()<>[]{}/%", c) != NULL && c;
}

static bool is_regular(uint8_t c)
{
    return !pdf_tokens_is_space(c) && !is_delimiter(c);
}

static void skip_space(struct pdf_tokens *t)
{
    while (t->at < t->end) {
        if (*t->at == '%')
            while (t->at < t->end && *t->at != '\n' && *t->at != '\r')
                t->at++;
        else if (pdf_tokens_is_space(*t->at))
            t->at++;
        else
            return;
    }
}

static void read_name(struct pdf_tokens *t, struct pdf_token *out)
{
    size_t n = 0;
    out->kind = PDF_TOKEN_NAME;
    for (t->at++; t->at < t->end && is_regular(*t->at); t->at++) {
        uint8_t c = *t->at;
        if (c == '#' && t->end - t->at > 2 && text_hex_digit(t->at[1]) >= 0 &&
            text_hex_digit(t->at[2]) >= 0) {
            c = (uint8_t)(text_hex_digit(t->at[1]) << 4 |
                          text_hex_digit(t->at[2]));
            t->at += 2;
        }
        if (n + 1 < PDF_TOKEN_TEXT) out->text[n++] = (char)c;
    }
    out->text[n] = '\0';
}

static void read_operator(struct pdf_tokens *t, struct pdf_token *out)
{
    size_t n = 0;
    const uint8_t *from = t->at;
    for (; t->at < t->end && is_regular(*t->at); t->at++)
        if (n + 1 < PDF_TOKEN_TEXT) out->text[n++] = (char)*t->at;
    out->text[n] = '\0';
    if (t->at == from) t->at++; /* an unexpected delimiter */
    out->kind = PDF_TOKEN_OPERATOR;
    if (n == 0 || !strchr("+-.0123456789", out->text[0])) return;
    out->kind = PDF_TOKEN_NUMBER;
    out->number = strtod(out->text, NULL);
}

static void read_string(struct pdf_tokens *t, struct pdf_token *out)
{
    int depth = 0;
    out->kind = PDF_TOKEN_STRING;
    do {
        if (*t->at == '\\' && t->end - t->at > 1)
            t->at++;
        else if (*t->at == '(')
            depth++;
        else if (*t->at == ')')
            depth--;
        t->at++;
    } while (depth && t->at < t->end);
}

void pdf_tokens_next(struct pdf_tokens *t, struct pdf_token *out)
{
    skip_space(t);
    out->kind = PDF_TOKEN_END;
    out->text[0] = '\0';
    out->from = t->at;
    bool two = t->end - t->at > 1 && t->at[0] == t->at[1];
    if (t->at == t->end) {
        out->to = t->at;
        return;
    }
    switch (*t->at) {
    case '/': read_name(t, out); break;
    case '(': read_string(t, out); break;
    case '[':
        out->kind = PDF_TOKEN_OPEN;
        t->at++;
        break;
    case ']':
        out->kind = PDF_TOKEN_CLOSE;
        t->at++;
        break;
    case '<':
        out->kind = two ? PDF_TOKEN_OPEN : PDF_TOKEN_STRING;
        if (two) t->at++;
        while (!two && t->at < t->end && *t->at != '>')
            t->at++;
        if (t->at < t->end) t->at++;
        break;
    case '>':
        out->kind = PDF_TOKEN_CLOSE;
        t->at += two ? 2 : 1;
        break;
    default: read_operator(t, out);
    }
    out->to = t->at;
}

static void hex_codes(const uint8_t *at, const uint8_t *end, bool used[256])
{
    int high = -1;
    for (; at < end && *at != '>'; at++) {
        int d = text_hex_digit(*at);
        if (d < 0) continue;
        if (high >= 0) used[high << 4 | d] = true;
        high = high < 0 ? d : -1;
    }
    if (high >= 0) used[high << 4] = true;
}

/* Reads the rest of an escape sequence. */
static const uint8_t *read_escape(const uint8_t *at, const uint8_t *end,
                                  bool used[256])
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    int v = 0, n = 0;
    for (; n < 3 && at < end && *at >= '0' && *at <= '7'; n++)
        v = v * 8 + (*at++ - '0');
    if (n) {
        used[v & 255] = true;
        return at;
    }
    if (*at == '\r' && end - at > 1 && at[1] == '\n') return at + 2;
    if (*at == '\r' || *at == '\n') return at + 1;
    const char *known = strchr(from, *at);
    used[known && *at ? (uint8_t)to[known - from] : *at] = true;
    return at + 1;
}

void pdf_tokens_codes(const struct pdf_token *string, bool used[256])
{
    const uint8_t *at = string->from, *end = string->to;
    if (at == end) return;
    if (*at++ == '<') {
        hex_codes(at, end, used);
        return;
    }
    if (end > at && end[-1] == ')') end--;
    while (at < end) {
        if (*at == '\\' && end - at > 1)
            at = read_escape(at + 1, end, used);
        else
            used[*at++] = true;
    }
}
