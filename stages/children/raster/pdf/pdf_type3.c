/* pdf_type3.c - see pdf_type3.h. */
#include "stages/children/raster/pdf/pdf_type3.h"

#include <string.h>

enum { ASCII_FIRST = 32, ASCII_LAST = 126 };

/* Glyph names of ASCII in the encodings that a font can be based on; if these
 * differ, either name is accepted. */
static const char *const ascii_names[][2] = {{"space"},
                                             {"exclam"},
                                             {"quotedbl"},
                                             {"numbersign"},
                                             {"dollar"},
                                             {"percent"},
                                             {"ampersand"},
                                             {"quoteright", "quotesingle"},
                                             {"parenleft"},
                                             {"parenright"},
                                             {"asterisk"},
                                             {"plus"},
                                             {"comma"},
                                             {"hyphen"},
                                             {"period"},
                                             {"slash"},
                                             {"zero"},
                                             {"one"},
                                             {"two"},
                                             {"three"},
                                             {"four"},
                                             {"five"},
                                             {"six"},
                                             {"seven"},
                                             {"eight"},
                                             {"nine"},
                                             {"colon"},
                                             {"semicolon"},
                                             {"less"},
                                             {"equal"},
                                             {"greater"},
                                             {"question"},
                                             {"at"},
                                             {"A"},
                                             {"B"},
                                             {"C"},
                                             {"D"},
                                             {"E"},
                                             {"F"},
                                             {"G"},
                                             {"H"},
                                             {"I"},
                                             {"J"},
                                             {"K"},
                                             {"L"},
                                             {"M"},
                                             {"N"},
                                             {"O"},
                                             {"P"},
                                             {"Q"},
                                             {"R"},
                                             {"S"},
                                             {"T"},
                                             {"U"},
                                             {"V"},
                                             {"W"},
                                             {"X"},
                                             {"Y"},
                                             {"Z"},
                                             {"bracketleft"},
                                             {"backslash"},
                                             {"bracketright"},
                                             {"asciicircum"},
                                             {"underscore"},
                                             {"quoteleft", "grave"},
                                             {"a"},
                                             {"b"},
                                             {"c"},
                                             {"d"},
                                             {"e"},
                                             {"f"},
                                             {"g"},
                                             {"h"},
                                             {"i"},
                                             {"j"},
                                             {"k"},
                                             {"l"},
                                             {"m"},
                                             {"n"},
                                             {"o"},
                                             {"p"},
                                             {"q"},
                                             {"r"},
                                             {"s"},
                                             {"t"},
                                             {"u"},
                                             {"v"},
                                             {"w"},
                                             {"x"},
                                             {"y"},
                                             {"z"},
                                             {"braceleft"},
                                             {"bar"},
                                             {"braceright"},
                                             {"asciitilde"}};

static pdf_object glyph_of(struct pdf_file *file, pdf_object glyphs,
                           const char *name)
{
    char own[256]; /* a copy: the name is valid until the next call */
    if (!name || strlen(name) >= sizeof own) return PDF_NONE;
    memcpy(own, name, strlen(name) + 1);
    pdf_object glyph = pdf_file_get(file, glyphs, own);
    return pdf_file_is_stream(file, glyph) ? glyph : PDF_NONE;
}

void pdf_type3_glyphs(struct pdf_file *file, pdf_object font,
                      pdf_object glyph[256])
{
    pdf_object glyphs = pdf_file_get(file, font, "CharProcs");
    pdf_object differences =
        pdf_file_get(file, pdf_file_get(file, font, "Encoding"), "Differences");
    memset(glyph, 0, 256 * sizeof *glyph);
    for (int c = ASCII_FIRST; c <= ASCII_LAST; c++)
        for (int i = 0; i < 2 && glyph[c] == PDF_NONE; i++)
            glyph[c] = glyph_of(file, glyphs, ascii_names[c - ASCII_FIRST][i]);
    long long code = 0;
    int n = pdf_file_array_size(file, differences);
    for (int i = 0; i < n; i++) {
        pdf_object o = pdf_file_array_at(file, differences, i);
        long long number = pdf_file_integer(file, o, -1);
        if (number >= 0)
            code = number;
        else if (code++ < 256)
            glyph[code - 1] = glyph_of(file, glyphs, pdf_file_name(file, o));
    }
}
