/* format_host.c - see format_host.h. */
#include "vlm/schema/format_host.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { NAME_MAX_BYTES = 253, LABEL_MAX = 63, LOCAL_MAX = 64 };

static bool is_alnum(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* Letters, digits and inner hyphens. */
static bool is_ascii_label(const char *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_alnum(label[i]) && label[i] != '-') return false;
    return label[0] != '-' && label[n - 1] != '-';
}

/* Size of the label in ASCII, or -1 if invalid. libidn2 checks Unicode labels
 * and those that begin with xn--, with the rules for registration: its look-up
 * rules skip some context checks. */
static int label_size(struct span label, bool idn)
{
    uint8_t text[4 * LABEL_MAX + 1] = {0}, *ascii = NULL;
    bool foreign = false;
    if (label.size < 1 || label.size >= sizeof text) return -1;
    memcpy(text, label.data, label.size);
    for (size_t i = 0; i < label.size; i++) {
        foreign |= text[i] >= 0x80;
        if (text[i] == 0) return -1;
    }
    if (foreign && !idn) return -1;
    if (!foreign && !is_ascii_label(label.data, label.size)) return -1;
    bool encoded = !foreign && !memcmp(text + 2, "--", 2);
    for (size_t i = 0; encoded && i < label.size; i++)
        if (text[i] >= 'A' && text[i] <= 'Z') text[i] |= 0x20;
    int size = (int)label.size;
    if (foreign || encoded) {
        int code =
            idn2_register_u8(encoded ? NULL : text, encoded ? text : NULL,
                             &ascii, IDN2_NFC_INPUT);
        size = code == IDN2_OK ? (int)strlen((char *)ascii) : -1;
        idn2_free(ascii);
    }
    return size <= LABEL_MAX ? size : -1;
}

/* The next code point, or -1 at the end or on invalid UTF-8. */
static int next_rune(struct span text, size_t *at)
{
    utf8proc_int32_t rune;
    if (*at >= text.size) return -1;
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)text.data + *at,
                         (utf8proc_ssize_t)(text.size - *at), &rune);
    if (n < 1) return -1;
    *at += (size_t)n;
    return rune;
}

static bool is_host_name(struct span text, bool idn)
{
    int size = 0;
    size_t at = 0, from = 0;
    for (bool end = false; !end;) {
        size_t here = at;
        end = at >= text.size;
        int c = end ? '.' : next_rune(text, &at);
        if (c < 0) return false;
        bool dot =
            c == '.' || (idn && (c == 0x3002 || c == 0xff0e || c == 0xff61));
        if (!dot) continue;
        int label =
            label_size((struct span){text.data + from, here - from}, idn);
        if (label < 0) return false;
        size += label + !end;
        from = at;
    }
    return size <= NAME_MAX_BYTES;
}

bool format_host_name(struct span text)
{
    return is_host_name(text, false);
}

bool format_host_idn_name(struct span text)
{
    return is_host_name(text, true);
}

bool format_host_ipv4(struct span text)
{
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && (at >= text.size || text.data[at++] != '.'))
            return false;
        int value = 0;
        size_t from = at;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' &&
               at - from < 3)
            value = value * 10 + (text.data[at++] - '0');
        bool leading = at - from > 1 && text.data[from] == '0';
        if (at == from || leading || value > 255) return false;
    }
    return at == text.size;
}

bool format_host_ipv6(struct span text)
{
    char copy[64];
    struct in6_addr address;
    if (text.size >= sizeof copy || memchr(text.data, '\xc0', text.size))
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data);
    return strlen(copy) == text.size &&
           inet_pton(AF_INET6, copy, &address) == 1;
}

bool format_host_literal(struct span text)
{
    if (text.size == 0 || (text.data[0] | 32) != 'v')
        return format_host_ipv6(text);
    size_t i = 1; /* IPvFuture of RFC 3986: "v1.anything" */
    while (i < text.size &&
           ((text.data[i] >= '0' && text.data[i] <= '9') ||
            ((text.data[i] | 32) >= 'a' && (text.data[i] | 32) <= 'f')))
        i++;
    if (i == 1 || i + 1 >= text.size || text.data[i] != '.') return false;
    for (i++; i < text.size; i++)
        if (!is_alnum(text.data[i]) &&
            !strchr("-._~!$&'()*+,;=:", text.data[i]))
            return false;
    return true;
}

/* Is this character allowed in an unquoted local part? */
static bool is_atom(int c, bool idn)
{
    return is_alnum(c) || (idn && c >= 0x80) ||
           (c > 0 && c < 0x80 && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* Length of a valid local part (the index of its @), or 0. */
static size_t local_part_size(struct span text, bool idn)
{
    size_t at = 0;
    bool quoted = text.size > 0 && text.data[0] == '"', dot = true;
    if (quoted) at = 1;
    while (at < text.size) {
        size_t start = at;
        int c = next_rune(text, &at);
        if (c < 0 || (c >= 0x80 && !idn)) return 0;
        if (quoted && c == '"')
            return at < text.size && text.data[at] == '@' ? at : 0;
        if (quoted) {
            if (c < 0x20 || c == 0x7f) return 0;
            if (c == '\\' && next_rune(text, &at) < 0x20) return 0;
        } else if (c == '@') {
            return dot ? 0 : start;
        } else if (c == '.') {
            if (dot) return 0;
            dot = true;
        } else {
            if (!is_atom(c, idn)) return 0;
            dot = false;
        }
    }
    return 0;
}

static bool is_mailbox(struct span text, bool idn)
{
    size_t at = local_part_size(text, idn);
    if (at == 0 || at > LOCAL_MAX) return false;
    struct span host = {text.data + at + 1, text.size - at - 1};
    if (host.size < 3 || host.data[0] != '[')
        return idn ? format_host_idn_name(host) : format_host_name(host);
    if (host.data[host.size - 1] != ']') return false;
    struct span inner = {host.data + 1, host.size - 2};
    if (inner.size > 5 && !memcmp(inner.data, "IPv6:", 5))
        return format_host_ipv6((struct span){inner.data + 5, inner.size - 5});
    return format_host_ipv4(inner);
}

bool format_host_email(struct span text)
{
    return is_mailbox(text, false);
}

bool format_host_idn_email(struct span text)
{
    return is_mailbox(text, true);
}
