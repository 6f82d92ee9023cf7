/* mail_text.c - see mail_text.h. */
#include "stages/children/raster/mail/mail_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
    BASE64_LEAST = 64, /* letters: shorter ones are words */
    BASE64_LINE_LEAST = 60,
    BASE64_LINES_MOST = 20, /* a signature has fewer */
    NAME_MOST = 240,
    REFERENCE_MOST = 998 /* a line of a header */
};

/* The next line without its end; false after the last. */
static bool next_line(struct span *text, struct span *line)
{
    if (!text->size) return false;
    const char *end = memchr(text->data, '\n', text->size);
    size_t n = end ? (size_t)(end - text->data) : text->size;
    *line = (struct span){text->data, n};
    if (n && line->data[n - 1] == '\r') line->size--;
    n += end != NULL;
    *text = (struct span){text->data + n, text->size - n};
    return true;
}

static bool is_base64(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '/' || c == '=';
}

static size_t count_base64(struct span text)
{
    size_t n = 0;
    while (n < text.size && is_base64(text.data[n]))
        n++;
    return n;
}

/* --- uuencode ---------------------------------------------------------------- */

/* "begin 644 name": the name; NULL: it is no such line. */
static char *name_of_begin(struct span line)
{
    size_t at = 6;
    if (!span_starts_nocase(line, "begin ")) return NULL;
    while (at < line.size && line.data[at] >= '0' && line.data[at] <= '7')
        at++;
    if (at < 9 || at > 10 || at + 1 >= line.size || line.data[at] != ' ')
        return NULL;
    size_t n = line.size - at - 1;
    return g_strndup(line.data + at + 1, n < NAME_MOST ? n : NAME_MOST);
}

static unsigned bits(struct span line, size_t at)
{
    return at < line.size ? (unsigned)(line.data[at] - ' ') & 63 : 0;
}

/* Appends the bytes of a line; false: it is not one of them. */
static bool add_line(struct span line, GByteArray *out)
{
    if (!line.size || line.data[0] < ' ' || line.data[0] > '`') return false;
    unsigned n = bits(line, 0);
    if (line.size > n * 4 / 3 + 8) return false;
    for (unsigned i = 0; i < n; i++) {
        size_t at = 1 + i / 3 * 4 + i % 3;
        unsigned pair = bits(line, at) << 6 | bits(line, at + 1);
        guint8 byte = (guint8)(pair >> (4 - i % 3 * 2));
        g_byte_array_append(out, &byte, 1);
    }
    return true;
}

int mail_text_uuencoded(struct span text,
                        void (*file)(void *arg, const char *name,
                                     struct span bytes, bool whole),
                        void *arg)
{
    struct span line;
    int n_file = 0;
    while (next_line(&text, &line)) {
        char *name = name_of_begin(line);
        if (!name) continue;
        GByteArray *bytes = g_byte_array_new();
        bool good = true;
        while (good && next_line(&text, &line) &&
               !span_starts_nocase(line, "end"))
            good = add_line(line, bytes);
        bool whole = good && line.size == 3 && span_starts_nocase(line, "end");
        if (bytes->len || whole) {
            file(arg, name, (struct span){(char *)bytes->data, bytes->len},
                 whole);
            n_file++;
        }
        g_byte_array_free(bytes, TRUE);
        g_free(name);
    }
    return n_file;
}

/* --- base64 ------------------------------------------------------------------ */

GByteArray *mail_text_base64(struct span text)
{
    struct span rest = text, line;
    size_t n = 0;
    while (next_line(&rest, &line)) {
        while (line.size && line.data[line.size - 1] == ' ')
            line.size--;
        if (count_base64(line) < line.size) return NULL;
        n += line.size;
    }
    if (n < BASE64_LEAST) return NULL;
    char *copy = g_strndup(text.data, text.size);
    gsize size = 0;
    g_base64_decode_inplace(copy, &size);
    return g_byte_array_new_take((guint8 *)copy, size);
}

bool mail_text_spoils_base64(struct span encoded)
{
    size_t n_letter = 0, n_end = 0;
    for (size_t i = 0; i < encoded.size; i++) {
        char c = encoded.data[i];
        if (isspace((unsigned char)c)) continue;
        if (!is_base64(c) || (n_end && c != '=')) return true;
        n_letter += c != '=';
        n_end += c == '=';
    }
    return n_letter % 4 + n_end < 4 && n_letter % 4;
}

bool mail_text_hides_part(struct span text)
{
    struct span line;
    int n = 0;
    while (next_line(&text, &line)) {
        if (span_starts_nocase(line, "Content-Transfer-Encoding:") ||
            span_starts_nocase(line, "Content-Disposition:"))
            return true;
        bool full =
            line.size >= BASE64_LINE_LEAST && count_base64(line) == line.size;
        n = full ? n + 1 : 0;
        if (n == BASE64_LINES_MOST) return true;
    }
    return false;
}

/* --- references --------------------------------------------------------------- */

void mail_text_add_references(struct span text, GHashTable *set)
{
    for (; text.size >= 4; text.data++, text.size--) {
        if (!span_starts_nocase(text, "cid:")) continue;
        size_t n = 4;
        while (n < text.size && n < REFERENCE_MOST &&
               !strchr("\"'<>()&;, \t\r\n", text.data[n]))
            n++;
        char *id = g_uri_unescape_segment(text.data + 4, text.data + n, NULL);
        if (id) g_hash_table_add(set, id);
    }
}
