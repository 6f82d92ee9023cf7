/* file_name.c - see file_name.h. */
#define _GNU_SOURCE 1 /* FNM_CASEFOLD */
#include "pipeline/spool/file_name.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vlm/base/utf8.h"

enum { STEM_BYTES_MAX = 150 };

static void escape_bytes(const char *s, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_print(out, "%%%02X", (unsigned char)s[i]);
}

void file_name_escape(const char *name, struct buf *out)
{
    for (const char *s = name; *s;) {
        size_t n = utf8_size(s);
        if (*s != '%' && utf8_shown(s))
            buf_add(out, s, n);
        else
            escape_bytes(s, n ? n : 1, out);
        s += n ? n : 1;
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool file_name_unescape(const char *text,
                        char out[static FILE_NAME_BYTES_MAX + 1])
{
    size_t n = 0;
    for (const char *s = text; *s; n++) {
        if (n == FILE_NAME_BYTES_MAX) return false;
        if (*s != '%') {
            out[n] = *s++;
            continue;
        }
        int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
        if (low < 0 || high * 16 + low == 0) return false;
        out[n] = (char)(high * 16 + low);
        s += 3;
    }
    out[n] = '\0';
    return n > 0 && !strchr(out, '/');
}

bool file_name_unescape_path(const char *text,
                             char out[static FILE_NAME_PATH_MAX + 1])
{
    char part[3 * FILE_NAME_BYTES_MAX + 1], raw[FILE_NAME_BYTES_MAX + 1];
    size_t n = 0;
    for (const char *s = text;; s++) {
        size_t size = strcspn(s, "/");
        if (size >= sizeof part) return false;
        memcpy(part, s, size);
        part[size] = '\0';
        if (!file_name_unescape(part, raw) || *raw == '.' ||
            n + strlen(raw) > FILE_NAME_PATH_MAX)
            return false;
        memcpy(out + n, raw, strlen(raw));
        n += strlen(raw);
        s += size;
        out[n++] = *s;
        if (!*s) return true;
    }
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcasecmp(name + n - m, end);
}

/* What others leave in a folder: transfers that go on, editors' copies, the
 * recycle bins and snapshots of NAS systems and Windows, whose files are not
 * the user's. */
static const char *const ignored[] = {
    ".*", "~$*", "*~",
    /* in transit, or a copy */
    "*.part", "*.partial", "*.filepart", "*.tmp", "*.temp", "*.swp", "*.bak",
    "*.crdownload", "*.download", "*.opdownload", "*.!ut", "*.!qb", "*.aria2",
    /* Windows, macOS */
    "$recycle.bin", "recycler", "recycled", "system volume information",
    "found.[0-9][0-9][0-9]", "desktop.ini", "thumbs.db", "ehthumbs.db",
    "ehthumbs_vista.db", "indexervolumeguid", "wpsettings.dat", "icon\r",
    "__macosx", "network trash folder", "temporary items",
    /* Synology, QNAP and other NAS, file systems */
    "#recycle", "#snapshot", "@recycle", "@recently-snapshot", "@eadir", "@tmp",
    "@synoresource", "@snapshot", "~snapshot", "lost+found"};

/* Does the name match the pattern of n bytes, in upper or lower case? */
static bool matches(const char *pattern, size_t n, const char *name)
{
    char own[FILE_NAME_BYTES_MAX + 1];
    if (!n || n >= sizeof own) return false;
    memcpy(own, pattern, n);
    own[n] = '\0';
    return fnmatch(own, name, FNM_CASEFOLD) == 0;
}

bool file_name_ignored(const char *name, const char *more)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (matches(ignored[i], strlen(ignored[i]), name)) return true;
    for (const char *at = more ? more : ""; *at;) {
        at += strspn(at, ", ");
        size_t n = strcspn(at, ","), size = n;
        while (size && at[size - 1] == ' ')
            size--;
        if (matches(at, size, name)) return true;
        at += n;
    }
    return false;
}

static size_t stem_size(const char *name)
{
    static const char *const types[] = {
        ".pdf", ".tif",  ".tiff", ".jpg", ".jpeg", ".png", ".webp",
        ".jpe", ".heic", ".heif", ".hif", ".avif", ".jp2", ".j2k",
        ".j2c", ".jpc",  ".jpx",  ".jpf", ".bmp",  ".dib", ".gif",
        ".pnm", ".pbm",  ".pgm",  ".ppm", ".xml",  ".eml"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ends_with(name, types[i]) && n > strlen(types[i]))
            return n - strlen(types[i]);
    return n;
}

bool file_name_is_document(const char *name)
{
    return stem_size(name) < strlen(name) && !ends_with(name, ".xml") &&
           !ends_with(name, ".eml");
}

/* The first `size` bytes of the name, as a name in out/. */
static void add_out_name(const char *name, size_t size, struct buf *out)
{
    char stem[FILE_NAME_BYTES_MAX + 1];
    snprintf(stem, sizeof stem, "%.*s", (int)size, name);
    struct buf text = buf_limit(4096);
    if (stem[0] == '-' || stem[0] == '.' || stem[0] == '~')
        escape_bytes(stem, 1, &text);
    file_name_escape(stem + (text.size > 0), &text);
    size_t n = text.size;
    if (n > STEM_BYTES_MAX) {
        /* not inside a character or an escape */
        n = utf8_cut(text.data, STEM_BYTES_MAX);
        for (size_t i = n - 2; i < n; i++)
            if (text.data[i] == '%') n = i;
    }
    buf_add(out, text.data, n);
    buf_free(&text);
}

void file_name_stem(const char *name, struct buf *out)
{
    add_out_name(name, stem_size(name), out);
}

void file_name_of_note(const char *name, struct buf *out)
{
    add_out_name(name, strlen(name), out);
}
