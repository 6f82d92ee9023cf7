/* rasterise_invoice.c - opening a document, with the e-invoice that it may carry;
 * see rasterise.h. An e-invoice that cannot be had costs no page: it is a
 * warning, and where the child died of it another one begins without. */
#include "stages/children/packed_invoice.h"
#include "stages/input/rasterise_inside.h"

static void warn_unread(struct raster *r, const char *name, const char *why)
{
    document_warn(r->doc, &(struct warning){.code = WARN_E_INVOICE_UNREAD},
                  "the e-invoice%s%s in the file is not used: %s",
                  *name ? " " : "", name, why);
}

static const char *why_not(uint32_t status)
{
    static const char *const why[RASTER_N_INVOICE] = {
        [RASTER_INVOICE_TOO_LARGE] = "it is larger than 4 MB",
        [RASTER_INVOICE_DAMAGED] = "it is damaged, or declares entities",
        [RASTER_INVOICE_FOREIGN] = "it is no Cross Industry Invoice",
        [RASTER_INVOICE_SEVERAL] = "there are several, which say different "
                                   "things"};
    return why[status];
}

void rasterise_read_invoice(struct raster *r, struct err *err)
{
    struct child_frame f;
    struct invoice invoice = {.name = ""};
    struct document *doc = r->doc;
    child_expect(&r->child, RASTER_INVOICE, &f, err);
    if (err_failed(err)) return;
    bool none = f.a == RASTER_INVOICE_NONE;
    if (f.a >= RASTER_N_INVOICE || f.b > INVOICE_VALUES_MAX || f.c < f.b ||
        f.c > INVOICE_BYTES_MAX || (none && f.b)) {
        child_broke_protocol(&r->child, "no e-invoice where one is due", err);
        return;
    }
    struct packed_value *packed =
        arena_array(doc->arena, f.b + 1, sizeof *packed);
    char *text = arena_alloc(doc->arena, f.c + 1);
    if (f.b) child_read_bytes(&r->child, packed, f.b * sizeof *packed, err);
    if (f.c) child_read_bytes(&r->child, text, f.c, err);
    if (err_failed(err)) return;
    if (!packed_invoice_unpack(packed, f.b, text, f.c, doc->arena, &invoice)) {
        child_broke_protocol(&r->child, "an e-invoice that is none", err);
        return;
    }
    doc->want_invoice = false;
    if (f.a == RASTER_INVOICE_READ) {
        struct invoice *own = arena_alloc(doc->arena, sizeof *own);
        *own = invoice;
        doc->invoice = own;
    } else if (!none) {
        warn_unread(r, invoice.name, why_not(f.a));
    }
}

struct raster *rasterise_open(struct document *doc,
                              const struct settings *settings,
                              const struct prepare_target *target,
                              const struct jail_stop *stop, struct err *err)
{
    if (err_failed(err)) return NULL;
    doc->n_page = 0;
    struct raster *r =
        rasterise_child(doc, settings, target, 0, stop, false, err);
    /* pages were counted, so that it is the e-invoice that it died of */
    if (r || !doc->want_invoice || !doc->n_page || err->kind != ERR_CHILD)
        return r;
    warn_unread(&(struct raster){.doc = doc}, "", err->text);
    *err = (struct err){0};
    doc->want_invoice = false;
    doc->n_page = 0;
    return rasterise_child(doc, settings, target, 0, stop, false, err);
}

struct raster *rasterise_again(struct document *doc,
                               const struct settings *settings,
                               const struct prepare_target *target, int from,
                               const struct jail_stop *stop, struct err *err)
{
    if (err_failed(err)) return NULL;
    return rasterise_child(doc, settings, target, from, stop, false, err);
}
