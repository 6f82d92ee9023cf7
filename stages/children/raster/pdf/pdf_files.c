/* pdf_files.c - see pdf_files.h. */
#include "stages/children/raster/pdf/pdf_files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stages/children/raster/pdf/pdf_image.h"
#include "vlm/base/arena.h"

enum {
    TREE_DEPTH_MAX = 32,
    NODES_MAX = 10000,
    FILES_MAX = 1000,
    ANNOTATIONS_MAX = 10000,
    NAME_MAX_BYTES = 256
};

struct files_search {
    struct pdf_file *file;
    const struct pdf_files_to *to;
    int seen[FILES_MAX]; /* object numbers of streams */
    int n, n_node;
};

bool pdf_files_is_invoice(const char *name)
{
    static const char *const invoice[] = {"factur-x.xml", "xrechnung.xml",
                                          "zugferd-invoice.xml"};
    for (size_t i = 0; i < sizeof invoice / sizeof *invoice; i++)
        if (!strcasecmp(name, invoice[i])) return true;
    return false;
}

void pdf_files_name(struct pdf_file *file, pdf_object spec, char *name,
                    size_t size)
{
    pdf_file_text(file, pdf_file_get(file, spec, "UF"), name, size);
    if (!*name) pdf_file_text(file, pdf_file_get(file, spec, "F"), name, size);
}

/* An object that was found before is none; a direct one cannot repeat. */
static bool is_new(struct files_search *s, pdf_object stream)
{
    int id = pdf_file_id(s->file, stream);
    for (int i = 0; i < s->n; i++)
        if (id && s->seen[i] == id) return false;
    if (s->n == FILES_MAX) return false;
    s->seen[s->n++] = id;
    return true;
}

/* Sends the bytes of a stream. False: they cannot be decoded. */
static bool send_stream(struct files_search *s, const char *name,
                        pdf_object stream)
{
    struct pdf_filters filters;
    size_t size = 0;
    pdf_image_filters(s->file, stream, &filters);
    uint8_t *raw = pdf_file_stream(s->file, stream, &size);
    if (!raw || filters.n < 0) {
        free(raw);
        return false;
    }
    struct pdf_decoded d =
        pdf_decode(&filters, raw, size, s->to->bytes_max, true);
    free(raw);
    bool good = !d.refused && d.bytes && d.stopped_at == filters.n &&
                d.n < s->to->bytes_max;
    if (good) s->to->file(s->to->arg, name, d.bytes, d.n);
    free(d.bytes);
    return good;
}

static void send_file(struct files_search *s, pdf_object spec)
{
    char name[NAME_MAX_BYTES];
    pdf_object of = pdf_file_get(s->file, spec, "EF");
    pdf_object stream = pdf_file_get(s->file, of, "F");
    if (!pdf_file_is_stream(s->file, stream))
        stream = pdf_file_get(s->file, of, "UF");
    pdf_files_name(s->file, spec, name, sizeof name);
    size_t n = strlen(name);
    bool is_xml = n > 4 && !strcasecmp(name + n - 4, ".xml");
    if (!is_new(s, stream) || pdf_files_is_invoice(name)) return;
    if (is_xml)
        s->to->other(s->to->arg, name, "XML");
    else if (!send_stream(s, name, stream))
        s->to->other(s->to->arg, name, "damaged, or too large");
}

static void search_tree(struct files_search *s, pdf_object tree, int depth)
{
    pdf_object names = pdf_file_get(s->file, tree, "Names");
    pdf_object kids = pdf_file_get(s->file, tree, "Kids");
    int n = pdf_file_array_size(s->file, names);
    if (++s->n_node > NODES_MAX) return;
    int n_kid = pdf_file_array_size(s->file, kids);
    for (int i = 1; i < n && s->n < FILES_MAX; i += 2)
        send_file(s, pdf_file_array_at(s->file, names, i));
    for (int i = 0; i < n_kid && depth < TREE_DEPTH_MAX && s->n < FILES_MAX;
         i++)
        search_tree(s, pdf_file_array_at(s->file, kids, i), depth + 1);
}

static bool search_page(void *arg, int number, pdf_object page)
{
    struct files_search *s = arg;
    pdf_object all = pdf_file_get(s->file, page, "Annots");
    int n = pdf_file_array_size(s->file, all);
    (void)number;
    for (int i = 0; i < n && i < ANNOTATIONS_MAX; i++) {
        pdf_object one = pdf_file_array_at(s->file, all, i);
        if (pdf_file_is_name(s->file, pdf_file_get(s->file, one, "Subtype"),
                             "FileAttachment"))
            send_file(s, pdf_file_get(s->file, one, "FS"));
    }
    return s->n < FILES_MAX;
}

void pdf_files_find(struct pdf_file *file, const struct pdf_files_to *to)
{
    struct files_search *s = mem_alloc(1, sizeof *s);
    s->file = file;
    s->to = to;
    pdf_object names = pdf_file_get(file, pdf_file_root(file), "Names");
    search_tree(s, pdf_file_get(file, names, "EmbeddedFiles"), 0);
    pdf_file_visit(file, search_page, s);
    mem_free(s);
}
