#!/usr/bin/env python3
"""einvoice_variants.py: from ubl.xml, credit.xml, en16931.xml and extended.xml here, invoices that say more: v-*.xml
are read, w-* are not."""
import base64
import re

TEXT = {name: open(name + '.xml', encoding='utf-8').read() for name in ('ubl', 'credit', 'en16931', 'extended')}
IBAN = 'DE02120300000000202051'


def write(name, text, encoding='utf-8'):
    with open(name, 'wb') as f:
        f.write(text if isinstance(text, bytes) else text.encode(encoding))


def one(text, old, new):
    assert old in text, old
    return text.replace(old, new, 1)


def is_ubl(syntax):
    return syntax in ('ubl', 'credit')


# --- amounts: the invoice with other sums, and where they come from


def ubl_part(charge, amount):
    return ('<cac:AllowanceCharge><cbc:ChargeIndicator>%s</cbc:ChargeIndicator><cbc:Amount currencyID="EUR">%s</cbc:Amount>'
            '</cac:AllowanceCharge>' % (str(charge).lower(), amount))


def cii_part(charge, amount):
    return ('<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>%s</udt:Indicator></ram:ChargeIndicator>'
            '<ram:ActualAmount>%s</ram:ActualAmount></ram:SpecifiedTradeAllowanceCharge>' % (str(charge).lower(), amount))


def with_sums(syntax, text, net, total, due, prepaid=None, rounding=None, charge=None, allowance=None, line=()):
    ubl = is_ubl(syntax)
    part = ubl_part if ubl else cii_part
    tag = (lambda cbc, ram: 'cbc:' + cbc) if ubl else (lambda cbc, ram: 'ram:' + ram)

    def set_to(text, name, value):
        return re.sub('(<%s[^>]*>)[^<]*<' % name, lambda m: m.group(1) + value + '<', text, count=1)

    text = set_to(text, tag('TaxExclusiveAmount', 'TaxBasisTotalAmount'), net)
    text = set_to(text, tag('TaxInclusiveAmount', 'GrandTotalAmount'), total)
    text = set_to(text, tag('PayableAmount', 'DuePayableAmount'), due)
    extra = ''
    for value, names in ((allowance, ('AllowanceTotalAmount', 'AllowanceTotalAmount')), (charge, ('ChargeTotalAmount', 'ChargeTotalAmount')),
                         (prepaid, ('PrepaidAmount', 'TotalPrepaidAmount')), (rounding, ('PayableRoundingAmount', 'RoundingAmount'))):
        if value:
            extra += '<%s>%s</%s>' % (tag(*names), value, tag(*names))
    payable = '<%s' % tag('PayableAmount', 'DuePayableAmount')
    text = one(text, payable, extra + payable)
    parts = ''.join(part(k, v) for k, v in ((False, allowance), (True, charge)) if v)
    if ubl:
        text = one(text, '<cac:TaxTotal>', parts + '<cac:TaxTotal>')
    else:
        text = one(text, '<ram:SpecifiedTradePaymentTerms>', parts + '<ram:SpecifiedTradePaymentTerms>')
    if line:
        name = 'cbc:LineExtensionAmount' if ubl else 'ram:LineTotalAmount'
        amount = '%.2f' % (120 + sum(v if k else -v for k, v in line))
        inner = ''.join(part(k, '%.2f' % v) for k, v in line)
        old = re.search('<%s[^>]*>120.00</%s>' % (name, name), text).group(0)
        if ubl:
            text = one(text, old, old.replace('120.00', amount) + inner)
        else:
            text = one(text, '<ram:SpecifiedTradeSettlementLineMonetarySummation>' + old,
                       inner + '<ram:SpecifiedTradeSettlementLineMonetarySummation>' + old.replace('120.00', amount))
    return text


def with_base(syntax, text, quantity, price):
    """The price of the first line, 80.0000 for 1.5 of them, is one for this quantity."""
    if is_ubl(syntax):
        text = text.replace('>80.0000</cbc:PriceAmount>', '>%s</cbc:PriceAmount><cbc:BaseQuantity>%s</cbc:BaseQuantity>' % (price, quantity))
    else:
        text = text.replace('>80.0000</ram:ChargeAmount>', '>%s</ram:ChargeAmount><ram:BasisQuantity>%s</ram:BasisQuantity>' % (price, quantity))
    return text


SUMS = {
    'prepaid': dict(net='150.50', total='179.10', due='79.10', prepaid='100.00'),
    'paid': dict(net='150.50', total='179.10', due='0', prepaid='179.10'),
    'rounding': dict(net='150.50', total='179.10', due='179.00', rounding='-0.10'),
    'prepaid-rounding': dict(net='150.50', total='179.10', due='100.00', prepaid='79.13', rounding='0.03'),
    'freight': dict(net='160.50', total='189.10', due='189.10', charge='10.00'),
    'discount': dict(net='140.50', total='169.10', due='169.10', allowance='10.00'),
    'both': dict(net='145.50', total='174.10', due='124.10', allowance='10.00', charge='5.00', prepaid='50.00'),
    'line-discount': dict(net='140.50', total='169.10', due='169.10', line=((False, 10),)),
    'line-charge': dict(net='155.50', total='184.10', due='184.10', line=((True, 5),)),
    'line-both': dict(net='145.50', total='174.10', due='174.10', line=((False, 10), (True, 5))),
}
for syntax in ('ubl', 'credit', 'en16931'):
    for name, sums in SUMS.items():
        write('v-%s-%s.xml' % (syntax, name), with_sums(syntax, TEXT[syntax], **sums))
    for name, quantity, price in (('dozen', '12', '960.00'), ('seven', '7.0', '560'), ('thousand', '1000', '80000.00')):
        write('v-%s-%s.xml' % (syntax, name), with_base(syntax, TEXT[syntax], quantity, price))
ubl = TEXT['ubl']
write('v-ubl-line-wrong.xml', with_sums('ubl', ubl, net='140.50', total='169.10', due='169.10', line=((False, 10),)).replace('>110.00<', '>111.00<'))
write('v-ubl-freight-wrong.xml', with_sums('ubl', ubl, net='165.50', total='194.10', due='194.10', charge='10.00'))

# --- several values
means = '<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>%s</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>'
tax = '<cac:TaxTotal>'
write('v-ubl-due.xml', one(ubl, '<cac:PaymentMeans>', '<cac:PaymentMeans><cbc:PaymentDueDate>2026-11-15</cbc:PaymentDueDate>'))
write('v-credit-due.xml', one(TEXT['credit'], tax, '<cac:PaymentMeans><cbc:PaymentDueDate>2026-11-15</cbc:PaymentDueDate></cac:PaymentMeans>' + tax))
write('v-ubl-accounts.xml', one(ubl, tax, means % 'DE02500105170137075030' + tax))
write('v-ubl-accounts-three.xml', one(ubl, tax, means % 'DE02500105170137075030' + means % 'DE02100500000054540402' + tax))
write('v-ubl-account-twice.xml', one(ubl, tax, means % IBAN + tax))
write('v-ubl-number.xml', one(ubl, '<cbc:IssueDate>', '<cbc:ID>RE-9</cbc:ID><cbc:IssueDate>'))
total = '<cbc:TaxInclusiveAmount currencyID="EUR">179.10</cbc:TaxInclusiveAmount>'
write('v-ubl-total.xml', one(ubl, total, total + total.replace('179.10', '180.00')))
write('v-ubl-total-same.xml', one(ubl, total, total + total.replace('179.10', '179.1')))
amount = '<cbc:LineExtensionAmount currencyID="EUR">120.00</cbc:LineExtensionAmount>'
write('v-ubl-line-amount.xml', one(ubl, amount, amount + amount.replace('120.00', '121.00')))
cii = TEXT['en16931']
term = re.search('<ram:SpecifiedTradePaymentTerms>.*</ram:SpecifiedTradePaymentTerms>', cii).group(0)
pay = re.search('<ram:SpecifiedTradeSettlementPaymentMeans>.*</ram:SpecifiedTradeSettlementPaymentMeans>', cii).group(0)
write('v-en16931-terms.xml', one(cii, term, term.replace('20261205', '20261115') + term))
write('v-en16931-accounts.xml', one(cii, pay, pay + pay.replace(IBAN, 'DE02500105170137075030')))
write('v-en16931-number.xml', one(cii, '<ram:TypeCode>', '<ram:ID>RE-9</ram:ID><ram:TypeCode>'))
name = '<ram:Name>Müller &amp; Söhne GmbH</ram:Name>'
write('v-en16931-name.xml', one(cii, name, name + '<ram:Name>Meier KG</ram:Name>'))

# --- lines
extended = TEXT['extended']
line = re.search('<ram:IncludedSupplyChainTradeLineItem>.*?</ram:IncludedSupplyChainTradeLineItem>', extended).group(0)


def special(code, amount):
    text = line.replace('</ram:LineID>', '</ram:LineID><ram:LineStatusReasonCode>%s</ram:LineStatusReasonCode>' % code)
    return text.replace('120.00', amount).replace('Beratung vor Ort', code.lower())


write('v-extended-groups.xml', one(extended, line, special('GROUP', '150.50') + line.replace('</ram:LineID>',
      '</ram:LineID><ram:ParentLineID>1</ram:ParentLineID><ram:LineStatusReasonCode>DETAIL</ram:LineStatusReasonCode>') + special('INFORMATION', '0.00')))
write('v-ubl-no-lines.xml', re.sub('<cac:InvoiceLine>.*</cac:InvoiceLine>', '', ubl))
write('v-en16931-no-lines.xml', re.sub('<ram:IncludedSupplyChainTradeLineItem>.*</ram:IncludedSupplyChainTradeLineItem>', '', cii))

# --- envelopes
SBDH = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader'


def bare(text):
    return text.split('?>', 1)[-1].strip()


for syntax in ('ubl', 'en16931'):
    inner = bare(TEXT[syntax])
    write('v-%s-sbdh.xml' % syntax, '<?xml version="1.0" encoding="UTF-8"?><s:StandardBusinessDocument xmlns:s="%s"><s:StandardBusinessDocumentHeader>'
          '<s:HeaderVersion>1.0</s:HeaderVersion><s:Sender><s:Identifier>0088:1</s:Identifier></s:Sender></s:StandardBusinessDocumentHeader>%s'
          '</s:StandardBusinessDocument>' % (SBDH, inner))
    write('v-%s-wrapped.xml' % syntax, '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>' % inner)
write('w-two-in-envelope.xml', '<StandardBusinessDocument xmlns="%s">%s%s</StandardBusinessDocument>' % (SBDH, bare(ubl), bare(cii)))

# --- other formats
for name, root in (('fatturapa', 'p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"'),
                   ('facturae', 'fe:Facturae xmlns:fe="http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml"'),
                   ('ksef', 'Faktura xmlns="http://crd.gov.pl/wzor/2023/06/29/12648/"'),
                   ('ebinterface', 'Invoice xmlns="http://www.ebinterface.at/schema/6p1/"'),
                   ('finvoice', 'Finvoice Version="3.0"'),
                   ('cfdi', 'cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4"')):
    write('w-%s.xml' % name, '<?xml version="1.0" encoding="UTF-8"?><%s><a>1</a></%s>' % (root, root.split()[0]))
inside = bytes.fromhex('06092a864886f70d010702a0820300308202fc') + open('w-fatturapa.xml', 'rb').read()
write('w-signed.p7m', b'\x30\x82' + len(inside).to_bytes(2, 'big') + inside)

# --- encodings
head = '<?xml version="1.0" encoding="%s"?>'
write('v-utf16-declared.xml', head % 'utf-16' + bare(ubl))
write('v-ucs2-declared.xml', head % 'ISO-10646-UCS-2' + bare(ubl))
write('v-bom-latin1-declared.xml', '\ufeff' + head % 'ISO-8859-1' + bare(ubl))
write('v-wide-utf8-declared.xml', head % 'UTF-8' + bare(ubl), 'utf-16')
write('w-latin1.xml', bare(ubl), 'latin-1')

# --- files inside
pdf = base64.b64encode(open('hours.pdf', 'rb').read()).decode()
zip_ = base64.b64encode(b'PK\3\4' + bytes(60)).decode()
ref = ('<cac:AdditionalDocumentReference><cbc:ID>%s</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" '
       'filename="%s">\n%s\n</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>')
write('v-ubl-files.xml', one(ubl, '<cac:AccountingSupplierParty>', ref % ('A1', 'hours.pdf', pdf) + ref % ('A2', 'table.xlsx', zip_) + '<cac:AccountingSupplierParty>'))
ref = ('<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>%s</ram:IssuerAssignedID><ram:TypeCode>916</ram:TypeCode>'
       '<ram:AttachmentBinaryObject mimeCode="application/pdf" filename="%s">%s</ram:AttachmentBinaryObject></ram:AdditionalReferencedDocument>')
write('v-en16931-files.xml', one(cii, '</ram:ApplicableHeaderTradeAgreement>', ref % ('A1', 'hours.pdf', pdf) + ref % ('A2', 'table.xlsx', zip_) +
      '</ram:ApplicableHeaderTradeAgreement>'))
