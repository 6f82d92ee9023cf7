/* format_text.c - see format_text.h.
 *
 * SOURCES  RFC 3339 (date, time), RFC 5321 and 1123 (email, host names),
 *          RFC 3986 (uri), RFC 4291 (ipv6), RFC 6901 (pointers), RFC 4122.
 */
#include "vlm/grammar/format_text.h"

#include <string.h>

/* Year 0000 is left out: not every reader of a record knows it. */
#define YEAR "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
#define LEAP                                   \
    "([0-9]{2}(0[48]|[2468][048]|[13579][26])" \
    "|(0[48]|[2468][048]|[13579][26])00)"
#define DATE                                               \
    "(" YEAR "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])" \
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)"                   \
    "|02-(0[1-9]|1[0-9]|2[0-8]))"                          \
    "|" LEAP "-02-29)"
#define HOUR "([01][0-9]|2[0-3])"
#define TIME \
    HOUR ":[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]" HOUR ":[0-5][0-9])"
#define COUNT "[0-9]{1,6}"
#define CLOCK                                                        \
    "T(" COUNT "H(" COUNT "M(" COUNT "S)?)?|" COUNT "M(" COUNT "S)?" \
    "|" COUNT "S)"
#define DURATION                                         \
    "P(" COUNT "W|(" COUNT "Y(" COUNT "M(" COUNT "D)?)?" \
    "|" COUNT "M(" COUNT "D)?|" COUNT "D)(" CLOCK ")?|" CLOCK ")"
#define ALNUM "[A-Za-z0-9]"
/* No two hyphens side by side: "xn--" has rules of its own. */
#define LABEL ALNUM "(-?" ALNUM "){0,30}"
#define HOST  LABEL "(\\." LABEL ")*"
#define MAILBOX                                                              \
    "[A-Za-z0-9_+-]{1,20}(\\.[A-Za-z0-9_+-]{1,20}){0,2}@" LABEL "(\\." LABEL \
    "){1,6}"
#define BYTE       "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define HEX4       "[0-9A-Fa-f]{1,4}"
#define HEX4_COLON "(" HEX4 ":)"
#define IPV6                                                            \
    "(" HEX4_COLON "{7}" HEX4 "|" HEX4_COLON "{1,7}:"                   \
    "|" HEX4_COLON "{1,6}:" HEX4 "|" HEX4_COLON "{1,5}(:" HEX4 "){1,2}" \
    "|" HEX4_COLON "{1,4}(:" HEX4 "){1,3}"                              \
    "|" HEX4_COLON "{1,3}(:" HEX4 "){1,4}"                              \
    "|" HEX4_COLON "{1,2}(:" HEX4 "){1,5}"                              \
    "|" HEX4 ":(:" HEX4 "){1,6}|:((:" HEX4 "){1,7}|:))"
#define ESCAPED  "%[0-9A-Fa-f]{2}"
#define PCHAR    "([A-Za-z0-9._~!$&'()*+,;=:@-]|" ESCAPED ")"
#define NO_COLON "([A-Za-z0-9._~!$&'()*+,;=@-]|" ESCAPED ")"
#define TAIL                                              \
    "(\\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|" ESCAPED ")*)?" \
    "(#([A-Za-z0-9._~!$&'()*+,;=:@/?-]|" ESCAPED ")*)?"
#define AUTHORITY "//" HOST "(:[0-9]{1,5})?"
#define REST      "(/" PCHAR "*)*"
#define URI                                                              \
    "[A-Za-z][A-Za-z0-9+.-]*:(" AUTHORITY REST "|/(" PCHAR "+" REST ")?" \
    "|" PCHAR "+" REST ")" TAIL
#define REFERENCE                                         \
    "(" URI "|(" AUTHORITY REST "|/(" PCHAR "+" REST ")?" \
    "|" NO_COLON "+" REST "|)" TAIL ")"
#define UUID                                                      \
    "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}" \
    "-[0-9A-Fa-f]{12}"
#define POINTER  "(/([^/~\\x00-\\x1f]|~[01])*)*"
#define WHOLE(x) "^" x "$"

static const struct format_text table[] = {
    {"date", WHOLE(DATE), 10},
    {"time", WHOLE(TIME), 0},
    {"date-time", WHOLE(DATE "T" TIME), 0},
    {"duration", WHOLE(DURATION), 0},
    {"email", WHOLE(MAILBOX), 254},
    {"idn-email", WHOLE(MAILBOX), 254},
    {"hostname", WHOLE(HOST), 253},
    {"idn-hostname", WHOLE(HOST), 253},
    {"ipv4", WHOLE(BYTE "(\\." BYTE "){3}"), 0},
    {"ipv6", WHOLE(IPV6), 0},
    {"uri", WHOLE(URI), 0},
    {"iri", WHOLE(URI), 0},
    {"uri-reference", WHOLE(REFERENCE), 0},
    {"iri-reference", WHOLE(REFERENCE), 0},
    {"uri-template", WHOLE(REFERENCE), 0},
    {"uuid", WHOLE(UUID), 0},
    {"json-pointer", WHOLE(POINTER), 0},
    {"relative-json-pointer", WHOLE("(0|[1-9][0-9]{0,5})(#|" POINTER ")"), 0},
    {"regex", NULL, 0},
};

const struct format_text *format_text_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}
