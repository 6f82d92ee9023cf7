/* locate_words.c - see locate_words.h.
 *
 * Of English, German, French, Spanish, Italian and Dutch; compounds of German
 * and Dutch are several words.
 */
#include "stages/evidence/locate_words.h"

#include <string.h>

enum { NEAR_LETTERS = 5 };

/* What is meant, then the words that mean it, folded. */
static const char *const meaning[][2] = {
    {"", " the of a an and to for in der die das des dem den und zum zur fur "
         "von le la les du de et en d l el los il lo della di con is as am an "
         "on at by our your ihr ihre unser "
         "vom bis per pro votre notre au aux your "},
    {"number", " number no nr num numero nummer numer id ref reference n "
               "referenz referencia riferimento code kennung zeichen "},
    {"date", " date day datum tag fecha data jour giorno dia dated "},
    {"invoice", " invoice bill rechnung facture factura fattura factuur "},
    {"invoice number", " rechnungsnummer rechnungsnr rechnungs factuurnummer "
                       "invoiceno belegnummer belegnr "},
    {"invoice date", " rechnungsdatum factuurdatum invoicedate belegdatum "
                     "ausstellungsdatum "},
    {"due", " due fallig falligkeit echeance vencimiento scadenza zahlbar "
            "payable vervaldatum "},
    {"due date", " falligkeitsdatum zahlungsziel fallig_am duedate "},
    {"total", " total totals gesamt summe gesamtsumme endsumme endbetrag "
              "gesamtbetrag rechnungsbetrag totale totaal ttc zahlbetrag "
              "rechnungssumme brutto gross bruttobetrag grand "},
    {"subtotal",
     " subtotal zwischensumme netto nettobetrag sous-total soustotal net "
     "subtotale subtotaal nettosumme imponibile ht "},
    {"tax", " tax vat mwst ust mehrwertsteuer umsatzsteuer tva iva btw gst "
            "steuer taxe impuesto imposta "},
    {"tax number", " ustid ustidnr steuernummer vatid taxid "
                   "umsatzsteueridentifikationsnummer "},
    {"amount", " amount betrag montant importe importo bedrag sum "},
    {"balance", " balance saldo solde kontostand "},
    {"opening", " opening old previous alter anfangs ancien anterior "
                "brought initial vortrag "},
    {"closing", " closing new neuer end nouveau nuevo final carried "},
    {"opening balance", " anfangssaldo anfangsbestand "},
    {"closing balance", " endsaldo schlusssaldo endbestand "},
    {"price", " price preis prix precio prezzo prijs cost rate "},
    {"unit price", " einzelpreis stuckpreis ep "},
    {"unit", " unit each unitaire unitario einheit stuck pu "},
    {"quantity", " quantity qty menge anzahl quantite qte cantidad quantita "
                 "aantal count pcs "},
    {"description",
     " description item bezeichnung beschreibung artikel designation "
     "descripcion descrizione omschrijving article product leistung text "
     "libelle position buchungstext verwendungszweck details name "},
    {"customer", " customer client kunde kunden buyer cliente klant kaufer "
                 "acheteur bill_to recipient empfanger destinataire "},
    {"customer number", " kundennummer kundennr klantnummer "},
    {"order", " order bestellung auftrag commande pedido ordine purchase "},
    {"order number", " bestellnummer auftragsnummer bestellnr auftragsnr "},
    {"delivery", " delivery lieferung livraison entrega consegna shipping "
                 "versand "},
    {"delivery date", " lieferdatum leistungsdatum "},
    {"account", " account konto compte cuenta conto rekening "},
    {"account number", " kontonummer kontonr rekeningnummer "},
    {"seller", " seller vendor supplier merchant lieferant verkaufer "
               "fournisseur vendeur proveedor vendedor fornitore shop "},
    {"address", " address anschrift adresse direccion indirizzo adres "},
    {"phone", " phone tel telephone telefon telefono "},
    {"city", " city ort stadt ville ciudad citta "},
    {"period", " period zeitraum periode periodo "},
    {"discount", " discount rabatt skonto remise descuento sconto "},
    {"currency", " currency wahrung devise moneda valuta "},
    {"page", " page seite pagina "},
    {"sender", " sender from absender expediteur remitente mittente "},
    {"subject", " subject betreff objet asunto oggetto re "},
    {"cash", " cash bar especes efectivo contanti "},
    {"change", " change ruckgeld rendu cambio resto "}};

/* What companies of these and some more countries put behind their names. */
static const char company[] =
    " gmbh ag kg kgaa ohg ug mbh ltd limited plc llp llc inc corp corporation "
    "co company sarl sas sasu sa srl spa snc sapa sl slu bv nv vof bvba aps "
    "oy oyj ab asa sdn bhd berhad pte pty pvt ltda lda kft zrt sro doo "
    "enterprise enterprises holding holdings group trading ";

/* Whether the list has the word, blanks around it. */
static bool holds(const char *list, const char *word, size_t size)
{
    char part[64] = " ";
    if (size < 1 || size > sizeof part - 3) return false;
    memcpy(part + 1, word, size);
    part[size + 1] = ' ';
    return strstr(list, part);
}

/* Do the two differ in one letter: another, one more, one less? */
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

/* Whether the list has one of five letters or more that differs in one. */
static bool holds_near(const char *list, const char *word, size_t size)
{
    for (const char *at = list + 1; *at;) {
        size_t n = strcspn(at, " ");
        if (n >= NEAR_LETTERS && is_near(at, n, word, size)) return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

const char *locate_words_mean(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
        if (holds(meaning[i][1], word, size)) return meaning[i][0];
    return NULL;
}

const char *locate_words_nearly_mean(const char *word, size_t size)
{
    const char *means = locate_words_mean(word, size);
    if (means || size < NEAR_LETTERS) return means;
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
        if (holds_near(meaning[i][1], word, size)) return meaning[i][0];
    return NULL;
}

bool locate_words_is_company(const char *word, size_t size)
{
    return holds(company, word, size);
}
