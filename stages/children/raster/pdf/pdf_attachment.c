/* pdf_attachment.c - see pdf_attachment.h. */
#include "stages/children/raster/pdf/pdf_attachment.h"

#include <string.h>
#include <strings.h>

#include <poppler.h>

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

/* Reads a file as an e-invoice, or returns why it is not one. */
static enum raster_invoice read_file(PopplerAttachment *file,
                                     struct invoice_xml *out)
{
    GByteArray *all = g_byte_array_new();
    GError *error = NULL;
    enum raster_invoice status = RASTER_INVOICE_DAMAGED;
    *out = (struct invoice_xml){.n = 0};
    if (!poppler_attachment_save_to_callback(file, append_bytes, all, &error)) {
        if (error && error->code == G_FILE_ERROR_NOSPC)
            status = RASTER_INVOICE_TOO_LARGE;
        g_clear_error(&error);
    } else {
        char fault[INVOICE_XML_FAULT_MAX];
        enum invoice_xml_status read = invoice_xml_read(
            (const char *)all->data, all->len, false, out, fault);
        if (read == INVOICE_XML_FOREIGN) status = RASTER_INVOICE_FOREIGN;
        if (read == INVOICE_XML_READ) status = RASTER_INVOICE_READ;
    }
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

static void search_files(GList *files, enum rank rank, struct pdf_attachment *a,
                         const char **name)
{
    struct pdf_attachment own = {.status = RASTER_INVOICE_NONE};
    const char *own_name = "";
    int n_tried = 0;
    for (GList *at = files; at && n_tried < TRIED_MAX; at = at->next) {
        PopplerAttachment *file = at->data;
        const char *called = poppler_attachment_get_name(file);
        struct invoice_xml xml;
        if (rank_of(called) != rank) continue;
        n_tried++;
        enum raster_invoice was = own.status;
        merge_file(&own, read_file(file, &xml), &xml);
        if (own.status != was) own_name = called;
    }
    bool spoken_of = rank == RANK_NAMED || own.status == RASTER_INVOICE_READ ||
                     own.status == RASTER_INVOICE_SEVERAL;
    if (own.status == RASTER_INVOICE_NONE || !spoken_of) {
        invoice_xml_free(&own.xml);
        return;
    }
    invoice_xml_free(&a->xml);
    *a = own;
    *name = own_name;
}

void pdf_attachment_find(PopplerDocument *document, struct pdf_attachment *out)
{
    const char *name = "";
    *out = (struct pdf_attachment){.status = RASTER_INVOICE_NONE};
    if (!poppler_document_has_attachments(document)) return;
    if (poppler_document_get_n_attachments(document) > FILES_MAX) return;
    GList *files = poppler_document_get_attachments(document);
    search_files(files, RANK_NAMED, out, &name);
    if (out->status != RASTER_INVOICE_READ &&
        out->status != RASTER_INVOICE_SEVERAL)
        search_files(files, RANK_XML, out, &name);
    if (out->status != RASTER_INVOICE_READ) invoice_xml_free(&out->xml);
    if (out->status != RASTER_INVOICE_NONE && g_utf8_validate(name, -1, NULL))
        invoice_xml_add(&out->xml, (struct packed_value){.term = 0}, name, "");
    g_list_free_full(files, g_object_unref);
}

void pdf_attachment_free(struct pdf_attachment *a)
{
    invoice_xml_free(&a->xml);
    a->status = RASTER_INVOICE_NONE;
}
