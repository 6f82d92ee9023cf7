/* format.c - see format.h.
 *
 * SOURCE  RFC 3339 (dates, times, durations), 3986 and 3987 (URIs, IRIs), 4122
 * (UUID), 6570 (URI templates), 6901 (JSON pointers).
 */
#include "vlm/schema/format.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "vlm/base/span.h"
#include "vlm/schema/pattern.h"

/* --- format host ------------------------------------------------------- */

/* The formats of host names, IP addresses and mail addresses.
 *
 * SOURCE  RFC 1123 and 5891 to 5893 (host names), 5321 and 6531 (mail
 * addresses), 2673 and 4291 (IP addresses).
 */

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

/* Is the whole text a host name (RFC 1123), an internationalised host name
 * (5891 to 5893), a mail address (5321), an internationalised one (6531), a
 * dotted IPv4 address (2673), an IPv6 address without a zone (4291)? */
static bool format_host_name(struct span text)
{
    return is_host_name(text, false);
}

static bool format_host_idn_name(struct span text)
{
    return is_host_name(text, true);
}

static bool format_host_ipv4(struct span text)
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

static bool format_host_ipv6(struct span text)
{
    char copy[64];
    struct in6_addr address;
    if (text.size >= sizeof copy || memchr(text.data, '\xc0', text.size))
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data);
    return strlen(copy) == text.size &&
           inet_pton(AF_INET6, copy, &address) == 1;
}

/* Is it valid between the brackets of a URI's host (IPv6 or IPvFuture)? */
static bool format_host_literal(struct span text)
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

static bool format_host_email(struct span text)
{
    return is_mailbox(text, false);
}

static bool format_host_idn_email(struct span text)
{
    return is_mailbox(text, true);
}

/* --- format ------------------------------------------------------------ */

/* Characters of URIs; U: further ones allowed in IRIs (including the two
 * noncharacters at the end of each supplementary plane). */
#define UCS                                                                  \
    "\\x{a0}-\\x{d7ff}\\x{f900}-\\x{fdcf}\\x{fdf0}-\\x{ffef}\\x{10000}-\\x{" \
    "effff}"
#define PRIVATE  "\\x{e000}-\\x{f8ff}\\x{f0000}-\\x{10ffff}"
#define PLAIN    "A-Za-z0-9._~!$&'()*+,;=\\-"
#define HEX2     "%[0-9A-Fa-f]{2}"
#define RUN(set) "(?:[" set "]++|" HEX2 ")"
#define SCHEME   "[A-Za-z][A-Za-z0-9+.\\-]*+:"
#define AUTHORITY(U)                                       \
    "//(?:" RUN(PLAIN ":" U) "*+@)?(?:\\[[^\\]]*\\]|" RUN( \
        PLAIN U) "*+)"                                     \
                 "(?::[0-9]*+)?(?![^/?#])"
#define SEGMENTS(U) "(?:/" RUN(PLAIN ":@" U) "*+)*+"
#define ROOTED(U)   "/(?:" RUN(PLAIN ":@" U) "++" SEGMENTS(U) ")?"
#define TAIL(U, P) \
    "(?:\\?" RUN(PLAIN ":@/?" U P) "*+)?(?:#" RUN(PLAIN ":@/?" U) "*+)?$"
#define ABSOLUTE(U)                                                   \
    SCHEME "(?:" AUTHORITY(U) SEGMENTS(U) "|" ROOTED(U) "(?!/)|" RUN( \
        PLAIN ":@" U) "++" SEGMENTS(U) "|)"
#define RELATIVE(U)                                            \
    "(?:" AUTHORITY(U) SEGMENTS(U) "|" ROOTED(U) "(?!/)|" RUN( \
        PLAIN "@" U) "++" SEGMENTS(U) "|)"

#define POINTER "(?:/(?:[^~/]++|~[01])*+)*+"
#define DAYS    "(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)"
#define CLOCK   "T(?:\\d+S|\\d+M(?:\\d+S)?|\\d+H(?:\\d+M(?:\\d+S)?)?)"
#define VARNAME "(?:\\w|" HEX2 ")(?:\\.?(?:\\w|" HEX2 "))*+"
#define VARSPEC VARNAME "(?::[1-9]\\d{0,3}|\\*)?"

static int two_digits(const char *digits)
{
    return (digits[0] - '0') * 10 + (digits[1] - '0');
}

/* "2026-11-21"; the pattern has checked the digits. */
static bool is_date(struct span text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = two_digits(text.data) * 100 + two_digits(text.data + 2);
    int month = two_digits(text.data + 5), day = two_digits(text.data + 8);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1) return false;
    return day <= days[month - 1] - (month == 2 && !leap);
}

/* "23:59:60.5+01:00"; a leap second is only valid at the end of a UTC day. */
static bool is_time(struct span text)
{
    const char *t = text.data;
    int hour = two_digits(t), minute = two_digits(t + 3),
        second = two_digits(t + 6), offset = 0;
    if (hour > 23 || minute > 59 || second > 60) return false;
    char last = t[text.size - 1];
    if (last != 'Z' && last != 'z') {
        const char *zone = t + text.size - 6;
        if (two_digits(zone + 1) > 23 || two_digits(zone + 4) > 59)
            return false;
        offset = two_digits(zone + 1) * 60 + two_digits(zone + 4);
        if (*zone == '-') offset = -offset;
    }
    int utc = (hour * 60 + minute - offset + 2 * 1440) % 1440;
    return second < 60 || utc == 1439;
}

static bool is_date_time(struct span text)
{
    return is_date(text) &&
           is_time((struct span){text.data + 11, text.size - 11});
}

static bool is_regex(struct span text)
{
    struct buf out = buf_limit(1 << 20);
    const char *why;
    bool good = pattern_translate(text.data, &out, &why);
    buf_free(&out);
    return good;
}

/* Brackets must contain an IPv6 or IPvFuture address. */
static bool has_good_brackets(struct span text)
{
    const char *open = memchr(text.data, '[', text.size);
    if (!open) return true;
    const char *close = strchr(open, ']');
    return close && format_host_literal(
                        (struct span){open + 1, (size_t)(close - open - 1)});
}

#define TIME "\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:[Zz]|[+\\-]\\d\\d:\\d\\d)$"

static const struct format table[] = {
    {"date", "^\\d{4}-\\d\\d-\\d\\d$", is_date},
    {"time", "^" TIME, is_time},
    {"date-time", "^\\d{4}-\\d\\d-\\d\\d[Tt]" TIME, is_date_time},
    {"duration", "^P(?:" DAYS "(?:" CLOCK ")?|" CLOCK "|\\d+W)$", NULL},
    {"email", NULL, format_host_email},
    {"idn-email", NULL, format_host_idn_email},
    {"hostname", NULL, format_host_name},
    {"idn-hostname", NULL, format_host_idn_name},
    {"ipv4", NULL, format_host_ipv4},
    {"ipv6", NULL, format_host_ipv6},
    {"uri", "^" ABSOLUTE("") TAIL("", ""), has_good_brackets},
    {"uri-reference", "^(?:" ABSOLUTE("") "|" RELATIVE("") ")" TAIL("", ""),
     has_good_brackets},
    {"iri", "^" ABSOLUTE(UCS) TAIL(UCS, PRIVATE), has_good_brackets},
    {"iri-reference",
     "^(?:" ABSOLUTE(UCS) "|" RELATIVE(UCS) ")" TAIL(UCS, PRIVATE),
     has_good_brackets},
    {"uri-template",
     "^(?:[!#$&'()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~" UCS PRIVATE "]++|" HEX2
     "|\\{[+#./;?&=,!@|]?" VARSPEC "(?:," VARSPEC ")*+\\})*+$",
     NULL},
    {"uuid", "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", NULL},
    {"json-pointer", "^" POINTER "$", NULL},
    {"relative-json-pointer", "^(?:0|[1-9]\\d*+)(?:#|" POINTER ")$", NULL},
    {"regex", NULL, is_regex}};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

bool format_holds(const struct format *format, const struct pattern *pattern,
                  struct span text)
{
    if (pattern && pattern_match(pattern, text) != PATTERN_YES) return false;
    return !format->check || format->check(text);
}
