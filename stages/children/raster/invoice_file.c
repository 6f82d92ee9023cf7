/* invoice_file.c - see invoice_file.h. */
#include "stages/children/raster/invoice_file.h"

#include <unistd.h>

#include "vlm/base/arena.h"

static char *read_file(const struct job *job, struct err *err)
{
    size_t size = (size_t)job->size_bytes, at = 0;
    if (job->size_bytes > INVOICE_XML_BYTES_MAX) {
        err_reason(err, ERR_LIMIT, "too-large",
                   "the XML file has %zu bytes; the limit for e-invoices is %d",
                   size, INVOICE_XML_BYTES_MAX);
        return NULL;
    }
    char *xml = mem_alloc(size + 1, 1);
    while (!err_failed(err) && at < size) {
        ssize_t n = pread(job->fd, xml + at, size - at, (off_t)at);
        if (n <= 0)
            err_reason(err, ERR_INPUT, "damaged",
                       "the file ends after %zu of %zu bytes", at, size);
        else
            at += (size_t)n;
    }
    return xml;
}

void invoice_file_read(const struct job *job, struct invoice_xml *out,
                       struct err *err)
{
    char fault[INVOICE_XML_FAULT_MAX];
    *out = (struct invoice_xml){.n = 0};
    char *xml = read_file(job, err);
    if (err_failed(err)) {
        mem_free(xml);
        return;
    }
    switch (invoice_xml_read(xml, (size_t)job->size_bytes, true, out, fault)) {
    case INVOICE_XML_READ: break;
    case INVOICE_XML_DAMAGED:
        err_reason(err, ERR_INPUT, "damaged",
                   "the XML file is not well-formed: %s", fault);
        break;
    case INVOICE_XML_DECLARED:
        err_reason(err, ERR_UNSUPPORTED, "not-e-invoice",
                   "the XML file is refused: %s", fault);
        break;
    case INVOICE_XML_FOREIGN:
        err_reason(err, ERR_UNSUPPORTED, "not-e-invoice",
                   "the XML file is no e-invoice: %s; expected Invoice or "
                   "CreditNote (UBL 2.1) or CrossIndustryInvoice (CII)",
                   fault);
        break;
    }
    mem_free(xml);
}
