/* pdf_password.c - see pdf_password.h. */
#include "stages/children/raster/pdf/pdf_password.h"

#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "vlm/base/arena.h"

void pdf_password_prepare(void)
{
    /* never closed, so that the library's module stays loaded */
    (void)g_iconv_open("ISO-8859-1", "UTF-8");
}

/* Of UTF-16 with its mark, in UTF-8; NULL: it is none. */
static char *narrow(const char *bytes, size_t n)
{
    bool little = n >= 2 && !memcmp(bytes, "\xff\xfe", 2);
    if (!little && (n < 2 || memcmp(bytes, "\xfe\xff", 2) != 0)) return NULL;
    gunichar2 *unit = mem_alloc(n / 2, sizeof *unit);
    for (size_t i = 0; i + 1 < n / 2; i++) {
        const unsigned char *at = (const unsigned char *)bytes + 2 * i + 2;
        unit[i] = (gunichar2)(little ? at[0] | at[1] << 8 : at[0] << 8 | at[1]);
    }
    char *text = g_utf16_to_utf8(unit, (glong)(n / 2) - 1, NULL, NULL, NULL);
    mem_free(unit);
    return text;
}

/* The passwords as lines of UTF-8, without a byte order mark: Notepad and
 * PowerShell write one. */
static char *read_list(int fd)
{
    char *all = mem_alloc(PDF_PASSWORD_FILE_MAX + 1, 1);
    ssize_t n = pread(fd, all, PDF_PASSWORD_FILE_MAX, 0);
    all[n > 0 ? n : 0] = '\0';
    char *text = n > 0 ? narrow(all, (size_t)n) : NULL;
    if (text) return text;
    return all + (strncmp(all, "\xef\xbb\xbf", 3) ? 0 : 3);
}

/* A line as UTF-8: one that is none is in Latin-1, as older editors write. */
static char *utf8_of(char *line)
{
    if (g_utf8_validate(line, -1, NULL)) return line;
    GString *text = g_string_new(NULL);
    for (const unsigned char *at = (unsigned char *)line; *at; at++)
        g_string_append_unichar(text, *at);
    return g_string_free(text, FALSE);
}

/* The memory is not freed: a password stays in use until the process ends. */
bool pdf_password_find(struct pdf_password *p,
                       bool (*try)(void *arg, const char *password), void *arg)
{
    if (p->fd <= 0) return false;
    for (char *at = read_list(p->fd);
         *at && p->n_try < PDF_PASSWORD_TRIES_MAX;) {
        size_t length = strcspn(at, "\r\n");
        bool ends = !at[length];
        at[length] = '\0';
        char *line = utf8_of(at);
        if (*line && strlen(line) <= PDF_PASSWORD_MAX) {
            p->n_try++;
            if (try(arg, line)) {
                p->used = line;
                return true;
            }
        }
        at += length + !ends;
    }
    return false;
}

bool pdf_password_latin1(const char *text,
                         char out[static PDF_PASSWORD_MAX + 1])
{
    size_t n = 0;
    bool other = false;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        unsigned c = *at;
        if (c >= 0x80) {
            if ((c != 0xc2 && c != 0xc3) || (at[1] & 0xc0) != 0x80)
                return false;
            c = (c & 3) << 6 | (*++at & 0x3fu);
            other = true;
        }
        if (n == PDF_PASSWORD_MAX) return false;
        out[n++] = (char)c;
    }
    out[n] = '\0';
    return other;
}
