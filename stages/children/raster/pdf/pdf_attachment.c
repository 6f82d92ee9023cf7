/* pdf_attachment.c - see pdf_attachment.h. */
#include "stages/children/raster/pdf/pdf_attachment.h"

#include <string.h>
#include <strings.h>

#include <poppler.h>

#include "stages/children/raster/pdf/embedded_files.h"

enum {
    FILES_MAX = 500, /* a PDF with more is not an invoice */
    TRIED_MAX = 8    /* files of each rank */
};

void pdf_attachment_prepare(void)
{
    /* never closed, so that the library's module stays loaded */
    (void)g_iconv_open("UTF-8", "UTF-16BE");
}

/* How likely a file of this name is the e-invoice. */
enum rank { RANK_NAMED, RANK_XML, RANK_NONE };

static enum rank rank_of(const char *name)
{
    static const char *const known[] = {"factur-x.xml", "xrechnung.xml",
                                        "zugferd-invoice.xml"};
    size_t n = name ? strlen(name) : 0;
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(name, known[i])) return RANK_NAMED;
    return n > 4 && !strcasecmp(name + n - 4, ".xml") ? RANK_XML : RANK_NONE;
}

static gboolean append_bytes(const gchar *bytes, gsize n, gpointer to,
                             GError **error)
{
    GByteArray *all = to;
    if (n > INVOICE_XML_BYTES_MAX || all->len + n > INVOICE_XML_BYTES_MAX) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "too large");
        return FALSE;
    }
    g_byte_array_append(all, (const guint8 *)bytes, (guint)n);
    return TRUE;
}

/* Reads bytes as an e-invoice, or returns why they are not one. */
static enum raster_invoice read_bytes(const void *bytes, size_t size,
                                      struct invoice_xml *out)
{
    char fault[INVOICE_XML_FAULT_MAX];
    switch (invoice_xml_read(bytes, size, false, out, fault)) {
    case INVOICE_XML_READ: return RASTER_INVOICE_READ;
    case INVOICE_XML_FOREIGN: return RASTER_INVOICE_FOREIGN;
    case INVOICE_XML_DAMAGED:
    case INVOICE_XML_DECLARED: break;
    }
    return RASTER_INVOICE_DAMAGED;
}

static enum raster_invoice read_file(PopplerAttachment *file,
                                     struct invoice_xml *out)
{
    GByteArray *all = g_byte_array_new();
    GError *error = NULL;
    enum raster_invoice status = RASTER_INVOICE_DAMAGED;
    *out = (struct invoice_xml){.n = 0};
    if (poppler_attachment_save_to_callback(file, append_bytes, all, &error))
        status = read_bytes(all->data, all->len, out);
    else if (error && error->code == G_FILE_ERROR_NOSPC)
        status = RASTER_INVOICE_TOO_LARGE;
    g_clear_error(&error);
    g_byte_array_free(all, TRUE);
    return status;
}

static bool is_same(const struct invoice_xml *a, const struct invoice_xml *b)
{
    return a->n == b->n && a->n_byte == b->n_byte &&
           (a->n == 0 ||
            (!memcmp(a->value, b->value, a->n * sizeof *a->value) &&
             !memcmp(a->byte, b->byte, a->n_byte)));
}

/* Combines the result of a file with the results so far. */
static void merge_file(struct pdf_attachment *a, enum raster_invoice status,
                       struct invoice_xml *xml)
{
    if (a->status == RASTER_INVOICE_READ && status == RASTER_INVOICE_READ &&
        !is_same(&a->xml, xml))
        a->status = RASTER_INVOICE_SEVERAL;
    else if (a->status == RASTER_INVOICE_NONE ||
             (status == RASTER_INVOICE_READ &&
              a->status != RASTER_INVOICE_READ &&
              a->status != RASTER_INVOICE_SEVERAL)) {
        a->status = status;
        struct invoice_xml old = a->xml;
        a->xml = *xml;
        *xml = old;
    }
    invoice_xml_free(xml);
}

/* A search among the files of a rank. */
struct file_search {
    enum rank rank;
    struct pdf_attachment found;
    char name[256]; /* of what is found */
    int n_tried;
};

static bool is_wanted(struct file_search *s, const char *name)
{
    return rank_of(name) == s->rank && s->n_tried++ < TRIED_MAX;
}

static void add_file(struct file_search *s, const char *name,
                     enum raster_invoice status, struct invoice_xml *xml)
{
    enum raster_invoice was = s->found.status;
    merge_file(&s->found, status, xml);
    if (s->found.status != was) g_strlcpy(s->name, name, sizeof s->name);
}

static bool is_found(const struct pdf_attachment *a)
{
    return a->status == RASTER_INVOICE_READ ||
           a->status == RASTER_INVOICE_SEVERAL;
}

/* Hands over what was found: nothing if only files of other names are none. */
static void end_search(struct file_search *s, struct pdf_attachment *a)
{
    bool spoken_of = s->rank == RANK_NAMED || is_found(&s->found);
    if (s->found.status == RASTER_INVOICE_NONE || !spoken_of) {
        invoice_xml_free(&s->found.xml);
        return;
    }
    invoice_xml_free(&a->xml);
    *a = s->found;
    if (a->status != RASTER_INVOICE_READ) invoice_xml_free(&a->xml);
    if (g_utf8_validate(s->name, -1, NULL))
        invoice_xml_add(&a->xml, (struct packed_value){.term = 0}, s->name, "");
}

static void search_files(GList *files, enum rank rank, struct pdf_attachment *a)
{
    struct file_search s = {.rank = rank,
                            .found = {.status = RASTER_INVOICE_NONE}};
    for (GList *at = files; at; at = at->next) {
        PopplerAttachment *file = at->data;
        const char *name = poppler_attachment_get_name(file);
        struct invoice_xml xml;
        if (!is_wanted(&s, name)) continue;
        enum raster_invoice status = read_file(file, &xml);
        add_file(&s, name, status, &xml);
    }
    end_search(&s, a);
}

void pdf_attachment_find(PopplerDocument *document, struct pdf_attachment *out)
{
    *out = (struct pdf_attachment){.status = RASTER_INVOICE_NONE};
    if (!poppler_document_has_attachments(document)) return;
    if (poppler_document_get_n_attachments(document) > FILES_MAX) return;
    GList *files = poppler_document_get_attachments(document);
    search_files(files, RANK_NAMED, out);
    if (!is_found(out)) search_files(files, RANK_XML, out);
    g_list_free_full(files, g_object_unref);
}

static void try_related(void *arg, const char *name, const void *bytes,
                        size_t size)
{
    struct file_search *s = arg;
    struct invoice_xml xml;
    if (!is_wanted(s, name)) return;
    enum raster_invoice status = read_bytes(bytes, size, &xml);
    add_file(s, name, status, &xml);
}

static void note_related(void *arg, const char *name, const char *why)
{
    struct file_search *s = arg;
    struct invoice_xml none = {.n = 0};
    (void)why;
    if (is_wanted(s, name)) add_file(s, name, RASTER_INVOICE_DAMAGED, &none);
}

void pdf_attachment_find_related(struct pdf_file *file,
                                 struct pdf_attachment *out)
{
    for (enum rank rank = RANK_NAMED; rank <= RANK_XML && !is_found(out);
         rank++) {
        struct file_search s = {.rank = rank,
                                .found = {.status = RASTER_INVOICE_NONE}};
        const struct embedded_files_to to = {.xml = true,
                                             .bytes_max = INVOICE_XML_BYTES_MAX,
                                             .file = try_related,
                                             .other = note_related,
                                             .arg = &s};
        embedded_files_find(file, &to);
        end_search(&s, out);
    }
}

void pdf_attachment_free(struct pdf_attachment *a)
{
    invoice_xml_free(&a->xml);
    a->status = RASTER_INVOICE_NONE;
}
