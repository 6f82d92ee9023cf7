/* pdf_file.c - see pdf_file.h. */
#include "stages/raster/pdf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qpdf/qpdf-c.h>

#include "vlm/base/arena.h"

enum { KEY_MAX = 256, PARENTS_MAX = 64 };

struct pdf_file {
    qpdf_data qpdf;
    char *bytes;
};

static char *read_all(int fd, size_t size)
{
    char *bytes = mem_try_aligned(size + 1);
    size_t n = 0;
    while (bytes && n < size) {
        ssize_t got = pread(fd, bytes + n, size - n, (off_t)n);
        if (got <= 0) break;
        n += (size_t)got;
    }
    if (n == size) return bytes;
    mem_give(bytes);
    return NULL;
}

struct pdf_file *pdf_file_open(int fd, size_t size)
{
    char *bytes = read_all(fd, size);
    if (!bytes) return NULL;
    struct pdf_file *file = mem_take(1, sizeof *file);
    file->bytes = bytes;
    file->qpdf = qpdf_init();
    qpdf_set_suppress_warnings(file->qpdf, QPDF_TRUE);
    qpdf_silence_errors(file->qpdf);
    QPDF_ERROR_CODE code =
        qpdf_read_memory(file->qpdf, "document", bytes, size, NULL);
    if (!(code & QPDF_ERRORS)) return file;
    pdf_file_close(file);
    return NULL;
}

void pdf_file_close(struct pdf_file *file)
{
    if (!file) return;
    if (qpdf_has_error(file->qpdf)) qpdf_get_error(file->qpdf);
    qpdf_cleanup(&file->qpdf);
    mem_give(file->bytes);
    mem_give(file);
}

void pdf_file_forget(struct pdf_file *file)
{
    qpdf_oh_release_all(file->qpdf);
}

int pdf_file_count(struct pdf_file *file)
{
    int n = qpdf_get_num_pages(file->qpdf);
    return n > 0 ? n : 0;
}

pdf_object pdf_file_page(struct pdf_file *file, int number)
{
    if (number < 1 || number > pdf_file_count(file)) return PDF_NONE;
    return qpdf_get_page_n(file->qpdf, (size_t)number - 1);
}

pdf_object pdf_file_root(struct pdf_file *file)
{
    return qpdf_get_root(file->qpdf);
}

pdf_object pdf_get(struct pdf_file *file, pdf_object from, const char *key)
{
    char name[KEY_MAX];
    if (pdf_is_stream(file, from)) from = qpdf_oh_get_dict(file->qpdf, from);
    if (!pdf_is_dictionary(file, from)) return PDF_NONE;
    if (snprintf(name, sizeof name, "/%s", key) >= KEY_MAX) return PDF_NONE;
    return qpdf_oh_get_key(file->qpdf, from, name);
}

pdf_object pdf_get_inherited(struct pdf_file *file, pdf_object page,
                             const char *key)
{
    for (int i = 0; i < PARENTS_MAX && pdf_is_dictionary(file, page); i++) {
        pdf_object value = pdf_get(file, page, key);
        if (!pdf_is_null(file, value)) return value;
        page = pdf_get(file, page, "Parent");
    }
    return PDF_NONE;
}

bool pdf_is_stream(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_stream(file->qpdf, o);
}

bool pdf_is_dictionary(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_dictionary(file->qpdf, o);
}

bool pdf_is_array(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_array(file->qpdf, o);
}

bool pdf_is_null(struct pdf_file *file, pdf_object o)
{
    return o == PDF_NONE || qpdf_oh_is_null(file->qpdf, o);
}

const char *pdf_name(struct pdf_file *file, pdf_object o)
{
    if (o == PDF_NONE || !qpdf_oh_is_name(file->qpdf, o)) return "";
    const char *name = qpdf_oh_get_name(file->qpdf, o);
    return name && *name == '/' ? name + 1 : "";
}

bool pdf_is_name(struct pdf_file *file, pdf_object o, const char *name)
{
    return !strcmp(pdf_name(file, o), name);
}

void pdf_text(struct pdf_file *file, pdf_object o, char *out, size_t size)
{
    size_t n = 0;
    const char *text = o != PDF_NONE && qpdf_oh_is_string(file->qpdf, o)
                           ? qpdf_oh_get_utf8_value(file->qpdf, o)
                           : NULL;
    for (; text && *text && n + 1 < size; text++)
        out[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
    out[n] = '\0';
}

bool pdf_is_true(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_bool(file->qpdf, o) &&
           qpdf_oh_get_bool_value(file->qpdf, o);
}

long long pdf_integer(struct pdf_file *file, pdf_object o, long long otherwise)
{
    double value = 0;
    if (o == PDF_NONE || !qpdf_oh_get_value_as_number(file->qpdf, o, &value) ||
        !(value > -1e15 && value < 1e15))
        return otherwise;
    return (long long)value;
}

int pdf_array_size(struct pdf_file *file, pdf_object array)
{
    return pdf_is_array(file, array)
               ? qpdf_oh_get_array_n_items(file->qpdf, array)
               : 0;
}

pdf_object pdf_array_at(struct pdf_file *file, pdf_object array, int i)
{
    if (i < 0 || i >= pdf_array_size(file, array)) return PDF_NONE;
    return qpdf_oh_get_array_item(file->qpdf, array, i);
}

int pdf_id(struct pdf_file *file, pdf_object o)
{
    return o == PDF_NONE ? 0 : qpdf_oh_get_object_id(file->qpdf, o);
}

uint8_t *pdf_stream_bytes(struct pdf_file *file, pdf_object stream,
                          size_t *size)
{
    unsigned char *bytes = NULL;
    *size = 0;
    if (!pdf_is_stream(file, stream)) return NULL;
    QPDF_ERROR_CODE code = qpdf_oh_get_stream_data(
        file->qpdf, stream, qpdf_dl_none, NULL, &bytes, size);
    if (!(code & QPDF_ERRORS) && bytes) return bytes;
    free(bytes);
    *size = 0;
    return code & QPDF_ERRORS ? NULL : calloc(1, 1); /* an empty stream */
}
