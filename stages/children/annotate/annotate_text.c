/* annotate_text.c - see annotate_text.h. */
#include "stages/children/annotate/annotate_text.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <raqm.h>
#include <string.h>

#include "vlm/base/arena.h"

enum { FONTS_MAX = 400, TEXT_MAX = 400, FREETYPE_ONE = 64 };

struct mark_font {
    const char *file;
    int index;
    const FcCharSet *letters;
    FT_Face face; /* NULL until opened */
    cairo_font_face_t *drawn;
    bool broken;
};

struct mark_fonts {
    FT_Library library;
    struct mark_font font[FONTS_MAX];
    int n_font;
};

/* The characters of a text, each with its font. */
struct letters {
    uint32_t code[TEXT_MAX];
    struct mark_font *font[TEXT_MAX];
    size_t n;
};

static void add_font(struct mark_fonts *fonts, const FcPattern *pattern)
{
    struct mark_font f = {.index = 0};
    FcChar8 *file;
    FcCharSet *letters;
    FcBool is_scalable = FcFalse, is_coloured = FcFalse;
    FcPatternGetBool(pattern, FC_SCALABLE, 0, &is_scalable);
    FcPatternGetBool(pattern, FC_COLOR, 0, &is_coloured);
    if (FcPatternGetString(pattern, FC_FILE, 0, &file) != FcResultMatch ||
        FcPatternGetCharSet(pattern, FC_CHARSET, 0, &letters) !=
            FcResultMatch ||
        !is_scalable || is_coloured || fonts->n_font == FONTS_MAX)
        return;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &f.index);
    f.file = (const char *)file;
    f.letters = letters;
    fonts->font[fonts->n_font++] = f;
}

struct mark_fonts *annotate_text_fonts(void)
{
    struct mark_fonts *fonts = mem_alloc(1, sizeof *fonts);
    FcResult result;
    FcPattern *wanted = FcNameParse((const FcChar8 *)"sans-serif");
    FcConfigSubstitute(NULL, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcFontSet *set = FcFontSort(NULL, wanted, FcTrue, NULL, &result);
    FcConfigSetRescanInterval(NULL, 0);
    for (int i = 0; set && i < set->nfont; i++)
        add_font(fonts, set->fonts[i]);
    FcPatternDestroy(wanted);
    if (fonts->n_font && !FT_Init_FreeType(&fonts->library)) return fonts;
    mem_free(fonts);
    return NULL;
}

int annotate_text_folders(const char **path, int most)
{
    int n = 0;
    FcStrList *list = FcConfigGetFontDirs(NULL);
    const FcChar8 *folder;
    while (list && n < most && (folder = FcStrListNext(list)))
        path[n++] = (const char *)folder;
    return n;
}

static bool open_font(struct mark_fonts *fonts, struct mark_font *f)
{
    if (f->face || f->broken) return !f->broken;
    f->broken = FT_New_Face(fonts->library, f->file, f->index, &f->face) != 0;
    if (!f->broken)
        f->drawn =
            cairo_ft_font_face_create_for_ft_face(f->face, FT_LOAD_NO_HINTING);
    return !f->broken;
}

/* Whether the character takes the font of the one before it: marks and joiners
 * do, and letters of one script, whose code points are close together. */
static bool goes_with(uint32_t code, uint32_t before)
{
    return (code >= 0x300 && code < 0x370) || (code >> 7 == before >> 7) ||
           (code >= 0x200c && code <= 0x200d) ||
           (code >= 0xfe00 && code <= 0xfe0f);
}

static struct mark_font *font_of(struct mark_fonts *fonts, uint32_t code)
{
    for (int i = 0; i < fonts->n_font; i++)
        if (FcCharSetHasChar(fonts->font[i].letters, code) &&
            open_font(fonts, &fonts->font[i]))
            return &fonts->font[i];
    for (int i = 0; i < fonts->n_font; i++)
        if (open_font(fonts, &fonts->font[i])) return &fonts->font[i];
    return NULL;
}

static void add_letter(struct mark_fonts *fonts, struct letters *l,
                       uint32_t code)
{
    struct mark_font *before = l->n ? l->font[l->n - 1] : NULL;
    bool stays = before && goes_with(code, l->code[l->n - 1]) &&
                 FcCharSetHasChar(before->letters, code);
    l->code[l->n] = code;
    l->font[l->n++] = stays ? before : font_of(fonts, code);
}

/* A character that only changes the direction of others: it could make a value
 * look like another one. */
static bool is_direction_mark(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

static void split_letters(struct mark_fonts *fonts, struct span text,
                          struct letters *out)
{
    out->n = 0;
    while (text.size && out->n < TEXT_MAX) {
        FcChar32 code = 0;
        int n = FcUtf8ToUcs4((const FcChar8 *)text.data, &code, (int)text.size);
        if (n > 0 && !is_direction_mark(code))
            add_letter(fonts, out, code < ' ' ? ' ' : code);
        size_t step = n > 0 ? (size_t)n : 1;
        text = (struct span){text.data + step, text.size - step};
    }
}

/* Shapes the text; NULL on failure. */
static raqm_t *shape(const struct letters *l, double size)
{
    raqm_t *line = l->n && l->font[0] ? raqm_create() : NULL;
    bool fine = line && raqm_set_text(line, l->code, l->n);
    for (size_t from = 0, to; fine && from < l->n; from = to) {
        FT_Face face = l->font[from]->face;
        for (to = from; to < l->n && l->font[to] == l->font[from];)
            to++;
        FT_Set_Char_Size(face, 0, (FT_F26Dot6)lrint(size * FREETYPE_ONE), 72,
                         72);
        fine = raqm_set_freetype_face_range(line, face, from, to - from);
    }
    if (fine) {
        raqm_set_par_direction(line, RAQM_DIRECTION_DEFAULT);
        raqm_set_freetype_load_flags(line, FT_LOAD_NO_HINTING);
        fine = raqm_layout(line);
    }
    if (fine) return line;
    if (line) raqm_destroy(line);
    return NULL;
}

static cairo_font_face_t *drawn_of(const struct mark_fonts *fonts, FT_Face face)
{
    for (int i = 0; i < fonts->n_font; i++)
        if (fonts->font[i].face == face) return fonts->font[i].drawn;
    return NULL;
}

/* Draws the glyphs unless `cr` is NULL; returns their total width. */
static double draw_glyphs(const struct mark_fonts *fonts, cairo_t *cr,
                          raqm_t *line, double x, double y)
{
    size_t n = 0;
    double width = 0;
    const raqm_glyph_t *glyph = raqm_get_glyphs(line, &n);
    for (size_t i = 0; i < n; i++) {
        const raqm_glyph_t *g = &glyph[i];
        cairo_glyph_t one = {g->index,
                             x + width + (double)g->x_offset / FREETYPE_ONE,
                             y - (double)g->y_offset / FREETYPE_ONE};
        if (cr) {
            cairo_set_font_face(cr, drawn_of(fonts, g->ftface));
            cairo_show_glyphs(cr, &one, 1);
        }
        width += (double)g->x_advance / FREETYPE_ONE;
    }
    return width;
}

static double draw_text(struct mark_fonts *fonts, cairo_t *cr, struct span text,
                        double x, double y, double size)
{
    struct letters letters;
    split_letters(fonts, text, &letters);
    raqm_t *line = shape(&letters, size);
    if (!line) return 0;
    if (cr) cairo_set_font_size(cr, size);
    double width = draw_glyphs(fonts, cr, line, x, y);
    raqm_destroy(line);
    return width;
}

double annotate_text_width(struct mark_fonts *fonts, struct span text,
                           double size)
{
    return draw_text(fonts, NULL, text, 0, 0, size);
}

void annotate_text_show(struct mark_fonts *fonts, cairo_t *cr, struct span text,
                        double x, double y, double size)
{
    draw_text(fonts, cr, text, x, y, size);
}
