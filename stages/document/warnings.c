/* warnings.c - see warnings.h. */
#include "stages/document/warnings.h"

#include <stdio.h>
#include <string.h>

#include "vlm/json/json.h"

static const struct {
    const char *name, *meaning, *remedy;
} table[WARNING_CODES] = {
    [WARN_UNREAD] =
        {"unread",
         "Most of the document was guessed or is not confirmed by its words; a "
         "null does not mean that the value is missing.",
         "Check every value; use a larger model (platen model get 4b --use), "
         "or a better scan."},
    [WARN_DOUBTFUL] = {"doubtful",
                       "Much of the document was guessed, or more than half of "
                       "the values have a confidence below review_threshold.",
                       "Check the record against the page (platen review)."},
    [WARN_LOW_CONFIDENCE] =
        {"low-confidence",
         "The confidence of the value is below review_threshold.",
         "Check the value."},
    [WARN_CHECK_FAILED] = {"check-failed",
                           "The value does not fit the other values by a check "
                           "of the schema (x-platen-check).",
                           "Check the value and those it is calculated from."},
    [WARN_PAGES_DIFFER] =
        {"pages-differ",
         "Pages give different values; the most probable one was taken.",
         "See conflicts for the other values."},
    [WARN_DEFAULT_USED] =
        {"default-used",
         "No page gives the value; it is the default of the schema.",
         "Check that the default is right for this document."},
    [WARN_VALUE_DROPPED] =
        {"value-dropped",
         "The value was a guess and was set to null "
         "(x-platen-required-evidence).",
         "Enter the value by hand; the warning has the guess."},
    [WARN_VALUE_MISFIT] =
        {"value-misfit",
         "The model's value does not fit the schema (a number as text, a date "
         "in another form) and was set to null or left out.",
         "Enter the value by hand; the warning has what the model wrote."},
    [WARN_NO_EVIDENCE] =
        {"no-evidence",
         "The value is a guess, but the schema does not allow null for it.",
         "Check the value, or allow null in the schema."},
    [WARN_E_INVOICE_DIFFERS] =
        {"e-invoice-differs",
         "The e-invoice in the file has a different value.",
         "Decide which is right: the page or the e-invoice."},
    [WARN_E_INVOICE_LACKS] =
        {"e-invoice-lacks",
         "The e-invoice has no value for these fields; they are null, or left "
         "out.",
         "None needed, unless the value is needed: ask the sender."},
    [WARN_E_INVOICE_INCOMPLETE] =
        {"e-invoice-incomplete",
         "The e-invoice lacks a value that EN 16931 requires of every invoice.",
         "Do not pay before the sender has sent a complete invoice."},
    [WARN_E_INVOICE_UNMAPPED] =
        {"e-invoice-unmapped",
         "The e-invoice has values for which the schema has no field.",
         "Add the field to the schema if the value is needed."},
    [WARN_E_INVOICE_UNFIT] =
        {"e-invoice-unfit",
         "The schema does not allow the e-invoice's value; the field is null, "
         "or left out.",
         "Enter the value by hand, or allow it in the schema."},
    [WARN_E_INVOICE_SEVERAL] =
        {"e-invoice-several",
         "The e-invoice has several values for one field (two accounts, a "
         "total and another amount to pay); the first was taken.",
         "Decide which is meant; add a field for an amount to pay (amount_due) "
         "to a schema of your own."},
    [WARN_CREDIT_NOTE] =
        {"credit-note",
         "The e-invoice is a credit note; its amounts have the sign of the "
         "file, which is usually positive.",
         "Book it as a credit note."},
    [WARN_DUPLICATE] =
        {"duplicate",
         "An earlier document has the same values (\"unique\" in "
         "x-platen-check).",
         "Compare it with the document that the warning names; do not pay "
         "twice."},
    [WARN_DIFFERS_FROM_EARLIER] =
        {"differs-from-earlier",
         "Earlier documents of the same sender have another value (\"same\" "
         "in x-platen-check).",
         "Ask the sender, over a known number, before you use a new account; "
         "then confirm the value (platen review)."},
    [WARN_FROM_EXAMPLE] =
        {"from-example",
         "The value is not on the page, but in an example that the model was "
         "told (examples in platen.conf): it may be copied from there.",
         "Enter what the page shows (platen review)."},
    [WARN_EVIDENCE_UNKNOWN] =
        {"evidence-unknown",
         "The schema asks for evidence, but the engine reports no "
         "probabilities.",
         "Use an endpoint with logprobs, or the native engine."},
    [WARN_GAPS] = {"gaps",
                   "Rows on a page are missing from the record, or it is "
                   "unknown whether any are: see gaps.",
                   "Compare the rows with the pages in gaps."},
    [WARN_ROW_DROPPED] =
        {"row-dropped",
         "A row of the answer was removed, since no line of the page shows it.",
         "Compare the rows with the page."},
    [WARN_ROW_REPEATED] = {"row-repeated",
                           "The answer has a row twice that OCR saw once on "
                           "the page.",
                           "Remove the row if the page has it once."},
    [WARN_BLANK] = {"blank", "Every page is blank.",
                    "Check that the right side was scanned."},
    [WARN_PAGE_INCOMPLETE] =
        {"page-incomplete", "Part of the page is missing, or may be.",
         "Compare the page with the original; export it again."},
    [WARN_PAGE_FAULTY] = {"page-faulty",
                          "The file has a defect on this page; it may look "
                          "different from what was intended.",
                          "Compare the page with the original."},
    [WARN_CONTENT_UNREAD] =
        {"content-unread",
         "The file holds more pages than it declares, or whether the pages are "
         "complete is not known.",
         "Export the file again."},
    [WARN_XFA_FORM] =
        {"xfa-form",
         "The PDF is a dynamic XFA form: its page only asks for another "
         "viewer.",
         "Print the form to a PDF in a viewer that shows it."},
    [WARN_ATTACHMENTS] =
        {"attachments", "The file has attached files that were not read.",
         "Set attachments = read, or drop the attached files themselves."},
    [WARN_HIDDEN_LAYER] =
        {"hidden-layer",
         "The page has a layer that is switched off; what is on it was not "
         "read.",
         "Check the layer in a PDF viewer; export the file with the layers "
         "that count."},
    [WARN_PICTURES_UNREAD] =
        {"pictures-unread",
         "The file has several pictures, for example an animation, and only "
         "the first was read.",
         "Save the other pictures as files of their own if they matter."},
    [WARN_HIDDEN_TEXT] =
        {"hidden-text",
         "The file has text on this page that the page does not show and that "
         "is not printed elsewhere on it; it was not used.",
         "Check whether the hidden text is meant to mislead software, or a "
         "redaction bar covers text that is still in the file."},
    [WARN_TEXT_LAYER_LOST] =
        {"text-layer-lost",
         "From this page on the text layer could not be read.",
         "None needed; export the file again to use its text layer."},
    [WARN_E_INVOICE_UNREAD] = {"e-invoice-unread",
                               "The e-invoice in the file cannot be used.",
                               "Ask the sender for a valid file."},
    [WARN_OCR_FAILED] =
        {"ocr-failed", "OCR did not read this page, or any page.",
         "See the text for the cause; platen doctor checks OCR."},
    [WARN_MODEL_DOUBTFUL] =
        {"model-doubtful",
         "The model file was probably damaged during conversion.",
         "Run platen model check FILE; download another conversion."},
    [WARN_SCRIPT_UNREAD] = {"script-unread",
                            "The page uses a script that the model is not "
                            "known to read: its values may be invented.",
                            "Use a model for that script."},
    [WARN_OCR_SCRIPT_UNREAD] = {"ocr-script-unread",
                                "The page uses a script whose characters the "
                                "OCR models (ocr_models) do not have, so its "
                                "values cannot be checked.",
                                "Add a model for that script to ocr_models and "
                                "its language to ocr_languages, or set "
                                "ocr_engine = tesseract."},
    [WARN_OCR_LANGUAGE] = {"ocr-language",
                           "The words of the page fit a language that is not "
                           "in ocr_languages: OCR may have read its accents "
                           "and umlauts wrong.",
                           "Add the language to ocr_languages, and install "
                           "its package (tesseract-ocr-deu for German)."},
    [WARN_AUTO_ROTATED] =
        {"auto-rotated",
         "The page was upside down or on its side, judging by what the model "
         "reads, and was read upright.",
         "None needed; check the values if the page was scanned upright."},
    [WARN_SEPARATORS_DIFFER] =
        {"separators-differ",
         "Two separator codes on a page contradict each other; both were "
         "ignored.",
         "Cut the stack by hand, or scan it again with one code a page."},
    [WARN_CLASSIFICATION_UNMEASURED] =
        {"classification-unmeasured",
         "The endpoint reports no probability for the choice of the schema.",
         "Check the schema, or use an endpoint with logprobs."},
    [WARN_RETRIED] =
        {"retried",
         "An answer could not be used, and the model was asked again.",
         "None needed."},
    [WARN_NOT_SEARCHABLE] =
        {"not-searchable",
         "The searchable PDF that format asks for could not be made.",
         "See the text for the cause; hOCR and ALTO have the same words."},
    [WARN_TEXT_IGNORED] = {"text-ignored",
                           "Text around the JSON in the answer was ignored.",
                           "None needed."},
    [WARN_NOTHING_READ] = {"nothing-read",
                           "The engine does not read pages (engine null).",
                           "Choose another engine."},
    [WARN_SANDBOX_PARTIAL] =
        {"sandbox-partial",
         "The document was read with only one of Landlock and seccomp.",
         "See platen doctor."},
    [WARN_UNSANDBOXED] = {"unsandboxed",
                          "The document was read without a sandbox.",
                          "Set sandbox = strict for files from others."},
};

const char *warnings_name(enum warning_code code)
{
    return table[code].name;
}

const char *warnings_meaning(enum warning_code code)
{
    return table[code].meaning;
}

const char *warnings_remedy(enum warning_code code)
{
    return table[code].remedy;
}

/* WARNING_CODES: unknown name. */
static enum warning_code find_code(const char *name)
{
    int i = 0;
    while (i < WARNING_CODES && (!name || strcmp(table[i].name, name) != 0))
        i++;
    return (enum warning_code)i;
}

/* --- the list ------------------------------------------------------------ */

struct warnings *warnings_new(struct arena *arena)
{
    struct warnings *all = arena_alloc(arena, sizeof *all);
    all->arena = arena;
    return all;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool is_kept(const struct warnings *all, const struct warning *one)
{
    for (int i = 0; i < all->n; i++) {
        const struct warning *w = &all->row[i];
        if (w->code == one->code && w->page == one->page &&
            is_same_text(w->pointer, one->pointer) &&
            is_same_text(w->text, one->text))
            return true;
    }
    return false;
}

/* The last row becomes the first. */
static void put_first(struct warnings *all)
{
    struct warning last = all->row[all->n - 1];
    memmove(all->row + 1, all->row, (size_t)(all->n - 1) * sizeof *all->row);
    all->row[0] = last;
}

void warnings_add(struct warnings *all, const struct warning *one)
{
    if (is_kept(all, one)) return;
    if (all->n_of[one->code] == WARNING_OF_CODE_MAX) {
        all->more[one->code]++;
        return;
    }
    struct warning *own = ARENA_ADD(all->arena, all->row, all->n);
    *own = *one;
    if (one->pointer)
        own->pointer = arena_copy(all->arena, span_of(one->pointer));
    own->text = arena_copy(all->arena, span_of(one->text));
    all->n_of[one->code]++;
    if (one->code == WARN_UNREAD || one->code == WARN_DOUBTFUL) put_first(all);
}

void warnings_drop(struct warnings *all, enum warning_code code, int page)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const struct warning *w = &all->row[i];
        bool gone = w->code == code && (!page || w->page == page);
        if (gone)
            all->n_of[code]--;
        else
            all->row[n++] = *w;
    }
    all->n = n;
    if (!page) all->more[code] = 0;
}

void warnings_join(struct warnings *all, const struct warnings *from)
{
    for (int i = 0; i < from->n; i++)
        warnings_add(all, &from->row[i]);
    for (int i = 0; i < WARNING_CODES; i++)
        all->more[i] += from->more[i];
}

/* How many warnings of the code were only counted; false: none. Takes no memory, so
 * it cannot fail after a record has been written. */
static bool say_more(const struct warnings *all, enum warning_code code,
                     char text[WARNING_MORE_SIZE])
{
    int more = all->more[code];
    snprintf(text, WARNING_MORE_SIZE, "%d more of %s %s not listed", more,
             table[code].name, more == 1 ? "is" : "are");
    return more;
}

/* --- as text ------------------------------------------------------------- */

/* Whether the warning of the whole record says it already. */
static bool is_folded(const struct warnings *all, const struct warning *one)
{
    if (!one->pointer) return false;
    return all->n_of[WARN_UNREAD] ||
           (all->n_of[WARN_DOUBTFUL] && one->code == WARN_LOW_CONFIDENCE);
}

void warnings_print_text(const struct warnings *all, struct buf *out)
{
    char text[WARNING_MORE_SIZE];
    int n_folded = 0;
    for (int i = 0; i < all->n; i++)
        if (is_folded(all, &all->row[i]))
            n_folded++;
        else
            buf_print(out, "%s\n", all->row[i].text);
    for (int i = 0; i < WARNING_CODES; i++)
        if (say_more(all, (enum warning_code)i, text))
            buf_print(out, "%s\n", text);
    if (n_folded)
        buf_print(out, "%d warning%s about single values: see the record\n",
                  n_folded, n_folded == 1 ? "" : "s");
}

/* --- as JSON ------------------------------------------------------------- */

static cJSON *new_entry(enum warning_code code)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "code", table[code].name);
    return entry;
}

static cJSON *print_warning(const struct warning *w)
{
    cJSON *entry = new_entry(w->code);
    if (w->pointer) cJSON_AddStringToObject(entry, "pointer", w->pointer);
    if (w->page) json_add_integer(entry, "page", w->page);
    cJSON_AddStringToObject(entry, "text", w->text);
    return entry;
}

static cJSON *print_more(const struct warnings *all, enum warning_code code)
{
    char text[WARNING_MORE_SIZE];
    cJSON *entry = new_entry(code);
    say_more(all, code, text);
    json_add_integer(entry, "more", all->more[code]);
    cJSON_AddStringToObject(entry, "text", text);
    return entry;
}

cJSON *warnings_print(const struct warnings *all, int from)
{
    cJSON *printed = cJSON_CreateArray();
    for (int i = from; i < all->n; i++)
        cJSON_AddItemToArray(printed, print_warning(&all->row[i]));
    for (int i = 0; i < WARNING_CODES; i++)
        if (all->more[i])
            cJSON_AddItemToArray(printed,
                                 print_more(all, (enum warning_code)i));
    return printed;
}

void warnings_read(struct warnings *all, const cJSON *printed)
{
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, printed)
    {
        enum warning_code code = find_code(json_get_text(entry, "code"));
        const cJSON *more = json_get(entry, "more");
        const cJSON *page = json_get(entry, "page");
        if (code == WARNING_CODES) continue;
        if (more)
            all->more[code] = more->valueint;
        else
            warnings_add(all, &(struct warning){
                                  .code = code,
                                  .pointer = json_get_text(entry, "pointer"),
                                  .page = page ? page->valueint : 0,
                                  .text = json_get_text_or_empty(entry, "text"),
                              });
    }
}

int warnings_count(const struct warnings *all)
{
    int n = all->n;
    for (int i = 0; i < WARNING_CODES; i++)
        n += all->more[i] > 0;
    return n;
}
