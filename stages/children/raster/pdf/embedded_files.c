/* embedded_files.c - see embedded_files.h. */
#include "stages/children/raster/pdf/embedded_files.h"

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
    embedded_files_spec_fn *found;
    void *arg;
    int seen[FILES_MAX]; /* object numbers of streams */
    int n, n_node;
};

bool embedded_files_is_invoice(const char *name)
{
    static const char *const invoice[] = {"factur-x.xml", "xrechnung.xml",
                                          "zugferd-invoice.xml"};
    for (size_t i = 0; i < sizeof invoice / sizeof *invoice; i++)
        if (!strcasecmp(name, invoice[i])) return true;
    return false;
}

void embedded_files_name(struct pdf_file *file, pdf_object spec, char *name,
                         size_t size)
{
    pdf_file_text(file, pdf_file_get(file, spec, "UF"), name, size);
    if (!*name) pdf_file_text(file, pdf_file_get(file, spec, "F"), name, size);
}

static pdf_object stream_of(struct pdf_file *file, pdf_object spec)
{
    pdf_object of = pdf_file_get(file, spec, "EF");
    pdf_object stream = pdf_file_get(file, of, "F");
    return pdf_file_is_stream(file, stream) ? stream
                                            : pdf_file_get(file, of, "UF");
}

/* A file that was found before is none; a direct object cannot repeat. */
static void add_spec(struct files_search *s, pdf_object spec)
{
    int id = pdf_file_id(s->file, stream_of(s->file, spec));
    for (int i = 0; i < s->n; i++)
        if (id && s->seen[i] == id) return;
    if (s->n == FILES_MAX) return;
    s->seen[s->n++] = id;
    s->found(s->arg, spec);
}

static void search_tree(struct files_search *s, pdf_object tree, int depth)
{
    pdf_object names = pdf_file_get(s->file, tree, "Names");
    pdf_object kids = pdf_file_get(s->file, tree, "Kids");
    int n = pdf_file_array_size(s->file, names);
    if (++s->n_node > NODES_MAX) return;
    int n_kid = pdf_file_array_size(s->file, kids);
    for (int i = 1; i < n && s->n < FILES_MAX; i += 2)
        add_spec(s, pdf_file_array_at(s->file, names, i));
    for (int i = 0; i < n_kid && depth < TREE_DEPTH_MAX && s->n < FILES_MAX;
         i++)
        search_tree(s, pdf_file_array_at(s->file, kids, i), depth + 1);
}

/* Files that PDF/A-3 relates to the document or to a page. */
static void search_related(struct files_search *s, pdf_object holder)
{
    pdf_object all = pdf_file_get(s->file, holder, "AF");
    int n = pdf_file_array_size(s->file, all);
    for (int i = 0; i < n && s->n < FILES_MAX; i++)
        add_spec(s, pdf_file_array_at(s->file, all, i));
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
            add_spec(s, pdf_file_get(s->file, one, "FS"));
    }
    search_related(s, page);
    return s->n < FILES_MAX;
}

static void search_file(struct files_search *s)
{
    pdf_object root = pdf_file_root(s->file);
    pdf_object names = pdf_file_get(s->file, root, "Names");
    search_tree(s, pdf_file_get(s->file, names, "EmbeddedFiles"), 0);
    search_related(s, root);
}

void embedded_files_specs(struct pdf_file *file, embedded_files_spec_fn *found,
                          void *arg)
{
    struct files_search *s = mem_alloc(1, sizeof *s);
    *s = (struct files_search){.file = file, .found = found, .arg = arg};
    search_file(s);
    mem_free(s);
}

/* --- their bytes ----------------------------------------------------------- */

struct files_sender {
    struct pdf_file *file;
    const struct embedded_files_to *to;
};

/* Sends the bytes of a stream. False: they cannot be decoded. */
static bool send_stream(struct files_sender *s, const char *name,
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

static void send_spec(void *arg, pdf_object spec)
{
    struct files_sender *s = arg;
    char name[NAME_MAX_BYTES];
    embedded_files_name(s->file, spec, name, sizeof name);
    size_t n = strlen(name);
    bool is_xml = n > 4 && !strcasecmp(name + n - 4, ".xml");
    if (s->to->xml && !is_xml) return;
    if (is_xml && !s->to->xml) {
        if (!embedded_files_is_invoice(name))
            s->to->other(s->to->arg, name, "XML");
    } else if (!send_stream(s, name, stream_of(s->file, spec))) {
        s->to->other(s->to->arg, name, "damaged, or too large");
    }
}

void embedded_files_find(struct pdf_file *file,
                         const struct embedded_files_to *to)
{
    struct files_sender sender = {file, to};
    struct files_search *s = mem_alloc(1, sizeof *s);
    *s =
        (struct files_search){.file = file, .found = send_spec, .arg = &sender};
    search_file(s);
    if (!to->xml) pdf_file_visit(file, search_page, s);
    mem_free(s);
}
