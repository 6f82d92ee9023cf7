/* poppler_messages.c - see poppler_messages.h.
 *
 * Two lists of exceptions to poppler's own category: errors that do not affect
 * the printed page, and warnings about omitted content. The texts are those of
 * poppler 22.12; a text that changes is treated by its category. `*` matches
 * anything.
 */
#include "stages/children/raster/pdf/poppler_messages.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char *const harmless[] = {
    /* marked content, structure, layers: everything is drawn */
    "Arg #* to 'BDC' operator*",
    "Arg #* to 'BMC' operator*",
    "Arg #* to '[DM]P' operator*",
    "Too few (*) args to '[BED][DM][CP]' operator",
    "Marked Content '*' is unknown",
    "insufficient arguments for Marked Content",
    "Unexpected MC Type: *",
    "Expected the default config, *",
    "Expected the optional content group list, *",
    "Invalid optional content visibility expression",
    /* an operator has the operands that it needs */
    "Too many (*) args to *",
    /* unbalanced saved states, paths without a start: no viewer draws
     * more */
    "There's a form with more *",
    "Restoring state when no valid states to pop",
    "Found state under last state guard*",
    "No current point in *",
    "Singular matrix in *",
    /* drawn, with another colour, edge or opacity */
    "ExtGState '*",
    "Invalid blend mode in ExtGState",
    "Invalid transfer function in *",
    "Invalid soft mask in ExtGState*",
    "Number of args mismatch for /D in ExtGState",
    "Mask entry should be an integer but it's a real*",
    "AnnotColor different than RGB*",
    /* spelling of names and numbers */
    "Illegal digit in hex char in name",
    "Warning: name token is longer*",
    /* JPEG 2000 without its wrapper: the next decoder reads it; if that
     * fails, too, the last message is another one */
    "Malformed JP2 file format: first box*",
    /* repaired on the spot */
    "Missing 'endstream' or incorrect stream length",
    "xref num * not found but needed, try to reconstruct*",
    "Bad RTC code in CCITTFax stream",
    /* an annotation without a place, which no viewer shows, and parts of a
     * page that are not printed */
    "Bad bounding box for annotation",
    "Page annotations object *",
    "Page additional action object *",
    "Page duration object *",
    "Page thumb object *",
    "Page transition object *",
    "Invalid FileSpec*",
    "Illegal file spec",
    "Invalid Rendition action*",
    "Movie action is missing*",
    "Bad Annot Movie",
    "Bad Annot Sound",
    "Bad Annot File Attachment",
};

static const char *const losing[] = {
    /* an image decoded in part, or with unknown colours */
    "Component * has different WxH than component 0*",
    "Bad color space*",
    "Bad Indexed color space*",
    "Bad DeviceN color space*",
    "Bad Separation color space*",
    "Bad Pattern color space*",
    "*truncated*",
    "*inconsistent with stream length*",
    "Not enough *",
    /* areas that were not filled */
    "*shading*",
    "Invalid or missing * in pattern",
    "CairoOutputDev: Singular matrix in tilingPatternFill",
    "Bad appearance for annotation",
    /* fonts that cannot be used */
    "Empty DescendantFonts array in font",
    "Unknown font type: *",
};

static bool is_listed(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!fnmatch(list[i], text, 0)) return true;
    return false;
}

/* Whether a message ("CATEGORY at position N: TEXT", as poppler-glib logs it)
 * can mean that content is missing. */
static bool is_loss(const char *complaint)
{
    static const char warning[] = "Syntax warning";
    const char *mark = strstr(complaint, ": ");
    const char *text = mark ? mark + 2 : complaint;
    if (!strncmp(complaint, warning, sizeof warning - 1))
        return is_listed(text, losing, sizeof losing / sizeof losing[0]);
    return !is_listed(text, harmless, sizeof harmless / sizeof harmless[0]);
}

void poppler_messages_add_loss(struct poppler_messages *notes, const char *text)
{
    if (notes->n_loss++ == 0)
        snprintf(notes->loss, sizeof notes->loss, "%s", text);
}

void poppler_messages_add(struct poppler_messages *notes, const char *complaint)
{
    if (is_loss(complaint))
        poppler_messages_add_loss(notes, complaint);
    else if (notes->n_harmless++ == 0)
        snprintf(notes->harmless, sizeof notes->harmless, "%s", complaint);
}
