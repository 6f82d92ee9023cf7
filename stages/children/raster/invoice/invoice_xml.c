/* invoice_xml.c - see invoice_xml.h. libxml2 parses; the tree is walked once. */
#define _GNU_SOURCE 1 /* strcasestr */
#include "stages/children/raster/invoice/invoice_xml.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/invoice/invoice_paths.h"
#include "vlm/base/arena.h"
#include "vlm/base/text.h"

enum {
    DEPTH_MAX = 16,
    ENVELOPE_DEPTH_MAX = 6,
    CURRENCY_MAX = 8,
    HEAD_MAX = 200
};

enum {
    TERM_CURRENCY = 5,
    TERM_OBJECT = 18,
    TERM_TENDER = 17,
    TERM_ID_OF_SELLER = 29,
    TERM_VAT_OF_SELLER = 31,
    TERM_TAX_OF_SELLER = 32,
    TERM_VAT_OF_BUYER = 48,
    TERM_CREDITOR = 90,
    TERM_ALLOWANCE = 92, /* .. 98; charges follow */
    TERM_CHARGE = 99,
    TERM_TAX = 110,
    TERM_TAX_IN_OTHER_CURRENCY = 111,
    TERM_ATTACHMENT = 122,
    TERM_ATTACHED_FILE = 125,
    TERM_LINE_ALLOWANCE = 136, /* .. 140; charges follow */
    TERM_LINE_CHARGE = 141,
    TERM_PRICE_DISCOUNT = 147
};

struct invoice_walk {
    struct invoice_xml *out;
    enum invoice_syntax syntax;
    bool whole;
    const xmlNode *invoice; /* the element that is one */
    bool outside; /* in an envelope around it, or in what looks like a line and
                   * is none */
    char path[INVOICE_PATH_MAX + 1];  /* as invoice_paths_term wants it */
    char xpath[INVOICE_PATH_MAX + 1]; /* with the names of the file */
    size_t n_path, n_xpath;
    uint32_t line, n_line; /* current line; number of lines so far */
    uint32_t row, n_row;   /* the same of tax rates, allowances, attachments */
    char currency[CURRENCY_MAX];
};

/* --- the list ------------------------------------------------------------- */

/* The size of the character at `at`; 0 for a control character. */
static size_t plain_size(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80) return c[0] >= 0x20 && c[0] != 0x7F;
    if (c[0] == 0xC2 && c[1] < 0xA0) return 0;
    return c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
}

static size_t skipped(const char *at)
{
    size_t n = plain_size(at);
    return n ? n : (unsigned char)*at == 0xC2 ? 2 : 1;
}

/* Writes the text with single spaces, at most INVOICE_VALUE_MAX bytes; 0: it is
 * longer, or empty. */
static size_t tidy(const char *text, char out[INVOICE_VALUE_MAX])
{
    size_t n = 0;
    bool blank = false;
    for (const char *at = text; *at; at += skipped(at)) {
        size_t size = plain_size(at);
        if (!size || *at == ' ') {
            blank = n > 0;
            continue;
        }
        if (n + size + blank > INVOICE_VALUE_MAX) return 0;
        if (blank) out[n++] = ' ';
        blank = false;
        memcpy(out + n, at, size);
        n += size;
    }
    return n;
}

static void append_bytes(struct invoice_xml *c, const char *bytes, size_t size)
{
    c->byte = mem_room(c->byte, c->n_byte, size, 1);
    memcpy(c->byte + c->n_byte, bytes, size);
    c->n_byte += (uint32_t)size;
}

bool invoice_xml_add(struct invoice_xml *c, struct packed_value as,
                     const char *text, const char *path)
{
    char plain[INVOICE_VALUE_MAX];
    size_t size = tidy(text, plain), n_path = strlen(path);
    if (!size || n_path > INVOICE_PATH_MAX || c->n == INVOICE_VALUES_MAX ||
        c->n_byte + size + n_path > INVOICE_BYTES_MAX)
        return false;
    as.size = (uint32_t)size;
    as.n_path = (uint32_t)n_path;
    *MEM_ADD(c->value, c->n) = as;
    append_bytes(c, plain, size);
    append_bytes(c, path, n_path);
    return true;
}

void invoice_xml_free(struct invoice_xml *c)
{
    mem_free(c->value);
    mem_free(c->byte);
    *c = (struct invoice_xml){.n = 0};
}

/* --- neighbours ------------------------------------------------------------ */

/* Compares the text, without blanks around it. */
static bool is_text(const xmlChar *text, const char *wanted)
{
    const char *at = text ? (const char *)text : "";
    size_t n = strlen(wanted);
    while (text_is_space(*at))
        at++;
    if (strncmp(at, wanted, n) != 0) return false;
    for (at += n; text_is_space(*at);)
        at++;
    return !*at;
}

static bool is_named(const xmlNode *e, const char *name)
{
    return e && e->type == XML_ELEMENT_NODE &&
           !strcmp((const char *)e->name, name);
}

static bool has_attribute(const xmlNode *element, const char *name,
                          const char *value)
{
    xmlChar *own = xmlGetNoNsProp(element, (const xmlChar *)name);
    bool same = own && !strcmp((const char *)own, value);
    xmlFree(own);
    return same;
}

/* Whether the element has a child of this name with this text. */
static bool has_child(const xmlNode *element, const char *name,
                      const char *value)
{
    for (const xmlNode *e = element ? element->children : NULL; e;
         e = e->next) {
        if (!is_named(e, name)) continue;
        xmlChar *own = xmlNodeGetContent(e);
        bool same = is_text(own, value);
        xmlFree(own);
        if (same) return true;
    }
    return false;
}

/* Whether a value below an allowance or charge is a charge's. */
static bool is_charge(const xmlNode *element)
{
    const xmlNode *e = element->parent;
    for (int i = 0; i < 3 && e; i++, e = e->parent)
        if (is_named(e, "AllowanceCharge") ||
            is_named(e, "SpecifiedTradeAllowanceCharge"))
            return has_child(e, "ChargeIndicator", "true") ||
                   has_child(e, "ChargeIndicator", "1");
    return false;
}

/* --- terms ------------------------------------------------------------------ */

static bool is_vat(const struct invoice_walk *w, const xmlNode *element)
{
    if (w->syntax == INVOICE_CII)
        return has_attribute(element, "schemeID", "VA");
    for (const xmlNode *e = element->parent->children; e; e = e->next)
        if (is_named(e, "TaxScheme") && has_child(e, "ID", "VAT")) return true;
    return false;
}

/* A supporting document, an invoiced object or a tender. */
static int term_of_reference(const struct invoice_walk *w,
                             const xmlNode *element)
{
    const char *type =
        w->syntax == INVOICE_CII ? "TypeCode" : "DocumentTypeCode";
    if (has_child(element->parent, type, "130")) return TERM_OBJECT;
    if (has_child(element->parent, type, "50")) return TERM_TENDER;
    return TERM_ATTACHMENT;
}

/* The element's term, as far as attributes and neighbours decide it. */
static int term_of(const struct invoice_walk *w, const xmlNode *element)
{
    int term = invoice_paths_term(w->syntax, w->path);
    if (term == TERM_VAT_OF_SELLER && !is_vat(w, element))
        return TERM_TAX_OF_SELLER;
    if (term == TERM_VAT_OF_BUYER && !is_vat(w, element)) return 0;
    if (term == TERM_ID_OF_SELLER && has_attribute(element, "schemeID", "SEPA"))
        return TERM_CREDITOR;
    if (term == TERM_ATTACHMENT) return term_of_reference(w, element);
    if (term >= TERM_ALLOWANCE && term < TERM_CHARGE && is_charge(element))
        return term - TERM_ALLOWANCE + TERM_CHARGE;
    if (term >= TERM_LINE_ALLOWANCE && term < TERM_LINE_CHARGE &&
        is_charge(element))
        return term - TERM_LINE_ALLOWANCE + TERM_LINE_CHARGE;
    bool other = term == TERM_TAX && *w->currency &&
                 xmlHasProp(element, (const xmlChar *)"currencyID") &&
                 !has_attribute(element, "currencyID", w->currency);
    return other ? TERM_TAX_IN_OTHER_CURRENCY : term;
}

/* Writes 20261122 (CII) or 2026-11-22 (UBL), and anything after it, as
 * 2026-11-22; false: it is neither. */
static bool format_date(const char *text, char out[11])
{
    static const char digits[] = "0123456789";
    if (strspn(text, digits) >= 8) {
        snprintf(out, 11, "%.4s-%.2s-%.2s", text, text + 4, text + 6);
        return true;
    }
    if (strspn(text, digits) != 4 || text[4] != '-' ||
        strspn(text + 5, digits) != 2 || text[7] != '-' ||
        strspn(text + 8, digits) < 2)
        return false;
    snprintf(out, 11, "%.10s", text);
    return true;
}

static bool is_date(const struct invoice_walk *w)
{
    static const char *const ends[] = {"/DateTimeString", "/DateString",
                                       "Date"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (w->n_path > n && !strcmp(w->path + w->n_path - n, ends[i]))
            return true;
    }
    return false;
}

/* The text of an element; of an attached file its name, never its content. */
static xmlChar *text_of(const xmlNode *element, int term)
{
    if (term != TERM_ATTACHED_FILE) return xmlNodeGetContent(element);
    xmlChar *name = xmlGetNoNsProp(element, (const xmlChar *)"filename");
    return name ? name : xmlGetNoNsProp(element, (const xmlChar *)"mimeCode");
}

static void add_leaf(struct invoice_walk *w, const xmlNode *element)
{
    int term = w->outside ? -1 : term_of(w, element);
    if (term < 0 && w->whole) term = INVOICE_TERM_UNKNOWN;
    if (term <= 0) return;
    xmlChar *content = text_of(element, term);
    const char *text = content ? (const char *)content : "";
    char day[11];
    text += strspn(text, " \t\r\n");
    if (is_date(w) && format_date(text, day)) text = day;
    if (term == TERM_CURRENCY && strlen(text) < CURRENCY_MAX)
        memcpy(w->currency, text, strlen(text) + 1);
    struct packed_value as = {
        .term = (uint32_t)term, .line = w->line, .row = w->row};
    if (*text && !invoice_xml_add(w->out, as, text, w->whole ? w->xpath : ""))
        w->out->n_dropped++;
    xmlFree(content);
}

/* --- the tree ------------------------------------------------------------- */

/* The position among the siblings of its name, from 1; 0: it is the only
 * one. Schemas keep such siblings together. */
static unsigned position_of(const xmlNode *e, unsigned last)
{
    const xmlNode *next = e->next;
    while (next && next->type != XML_ELEMENT_NODE)
        next = next->next;
    bool more =
        next && !strcmp((const char *)next->name, (const char *)e->name);
    return last || more ? last + 1 : 0;
}

/* Appends a step to both paths; false: one is too long. */
static bool push_step(struct invoice_walk *w, const xmlNode *e,
                      unsigned position)
{
    static const char *const credit[][2] = {
        {"CreditNoteLine", "InvoiceLine"},
        {"CreditedQuantity", "InvoicedQuantity"},
        {"CreditNoteTypeCode", "InvoiceTypeCode"}};
    const char *name = (const char *)e->name;
    const char *prefix =
        e->ns && e->ns->prefix ? (const char *)e->ns->prefix : "";
    for (size_t i = 0; i < sizeof credit / sizeof *credit; i++)
        if (w->syntax == INVOICE_UBL && !strcmp(name, credit[i][0]))
            name = credit[i][1];
    char index[16] = "";
    if (position) snprintf(index, sizeof index, "[%u]", position);
    size_t room = sizeof w->path - w->n_path;
    size_t room_x = sizeof w->xpath - w->n_xpath;
    int n = snprintf(w->path + w->n_path, room, "/%s", name);
    int n_x = snprintf(w->xpath + w->n_xpath, room_x, "/%s%s%s%s", prefix,
                       *prefix ? ":" : "", (const char *)e->name, index);
    if (n < 0 || (size_t)n >= room || n_x < 0 || (size_t)n_x >= room_x)
        return false;
    w->n_path += (size_t)n;
    w->n_xpath += (size_t)n_x;
    return true;
}

static bool is_line(const struct invoice_walk *w, const char *name, int depth)
{
    if (w->outside) return false;
    if (w->syntax == INVOICE_CII)
        return depth == 2 && !strcmp(name, "IncludedSupplyChainTradeLineItem");
    return depth == 1 &&
           (!strcmp(name, "InvoiceLine") || !strcmp(name, "CreditNoteLine"));
}

/* Whether a line of the profile EXTENDED is a heading with the sum of others, or
 * a remark: neither is charged. */
static bool is_no_charge(const xmlNode *line)
{
    static const char code[] = "LineStatusReasonCode";
    for (const xmlNode *e = line->children; e; e = e->next)
        if (is_named(e, "AssociatedDocumentLineDocument"))
            return has_child(e, code, "GROUP") ||
                   has_child(e, code, "INFORMATION");
    return false;
}

/* Whether the element is one of several alike outside of lines. */
static bool is_row(const struct invoice_walk *w, const char *name)
{
    static const char *const names[] = {"TaxSubtotal",
                                        "AllowanceCharge",
                                        "ApplicableTradeTax",
                                        "SpecifiedTradeAllowanceCharge",
                                        "AdditionalDocumentReference",
                                        "AdditionalReferencedDocument"};
    for (size_t i = 0;
         i < sizeof names / sizeof *names && !w->line && !w->outside; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

static void walk_below(struct invoice_walk *w, const xmlNode *element,
                       int depth);

/* The table of paths has no root. */
static void enter_invoice(struct invoice_walk *w)
{
    w->path[w->n_path = 0] = '\0';
    w->outside = false;
}

static void walk_child(struct invoice_walk *w, const xmlNode *e,
                       unsigned position, int depth)
{
    const char *name = (const char *)e->name;
    const size_t n = w->n_path, n_xpath = w->n_xpath;
    const uint32_t in_line = w->line, in_row = w->row;
    const bool outside = w->outside;
    bool line = is_line(w, name, depth), row = is_row(w, name);
    if (outside && !strcmp(name, "StandardBusinessDocumentHeader"))
        return; /* of transport: the invoice names its parties */
    if ((line && w->n_line == INVOICE_LINES_MAX) ||
        (row && w->n_row == INVOICE_LINES_MAX)) {
        w->out->n_dropped++;
        return;
    }
    if (line && is_no_charge(e))
        w->outside = true;
    else if (line)
        w->line = ++w->n_line;
    if (row) w->row = ++w->n_row;
    if (depth < DEPTH_MAX && push_step(w, e, position)) {
        if (e == w->invoice) enter_invoice(w);
        walk_below(w, e, e == w->invoice ? 1 : depth + 1);
    } else {
        w->out->n_dropped++;
    }
    w->path[w->n_path = n] = '\0';
    w->xpath[w->n_xpath = n_xpath] = '\0';
    w->line = in_line;
    w->row = in_row;
    w->outside = outside;
}

/* Walks the children of an element whose name is already on the path. */
static void walk_below(struct invoice_walk *w, const xmlNode *element,
                       int depth)
{
    const xmlNode *last = NULL;
    unsigned position = 0;
    for (const xmlNode *e = element->children; e; e = e->next) {
        if (e->type != XML_ELEMENT_NODE) continue;
        bool same =
            last && !strcmp((const char *)last->name, (const char *)e->name);
        position = position_of(e, same ? position : 0);
        walk_child(w, e, position, depth);
        last = e;
    }
    if (!last) add_leaf(w, element);
}

/* --- parsing -------------------------------------------------------------- */

/* Rejects a document with declarations: entities are defined there. */
static void refuse_declarations(void *parser, const xmlChar *name,
                                const xmlChar *external, const xmlChar *system)
{
    (void)name;
    (void)external;
    (void)system;
    xmlParserCtxtPtr p = parser;
    *(bool *)p->_private = true;
    p->wellFormed = 0;
    xmlStopParser(p);
}

/* What the parser says is the first line of several. */
static void say_fault(xmlParserCtxtPtr p, char fault[INVOICE_XML_FAULT_MAX])
{
    const xmlError *error = xmlCtxtGetLastError(p);
    const char *text = error && error->message ? error->message : "not XML";
    snprintf(fault, INVOICE_XML_FAULT_MAX, "line %d: %.*s",
             error ? error->line : 1, (int)strcspn(text, "\n"), text);
}

/* Whether the first bytes show the encoding, whatever the file declares: a byte
 * order mark does, and single bytes where two or four are declared. */
static bool shows_encoding(const char *xml, size_t size)
{
    static const char *const wide[] = {"UTF-16", "UTF-32", "UCS-2", "UCS-4"};
    char head[HEAD_MAX + 1] = "";
    if (size >= 3 &&
        (!memcmp(xml, "\xef\xbb\xbf", 3) || !memcmp(xml, "\xff\xfe", 2) ||
         !memcmp(xml, "\xfe\xff", 2)))
        return true;
    memcpy(head, xml, size < HEAD_MAX ? size : HEAD_MAX);
    char *end = strstr(head, "?>");
    if (strncmp(head, "<?xml", 5) != 0 || !end) return false;
    *end = '\0';
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcasestr(head, wide[i])) return true;
    return false;
}

static xmlDoc *parse(const char *xml, size_t size, bool *declared,
                     char fault[INVOICE_XML_FAULT_MAX])
{
    xmlParserCtxtPtr p = xmlNewParserCtxt();
    if (!p) return NULL;
    p->_private = declared;
    p->sax->internalSubset = refuse_declarations;
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    if (shows_encoding(xml, size)) options |= XML_PARSE_IGNORE_ENC;
    xmlDoc *doc = xmlCtxtReadMemory(p, xml, (int)size, NULL, NULL, options);
    if (*declared)
        snprintf(fault, INVOICE_XML_FAULT_MAX,
                 "it declares a document type (<!DOCTYPE), which can define "
                 "entities");
    else if (!doc)
        say_fault(p, fault);
    xmlFreeParserCtxt(p);
    return doc;
}

/* Whether a document with this root element is an invoice, and in which
 * syntax. */
static bool is_invoice(const char *name, const char *space,
                       enum invoice_syntax *syntax)
{
    static const struct {
        const char *name, *space;
        enum invoice_syntax syntax;
    } root[] = {{"Invoice",
                 "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
                 INVOICE_UBL},
                {"CreditNote",
                 "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2",
                 INVOICE_UBL},
                {"CrossIndustryInvoice",
                 "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:",
                 INVOICE_CII},
                {"CrossIndustryDocument",
                 "urn:ferd:CrossIndustryDocument:invoice:", INVOICE_CII}};
    for (size_t i = 0; i < sizeof root / sizeof *root; i++) {
        if (strcmp(name, root[i].name) != 0 ||
            strncmp(space, root[i].space, strlen(root[i].space)) != 0)
            continue;
        *syntax = root[i].syntax;
        return true;
    }
    return false;
}

static const char *space_of(const xmlNode *e)
{
    return e->ns && e->ns->href ? (const char *)e->ns->href : "";
}

/* Invoices of other kinds, by their root; space: where it begins like another. */
static const struct {
    const char *name, *space, *called;
} foreign[] = {
    {"FatturaElettronica", "", "a FatturaPA invoice (Italy)"},
    {"FatturaElettronicaSemplificata", "", "a FatturaPA invoice (Italy)"},
    {"Facturae", "", "a Facturae invoice (Spain)"},
    {"Faktura", "http://crd.gov.pl/", "a KSeF invoice (Poland)"},
    {"Invoice", "http://www.ebinterface.at/",
     "an ebInterface invoice (Austria)"},
    {"Finvoice", "", "a Finvoice invoice (Finland)"},
    {"Comprobante", "http://www.sat.gob.mx/", "a CFDI invoice (Mexico)"},
    {"nfeProc", "", "a NF-e invoice (Brazil)"},
    {"NFe", "", "a NF-e invoice (Brazil)"},
    {"cXML", "", "a cXML message"}};

static const char *foreign_name(const xmlNode *root)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!strcmp((const char *)root->name, foreign[i].name) &&
            !strncmp(space_of(root), foreign[i].space,
                     strlen(foreign[i].space)))
            return foreign[i].called;
    return NULL;
}

static void say_foreign(const xmlNode *root, int n_invoice,
                        char fault[INVOICE_XML_FAULT_MAX])
{
    const char *space = space_of(root), *called = foreign_name(root);
    bool own = !strncmp(space, "urn:platen:", strlen("urn:platen:"));
    if (called)
        snprintf(fault, INVOICE_XML_FAULT_MAX,
                 "it is %s, which platen does not read: use its PDF or a "
                 "printout, or ask the sender for UBL or CII",
                 called);
    else if (n_invoice)
        snprintf(fault, INVOICE_XML_FAULT_MAX,
                 "it is an envelope with %d invoices: save each as a file",
                 n_invoice);
    else
        snprintf(fault, INVOICE_XML_FAULT_MAX,
                 "its root element is %.60s%s%.120s%s",
                 (const char *)root->name,
                 own      ? ", a record that platen wrote ("
                 : *space ? " of the namespace "
                          : " without a namespace",
                 space, own ? ")" : "");
}

/* Counts the invoices in an envelope; w->invoice is the last. */
static int find_invoices(struct invoice_walk *w, const xmlNode *e, int depth)
{
    int n = 0;
    if (is_invoice((const char *)e->name, space_of(e), &w->syntax)) {
        w->invoice = e;
        return 1;
    }
    for (const xmlNode *c = e->children; c && depth < ENVELOPE_DEPTH_MAX;
         c = c->next)
        if (c->type == XML_ELEMENT_NODE) n += find_invoices(w, c, depth + 1);
    return n;
}

enum invoice_xml_status invoice_xml_read(const char *xml, size_t size,
                                         bool whole, struct invoice_xml *out,
                                         char fault[INVOICE_XML_FAULT_MAX])
{
    *out = (struct invoice_xml){.n = 0};
    *fault = '\0';
    if (size > INT32_MAX) return INVOICE_XML_DAMAGED;
    bool declared = false;
    xmlDoc *doc = parse(xml, size, &declared, fault);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    enum invoice_xml_status status =
        declared ? INVOICE_XML_DECLARED : INVOICE_XML_DAMAGED;
    struct invoice_walk w = {.out = out, .whole = whole, .outside = true};
    int n_invoice = root ? find_invoices(&w, root, 0) : 0;
    if (n_invoice == 1) {
        status = INVOICE_XML_READ;
        walk_child(&w, root, 0, 0);
    } else if (root) {
        status = INVOICE_XML_FOREIGN;
        say_foreign(root, n_invoice, fault);
    }
    if (doc) xmlFreeDoc(doc);
    return status;
}

/* --- attached files ------------------------------------------------------- */

static void send_files(const xmlNode *e, int depth, invoice_xml_file_fn *file,
                       void *arg)
{
    bool is_file = is_named(e, "EmbeddedDocumentBinaryObject") ||
                   is_named(e, "AttachmentBinaryObject");
    if (is_file) {
        xmlChar *name = xmlGetNoNsProp(e, (const xmlChar *)"filename");
        xmlChar *content = xmlNodeGetContent(e);
        file(arg, name ? (const char *)name : "",
             content ? (const char *)content : "");
        xmlFree(name);
        xmlFree(content);
    }
    for (const xmlNode *c = e->children; c && !is_file && depth < DEPTH_MAX;
         c = c->next)
        if (c->type == XML_ELEMENT_NODE) send_files(c, depth + 1, file, arg);
}

bool invoice_xml_files(const char *xml, size_t size, invoice_xml_file_fn *file,
                       void *arg)
{
    char fault[INVOICE_XML_FAULT_MAX];
    struct invoice_walk w = {.whole = false};
    bool declared = false;
    xmlDoc *doc = size > INT32_MAX ? NULL : parse(xml, size, &declared, fault);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    bool is_read = root && find_invoices(&w, root, 0) == 1;
    if (is_read) send_files(w.invoice, 0, file, arg);
    if (doc) xmlFreeDoc(doc);
    return is_read;
}
