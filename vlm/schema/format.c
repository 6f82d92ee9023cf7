/* format.c - see format.h.
 *
 * SOURCE  RFC 3339 (dates, times, durations), 3986 and 3987 (URIs, IRIs), 4122
 * (UUID), 6570 (URI templates), 6901 (JSON pointers); hosts and mail
 * addresses are in format_host.c.
 */
#include "vlm/schema/format.h"

#include "vlm/schema/format_host.h"
#include "vlm/schema/pattern.h"

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
