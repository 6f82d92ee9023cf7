/* mapping_text.c - names and characters that XML cannot hold; see
 * mapping.h. */
#include <libxml/chvalid.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "stages/record/mapping.h"
#include "vlm/base/arena.h"

static const int STANDIN = 0xe000;

/* Decodes one character; C0 80 is U+0000 (json.h), invalid UTF-8 (for example
 * in a file name) is U+FFFD. */
static int next_rune(const char **at)
{
    utf8proc_int32_t rune = 0;
    if (!strncmp(*at, "\xc0\x80", 2)) {
        *at += 2;
        return 0;
    }
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)*at, -1, &rune);
    *at += n > 0 ? n : 1;
    return n > 0 ? rune : 0xfffd;
}

static void print_rune(struct buf *out, int rune)
{
    xmlChar text[8] = {0};
    int n = xmlCopyCharMultiByte(text, rune);
    buf_add(out, text, (size_t)n);
}

static bool is_name_rune(int rune, bool first)
{
    unsigned u = (unsigned)rune;
    if (u == '_' || xmlIsBaseCharQ(u) || xmlIsIdeographicQ(u)) return true;
    return !first && (u == '-' || u == '.' || xmlIsDigitQ(u));
}

/* Is this "xHHHH_", with 4 to 6 hex digits? */
static bool is_code(const char *text)
{
    if (*text != 'x') return false;
    size_t n = strspn(text + 1, "0123456789ABCDEFabcdef");
    return n >= 4 && n <= 6 && text[1 + n] == '_';
}

/* After a "_", could this be read as a code, whatever follows? */
static bool is_like_code(const char *text)
{
    return *text == 'x' && strspn(text + 1, "0123456789ABCDEFabcdef") >= 4;
}

void mapping_name(struct buf *out, const char *key)
{
    const char *at = key;
    if (!*key) buf_add_text(out, "_x_"); /* no key looks like this */
    while (*at) {
        bool first = at == key;
        int rune = next_rune(&at);
        if (is_name_rune(rune, first) && !(rune == '_' && is_like_code(at)) &&
            !(rune == '_' && first && !strcmp(at, "x_")))
            print_rune(out, rune);
        else
            buf_print(out, "_x%04X_", (unsigned)rune);
    }
}

char *mapping_key(const char *name)
{
    struct buf out = buf_limit(1 << 20);
    buf_add_text(&out, "");
    for (const char *at = strcmp(name, "_x_") ? name : ""; *at;) {
        if (*at == '_' && is_code(at + 1)) {
            char *end;
            long rune = strtol(at + 2, &end, 16);
            if (rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) break;
            if (rune == 0)
                buf_add(&out, "\xc0\x80", 2);
            else
                print_rune(&out, (int)rune);
            at = end + 1;
        } else {
            buf_add(&out, at++, 1);
        }
    }
    return out.data ? out.data : mem_alloc(1, 1);
}

static bool is_illegal(int rune)
{
    return (rune < 0x20 && rune != '\t' && rune != '\n' && rune != '\r') ||
           rune == 0xfffe || rune == 0xffff;
}

void mapping_text(struct buf *out, struct buf *places, const char *text)
{
    size_t place = 0;
    for (const char *at = text; *at; place++) {
        int rune = next_rune(&at);
        if (!is_illegal(rune)) {
            print_rune(out, rune);
            continue;
        }
        print_rune(out, STANDIN + (rune & 0xff));
        buf_print(places, "%s%zu", places->size ? " " : "", place);
    }
}

bool mapping_restore(struct buf *out, const char *text, const char *places)
{
    size_t place = 0;
    char *next = NULL;
    size_t wanted = strtoul(places, &next, 10);
    bool more = next != places;
    for (const char *at = text; *at; place++) {
        int rune = next_rune(&at);
        if (!more || place != wanted) {
            print_rune(out, rune);
            continue;
        }
        int byte = rune - STANDIN;
        if (byte < 0 || byte > 0xff ||
            !is_illegal(byte >= 0xfe ? 0xff00 | byte : byte))
            return false;
        if (byte == 0)
            buf_add(out, "\xc0\x80", 2);
        else
            print_rune(out, byte >= 0xfe ? 0xff00 | byte : byte);
        const char *was = next;
        wanted = strtoul(was, &next, 10);
        more = next != was;
    }
    return !more && *next == '\0';
}
