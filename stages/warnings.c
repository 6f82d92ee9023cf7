/* warnings.c - see warnings.h. */
#include "stages/warnings.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/json.h"

enum { ROOM = 16 };

static const struct {
    const char *name, *meaning;
} table[WARNING_CODES] = {
    [WARN_UNREAD] = {"unread",
                     "The reader could not read it: no value is to be "
                     "believed, and a null proves nothing."},
    [WARN_DOUBTFUL] = {"doubtful",
                       "Much of it was guessed, or more than half of the "
                       "values are less certain than review_below."},
    [WARN_LOW_CONFIDENCE] = {"low-confidence",
                             "The value is less certain than review_below."},
    [WARN_CHECK_FAILED] = {"check-failed",
                           "The value is not what a check of the schema "
                           "(x-platen-check) makes of the others."},
    [WARN_PAGES_DIFFER] = {"pages-differ",
                           "Pages say different things; one was taken."},
    [WARN_DEFAULT_USED] = {"default-used",
                           "No page gives the value, and it is what the "
                           "schema says then (default)."},
    [WARN_VALUE_DROPPED] = {"value-dropped",
                            "The value was a guess and is null now "
                            "(x-platen-required-evidence)."},
    [WARN_NO_EVIDENCE] = {"no-evidence",
                          "The value is a guess, but the schema has no null "
                          "for it."},
    [WARN_E_INVOICE_DIFFERS] = {"e-invoice-differs",
                                "The e-invoice in the file has another value "
                                "there."},
    [WARN_ANCHORED] = {"anchored",
                       "The reader guessed; the value is what of the print on "
                       "the page it most probably is."},
    [WARN_EVIDENCE_UNKNOWN] = {"evidence-unknown",
                               "The schema asks for evidence, and nobody can "
                               "tell."},
    [WARN_GAPS] = {"gaps",
                   "Rows were seen and not read, or it is unknown whether some "
                   "are missing: see gaps."},
    [WARN_ROW_DROPPED] = {"row-dropped",
                          "A row was read that does not stand there, and left "
                          "out."},
    [WARN_BLANK] = {"blank", "Every page is blank."},
    [WARN_PAGE_INCOMPLETE] = {"page-incomplete",
                              "Part of the page is missing, or may be: "
                              "compare it with the original."},
    [WARN_PAGE_FAULTY] = {"page-faulty",
                          "The file has a fault there: something may be drawn "
                          "otherwise than it was meant."},
    [WARN_CONTENT_UNREAD] = {"content-unread",
                             "The file holds more than the pages that were "
                             "read, such as attached files."},
    [WARN_TEXT_LAYER_LOST] = {"text-layer-lost",
                              "From that page on the text layer cannot be "
                              "read."},
    [WARN_E_INVOICE_UNREAD] = {"e-invoice-unread",
                               "The e-invoice in the file cannot be used."},
    [WARN_SECOND_READER_LOST] = {"second-reader-lost",
                                 "The second reader did not read that page, "
                                 "or none."},
    [WARN_MODEL_DOUBTFUL] = {"model-doubtful",
                             "The model file looks as if its conversion went "
                             "wrong: platen model check says more."},
    [WARN_SCRIPT_UNREAD] = {"script-unread",
                            "The page is written in a script that the model "
                            "is not known to read: what it gave is invented."},
    [WARN_TURNED] = {"turned",
                     "The page lay on its side or head, by what the reader "
                     "makes of it, and was read upright."},
    [WARN_SEPARATORS_DIFFER] = {"separators-differ",
                                "Two separators contradict each other; "
                                "neither counts."},
    [WARN_KIND_UNMEASURED] = {"kind-unmeasured",
                              "How sure the choice of the schema is, nobody "
                              "can tell."},
    [WARN_ASKED_AGAIN] = {"asked-again",
                          "An answer could not be used, and the model was "
                          "asked again."},
    [WARN_WORDS_LEFT_OUT] = {"words-left-out",
                             "The model wrote words around its answer."},
    [WARN_NOTHING_READ] = {"nothing-read",
                           "The engine looks at no page (engine null)."},
    [WARN_SANDBOX_WEAK] = {"sandbox-weak",
                           "The file was drawn in a sandbox with one of two "
                           "walls."},
    [WARN_UNSANDBOXED] = {"unsandboxed",
                          "The file was drawn without a sandbox."},
};

const char *warnings_name(enum warning_code code)
{
    return table[code].name;
}

const char *warnings_meaning(enum warning_code code)
{
    return table[code].meaning;
}

/* WARNING_CODES: there is none of that name. */
static enum warning_code find_code(const char *name)
{
    int i = 0;
    while (i < WARNING_CODES && (!name || strcmp(table[i].name, name) != 0))
        i++;
    return (enum warning_code)i;
}

/* --- the list ---------------------------------------------------------------- */

struct warnings *warnings_new(struct arena *arena)
{
    struct warnings *all = arena_take(arena, sizeof *all);
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

static struct warning *add_row(struct warnings *all)
{
    if (all->n == all->room) {
        int room = all->room ? 2 * all->room : ROOM;
        struct warning *row =
            arena_array(all->arena, (size_t)room, sizeof *row);
        if (all->n) memcpy(row, all->row, (size_t)all->n * sizeof *row);
        all->row = row;
        all->room = room;
    }
    return &all->row[all->n++];
}

void warnings_add(struct warnings *all, const struct warning *one)
{
    if (is_kept(all, one)) return;
    if (all->n_of[one->code] == WARNING_OF_CODE_MAX) {
        all->more[one->code]++;
        return;
    }
    struct warning *own = add_row(all);
    *own = *one;
    if (one->pointer)
        own->pointer = arena_copy(all->arena, span_of(one->pointer));
    own->text = arena_copy(all->arena, span_of(one->text));
    all->n_of[one->code]++;
}

void warnings_join(struct warnings *all, const struct warnings *from)
{
    for (int i = 0; i < from->n; i++)
        warnings_add(all, &from->row[i]);
    for (int i = 0; i < WARNING_CODES; i++)
        all->more[i] += from->more[i];
}

/* --- as JSON ----------------------------------------------------------------- */

static cJSON *entry_of(enum warning_code code)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "code", table[code].name);
    return entry;
}

static cJSON *row_of(const struct warning *w)
{
    cJSON *entry = entry_of(w->code);
    if (w->pointer) cJSON_AddStringToObject(entry, "pointer", w->pointer);
    if (w->page)
        cJSON_AddItemToObject(entry, "page", json_new_integer(w->page));
    cJSON_AddStringToObject(entry, "text", w->text);
    return entry;
}

bool warnings_more(const struct warnings *all, enum warning_code code,
                   char text[WARNING_MORE_SIZE])
{
    int more = all->more[code];
    snprintf(text, WARNING_MORE_SIZE, "%d more of %s %s not listed", more,
             table[code].name, more == 1 ? "is" : "are");
    return more;
}

static cJSON *more_of(const struct warnings *all, enum warning_code code)
{
    char text[WARNING_MORE_SIZE];
    cJSON *entry = entry_of(code);
    warnings_more(all, code, text);
    cJSON_AddItemToObject(entry, "more", json_new_integer(all->more[code]));
    cJSON_AddStringToObject(entry, "text", text);
    return entry;
}

cJSON *warnings_print(const struct warnings *all, int from)
{
    cJSON *printed = cJSON_CreateArray();
    for (int i = from; i < all->n; i++)
        cJSON_AddItemToArray(printed, row_of(&all->row[i]));
    for (int i = 0; i < WARNING_CODES; i++)
        if (all->more[i])
            cJSON_AddItemToArray(printed, more_of(all, (enum warning_code)i));
    return printed;
}

void warnings_take(struct warnings *all, const cJSON *printed)
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
