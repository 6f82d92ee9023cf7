#!/usr/bin/env python3
"""What does the words engine read of e-invoices, whose XML is the truth? Each PDF is read without its XML.

  einvoices.py --platen build/platen [--show N] [--keep DIR] PDF|DIR ...

Takes ZUGFeRD and Factur-X (the CII syntax of any version), such as those of https://github.com/ZUGFeRD/corpus. Only values that the pages print are counted
(pdftotext finds the number, the date or all words); lines are counted if the pages print the name and the amount of each. Needs poppler-utils.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import planted
import words

# Of each value of schemas/invoice.schema.json: its kind and where CII has it; names differ between the versions (| separates them).
HEAD, AGREE = 'HeaderExchangedDocument|ExchangedDocument', 'ApplicableSupplyChainTradeAgreement|ApplicableHeaderTradeAgreement'
SETTLE = 'ApplicableSupplyChainTradeSettlement|ApplicableHeaderTradeSettlement'
SUMS = SETTLE + '/SpecifiedTradeSettlementMonetarySummation|SpecifiedTradeSettlementHeaderMonetarySummation/'
WHERE = {
    '/invoice_number': ('id', HEAD + '/ID'), '/date': ('date', HEAD + '/IssueDateTime'), '/due_date': ('date', SETTLE + '/SpecifiedTradePaymentTerms/DueDateDateTime'),
    '/currency': ('currency', SETTLE + '/InvoiceCurrencyCode'), '/iban': ('id', SETTLE + '/SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/IBANID'),
    '/subtotal': ('amount', SUMS + 'TaxBasisTotalAmount'), '/tax': ('amount', SUMS + 'TaxTotalAmount'), '/total': ('amount', SUMS + 'GrandTotalAmount'),
    '/prepaid': ('amount', SUMS + 'TotalPrepaidAmount'), '/amount_due': ('amount', SUMS + 'DuePayableAmount'),
    **{'/%s/%s' % (ours, key): (kind, '%s/%s/%s' % (AGREE, theirs, path)) for ours, theirs in (('seller', 'SellerTradeParty'), ('buyer', 'BuyerTradeParty'))
       for key, kind, path in (('name', 'name', 'Name'), ('tax_id', 'id', 'SpecifiedTaxRegistration/ID'))},
}
LINE, TRADE = 'IncludedSupplyChainTradeLineItem', 'SpecifiedSupplyChainTradeAgreement|SpecifiedLineTradeAgreement'
LINE_SETTLE, LINE_SUMS = 'SpecifiedSupplyChainTradeSettlement|SpecifiedLineTradeSettlement', 'SpecifiedTradeSettlementMonetarySummation|SpecifiedTradeSettlementLineMonetarySummation'
OF_LINE = {'description': ('text', 'SpecifiedTradeProduct/Name'), 'quantity': ('number', 'SpecifiedSupplyChainTradeDelivery|SpecifiedLineTradeDelivery/BilledQuantity'),
           'unit_price': ('amount', TRADE + '/NetPriceProductTradePrice/ChargeAmount'), 'amount': ('amount', LINE_SETTLE + '/' + LINE_SUMS + '/LineTotalAmount')}


def plain(node):
    return node.tag.rsplit('}', 1)[-1]


def found(nodes, path):
    for names in path.split('/'):
        nodes = [child for node in nodes for child in node if plain(child) in names.split('|')]
    return nodes


def value_of(nodes, path, kind):
    nodes = found(nodes, path)
    if path.endswith('SpecifiedTaxRegistration/ID') and len(nodes) > 1:
        return [''.join(n.itertext()).strip() for n in nodes]
    text = ''.join(nodes[0].itertext()).strip() if nodes else ''
    if not text:
        return None
    if kind == 'date':
        text = re.sub(r'\D', '', text)
        return '%s-%s-%s' % (text[:4], text[4:6], text[6:8]) if len(text) == 8 else None
    return float(text) if kind in ('amount', 'number') else re.sub(r'\s+', ' ', text)


def truth_of(xml):
    root = ET.fromstring(xml)
    trade = found([root], 'SpecifiedSupplyChainTradeTransaction|SupplyChainTradeTransaction')
    of = lambda path: [root] if path.startswith(HEAD) else trade
    lines = found(trade, LINE)
    return {at: value_of(of(path), path, kind) for at, (kind, path) in WHERE.items()}, [{key: value_of([line], path, kind) for key, (kind, path) in OF_LINE.items()} for line in lines]


def print_of(v, kind, text):
    """The text that says a value, "" where there is none."""
    if isinstance(v, list):
        return next(filter(None, (print_of(one, kind, text) for one in v)), '')
    if kind == 'date':
        y, m, d = v.split('-')
        match = re.search(r'\b0?%d\s*[./-]\s*0?%d\s*[./-]\s*(%s|%s)\b|\b0?%d\.?\s+[^\W\d]+\.?\s+%s' % (int(d), int(m), y, y[2:], int(d), y), text)
        return match[0] if match else v if v in text else ''
    if kind == 'currency':
        return next((sign for sign in (v, {'EUR': '€', 'USD': '$', 'GBP': '£'}.get(v, v)) if sign in text), '')
    if kind in ('amount', 'number'):
        for m in re.findall(r'\d[\d.,\' ]*', text):
            m = m.strip(" .,'")
            for dot in '.,':
                t = re.sub("[' %s]" % (',' if dot == '.' else '.'), '', m).replace(dot, '.')
                if t.count('.') <= 1 and (kind == 'number' or '.' in t) and abs(float(t) - abs(v)) < 1e-6:
                    return m
        return ''
    match = re.search(r'\s*'.join(re.escape(c) for c in re.sub(r'\s', '', v)), text, re.I)
    return match[0] if match else ''


def is_right(v, ours, kind):
    """Whether `ours` says `v`, one of several ids, a name with another form of address or law, or an amount whose sign the syntax leaves to the type."""
    if isinstance(v, list):
        return any(is_right(one, ours, kind) for one in v)
    if ours is not None and kind == 'name':
        a, b = v.lower().split(), ours.lower().split()
        return ' '.join(min(a, b, key=len)) in ' '.join(max(a, b, key=len)) and abs(len(a) - len(b)) <= 2 and min(len(a), len(b)) > 1 or a == b
    return words.same(v, ours, kind) or kind in ('amount', 'number') and ours is not None and abs(abs(ours) - abs(v)) < 1e-9


def opened(path, folder):
    """The PDF without its XML, and the truth of that: values by pointer and lines. A ValueError says why there is none."""
    detached = tempfile.mkdtemp(dir=folder)
    subprocess.run(['pdfdetach', '-saveall', '-o', detached, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    xml = sorted(f for f in os.listdir(detached) if re.match(r'(?i)(zugferd|factur-x|xrechnung).*\.xml$', f))
    if not xml:
        raise ValueError('has no XML')
    try:
        with open(os.path.join(detached, xml[0]), 'rb') as f:
            truth = truth_of(f.read())
    except ET.ParseError as e:
        raise ValueError(str(e))
    with open(path, 'rb') as f:
        return (f.read().replace(b'/EmbeddedFiles', b'/EmbeddedNoner').replace(b'/EmbeddedFile', b'/EmbeddedNone').replace(b'/AF ', b'/ZZ ').replace(b'/AF[', b'/ZZ['),) + truth


def read(path, args, folder):
    name = re.sub(r'[^\w.-]', '_', os.path.relpath(path, args.root))[:-4]
    try:
        pdf, scalars, lines = opened(path, folder)
    except ValueError as e:
        return name, None, str(e)
    bare = os.path.join(folder, name + '.pdf')
    with open(bare, 'wb') as to:
        to.write(pdf)
    text = subprocess.run(['pdftotext', '-layout', bare, '-'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode('utf-8', 'replace')
    done = subprocess.run([args.platen, 'extract', bare, '--schema', args.schema, '--engine', 'words'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return name, (json.loads(done.stdout) if done.stdout else None, scalars, lines, text), done.stderr.strip()[-200:]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--schema', default=os.path.join(os.path.dirname(__file__), '..', '..', 'schemas', 'invoice.schema.json'))
    ap.add_argument('--show', type=int, default=0)
    ap.add_argument('--keep')
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('files', nargs='+')
    args = ap.parse_args()
    args.root = os.path.commonpath([os.path.abspath(f) for f in args.files])
    files = sorted(os.path.join(d, f) for top in args.files for d, _, names in os.walk(top) for f in names if f.lower().endswith('.pdf')) + [f for f in args.files if os.path.isfile(f)]
    fields, rows, shown, skipped = collections.defaultdict(collections.Counter), collections.Counter(), 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix='platen-einvoices-') as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, got, why in pool.map(lambda p: read(os.path.abspath(p), args, args.keep or folder), files):
            said = []
            if not got:
                skipped[why] += 1
                continue
            record, scalars, lines, text = got
            data = record['data'] if record else {}
            for at, v in scalars.items():
                kind, ours = WHERE[at][0], data
                for key in at.strip('/').split('/'):
                    ours = (ours or {}).get(key)
                c = fields[at]
                if v is None or at == '/amount_due' and v == scalars['/total'] and ours is None or at == '/prepaid' and not v and not ours:
                    continue        # the syntax asks for these, the page need not print them again
                c['n'] += 1
                if not print_of(v, kind, text):
                    c['not printed'] += 1
                    continue
                c['printed'] += 1
                right = is_right(v, ours, kind)
                flagged = record and planted.told(record, at)
                c.update({'right': right, 'null': ours is None, 'wrong': ours is not None and not right, 'wrong unflagged': ours is not None and not right and not flagged, 'right flagged': right and flagged})
                if not right:
                    said.append('%s %s %r said %r' % (name, 'null:' if ours is None else 'WRONG:' if flagged else 'WRONG unflagged:', (at, v), ours))
            if lines and all(line[k] is not None and print_of(line[k], OF_LINE[k][0], text) for line in lines for k in ('description', 'amount')):
                ours, pairs = data.get('items') or [], {}
                plainly = [{k: v for k, v in line.items() if k != 'description'} for line in lines]
                pairs = words.matched(ours, plainly)
                right = sum(i in pairs and all(v is None or not print_of(v, 'amount', text) or planted.same(v, ours[pairs[i]].get(k)) for k, v in line.items()) for i, line in enumerate(plainly))
                rows.update({'tables': 1, 'rows': len(lines), 'right': right, 'complete': right == len(lines) == len(ours)})
                if right != len(lines):
                    said.append('%s TABLE %d rows of %d, %d right' % (name, len(ours), len(lines), right))
            for line in said[:max(0, args.show - shown)] + ([] if record else ['%s NO RECORD %s' % (name, why)]):
                print('   ', line)
            shown += len(said)
    columns = 'right', 'null', 'wrong', 'wrong unflagged', 'right flagged'
    print('%-18s %6s %8s %s' % ('value', 'in XML', 'printed', ' '.join('%15s' % c for c in columns)))
    for at, c in [*fields.items(), ('all', planted.added(fields.values()))]:
        print('%-18s %6d %8d %s' % (at, c['n'], c['printed'], ' '.join('%15s' % words.percent(c[k], c['printed']) for k in columns)))
    print('tables complete and right %s of %d; rows right %s of %d' % (words.percent(rows['complete'], rows['tables']), rows['tables'], words.percent(rows['right'], rows['rows']), rows['rows']))
    for why, n in skipped.items():
        print('%d left out: %s' % (n, why))


if __name__ == '__main__':
    main()
