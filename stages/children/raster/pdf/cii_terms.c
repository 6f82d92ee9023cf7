/* cii_terms.c - where a Cross Industry Invoice has each term of EN 16931, as
 * the ends of paths. The parts of a transaction are called Header and Line in
 * Factur-X and ZUGFeRD 2, Applicable and SpecifiedSupplyChain in ZUGFeRD 1.
 */
#include "stages/children/raster/pdf/cii_terms.h"

#include <string.h>

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

int cii_term(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].end);
        if (n >= size && !strcmp(path + n - size, table[i].end))
            return table[i].term;
    }
    return 0;
}

bool cii_is_line(const char *name)
{
    return !strcmp(name, "IncludedSupplyChainTradeLineItem");
}

bool cii_is_root(const char *name, const char *space)
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
