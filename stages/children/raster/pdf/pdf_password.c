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

/* The memory is not freed: a password stays in use until the process ends. */
bool pdf_password_find(struct pdf_password *p,
                       bool (*try)(void *arg, const char *password), void *arg)
{
    if (p->fd <= 0) return false;
    char *all = mem_alloc(PDF_PASSWORD_FILE_MAX + 1, 1);
    ssize_t n = pread(p->fd, all, PDF_PASSWORD_FILE_MAX, 0);
    all[n > 0 ? n : 0] = '\0';
    for (char *at = all; *at && p->n_try < PDF_PASSWORD_TRIES_MAX;) {
        size_t length = strcspn(at, "\r\n");
        bool ends = !at[length];
        at[length] = '\0';
        if (length > 0 && length <= PDF_PASSWORD_MAX) {
            p->n_try++;
            if (try(arg, at)) {
                p->used = at;
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
