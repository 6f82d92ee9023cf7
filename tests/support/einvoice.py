#!/usr/bin/env python3
"""einvoice.py - an invoice as PDF that carries itself as XML (Factur-X, ZUGFeRD, XRechnung).

    einvoice.py xml PROFILE [KEY=VALUE...]            the XML: minimum basicwl basic en16931 extended zugferd1 ubl
                                                      credit (UBL credit note) order (no invoice)
    einvoice.py pdf OUT.pdf [--scan] [--related] [NAME=FILE...]
                                                      the page, with these files attached; --scan: without words,
                                                      --related: only in /AF of the catalogue
    einvoice.py answer [KEY=VALUE...]                 what a reader answers under schemas/invoice.schema.json

One invoice: number, date, due, total and so on as VALUES has them; KEY=VALUE says otherwise. A name may come twice;
NAME=bytes:N attaches N bytes of nothing, compressed.
"""
import json
import sys
import zlib

from pdf_objects import pdf_of

VALUES = {
    'number': 'RE-2026/0815', 'date': '2026-11-05', 'due': '2026-12-05', 'currency': 'EUR',
    'seller': 'Müller & Söhne GmbH', 'vat': 'DE123456788', 'buyer': 'Kunde AG', 'iban': 'DE02120300000000202051',
    'net': '150.50', 'tax': '28.60', 'total': '179.10', 'payable': '179.10',
}
LINES = [('Beratung vor Ort', '1.5', '80.0000', '120.00'), ('Schrauben M4', '61', '0.50', '30.50')]
PROFILES = ('minimum', 'basicwl', 'basic', 'en16931', 'extended')
GUIDELINES = {
    'minimum': 'urn:factur-x.eu:1p0:minimum', 'basicwl': 'urn:factur-x.eu:1p0:basicwl',
    'basic': 'urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic', 'en16931': 'urn:cen.eu:en16931:2017',
    'extended': 'urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended',
    'zugferd1': 'urn:ferd:CrossIndustryDocument:invoice:1p0:comfort'}


def escaped(text):
    return text.replace('&', '&amp;').replace('<', '&lt;')


def day(text, tag='udt:DateTimeString'):
    return '<%s format="102">%s</%s>' % (tag, text.replace('-', ''), tag)


def party(tag, name, vat, at):
    address = '' if at < 1 else ('<ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:LineOne>Weg 1'
                                 '</ram:LineOne><ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID>'
                                 '</ram:PostalTradeAddress>')
    tax = '' if not vat else ('<ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">37/123/45678</ram:ID>'
                              '</ram:SpecifiedTaxRegistration><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">%s'
                              '</ram:ID></ram:SpecifiedTaxRegistration>' % vat)
    return '<ram:%s><ram:Name>%s</ram:Name>%s%s</ram:%s>' % (tag, escaped(name), address, tax, tag)


def line(number, item, old):
    name, quantity, price, amount = item
    head, of, sums = (('SpecifiedSupplyChainTrade', 'SpecifiedSupplyChainTrade', 'SpecifiedTradeSettlementMonetary')
                      if old else ('SpecifiedLineTrade', 'SpecifiedLineTrade', 'SpecifiedTradeSettlementLineMonetary'))
    product = '<ram:SpecifiedTradeProduct><ram:Name>%s</ram:Name></ram:SpecifiedTradeProduct>' % escaped(name)
    return ('<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>%d</ram:LineID>'
            '</ram:AssociatedDocumentLineDocument>%s<ram:%sAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>%s'
            '</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:%sAgreement><ram:%sDelivery><ram:BilledQuantity '
            'unitCode="C62">%s</ram:BilledQuantity></ram:%sDelivery><ram:%sSettlement><ram:%sSummation>'
            '<ram:LineTotalAmount>%s</ram:LineTotalAmount></ram:%sSummation></ram:%sSettlement>'
            '</ram:IncludedSupplyChainTradeLineItem>'
            % (number, product, head, price, head, of, quantity, of, of, sums, amount, sums, of))


def sums_of(v, at):
    net = '<ram:LineTotalAmount>%s</ram:LineTotalAmount>' % v['net'] if at >= 1 else ''
    return (net + '<ram:TaxBasisTotalAmount>%s</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="%s">%s'
            '</ram:TaxTotalAmount><ram:GrandTotalAmount>%s</ram:GrandTotalAmount><ram:DuePayableAmount>%s'
            '</ram:DuePayableAmount>' % (v['net'], v['currency'], v['tax'], v['total'], v['payable']))


def cii(profile, v):
    old = profile == 'zugferd1'
    at = 3 if old else PROFILES.index(profile)
    root, space = (('CrossIndustryDocument', 'urn:ferd:CrossIndustryDocument:invoice:1p0') if old else
                   ('CrossIndustryInvoice', 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100'))
    ram = 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:%d' % (12 if old else 100)
    udt = 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:%d' % (15 if old else 100)
    trade = 'ApplicableSupplyChainTrade' if old else 'ApplicableHeaderTrade'
    document, context, transaction = (
        ('HeaderExchangedDocument', 'SpecifiedExchangedDocumentContext', 'SpecifiedSupplyChainTradeTransaction') if old
        else ('ExchangedDocument', 'ExchangedDocumentContext', 'SupplyChainTradeTransaction'))
    summation = 'SpecifiedTradeSettlement%sMonetarySummation' % ('' if old else 'Header')
    lines = ''.join(line(i + 1, item, old) for i, item in enumerate(LINES)) if at >= 2 else ''
    parties = ('<ram:%sAgreement>' % trade + party('SellerTradeParty', v['seller'], v['vat'], at) +
               party('BuyerTradeParty', v['buyer'], '', at) + '</ram:%sAgreement>' % trade)
    settlement = '<ram:InvoiceCurrencyCode>%s</ram:InvoiceCurrencyCode>' % v['currency']
    if at >= 1:
        settlement += ('<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>%s'
                       '</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>'
                       '<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>%s</ram:DueDateDateTime>'
                       '</ram:SpecifiedTradePaymentTerms>' % (v['iban'], day(v['due'])))
    settlement += '<ram:%s>%s</ram:%s>' % (summation, sums_of(v, at), summation)
    order = [parties, '<ram:%sDelivery/>' % trade, '<ram:%sSettlement>%s</ram:%sSettlement>' % (trade, settlement, trade)]
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<rsm:%s xmlns:rsm="%s" xmlns:ram="%s" xmlns:udt="%s"><rsm:%s>'
            '<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>%s</ram:ID>'
            '</ram:GuidelineSpecifiedDocumentContextParameter></rsm:%s><rsm:%s><ram:ID>%s</ram:ID>'
            '<ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime>%s</ram:IssueDateTime></rsm:%s><rsm:%s>%s</rsm:%s></rsm:%s>\n'
            % (root, space, ram, udt, context, GUIDELINES[profile], context, document, v['number'], day(v['date']),
               document, transaction, ''.join(order) + lines if old else lines + ''.join(order), transaction, root))


UBL_SPACE = 'urn:oasis:names:specification:ubl:schema:xsd:'


def ubl_party(tag, name, vat):
    tax = ('<cac:PartyTaxScheme><cbc:CompanyID>37/123/45678</cbc:CompanyID><cac:TaxScheme><cbc:ID>FC</cbc:ID>'
           '</cac:TaxScheme></cac:PartyTaxScheme><cac:PartyTaxScheme><cbc:CompanyID>%s</cbc:CompanyID><cac:TaxScheme>'
           '<cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>' % vat) if vat else ''
    return ('<cac:%s><cac:Party><cac:PostalAddress><cbc:StreetName>Weg 1</cbc:StreetName><cbc:CityName>Berlin'
            '</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE'
            '</cbc:IdentificationCode></cac:Country></cac:PostalAddress>%s<cac:PartyLegalEntity><cbc:RegistrationName>%s'
            '</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:%s>' % (tag, tax, escaped(name), tag))


def ubl_line(number, item, credit, currency):
    name, quantity, price, amount = item
    tag, unit = ('CreditNoteLine', 'CreditedQuantity') if credit else ('InvoiceLine', 'InvoicedQuantity')
    return ('<cac:%s><cbc:ID>%d</cbc:ID><cbc:%s unitCode="C62">%s</cbc:%s><cbc:LineExtensionAmount currencyID="%s">%s'
            '</cbc:LineExtensionAmount><cac:Item><cbc:Name>%s</cbc:Name></cac:Item><cac:Price><cbc:PriceAmount '
            'currencyID="%s">%s</cbc:PriceAmount></cac:Price></cac:%s>'
            % (tag, number, unit, quantity, unit, currency, amount, escaped(name), currency, price, tag))


def ubl(v, credit):
    root = 'CreditNote' if credit else 'Invoice'
    money = lambda tag, amount: '<cbc:%s currencyID="%s">%s</cbc:%s>' % (tag, v['currency'], amount, tag)
    due = '' if credit else '<cbc:DueDate>%s</cbc:DueDate>' % v['due']
    account = ('<cac:PaymentMeans>%s<cac:PayeeFinancialAccount><cbc:ID>%s</cbc:ID></cac:PayeeFinancialAccount>'
               '</cac:PaymentMeans>' % ('<cbc:PaymentDueDate>%s</cbc:PaymentDueDate>' % v['due'] if credit else '', v['iban']))
    return ('<%s xmlns="%s%s-2" xmlns:cac="%sCommonAggregateComponents-2" xmlns:cbc="%sCommonBasicComponents-2">'
            '<cbc:ID>%s</cbc:ID><cbc:IssueDate>%s</cbc:IssueDate>%s<cbc:%sTypeCode>%s</cbc:%sTypeCode>'
            '<cbc:DocumentCurrencyCode>%s</cbc:DocumentCurrencyCode>%s%s%s<cac:TaxTotal>%s</cac:TaxTotal>'
            '<cac:LegalMonetaryTotal>%s%s%s%s</cac:LegalMonetaryTotal>%s</%s>\n'
            % (root, UBL_SPACE, root, UBL_SPACE, UBL_SPACE, v['number'], v['date'], due, root, '381' if credit else '380',
               root, v['currency'], ubl_party('AccountingSupplierParty', v['seller'], v['vat']),
               ubl_party('AccountingCustomerParty', v['buyer'], ''), account, money('TaxAmount', v['tax']),
               money('LineExtensionAmount', v['net']), money('TaxExclusiveAmount', v['net']),
               money('TaxInclusiveAmount', v['total']), money('PayableAmount', v['payable']),
               ''.join(ubl_line(i + 1, item, credit, v['currency']) for i, item in enumerate(LINES)), root))


def xml(profile, v):
    if profile in ('ubl', 'credit'):
        return ubl(v, profile == 'credit')
    if profile == 'order':
        return '<Order xmlns="%sOrder-2"><ID>%s</ID></Order>\n' % (UBL_SPACE, v['number'])
    return cii(profile, v)


def printed(v):
    rows = [(60, v['seller'], 16), (60, 'Weg 1, 10115 Berlin', 9), (60, 'USt-IdNr. ' + v['vat'], 9),
            (60, 'Rechnung Nr. %s vom %s' % (v['number'], v['date']), 11), (60, 'An: ' + v['buyer'], 9)]
    rows += [(60, '%s    %s    %s    %s' % item, 9) for item in LINES]
    rows += [(60, '%s %s' % row, 9) for row in (('Netto', v['net']), ('MwSt 19 %', v['tax']), ('Gesamt EUR', v['total']),
                                                ('Zahlbar bis', v['due']), ('IBAN', v['iban']))]
    return rows


def stream(head, data):
    return b'<<%s/Length %d>>\nstream\n%s\nendstream' % (head, len(data), data)


def text_string(text):
    return b'<FEFF' + text.encode('utf-16-be').hex().upper().encode() + b'>'


def content_of(v, scan):
    ops, y = [], 780
    for x, text, size in printed(v):
        y -= 2 * size
        if scan:  # strokes in place of letters
            ops.append('%g %g %g %g re f' % (x, y, 5 * len(text), size * 0.6))
            continue
        plain = text.encode('cp1252').decode('latin-1')
        for c in '\\()':
            plain = plain.replace(c, '\\' + c)
        ops.append('BT /F %d Tf %d %d Td (%s) Tj ET' % (size, x, y, plain))
    return '\n'.join(ops).encode('latin-1')


def attached(spec):
    name, _, source = spec.partition('=')
    if source.startswith('bytes:'):
        return name, b'/Filter/FlateDecode', zlib.compress(bytes(int(source[6:])))
    with open(source, 'rb') as f:
        return name, b'', f.read()


def pdf(out, v, scan, related, specs):
    objects = [b'', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
               stream(b'', content_of(v, scan)),
               b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>']
    names, refs = [], []
    for spec in sorted(specs, key=lambda s: s.partition('=')[0]):
        name, how, data = attached(spec)
        objects.append(stream(b'/Type/EmbeddedFile/Subtype/text#2Fxml' + how, data))
        objects.append(b'<</Type/Filespec/F %s/UF %s/AFRelationship/Alternative/EF<</F %d 0 R>>>>'
                       % (text_string(name), text_string(name), len(objects)))
        names.append(b'%s %d 0 R' % (text_string(name), len(objects)))
        refs.append(b'%d 0 R' % len(objects))
    tree = b'' if related else b'/Names<</EmbeddedFiles<</Names[%s]>>>>' % b' '.join(names)
    objects[0] = b'<</Type/Catalog/Pages 2 0 R/AF[%s]%s>>' % (b' '.join(refs), tree)
    with open(out, 'wb') as f:
        f.write(pdf_of(objects))


def answer(v):
    money = {k: float(v[k]) for k in ('net', 'tax', 'total')}
    return json.dumps({
        'invoice_number': v['number'], 'date': v['date'], 'due_date': v['due'],
        'seller': {'name': v['seller'], 'address': 'Weg 1, 10115 Berlin', 'tax_id': v['vat']},
        'buyer': {'name': v['buyer'], 'address': None, 'tax_id': None},
        'items': [{'description': n, 'quantity': float(q), 'unit_price': float(p), 'amount': float(a)}
                  for n, q, p, a in LINES],
        'subtotal': money['net'], 'tax': money['tax'], 'total': money['total'], 'currency': v['currency'],
        'iban': v['iban']})


def main(what, *rest):
    scan, related = '--scan' in rest, '--related' in rest
    rest = [r for r in rest if r not in ('--scan', '--related')]
    if what == 'pdf':
        return pdf(rest[0], VALUES, scan, related, rest[1:])
    v = dict(VALUES, **dict(r.split('=', 1) for r in rest[what == 'xml':]))
    print(xml(rest[0], v) if what == 'xml' else answer(v), end='' if what == 'xml' else '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
