/* language.c - see language.h. */
#include "stages/print/language.h"

#include <ctype.h>
#include <string.h>

enum { LEAST = 4, WORD_MOST = 32 };

/* Frequent words of running text and of invoices, without accents, since OCR may
 * have lost them; none is a word of another row. */
static const struct {
    struct language language;
    const char *words;
} rows[] = {
    {{"eng", "English"},
     " the of and to from with for this your date amount total address number "
     "invoice payment please thank you description quantity price due bill "
     "order tax cash change receipt "},
    {{"deu", "German"},
     " und der von mit ist zum zur bei nicht oder aus dem wir sie ihre ihr "
     "bitte innerhalb ohne rechnung datum betrag gesamt gesamtbetrag "
     "zwischensumme mehrwertsteuer mwst menge preis kunde "
     "zahlung konto bestellung vielen dank "},
    {{"fra", "French"},
     " et les des du une pour avec sur dans est vous votre nous facture "
     "montant prix quantite adresse numero paiement merci tva ttc echeance "
     "commande livraison "},
    {{"spa", "Spanish"},
     " y los las del por su fecha factura importe precio cantidad "
     "direccion numero pago gracias iva vencimiento cliente "},
    {{"ita", "Italian"},
     " e il gli della delle di che per sono fattura importo prezzo "
     "quantita indirizzo pagamento grazie scadenza ordine imponibile totale "},
    {{"nld", "Dutch"},
     " het een van met voor niet aan uw wij factuur bedrag prijs aantal "
     "adres betaling bedankt btw vervaldatum bestelling totaal "},
    {{"por", "Portuguese"},
     " os as da dos das uma com para fatura valor preco quantidade "
     "endereco pagamento obrigado vencimento "},
    {{"swe", "Swedish"},
     " och att av till inte belopp adress betalning tack moms "
     "forfallodatum leverans "},
    {{"dan", "Danish"},
     " og af til ikke belob betaling tak forfaldsdato levering "},
    {{"fin", "Finnish"},
     " ja on ei tai lasku maksu yhteensa hinta osoite kiitos alv erapaiva "
     "kappale tilaus "},
    {{"pol", "Polish"},
     " na nie jest sie kwota cena ilosc adres zaplata "
     "dziekujemy termin razem nabywca sprzedawca "},
};
enum { N_ROW = sizeof rows / sizeof rows[0] };

/* " word ", in small letters and without the punctuation around it; "" if it is
 * not a word of ASCII letters. */
static void pad(const char *text, char out[static WORD_MOST])
{
    size_t n = 1;
    out[0] = ' ';
    while (*text && !isalpha((unsigned char)*text))
        text++;
    while (isalpha((unsigned char)*text) && n < WORD_MOST - 2)
        out[n++] = (char)tolower((unsigned char)*text++);
    memcpy(out + n, " ", 2);
    if (n == 1 || *(text + strspn(text, ".,:;!?)")) != '\0') out[0] = '\0';
}

/* How many different words of each row the page has. */
static void count(const struct words *words, int n_found[static N_ROW])
{
    char word[WORD_MOST];
    for (int k = 0; k < N_ROW; k++) {
        bool seen[512] = {false};
        for (int i = 0; i < words->n_word; i++) {
            pad(words->word[i].text, word);
            const char *at = *word ? strstr(rows[k].words, word) : NULL;
            if (!at || seen[at - rows[k].words]) continue;
            seen[at - rows[k].words] = true;
            n_found[k]++;
        }
    }
}

struct language language_missing(const struct words *words, const char *known)
{
    int n[N_ROW] = {0}, best = 0, next = 0;
    count(words, n);
    for (int k = 1; k < N_ROW; k++)
        if (n[k] > n[best]) best = k;
    for (int k = 0; k < N_ROW; k++)
        if (k != best && n[k] > next) next = n[k];
    if (n[best] < LEAST || n[best] < 2 * next ||
        strstr(known, rows[best].language.code))
        return (struct language){0};
    return rows[best].language;
}
