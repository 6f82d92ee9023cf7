/* pdf_file.c - see pdf_file.h. */
#include "stages/children/raster/pdf/pdf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qpdf/qpdf-c.h>

#include "stages/children/raster/pdf/pdf_password.h"
#include "vlm/base/arena.h"

enum {
    KEY_MAX = 256,
    PARENTS_MAX = 64,
    TREE_DEPTH_MAX = 64,
    TREE_NODES_MAX = 100000,
    ID_MAX = 1 << 23
};

struct pdf_file {
    qpdf_data qpdf;
    char *bytes;
};

char *pdf_file_read(int fd, size_t size)
{
    char *bytes = mem_try_aligned(size + 1);
    size_t n = 0;
    while (bytes && n < size) {
        ssize_t got = pread(fd, bytes + n, size - n, (off_t)n);
        if (got <= 0) break;
        n += (size_t)got;
    }
    if (n == size) return bytes;
    mem_free(bytes);
    return NULL;
}

/* Reads the bytes with a handle of its own: after a wrong password libqpdf keeps
 * that one's key. */
static bool open_with(struct pdf_file *file, size_t size, const char *password)
{
    if (file->qpdf) qpdf_cleanup(&file->qpdf);
    file->qpdf = qpdf_init();
    qpdf_set_suppress_warnings(file->qpdf, QPDF_TRUE);
    qpdf_silence_errors(file->qpdf);
    QPDF_ERROR_CODE code =
        qpdf_read_memory(file->qpdf, "document", file->bytes, size, password);
    if (qpdf_has_error(file->qpdf)) qpdf_get_error(file->qpdf);
    return !(code & QPDF_ERRORS);
}

struct pdf_file *pdf_file_open(int fd, size_t size, const char *password)
{
    char latin1[PDF_PASSWORD_MAX + 1];
    char *bytes = pdf_file_read(fd, size);
    if (!bytes) return NULL;
    struct pdf_file *file = mem_alloc(1, sizeof *file);
    file->bytes = bytes;
    if (open_with(file, size, password) ||
        (password && pdf_password_latin1(password, latin1) &&
         open_with(file, size, latin1)))
        return file;
    pdf_file_close(file);
    return NULL;
}

void pdf_file_close(struct pdf_file *file)
{
    if (!file) return;
    if (qpdf_has_error(file->qpdf)) qpdf_get_error(file->qpdf);
    qpdf_cleanup(&file->qpdf);
    mem_free(file->bytes);
    mem_free(file);
}

struct span pdf_file_unlocked(struct pdf_file *file)
{
    if (!file || qpdf_init_write_memory(file->qpdf) & QPDF_ERRORS)
        return (struct span){"", 0};
    qpdf_set_preserve_encryption(file->qpdf, QPDF_FALSE);
    if (qpdf_write(file->qpdf) & QPDF_ERRORS) return (struct span){"", 0};
    return (struct span){(const char *)qpdf_get_buffer(file->qpdf),
                         qpdf_get_buffer_length(file->qpdf)};
}

/* --- pages ---------------------------------------------------------------- */

struct page_visit {
    struct pdf_file *file;
    pdf_page_fn *fn;
    void *arg;
    int n, n_node;
    bool ended;
    uint8_t *gone; /* a bit for each number of a released object */
    size_t n_gone; /* bytes */
};

static bool is_gone(const struct page_visit *v, int id)
{
    size_t at = (size_t)id / 8;
    return id > 0 && at < v->n_gone && v->gone[at] >> (id % 8) & 1;
}

/* Releases a page; libqpdf would keep every page of a long file. */
static void let_go(struct page_visit *v, pdf_object page)
{
    qpdf_data qpdf = v->file->qpdf;
    int id = qpdf_oh_get_object_id(qpdf, page);
    size_t at = (size_t)id / 8;
    if (id < 1 || id > ID_MAX) return;
    if (at >= v->n_gone) {
        size_t n = 2 * at + 64;
        v->gone = mem_grow(v->gone, n, 1);
        memset(v->gone + v->n_gone, 0, n - v->n_gone);
        v->n_gone = n;
    }
    v->gone[at] = (uint8_t)(v->gone[at] | 1 << (id % 8));
    qpdf_oh none = qpdf_oh_new_null(qpdf);
    qpdf_replace_object(qpdf, id, qpdf_oh_get_generation(qpdf, page), none);
    qpdf_oh_release(qpdf, none);
}

static void visit_kids(struct page_visit *v, pdf_object node, int depth)
{
    struct pdf_file *file = v->file;
    pdf_object kids = pdf_file_get(file, node, "Kids");
    int n = pdf_file_array_size(file, kids);
    if (depth > TREE_DEPTH_MAX || ++v->n_node > TREE_NODES_MAX) return;
    for (int i = 0; i < n && !v->ended; i++) {
        pdf_object kid = pdf_file_array_at(file, kids, i);
        bool again = is_gone(v, pdf_file_id(file, kid));
        pdf_object its_kids = pdf_file_get(file, kid, "Kids");
        pdf_object type = pdf_file_get(file, kid, "Type");
        if (again || (pdf_file_is_dictionary(file, kid) &&
                      (pdf_file_is_name(file, type, "Page") ||
                       pdf_file_is_null(file, its_kids)))) {
            v->ended = !v->fn(v->arg, ++v->n, again ? PDF_NONE : kid);
            if (!again) let_go(v, kid);
        } else if (pdf_file_is_dictionary(file, kid)) {
            visit_kids(v, kid, depth + 1);
        }
        qpdf_oh_release(file->qpdf, its_kids);
        qpdf_oh_release(file->qpdf, type);
        qpdf_oh_release(file->qpdf, kid);
    }
    qpdf_oh_release(file->qpdf, kids);
}

int pdf_file_visit(struct pdf_file *file, pdf_page_fn *fn, void *arg)
{
    struct page_visit v = {.file = file, .fn = fn, .arg = arg};
    visit_kids(&v, pdf_file_get(file, pdf_file_root(file), "Pages"), 0);
    mem_free(v.gone);
    return v.n;
}

pdf_object pdf_file_root(struct pdf_file *file)
{
    return qpdf_get_root(file->qpdf);
}

pdf_object pdf_file_get(struct pdf_file *file, pdf_object from, const char *key)
{
    char name[KEY_MAX];
    if (pdf_file_is_stream(file, from))
        from = qpdf_oh_get_dict(file->qpdf, from);
    if (!pdf_file_is_dictionary(file, from)) return PDF_NONE;
    if (snprintf(name, sizeof name, "/%s", key) >= KEY_MAX) return PDF_NONE;
    return qpdf_oh_get_key(file->qpdf, from, name);
}

pdf_object pdf_file_inherited(struct pdf_file *file, pdf_object page,
                              const char *key)
{
    for (int i = 0; i < PARENTS_MAX && pdf_file_is_dictionary(file, page);
         i++) {
        pdf_object value = pdf_file_get(file, page, key);
        if (!pdf_file_is_null(file, value)) return value;
        page = pdf_file_get(file, page, "Parent");
    }
    return PDF_NONE;
}

bool pdf_file_is_stream(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_stream(file->qpdf, o);
}

bool pdf_file_is_dictionary(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_dictionary(file->qpdf, o);
}

bool pdf_file_is_array(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_array(file->qpdf, o);
}

bool pdf_file_is_null(struct pdf_file *file, pdf_object o)
{
    return o == PDF_NONE || qpdf_oh_is_null(file->qpdf, o);
}

const char *pdf_file_name(struct pdf_file *file, pdf_object o)
{
    if (o == PDF_NONE || !qpdf_oh_is_name(file->qpdf, o)) return "";
    const char *name = qpdf_oh_get_name(file->qpdf, o);
    return name && *name == '/' ? name + 1 : "";
}

bool pdf_file_is_name(struct pdf_file *file, pdf_object o, const char *name)
{
    return !strcmp(pdf_file_name(file, o), name);
}

void pdf_file_text(struct pdf_file *file, pdf_object o, char *out, size_t size)
{
    size_t n = 0;
    const char *text = o != PDF_NONE && qpdf_oh_is_string(file->qpdf, o)
                           ? qpdf_oh_get_utf8_value(file->qpdf, o)
                           : NULL;
    for (; text && *text && n + 1 < size; text++)
        out[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
    out[n] = '\0';
}

bool pdf_file_is_true(struct pdf_file *file, pdf_object o)
{
    return o != PDF_NONE && qpdf_oh_is_bool(file->qpdf, o) &&
           qpdf_oh_get_bool_value(file->qpdf, o);
}

long long pdf_file_integer(struct pdf_file *file, pdf_object o,
                           long long otherwise)
{
    double value = 0;
    if (o == PDF_NONE || !qpdf_oh_get_value_as_number(file->qpdf, o, &value) ||
        !(value > -1e15 && value < 1e15))
        return otherwise;
    return (long long)value;
}

int pdf_file_array_size(struct pdf_file *file, pdf_object array)
{
    return pdf_file_is_array(file, array)
               ? qpdf_oh_get_array_n_items(file->qpdf, array)
               : 0;
}

pdf_object pdf_file_array_at(struct pdf_file *file, pdf_object array, int i)
{
    if (i < 0 || i >= pdf_file_array_size(file, array)) return PDF_NONE;
    return qpdf_oh_get_array_item(file->qpdf, array, i);
}

int pdf_file_id(struct pdf_file *file, pdf_object o)
{
    return o == PDF_NONE ? 0 : qpdf_oh_get_object_id(file->qpdf, o);
}

uint8_t *pdf_file_stream(struct pdf_file *file, pdf_object stream, size_t *size)
{
    unsigned char *bytes = NULL;
    *size = 0;
    if (!pdf_file_is_stream(file, stream)) return NULL;
    QPDF_ERROR_CODE code = qpdf_oh_get_stream_data(
        file->qpdf, stream, qpdf_dl_none, NULL, &bytes, size);
    if (!(code & QPDF_ERRORS) && bytes) return bytes;
    free(bytes);
    *size = 0;
    return code & QPDF_ERRORS ? NULL : calloc(1, 1); /* an empty stream */
}
