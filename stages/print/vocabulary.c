/* vocabulary.c - see vocabulary.h. */
#include "stages/print/vocabulary.h"

#include <string.h>

enum { NEAR_LETTERS = 5, WORD_MAX = 62 };

/* For a word in several rows the first counts. German and Dutch compounds are
 * several words. */
static const struct {
    const char *means; /* NULL: the word itself */
    enum vocabulary_line line;
    const char *words; /* folded, each between two bars */
} table[] = {
    {"", VOCABULARY_NO_LINE,
     "|the|of|a|an|and|to|for|in|der|die|das|des|dem|den|und|"
     "zum|zur|fur|von|le|la|les|du|de|et|en|d|l|el|los|il|lo|"
     "della|di|con|is|as|am|on|at|by|vom|bis|per|pro|au|aux|"
     "herr|herrn|frau|mr|mrs|ms|dr|mme|mlle|sr|sra|sig|dhr|mevr|dear|"
     "this|these|dieser|diese|dieses|cette|ce|questa|questo|este|esta|deze|"
     "geehrter|geehrte|lieber|liebe|cher|chere|estimado|estimada|gentile|"
     "attn|attention|je|par|del|dei|delle|do|da|datos|dati|dados|srs|"
     "og|och|ja|till|til|fra|fran|med|av|dnia|dne|"},
    {"your", VOCABULARY_NO_LINE,
     "|your|yours|ihr|ihre|ihrer|votre|vos|vuestra|vostro|vostra|uw|su|"
     "sus|seu|sua|suo|din|ditt|deres|"},
    {"our", VOCABULARY_NO_LINE,
     "|our|ours|unser|unsere|unserer|notre|nos|nuestra|nuestro|nostro|"
     "nostra|ons|onze|nosso|nossa|vores|nasz|bizim|"},
    {"number", VOCABULARY_NO_LINE,
     "|number|no|nr|num|numero|nummer|numer|id|ref|reference|n|referenz|"
     "referencia|riferimento|code|kennung|zeichen|codice|codigo|kod|"
     "kode|cislo|numara|numarası|referentie|referens|referanse|"
     "referencja|kennz|"
     "nro|viite|viitenumero|tunnus|szam|szama|"},
    {"date", VOCABULARY_NO_LINE,
     "|date|day|datum|tag|fecha|data|jour|giorno|dia|dated|dato|dag|"
     "dzien|tarih|tarihi|"
     "paiva|paivays|pvm|paivamaara|"},
    {"invoice", VOCABULARY_NO_LINE,
     "|invoice|bill|billing|rechnung|facture|factura|fattura|factuur|faktura|"
     "faktury|fatura|faktuur|regning|"
     "lasku|laskun|szamla|rechnungskorrektur|korrekturrechnung|avoir|"
     "creditnota|"
     "kreditnota|"},
    {"receipt", VOCABULARY_NO_LINE,
     "|receipt|quittung|kassenbon|recu|recibo|ricevuta|bon|kwitantie|"
     "kvitto|kvittering|paragon|uctenka|scontrino|ticket|kassabon|"},
    {"invoice number", VOCABULARY_NO_LINE,
     "|rechnungsnummer|rechnungsnr|rechnungs|factuurnummer|"
     "invoiceno|belegnummer|belegnr|"},
    {"invoice date", VOCABULARY_NO_LINE,
     "|rechnungsdatum|factuurdatum|invoicedate|belegdatum|"
     "ausstellungsdatum|"},
    {"due", VOCABULARY_NO_LINE,
     "|due|owed|owing|fallig|falligkeit|echeance|vencimiento|scadenza|"
     "zahlbar|"
     "payable|vervaldatum|forfallo|forfall|forfald|płatnosci|"
     "splatnosti|splatnost|vade|vadesi|vencimento|vence|payer|pagar|"
     "pagare|betala|betalen|zahlen|zahlender|zapłaty|uhrade|odenecek|versare|"
     "verser|"
     "forfalls|forfallo|forfalds|forfallodag|betalingsfrist|erapaiva|"
     "maksettava|betale|hatarido|uberweisen|begleichen|remit|"},
    {"prepaid", VOCABULARY_NO_LINE,
     "|prepaid|prepayment|advance|anzahlung|anzahlungen|vorauszahlung|"
     "vorauszahlungen|abschlagszahlungen|acompte|acomptes|anticipo|anticipos|"
     "acconto|acconti|aanbetaling|voorschot|adiantamento|zaliczka|zaloha|"},
    {"due total", VOCABULARY_NO_LINE, "|zahlbetrag|"},

    {"due date", VOCABULARY_NO_LINE,
     "|falligkeitsdatum|zahlungsziel|fallig_am|duedate|"},
    {"total", VOCABULARY_SUM,
     "|total|totals|gesamt|summe|gesamtsumme|endbetrag|gesamtbetrag|"
     "totale|totaal|totalt|summa|razem|celkem|toplam|ogołem|"
     "yhteensa|loppusumma|osszesen|"},
    {"total", VOCABULARY_PAYMENT, "|brutto|bruto|brut|"},
    {"total", VOCABULARY_NO_LINE,
     "|endsumme|rechnungsbetrag|ttc|tvac|rechnungssumme|gross|"
     "bruttobetrag|grand|gesamtforderung|totalbelopp|totalsumma|"
     "verollinen|"},
    {"subtotal", VOCABULARY_SUM,
     "|subtotal|zwischensumme|sous-total|subtotale|subtotaal|delsumma|"
     "delsum|mezisoucet|"},
    {"subtotal", VOCABULARY_PAYMENT, "|netto|net|neto|"},
    {"subtotal", VOCABULARY_NO_LINE,
     "|base|htva|taxable|untaxed|bemessungsgrundlage|nettobetrag|soustotal|"
     "nettosumme|"
     "imponibile|ht|imponible|"
     "tributavel|incidencia|matrah|zakład|"
     "veroton|momsgrundlag|"},
    {"percent", VOCABULARY_NO_LINE,
     "|percent|percentage|pct|prozent|prozentsatz|pourcentage|"
     "porcentaje|percentuale|percentagem|procent|taux|tipo|aliquota|"
     "taxa|steuersatz|satz|sats|stawka|sazba|oran|oranı|alicuota|"
     "tarief|tasso|"
     "prosentti|"},
    {"before", VOCABULARY_NO_LINE,
     "|excl|excluding|exclusive|exkl|exklusive|hors|senza|ohne|zonder|"
     "before|without|sans|avant|antes|uden|utan|bez|sem|sin|haric|"
     "exclusief|zwischen|sous|sub|tussen|"},
    {"contained", VOCABULARY_NO_LINE, /* of a tax: in a sum, not added to it */
     "|enthalten|enthaltene|enthaltener|enthaltenen|darin|davon|hierin|hiervon|"
     "thereof|which|dont|cui|cuales|quais|waarvan|varav|herav|heraf|"},
    {"with", VOCABULARY_NO_LINE,
     "|incl|including|inclusive|inkl|inklusive|incluido|incluso|compris|"
     "vcetne|dahil|incluindo|inclusief|incluidos|incluida|included|after|"
     "comprise|"},
    {"tax", VOCABULARY_TAX,
     "|vat|mwst|ust|tva|iva|btw|gst|moms|mva|kdv|dph|alv|"
     "afa|"},
    {"tax", VOCABULARY_PAYMENT, "|tax|"},
    {"tax", VOCABULARY_NO_LINE,
     "|mehrwertsteuer|umsatzsteuer|steuer|taxe|impuesto|imposta|imposto|"
     "impuestos|impostos|taxes|steuern|skatt|podatek|vergi|belasting|"
     "tassa|imposte|"
     "arvonlisavero|vero|merverdiavgift|"},
    {"tax number", VOCABULARY_NO_LINE,
     "|ustid|ustidnr|steuernummer|vatid|taxid|"
     "umsatzsteueridentifikationsnummer|nip|nif|cif|dic|cnpj|cpf|nipc|"
     "contribuinte|vkn|abn|gstin|partita|steueridentifikationsnummer|"
     "ytunnus|adoszam|organisasjonsnummer|organisationsnummer|orgnummer|"},
    {"amount", VOCABULARY_SUM, "|sum|"},
    {"amount", VOCABULARY_NO_LINE,
     "|amount|value|wert|betrag|betrage|montant|importe|importo|bedrag|valor|"
     "belopp|beløb|"
     "beløp|kwota|castka|tutar|tutarı|monto|somme|wartosc|"
     "osszeg|"},
    {"balance", VOCABULARY_SUM,
     "|balance|saldo|solde|kontostand|zustatek|bakiye|"},
    {"opening", VOCABULARY_SUM, "|vortrag|"},
    {"opening", VOCABULARY_NO_LINE,
     "|opening|old|previous|former|formerly|alter|alte|altes|anfangs|"
     "bisher|bisherige|bisheriger|bisheriges|fruhere|fruherer|ehemalige|"
     "vorig|ancien|ancienne|anterior|antiguo|precedente|vecchio|oud|oude|"
     "vorige|"
     "brought|initial|iniziale|inicial|ursprungs|ursprungliche|"},
    {"closing", VOCABULARY_NO_LINE,
     "|closing|new|neuer|nieuw|nieuwe|end|nouveau|nuevo|final|"
     "finale|carried|"},
    {"opening balance", VOCABULARY_CARRIED, "|anfangssaldo|"},
    {"opening balance", VOCABULARY_NO_LINE, "|anfangsbestand|"},
    {"closing balance", VOCABULARY_CARRIED, "|endsaldo|"},
    {"closing balance", VOCABULARY_NO_LINE, "|schlusssaldo|endbestand|"},
    {"price", VOCABULARY_NO_LINE,
     "|price|preis|prix|precio|prezzo|prijs|cost|rate|pris|cena|fiyat|"
     "fiyatı|preco|"
     "hinta|"},
    {"unit price", VOCABULARY_NO_LINE, "|einzelpreis|stuckpreis|ep|pu|"},
    {"unit", VOCABULARY_NO_LINE,
     "|unit|each|uom|me|mj|unitaire|unitario|einheit|stuck|unite|unidad|"
     "unidade|"
     "eenheid|unita|enhet|enhed|jednotka|jednostka|jm|um|miara|birim|birimi|"
     "yks|yksikko|enhets|styck|"},
    {"quantity", VOCABULARY_NO_LINE,
     "|quantity|qty|menge|anzahl|quantite|qte|cantidad|quantita|aantal|"
     "count|pcs|quantidade|qtd|qtde|qta|cant|antal|ilosc|mnozstvi|"
     "miktar|hoeveelheid|"
     "maara|kpl|antall|pocet|mennyiseg|"},
    {"description", VOCABULARY_NO_LINE,
     "|description|item|art|bezeichnung|beschreibung|artikel|designation|"
     "descripcion|descrizione|omschrijving|article|product|leistung|"
     "text|libelle|buchungstext|verwendungszweck|details|name|"
     "descricao|designacao|concepto|concept|prestation|beskrivning|"
     "beskrivelse|benamning|nazwa|opis|popis|acıklama|produkt|produit|"
     "producto|prodotto|"
     "kuvaus|tuote|nimike|selite|vare|tekst|nazev|zbozi|towar|towaru|"
     "megnevezes|articulo|articolo|"},
    {"description number", VOCABULARY_NO_LINE, "|sku|asin|mpn|"},
    {"position", VOCABULARY_NO_LINE, "|position|pos|lp|poz|"},
    {"issue", VOCABULARY_NO_LINE,
     "|issue|issued|emission|emissione|emissao|ausstellung|ausgestellt|"
     "emitido|emision|wystawienia|vystaveni|duzenleme|utfardad|utstedt|"},
    {"birth", VOCABULARY_NO_LINE,
     "|birth|born|geburtsdatum|geboren|naissance|nacimiento|nascita|"},
    {"customer", VOCABULARY_NO_LINE,
     "|sold|verkauft|vendu|venduto|vendido|verkocht|billed|invoiced|customer|"
     "client|"
     "kunde|kunden|buyer|cliente|klant|"
     "kaufer|acheteur|bill_to|recipient|empfanger|destinataire|spettle|"
     "spett|sayın|exmo|exmos|comprador|adquirente|destinatario|kund|"
     "mottagare|modtager|nabywca|odbiorca|odberatel|zakaznik|alıcı|"
     "musteri|koper|afnemer|debitor|debiteur|"
     "leistungsempfanger|asiakas|maksaja|ostaja|tilaaja|kjøper|køber|vevo|"},
    {"customer number", VOCABULARY_NO_LINE,
     "|kundennummer|kundennr|klantnummer|"},
    {"order", VOCABULARY_NO_LINE,
     "|order|po|bestellung|auftrag|commande|pedido|ordine|purchase|orden|"
     "encomenda|bestelling|bestilling|ordre|zamowienie|zamowienia|"
     "objednavka|objednavky|siparis|"
     "bestel|tilaus|"},
    {"order number", VOCABULARY_NO_LINE,
     "|bestellnummer|auftragsnummer|bestellnr|auftragsnr|"},
    {"order date", VOCABULARY_NO_LINE,
     "|bestelldatum|auftragsdatum|orderdate|orderdatum|"},
    {"delivery", VOCABULARY_NO_LINE,
     "|delivery|lieferung|livraison|entrega|consegna|shipping|versand|"
     "leverans|levering|dostawa|dostawy|dodani|teslim|teslimat|"
     "spedizione|envio|"
     "toimitus|dodaci|expedice|verzend|bezorg|szallitas|"},
    {"delivery note", VOCABULARY_NO_LINE,
     "|lieferschein|albaran|pakbon|ddt|foljesedel|irsaliye|"},
    {"delivery date", VOCABULARY_NO_LINE,
     "|lieferdatum|leistungsdatum|liefertermin|leverdatum|"},
    {"account", VOCABULARY_NO_LINE,
     "|account|ac|konto|compte|cuenta|conto|rekening|conta|ucet|uctu|hesap|"
     "rachunek|rachunku|"
     "tili|tilinumero|bankgiro|plusgiro|"},
    {"account number", VOCABULARY_NO_LINE,
     "|kontonummer|kontonr|rekeningnummer|"},
    {"account holder", VOCABULARY_NO_LINE,
     "|kontoinhaber|titulaire|titular|intestatario|rekeninghouder|"},
    {"seller", VOCABULARY_NO_LINE,
     "|seller|payee|beneficiary|zahlungsempfanger|betalningsmottagare|vendor|"
     "supplier|merchant|lieferant|verkaufer|fournisseur|"
     "vendeur|proveedor|vendedor|fornitore|shop|issuer|emisor|emitente|"
     "emittente|prestador|aussteller|glaubiger|verkoper|leverancier|"
     "saljare|leverantor|leverandør|sprzedawca|dodavatel|satıcı|"
     "saaja|myyja|toimittaja|selger|sælger|elado|"},
    {"address", VOCABULARY_NO_LINE,
     "|address|anschrift|adresse|direccion|indirizzo|adres|morada|"
     "endereco|adresa|adresi|domicilio|"
     "osoite|"},
    {"statement", VOCABULARY_NO_LINE,
     "|statement|kontoauszug|auszug|releve|extracto|estratto|extrato|afschrift|"
     "rekeningafschrift|kontoutdrag|kontoudtog|kontoutskrift|"},
    {"customer address", VOCABULARY_NO_LINE,
     "|rechnungsadresse|rechnungsanschrift|factuuradres|"},
    {"delivery address", VOCABULARY_NO_LINE,
     "|lieferadresse|lieferanschrift|afleveradres|leveradres|"},
    {"phone", VOCABULARY_NO_LINE,
     "|phone|tel|telephone|telefon|telefono|telefone|telefoon|tlf|"
     "telefonnummer|mobil|mobile|"
     "puh|puhelin|"},
    {"email", VOCABULARY_NO_LINE,
     "|email|mail|e-mail|courriel|correo|eposta|epost|"
     "sahkoposti|"},
    {"bic", VOCABULARY_NO_LINE, "|bic|swift|"},
    {"street", VOCABULARY_NO_LINE,
     "|street|strasse|straße|rue|calle|via|rua|straat|gata|ulica|ulice|"
     "sokak|"
     "gateadresse|gatuadress|katuosoite|lahiosoite|"},
    {"postal", VOCABULARY_NO_LINE,
     "|postal|postcode|postalcode|zip|zipcode|plz|postleitzahl|cap|pocztowy|"
     "psc|postnummer|postnr|codepostal|"
     "postinumero|"},
    {"state", VOCABULARY_NO_LINE, "|state|province|provincia|bundesland|"},
    {"country", VOCABULARY_NO_LINE,
     "|country|land|pays|pais|paese|kraj|zeme|ulke|"
     "maa|"},
    {"company number", VOCABULARY_NO_LINE,
     "|ico|ic|siret|siren|krs|regon|cvr|kvk|handelsregister|"},
    {"company", VOCABULARY_NO_LINE,
     "|company|firma|empresa|azienda|societe|bedrijf|org|organisation|"
     "organisations|organization|"},
    {"rounding", VOCABULARY_PAYMENT,
     "|rounding|rundung|arrondi|redondeo|arrotondamento|afronding|"
     "avrundning|oresutjamning|zaokrouhleni|zaokraglenie|"},
    {"city", VOCABULARY_NO_LINE,
     "|city|ort|stadt|ville|ciudad|citta|cidade|localidad|localidade|"
     "localita|plaats|miasto|mesto|sehir|locality|town|"
     "poststed|postort|postitoimipaikka|kaupunki|"},
    {"meter", VOCABULARY_NO_LINE, "|zahler|compteur|contatore|contador|"},
    {"period", VOCABULARY_NO_LINE,
     "|period|zeitraum|periode|periodo|abrechnungszeitraum|"
     "leistungszeitraum|lieferzeitraum|okres|obdobi|donem|donemi|"
     "tijdvak|"},
    {"discount", VOCABULARY_NO_LINE,
     "|discount|rabatt|skonto|remise|descuento|sconto|desconto|korting|"
     "rabat|sleva|indirim|iskonto|"
     "alennus|upust|"},
    {"currency", VOCABULARY_NO_LINE,
     "|currency|wahrung|devise|moneda|valuta|moeda|divisa|monnaie|"
     "waluta|mena|"},
    {"page", VOCABULARY_NO_LINE,
     "|page|sheet|seite|pagina|blatt|blad|sida|side|strona|strana|sayfa|hoja|"
     "sivu|"},
    {"sender", VOCABULARY_NO_LINE,
     "|sender|from|absender|expediteur|remitente|mittente|afzender|"
     "remetente|avsandare|afsender|nadawca|odesilatel|gonderen|"},
    {"subject", VOCABULARY_NO_LINE,
     "|subject|betreff|objet|asunto|oggetto|re|assunto|betreft|emne|"
     "arende|temat|konu|"},
    {"payment", VOCABULARY_NO_LINE,
     "|payment|payments|zahlung|zahlungs|paiement|reglement|pago|pagamento|"
     "betaling|betalning|płatnosc|platba|platby|odeme|"
     "maksu|"},
    {"payment method", VOCABULARY_NO_LINE,
     "|zahlungsart|zahlungsweise|betaalwijze|"},
    {"contact", VOCABULARY_NO_LINE,
     "|contact|ansprechpartner|ansprechpartnerin|sachbearbeiter|"
     "sachbearbeitung|bearbeiter|"
     "contacto|contatto|contato|contactpersoon|kontakt|interlocuteur|"},
    {"contract", VOCABULARY_NO_LINE,
     "|contract|vertrag|vertrags|contrat|contrato|contratto|umowa|umowy|"
     "smlouva|smlouvy|avtal|kontrakt|"},
    {"fee", VOCABULARY_NO_LINE,
     "|fee|fees|gebuhr|gebuhren|frais|spese|avgift|gebyr|opłata|poplatek|"},
    {"interest", VOCABULARY_NO_LINE,
     "|interest|zinsen|interets|intereses|interessi|juros|odsetki|"
     "korko|viivastyskorko|rente|ranta|drojsmalsranta|"},
    {"weight", VOCABULARY_NO_LINE,
     "|weight|gewicht|poids|peso|waga|hmotnost|vikt|vekt|vægt|"
     "paino|"},
    {"cash", VOCABULARY_PAYMENT,
     "|cash|bar|especes|efectivo|contanti|dinheiro|kontant|gotowka|"
     "nakit|"},
    {"change", VOCABULARY_PAYMENT, "|change|ruckgeld|rendu|cambio|resto|"},
    {NULL, VOCABULARY_CARRIED,
     "|brought forward|carried forward|balance forward|"
     "opening balance|closing balance|previous balance|"
     "beginning balance|ending balance|new balance|b/f|c/f|"
     "ubertrag|saldovortrag|alter saldo|neuer saldo|a reporter|"
     "ancien solde|nouveau solde|solde initial|solde final|saldo "
     "anterior|saldo inicial|"
     "saldo final|saldo iniziale|saldo finale|suma y sigue|"
     "a riportare|riporto|a transportar|vorig saldo|nieuw saldo|"},
    {NULL, VOCABULARY_SUM,
     "|sub-total|sub total|grand total|sous total|suma|"
     "amount due|balance due|report|page total|"},
    {NULL, VOCABULARY_TAX, "|hst|sales tax|"},
    {NULL, VOCABULARY_PAYMENT,
     "|card|visa|mastercard|amex|paid|payment|tendered|tip|"
     "deposit|gegeben|zuruck|karte|ec-karte|girocard|"
     "trinkgeld|carte|pourboire|tarjeta|contant|"
     "wisselgeld|"},
    {NULL, VOCABULARY_UNPRICED,
     "|-|on request|on application|by arrangement|by others|"
     "free|free of charge|no charge|incl.|included|n/a|n.a.|tba|"
     "tbd|nil|none|auf anfrage|nach aufwand|bauseits|kostenlos|"
     "kostenfrei|gratis|inkl.|inklusive|enthalten|entfallt|"
     "sur demande|sur devis|compris|inclus|gratuit|offert|"
     "consultar|bajo peticion|incluido|su richiesta|incluso|"
     "compreso|gratuito|sob consulta|op aanvraag|inbegrepen|"},
    {NULL, VOCABULARY_COMPANY,
     "|gmbh|ag|kg|kgaa|ohg|ug|mbh|ltd|limited|plc|llp|llc|inc|"
     "corp|corporation|co|company|sarl|sas|sasu|sa|srl|spa|snc|"
     "sapa|sl|slu|bv|nv|vof|bvba|aps|oy|oyj|ab|asa|sdn|bhd|"
     "berhad|pte|pty|pvt|ltda|lda|kft|zrt|sro|doo|enterprise|"
     "sau|eurl|ek|eg|gbr|oo|sc|sti|srls|enterprises|holding|holdings|group|"
     "trading|"},
    {"", VOCABULARY_CURRENCY,
     "|eur|euro|euros|usd|gbp|chf|jpy|cny|inr|krw|pln|czk|sek|nok|dkk|cad|"
     "aud|nzd|brl|try|uah|rub|ils|vnd|ngn|mxn|zar|sgd|hkd|myr|thb|huf|ron|"
     "fr|sfr|rs|us|rm|kr|"},
    {"debit", VOCABULARY_DEBIT,
     "|debit|debits|debet|soll|belastung|belastungen|ausgange|ausgaben|"
     "auszahlung|auszahlungen|withdrawn|withdrawal|withdrawals|outgoing|"
     "outgoings|retrait|retraits|cargo|cargos|debe|addebito|addebiti|dare|"
     "uscite|debito|debitos|saidas|afschrijving|afschrijvingen|uitgaven|"},
    {NULL, VOCABULARY_DEBIT,
     "|dr|lastschrift|lastschriften|ausgang|out|uscita|saida|af|"},
    {"credit", VOCABULARY_CREDIT,
     "|credit|credits|haben|gutschriften|eingange|einnahmen|einzahlung|"
     "einzahlungen|deposits|receipts|incoming|versement|versements|abono|"
     "abonos|haber|accredito|accrediti|avere|entrate|entradas|credito|"
     "creditos|bijschrijving|bijschrijvingen|ontvangsten|"},
    {"credit note", VOCABULARY_CREDIT, "|gutschrift|"},
    {NULL, VOCABULARY_CREDIT,
     "|cr|eingang|in|deposit|depot|depots|entrata|bij|"},
};

enum { N_ROW = (int)(sizeof table / sizeof *table) };

/* The word as it is in a list; false: in none. */
static bool put_bars(const char *word, size_t size, char part[WORD_MAX + 3])
{
    if (size < 1 || size > WORD_MAX) return false;
    part[0] = '|';
    memcpy(part + 1, word, size);
    part[size + 1] = '|';
    part[size + 2] = '\0';
    return true;
}

/* Whether the two differ in one letter: replaced, added or removed. */
static bool is_near(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t i = 0;
    if (n_a > n_b + 1 || n_b > n_a + 1) return false;
    while (i < n_a && i < n_b && a[i] == b[i])
        i++;
    size_t from_a = i + (n_a >= n_b), from_b = i + (n_b >= n_a);
    return from_a <= n_a && from_b <= n_b && n_a - from_a == n_b - from_b &&
           !memcmp(a + from_a, b + from_b, n_a - from_a);
}

/* Whether the list has a word of five or more letters that differs in one. */
static bool list_has_near(const char *list, const char *word, size_t size)
{
    for (const char *at = list + 1; *at;) {
        size_t n = strcspn(at, "|");
        if (n >= NEAR_LETTERS && is_near(at, n, word, size)) return true;
        at += n + 1;
    }
    return false;
}

const char *vocabulary_meaning(const char *word, size_t size)
{
    char part[WORD_MAX + 3];
    bool any = put_bars(word, size, part);
    for (int i = 0; any && i < N_ROW; i++)
        if (table[i].means && strstr(table[i].words, part))
            return table[i].means;
    return NULL;
}

/* Whether the word has a meaning; one of five or more letters also if it differs in
 * one from a word that has: "tota1", "betrog". */
static bool has_near_meaning(const char *word, size_t size)
{
    if (vocabulary_meaning(word, size)) return true;
    for (int i = 0; size >= NEAR_LETTERS && i < N_ROW; i++)
        if (table[i].means && list_has_near(table[i].words, word, size))
            return true;
    return false;
}

bool vocabulary_is(const char *word, size_t size, enum vocabulary_line kind)
{
    char part[WORD_MAX + 3];
    bool any = put_bars(word, size, part);
    for (int i = 0; any && i < N_ROW; i++)
        if (table[i].line == kind && strstr(table[i].words, part)) return true;
    return false;
}

static bool is_inside_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c & 0x80);
}

/* Whether the text has the whole word at this place. */
static bool is_whole(const char *text, const char *at, size_t size)
{
    return (at == text || !is_inside_word(at[-1])) && !is_inside_word(at[size]);
}

static bool says_anywhere(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if (is_whole(text, at, strlen(word))) return true;
    return false;
}

static bool begins_so(const char *text, const char *word)
{
    size_t size = strlen(word);
    return !strncmp(text, word, size) && is_whole(text, text, size);
}

static bool ends_so(const char *text, const char *word)
{
    size_t all = strlen(text), size = strlen(word);
    return all > size && text[all - size - 1] == ' ' &&
           !strcmp(text + all - size, word);
}

static bool says_any(const char *text, const char *list,
                     bool (*matches)(const char *text, const char *word))
{
    char word[WORD_MAX + 1];
    for (const char *at = list + 1; *at;) {
        size_t n = strcspn(at, "|");
        memcpy(word, at, n);
        word[n] = '\0';
        if (matches(text, word)) return true;
        at += n + 1;
    }
    return false;
}

bool vocabulary_says(const char *text, enum vocabulary_line line)
{
    static bool (*const matches[VOCABULARY_CREDIT + 1])(const char *text,
                                                        const char *word) = {
        [VOCABULARY_CARRIED] = says_anywhere, [VOCABULARY_SUM] = begins_so,
        [VOCABULARY_TAX] = says_anywhere,     [VOCABULARY_PAYMENT] = begins_so,
        [VOCABULARY_UNPRICED] = ends_so,      [VOCABULARY_COMPANY] = ends_so};
    for (int i = 0; i < N_ROW && matches[line]; i++)
        if (table[i].line == line &&
            says_any(text, table[i].words, matches[line]))
            return true;
    return false;
}

bool vocabulary_is_label(const char *word)
{
    if (has_near_meaning(word, strlen(word))) return true;
    for (int i = 0; i < N_ROW; i++)
        if (table[i].line >= VOCABULARY_CARRIED &&
            table[i].line <= VOCABULARY_PAYMENT &&
            says_anywhere(table[i].words, word))
            return true;
    return false;
}
