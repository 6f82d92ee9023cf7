/* cii.c - see cii.h. libxml2 parses; the tree is walked once. */
#include "stages/children/raster/pdf/cii.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"

/* --- cii terms ------------------------------------------------------------- */

/* Maps elements of a Cross Industry Invoice to EN 16931 terms
 * (cii.h). */

#define SELLER  "SellerTradeParty/"
#define BUYER   "BuyerTradeParty/"
#define ADDRESS "PostalTradeAddress/"
#define SUMS    "SpecifiedTradeSettlementHeaderMonetarySummation/"
#define SUMS_1                              \
    "ApplicableSupplyChainTradeSettlement/" \
    "SpecifiedTradeSettlementMonetarySummation/"
#define HEAD_TAX   "ApplicableHeaderTradeSettlement/ApplicableTradeTax/"
#define HEAD_TAX_1 "ApplicableSupplyChainTradeSettlement/ApplicableTradeTax/"
#define PRICE_NET  "NetPriceProductTradePrice/"

static const struct {
    const char *end;
    int term;
} table[] = {
    {"/ExchangedDocument/ID", 1},
    {"/HeaderExchangedDocument/ID", 1},
    {"/ExchangedDocument/IssueDateTime/DateTimeString", 2},
    {"/HeaderExchangedDocument/IssueDateTime/DateTimeString", 2},
    {"/ExchangedDocument/TypeCode", 3},
    {"/HeaderExchangedDocument/TypeCode", 3},
    {"/InvoiceCurrencyCode", 5},
    {"/TaxCurrencyCode", 6},
    {"/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString", 9},
    {"/BuyerReference", 10},
    {"/ContractReferencedDocument/IssuerAssignedID", 12},
    {"/ContractReferencedDocument/ID", 12},
    {"/BuyerOrderReferencedDocument/IssuerAssignedID", 13},
    {"/BuyerOrderReferencedDocument/ID", 13},
    {"/SellerOrderReferencedDocument/IssuerAssignedID", 14},
    {"/DespatchAdviceReferencedDocument/IssuerAssignedID", 16},
    {"/GuidelineSpecifiedDocumentContextParameter/ID", 24},
    {"/InvoiceReferencedDocument/IssuerAssignedID", 25},
    {"/" SELLER "Name", 27},
    {"/" SELLER "SpecifiedLegalOrganization/TradingBusinessName", 28},
    {"/" SELLER "ID", 29},
    {"/" SELLER "GlobalID", 29},
    {"/" SELLER "SpecifiedLegalOrganization/ID", 30},
    {"/" SELLER "SpecifiedTaxRegistration/ID", 31},
    {"/" SELLER ADDRESS "LineOne", 35},
    {"/" SELLER ADDRESS "LineTwo", 36},
    {"/" SELLER ADDRESS "CityName", 37},
    {"/" SELLER ADDRESS "PostcodeCode", 38},
    {"/" SELLER ADDRESS "CountryID", 40},
    {"/" SELLER ADDRESS "LineThree", 162},
    {"/" BUYER "Name", 44},
    {"/" BUYER "SpecifiedLegalOrganization/TradingBusinessName", 45},
    {"/" BUYER "ID", 46},
    {"/" BUYER "GlobalID", 46},
    {"/" BUYER "SpecifiedLegalOrganization/ID", 47},
    {"/" BUYER "SpecifiedTaxRegistration/ID", 48},
    {"/" BUYER ADDRESS "LineOne", 50},
    {"/" BUYER ADDRESS "LineTwo", 51},
    {"/" BUYER ADDRESS "CityName", 52},
    {"/" BUYER ADDRESS "PostcodeCode", 53},
    {"/" BUYER ADDRESS "CountryID", 55},
    {"/" BUYER ADDRESS "LineThree", 163},
    {"/PayeeTradeParty/Name", 59},
    {"/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString", 72},
    {"/BillingSpecifiedPeriod/StartDateTime/DateTimeString", 73},
    {"/BillingSpecifiedPeriod/EndDateTime/DateTimeString", 74},
    {"/PaymentReference", 83},
    {"/PayeePartyCreditorFinancialAccount/IBANID", 84},
    {"/PayeePartyCreditorFinancialAccount/ProprietaryID", 84},
    {"/PayeePartyCreditorFinancialAccount/AccountName", 85},
    {"/PayeeSpecifiedCreditorFinancialInstitution/BICID", 86},
    {"/" SUMS "LineTotalAmount", 106},
    {"/" SUMS_1 "LineTotalAmount", 106},
    {"/" SUMS "AllowanceTotalAmount", 107},
    {"/" SUMS_1 "AllowanceTotalAmount", 107},
    {"/" SUMS "ChargeTotalAmount", 108},
    {"/" SUMS_1 "ChargeTotalAmount", 108},
    {"/" SUMS "TaxBasisTotalAmount", 109},
    {"/" SUMS_1 "TaxBasisTotalAmount", 109},
    {"/" SUMS "TaxTotalAmount", 110},
    {"/" SUMS_1 "TaxTotalAmount", 110},
    {"/" SUMS "GrandTotalAmount", 112},
    {"/" SUMS_1 "GrandTotalAmount", 112},
    {"/" SUMS "TotalPrepaidAmount", 113},
    {"/" SUMS_1 "TotalPrepaidAmount", 113},
    {"/" SUMS "RoundingAmount", 114},
    {"/" SUMS "DuePayableAmount", 115},
    {"/" SUMS_1 "DuePayableAmount", 115},
    {"/" HEAD_TAX "BasisAmount", 116},
    {"/" HEAD_TAX_1 "BasisAmount", 116},
    {"/" HEAD_TAX "CalculatedAmount", 117},
    {"/" HEAD_TAX_1 "CalculatedAmount", 117},
    {"/" HEAD_TAX "RateApplicablePercent", 119},
    {"/" HEAD_TAX_1 "ApplicablePercent", 119},
    {"/AssociatedDocumentLineDocument/LineID", 126},
    {"/SpecifiedLineTradeDelivery/BilledQuantity", 129},
    {"/SpecifiedSupplyChainTradeDelivery/BilledQuantity", 129},
    {"/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount", 131},
    {"/SpecifiedSupplyChainTradeSettlement/"
     "SpecifiedTradeSettlementMonetarySummation/LineTotalAmount",
     131},
    {"/" PRICE_NET "ChargeAmount", 146},
    {"/" PRICE_NET "BasisQuantity", 149},
    {"/GrossPriceProductTradePrice/ChargeAmount", 148},
    {"/SpecifiedLineTradeSettlement/ApplicableTradeTax/RateApplicablePercent",
     152},
    {"/SpecifiedSupplyChainTradeSettlement/ApplicableTradeTax/"
     "ApplicablePercent",
     152},
    {"/SpecifiedTradeProduct/Name", 153},
    {"/SpecifiedTradeProduct/Description", 154},
    {"/SpecifiedTradeProduct/SellerAssignedID", 155},
    {"/SpecifiedTradeProduct/BuyerAssignedID", 156},
    {"/SpecifiedTradeProduct/GlobalID", 157},
};

/* The term at a path of local names ("/CrossIndustryInvoice/..."), 0: none. For
 * tax numbers it is the VAT number's, for tax totals that of the invoice's
 * currency; attributes distinguish them. */
static int cii_term(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].end);
        if (n >= size && !strcmp(path + n - size, table[i].end))
            return table[i].term;
    }
    return 0;
}

/* Whether an element with this local name is an invoice line. */
static bool cii_is_line(const char *name)
{
    return !strcmp(name, "IncludedSupplyChainTradeLineItem");
}

/* Whether a document with this root element is a Cross Industry Invoice. */
static bool cii_is_root(const char *name, const char *space)
{
    static const char *const root[][2] = {
        {"CrossIndustryInvoice",
         "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:"},
        {"CrossIndustryDocument", "urn:ferd:CrossIndustryDocument:invoice:"}};
    for (size_t i = 0; i < sizeof root / sizeof *root; i++)
        if (!strcmp(name, root[i][0]) &&
            !strncmp(space, root[i][1], strlen(root[i][1])))
            return true;
    return false;
}

/* --- cii ------------------------------------------------------------------- */

enum { DEPTH_MAX = 16, PATH_MAX_BYTES = 1024, CURRENCY_MAX = 8 };

enum {
    TERM_VAT_OF_SELLER = 31,
    TERM_TAX_OF_SELLER = 32,
    TERM_VAT_OF_BUYER = 48,
    TERM_CURRENCY = 5,
    TERM_TAX = 110,
    TERM_TAX_IN_OTHER_CURRENCY = 111
};

struct cii_walk {
    struct cii *out;
    char path[PATH_MAX_BYTES];
    size_t n_path;
    uint32_t line, n_line; /* current line; number of lines so far */
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

bool cii_add(struct cii *c, uint32_t term, uint32_t line, const char *text)
{
    char plain[INVOICE_VALUE_MAX];
    size_t size = tidy(text, plain);
    if (!size || c->n == INVOICE_VALUES_MAX ||
        c->n_byte + size > INVOICE_BYTES_MAX)
        return false;
    if (c->n == c->capacity) {
        c->capacity = 2 * c->capacity + 64;
        c->value = mem_grow(c->value, c->capacity, sizeof *c->value);
    }
    if (c->n_byte + size > c->byte_capacity) {
        c->byte_capacity = 2 * c->byte_capacity + 4096;
        c->byte = mem_grow(c->byte, c->byte_capacity, 1);
    }
    c->value[c->n++] = (struct packed_value){term, line, (uint32_t)size};
    memcpy(c->byte + c->n_byte, plain, size);
    c->n_byte += (uint32_t)size;
    return true;
}

void cii_free(struct cii *c)
{
    mem_free(c->value);
    mem_free(c->byte);
    *c = (struct cii){.n = 0};
}

/* --- the tree ------------------------------------------------------------- */

static bool has_attribute(const xmlNode *element, const char *name,
                          const char *value)
{
    xmlChar *own = xmlGetNoNsProp(element, (const xmlChar *)name);
    bool same = own && !strcmp((const char *)own, value);
    xmlFree(own);
    return same;
}

/* The element's term, as far as attributes decide it. */
static int term_of(const struct cii_walk *w, const xmlNode *element)
{
    int term = cii_term(w->path);
    bool vat = has_attribute(element, "schemeID", "VA");
    if (term == TERM_VAT_OF_SELLER && !vat) return TERM_TAX_OF_SELLER;
    if (term == TERM_VAT_OF_BUYER && !vat) return 0;
    bool other = term == TERM_TAX && *w->currency &&
                 xmlHasProp(element, (const xmlChar *)"currencyID") &&
                 !has_attribute(element, "currencyID", w->currency);
    return other ? TERM_TAX_IN_OTHER_CURRENCY : term;
}

/* Writes 20261122, and anything after it, as 2026-11-22. */
static void format_date(const char *text, char out[11])
{
    memcpy(out, text, 4);
    out[4] = out[7] = '-';
    memcpy(out + 5, text + 4, 2);
    memcpy(out + 8, text + 6, 2);
    out[10] = '\0';
}

static void add_leaf(struct cii_walk *w, const xmlNode *element)
{
    static const char date[] = "/DateTimeString";
    int term = term_of(w, element);
    if (!term) return;
    xmlChar *content = xmlNodeGetContent(element);
    const char *text = content ? (const char *)content : "";
    char day[11];
    size_t blank = strspn(text, " \t\r\n"), n = w->n_path;
    bool is_date =
        n > sizeof date && !strcmp(w->path + n - sizeof date + 1, date);
    if (is_date && strspn(text + blank, "0123456789") >= 8) {
        format_date(text + blank, day);
        text = day;
    }
    if (term == TERM_CURRENCY && strlen(text) < CURRENCY_MAX)
        memcpy(w->currency, text, strlen(text) + 1);
    cii_add(w->out, (uint32_t)term, w->line, text);
    xmlFree(content);
}

/* Walks the children of an element whose name is already on the path. */
static void walk_below(struct cii_walk *w, const xmlNode *element, int depth)
{
    bool leaf = true;
    for (const xmlNode *e = element->children; e; e = e->next) {
        size_t n = w->n_path, size = 0;
        if (e->type != XML_ELEMENT_NODE) continue;
        leaf = false;
        const char *name = (const char *)e->name;
        size = strlen(name);
        if (depth == DEPTH_MAX || n + size + 2 > sizeof w->path) continue;
        bool line = depth == 1 + 1 && cii_is_line(name);
        if (line && w->n_line == INVOICE_LINES_MAX) continue;
        if (line) w->line = ++w->n_line;
        w->path[n] = '/';
        memcpy(w->path + n + 1, name, size + 1);
        w->n_path = n + 1 + size;
        walk_below(w, e, depth + 1);
        w->n_path = n;
        w->path[n] = '\0';
        if (line) w->line = 0;
    }
    if (leaf) add_leaf(w, element);
}

/* Rejects a document with declarations: entities are defined there. */
static void refuse_declarations(void *parser, const xmlChar *name,
                                const xmlChar *external, const xmlChar *system)
{
    (void)name;
    (void)external;
    (void)system;
    xmlParserCtxtPtr p = parser;
    p->wellFormed = 0;
    xmlStopParser(p);
}

static xmlDoc *parse(const char *xml, size_t size)
{
    xmlParserCtxtPtr p = xmlNewParserCtxt();
    if (!p) return NULL;
    p->sax->internalSubset = refuse_declarations;
    xmlDoc *doc = xmlCtxtReadMemory(p, xml, (int)size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR |
                                        XML_PARSE_NOWARNING);
    xmlFreeParserCtxt(p);
    return doc;
}

enum cii_status cii_read(const char *xml, size_t size, struct cii *out)
{
    *out = (struct cii){.n = 0};
    if (size > INT32_MAX) return CII_DAMAGED;
    xmlDoc *doc = parse(xml, size);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    enum cii_status status = CII_DAMAGED;
    if (root) {
        const char *space =
            root->ns && root->ns->href ? (const char *)root->ns->href : "";
        bool known = cii_is_root((const char *)root->name, space);
        struct cii_walk w = {.out = out};
        if (known) walk_below(&w, root, 1);
        status = known ? CII_READ : CII_FOREIGN;
    }
    if (doc) xmlFreeDoc(doc);
    return status;
}
