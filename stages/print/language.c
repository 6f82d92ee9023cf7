/* language.c - see language.h. */
#include "stages/print/language.h"

#include <ctype.h>
#include <string.h>

enum { LEAST = 4, WORD_MOST = 32 };

/* Frequent words of running text and of invoices, without accents, since OCR may
 * have lost them; none is a word of another row. */
static const struct {
    struct language language;
    char words[LANGUAGE_BYTES];
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
_Static_assert(sizeof rows / sizeof rows[0] == LANGUAGES, "one row each");

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

void language_note(struct language_words *w, const char *text)
{
    char word[WORD_MOST];
    pad(text, word);
    for (int k = 0; *word && k < LANGUAGES; k++) {
        const char *at = strstr(rows[k].words, word);
        if (!at || w->seen[k][at - rows[k].words]) continue;
        w->seen[k][at - rows[k].words] = true;
        w->n[k]++;
    }
}

struct language language_clear(const struct language_words *w)
{
    int best = 0, next = 0;
    for (int k = 1; k < LANGUAGES; k++)
        if (w->n[k] > w->n[best]) best = k;
    for (int k = 0; k < LANGUAGES; k++)
        if (k != best && w->n[k] > next) next = w->n[k];
    if (w->n[best] < LEAST || w->n[best] < 2 * next)
        return (struct language){0};
    return rows[best].language;
}

struct language language_missing(const struct words *words, const char *known)
{
    struct language_words w = {0};
    for (int i = 0; i < words->n_word; i++)
        language_note(&w, words->word[i].text);
    struct language clear = language_clear(&w);
    return clear.code && strstr(known, clear.code) ? (struct language){0}
                                                   : clear;
}
