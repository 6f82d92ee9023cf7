/* format_host.c - see format_host.h. */
#include "vlm/schema/format_host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <utf8proc.h>

#include "vlm/schema/idna.h"

enum { NAME_MAX_BYTES = 253, LOCAL_MAX = 64 };

static bool is_alnum(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* An ASCII label; one that begins with xn-- must decode to a good one. */
static bool ascii_label(struct span label)
{
    if (label.size < 1 || label.size > IDNA_LABEL_MAX) return false;
    for (size_t i = 0; i < label.size; i++)
        if (!is_alnum(label.data[i]) && label.data[i] != '-') return false;
    if (label.data[0] == '-' || label.data[label.size - 1] == '-') return false;
    if (label.size < 4 || label.data[2] != '-' || label.data[3] != '-')
        return true;
    int rune[IDNA_LABEL_MAX];
    if ((label.data[0] | 32) != 'x' || (label.data[1] | 32) != 'n')
        return false;
    int n = idna_decode((struct span){label.data + 4, label.size - 4}, rune);
    bool foreign = false;
    for (int i = 0; i < n; i++)
        foreign |= rune[i] >= 0x80;
    return foreign && idna_label(rune, n);
}

bool format_host_name(struct span text)
{
    if (text.size < 1 || text.size > NAME_MAX_BYTES) return false;
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != '.') continue;
        if (!ascii_label((struct span){text.data + from, i - from}))
            return false;
        from = i + 1;
    }
    return true;
}

/* The next code point, or -1 at the end or where the text is no UTF-8. */
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

/* Size of the label's ASCII form, or -1 when it is none. */
static int unicode_label(const int *rune, int n)
{
    char ascii[IDNA_LABEL_MAX];
    bool foreign = false;
    for (int i = 0; i < n; i++) {
        foreign |= rune[i] >= 0x80;
        ascii[i] = (char)(foreign ? 0 : rune[i]);
    }
    if (n < 1) return -1;
    if (!foreign) return ascii_label((struct span){ascii, (size_t)n}) ? n : -1;
    if (!idna_label(rune, n)) return -1;
    int size = idna_encoded_size(rune, n);
    return size <= IDNA_LABEL_MAX - 4 ? size + 4 : -1;
}

bool format_host_idn_name(struct span text)
{
    int rune[IDNA_LABEL_MAX], n = 0, size = 0;
    size_t at = 0;
    for (bool end = false; !end;) {
        end = at >= text.size;
        int c = end ? '.' : next_rune(text, &at);
        if (c == '.' || c == 0x3002 || c == 0xff0e || c == 0xff61) {
            int label = unicode_label(rune, n);
            if (label < 0) return false;
            size += label + !end;
            n = 0;
        } else {
            if (c < 0 || n == IDNA_LABEL_MAX) return false;
            rune[n++] = c;
        }
    }
    return size <= NAME_MAX_BYTES;
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
    size_t i = 1; /* v1.anything of RFC 3986, IPvFuture */
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

/* Is this character one of an unquoted local part? */
static bool is_atom(int c, bool idn)
{
    return is_alnum(c) || (idn && c >= 0x80) ||
           (c > 0 && c < 0x80 && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* Where the local part ends (at its @), or 0. */
static size_t local_part(struct span text, bool idn)
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
    size_t at = local_part(text, idn);
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
