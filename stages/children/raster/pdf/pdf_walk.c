/* pdf_walk.c - see pdf_walk.h. */
#include "stages/children/raster/pdf/pdf_walk.h"

#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/pdf_decode.h"
#include "stages/children/raster/pdf/pdf_file.h"
#include "stages/children/raster/pdf/pdf_image.h"
#include "stages/children/raster/pdf/pdf_tokens.h"
#include "vlm/base/arena.h"

/* --- pdf type3 ------------------------------------------------------------- */

/* The glyphs of a type 3 font. */

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

/* Finds the glyph's content stream for each byte of a text; PDF_NONE: the font
 * has none, and poppler draws another glyph. */
static void pdf_type3_glyphs(struct pdf_file *file, pdf_object font,
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

/* --- pdf inline ------------------------------------------------------------ */

/* Checks inline images in a content stream. */

static bool is_key(const char *key, const char *name, const char *brief)
{
    return !strcmp(key, name) || !strcmp(key, brief);
}

static void add_filter(struct pdf_filters *all, const char *name)
{
    if (all->n < 0 || all->n == PDF_FILTERS_MAX)
        all->n = -1;
    else
        all->filter[all->n++] = pdf_decode_filter(name);
}

/* A number or boolean among the decoding parameters, which can precede the
 * filters. */
static void set_parameter(struct pdf_filter *f, const char *key, double v)
{
    long long n = (long long)v;
    if (!strcmp(key, "Predictor")) f->predictor = n;
    if (!strcmp(key, "Colors")) f->colours = n;
    if (!strcmp(key, "BitsPerComponent")) f->bits = n;
    if (!strcmp(key, "Columns")) f->columns = n;
    if (!strcmp(key, "EarlyChange")) f->early = n;
    if (!strcmp(key, "K")) f->k = n;
    if (!strcmp(key, "Rows")) f->rows = n;
    if (!strcmp(key, "EndOfLine")) f->end_of_line = n;
    if (!strcmp(key, "EncodedByteAlign")) f->byte_align = n;
}

struct inline_picture {
    struct pdf_image picture;
    struct pdf_filter parameters; /* as given, for all filters */
    bool space_known;
};

static void set_number(struct inline_picture *p, const char *key, double v)
{
    long long n = v > -1e9 && v < 1e9 ? (long long)v : 0;
    if (is_key(key, "Width", "W")) p->picture.width = n;
    if (is_key(key, "Height", "H")) p->picture.height = n;
    if (is_key(key, "BitsPerComponent", "BPC")) p->picture.bits = n;
}

static void set_name(struct inline_picture *p, const char *key,
                     const char *name, struct pdf_file *file,
                     pdf_object resources)
{
    static const struct {
        const char *name;
        int n;
    } table[] = {{"DeviceGray", 1}, {"G", 1},    {"DeviceRGB", 3},
                 {"RGB", 3},        {"CMYK", 4}, {"DeviceCMYK", 4},
                 {"Indexed", 1},    {"I", 1}};
    if (is_key(key, "Filter", "F")) add_filter(&p->picture.filters, name);
    if (!is_key(key, "ColorSpace", "CS") || p->space_known) return;
    p->space_known = true; /* in an array the first name counts */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(name, table[i].name)) p->picture.colours = table[i].n;
    if (p->picture.colours == 0)
        p->picture.colours = pdf_image_colours(
            file,
            pdf_file_get(file, pdf_file_get(file, resources, "ColorSpace"),
                         name),
            PDF_NONE);
}

/* Reads the dictionary up to the operator ID. False at the end of the
 * content. */
static bool read_dictionary(struct pdf_tokens *t, struct inline_picture *p,
                            struct pdf_file *file, pdf_object resources)
{
    struct pdf_token token;
    char key[PDF_TOKEN_TEXT] = "", inner[PDF_TOKEN_TEXT] = "";
    int depth = 0;
    bool mask = false;
    for (;;) {
        pdf_tokens_next(t, &token);
        bool is_switch =
            token.kind == PDF_TOKEN_OPERATOR && *key &&
            (!strcmp(token.text, "true") || !strcmp(token.text, "false"));
        double v = is_switch ? !strcmp(token.text, "true") : token.number;
        if (token.kind == PDF_TOKEN_END) return false;
        if (token.kind == PDF_TOKEN_OPERATOR && !strcmp(token.text, "ID"))
            break;
        if (token.kind == PDF_TOKEN_OPEN) depth++;
        if (token.kind == PDF_TOKEN_CLOSE && --depth <= 0) *key = '\0';
        bool is_value = *key || depth > 0;
        if (token.kind == PDF_TOKEN_NAME && !is_value)
            memcpy(key, token.text, sizeof key);
        else if (token.kind == PDF_TOKEN_NAME &&
                 is_key(key, "DecodeParms", "DP"))
            memcpy(inner, token.text, sizeof inner);
        else if (token.kind == PDF_TOKEN_NAME)
            set_name(p, key, token.text, file, resources);
        else if (token.kind == PDF_TOKEN_NUMBER || is_switch) {
            if (is_key(key, "DecodeParms", "DP"))
                set_parameter(&p->parameters, inner, v);
            else if (is_key(key, "ImageMask", "IM"))
                mask = v > 0;
            else
                set_number(p, key, v);
        }
        bool plain =
            token.kind != PDF_TOKEN_OPEN && token.kind != PDF_TOKEN_CLOSE;
        if (plain && is_value && depth == 0) *key = '\0';
    }
    if (mask) p->picture.bits = p->picture.colours = 1;
    return true;
}

/* Finds the operator EI at or after `at`; NULL: none. `near`: only blanks can
 * precede it. */
static const uint8_t *find_end(const uint8_t *at, const uint8_t *end, bool near)
{
    for (; end - at >= 2; at++) {
        bool closed = end - at == 2 || pdf_tokens_is_space(at[2]);
        if (at[0] == 'E' && at[1] == 'I' && closed) return at;
        if (near && !pdf_tokens_is_space(*at)) return NULL;
    }
    return NULL;
}

/* The size of the image's data according to its first filter; `size` if only
 * the operator EI marks the end. */
static size_t extent_of(const struct pdf_image *p, const uint8_t *bytes,
                        size_t size)
{
    if (p->filters.n < 1) {
        size_t want = pdf_image_size(p);
        return want && want < size ? want : size;
    }
    if (p->filters.filter[0].kind > PDF_CRYPT) {
        const uint8_t *at = bytes;
        while ((at = find_end(at, bytes + size, false)) &&
               (at == bytes || !pdf_tokens_is_space(at[-1])))
            at++;
        return at ? (size_t)(at - bytes) : size;
    }
    struct pdf_filters first = p->filters;
    first.n = 1;
    return pdf_decode(&first, bytes, size, SIZE_MAX / 4, false).used;
}

/* After the operator BI: reads the image's dictionary, its data and the
 * operator EI. Returns what is wrong with the data, or NULL: if rows are
 * missing, poppler takes the bytes that follow for them. */
static const char *pdf_inline_check(struct pdf_tokens *t, struct pdf_file *file,
                                    pdf_object resources)
{
    struct inline_picture p = {.parameters = pdf_decode_filter("")};
    const char *swallows = "an inline image has fewer rows than declared: the "
                           "text after it is taken for its data";
    if (!read_dictionary(t, &p, file, resources))
        return "an inline image does not end";
    for (int i = 0; i < p.picture.filters.n; i++) {
        enum pdf_filter_kind kind = p.picture.filters.filter[i].kind;
        p.picture.filters.filter[i] = p.parameters;
        p.picture.filters.filter[i].kind = kind;
    }
    if (t->at < t->end) t->at++; /* one blank */
    size_t size = (size_t)(t->end - t->at);
    size_t n = extent_of(&p.picture, t->at, size);
    const uint8_t *data = t->at;
    bool plain = p.picture.filters.n == 0 && pdf_image_size(&p.picture);
    const uint8_t *end = find_end(data + n, t->end, plain);
    bool swallowed = !end && plain;
    if (!end) end = find_end(data, t->end, false);
    t->at = end ? end + 2 : t->end;
    if (swallowed) return swallows;
    /* one byte short: the blank before EI was taken for the last one */
    if (plain && end == data + n && n > 0 && pdf_tokens_is_space(data[n - 1]))
        return "an inline image lacks its last byte, or the blank before EI";
    return end ? pdf_image_check(&p.picture, data, n)
               : "an inline image does not end";
}

/* --- pdf walk -------------------------------------------------------------- */

enum {
    DEPTH_MAX = 100, /* of forms; poppler draws no deeper ones */
    STATES_MAX = 64,
    ANNOTATIONS_MAX = 10000,
    LAYERS_MAX = 5000,
    INVISIBLE = 3, /* text rendering mode */
    CONTENT_BYTES_MAX = 64 << 20,
    PAGE_BYTES_MAX = 256 << 20
};

struct text_state {
    pdf_object font;
    bool invisible, white_fill, white_stroke;
};

/* A stream that was followed: follow it again only at a smaller depth. */
struct followed {
    int id, depth;
    bool active;
};

/* Layers by object number, as the default configuration sets them. */
struct layers {
    bool base_off; /* all are off, but those in on[] */
    int *off, *on;
    int n_off, n_on;
};

struct page_walk {
    struct pdf_file *file;
    struct layers layers;
    struct pdf_walk *out;
    struct followed *seen;
    int n_seen;
    size_t n_byte;   /* bytes of content so far */
    pdf_object font; /* the type 3 font of `glyph` */
    pdf_object glyph[256];
};

/* The state while a content stream is read. */
struct content {
    struct page_walk *w;
    pdf_object resources;
    int depth, n_state;
    struct text_state state[STATES_MAX];
    /* operands so far */
    char name[PDF_TOKEN_TEXT]; /* the last one */
    bool of_layer;             /* an earlier one is /OC */
    double number[4];
    int n_number;
    bool any_string, used[256];
};

static void set_missing(struct page_walk *w, const char *what)
{
    if (!w->out->missing) w->out->missing = what;
}

static struct text_state *current_state(struct content *c)
{
    int i = c->n_state < STATES_MAX ? c->n_state : STATES_MAX - 1;
    return &c->state[i];
}

static pdf_object resource(struct content *c, const char *kind)
{
    struct pdf_file *file = c->w->file;
    return pdf_file_get(file, pdf_file_get(file, c->resources, kind), c->name);
}

/* NULL: it need not be followed. A direct object is new each time. */
static struct followed *follow_once(struct page_walk *w, int id, int depth)
{
    int i = 0;
    while (i < w->n_seen && (id == 0 || w->seen[i].id != id))
        i++;
    if (i < w->n_seen) {
        if (w->seen[i].active || w->seen[i].depth >= depth) return NULL;
    } else {
        MEM_ADD(w->seen, w->n_seen);
    }
    w->seen[i] = (struct followed){.id = id, .depth = depth};
    return &w->seen[i];
}

/* --- layers ----------------------------------------------------------------- */

static int *read_ids(struct pdf_file *file, pdf_object array, int *n)
{
    *n = pdf_file_array_size(file, array);
    if (*n > LAYERS_MAX) *n = LAYERS_MAX;
    int *id = mem_alloc((size_t)*n + 1, sizeof *id);
    for (int i = 0; i < *n; i++)
        id[i] = pdf_file_id(file, pdf_file_array_at(file, array, i));
    return id;
}

static void read_layers(struct page_walk *w)
{
    struct pdf_file *file = w->file;
    struct layers *l = &w->layers;
    pdf_object all = pdf_file_get(file, pdf_file_root(file), "OCProperties");
    pdf_object config = pdf_file_get(file, all, "D");
    l->base_off =
        pdf_file_is_name(file, pdf_file_get(file, config, "BaseState"), "OFF");
    l->off = read_ids(file, pdf_file_get(file, config, "OFF"), &l->n_off);
    l->on = read_ids(file, pdf_file_get(file, config, "ON"), &l->n_on);
}

static bool is_among(const int *id, int n, int wanted)
{
    for (int i = 0; i < n; i++)
        if (id[i] == wanted) return true;
    return false;
}

static bool is_off(const struct page_walk *w, pdf_object layer)
{
    const struct layers *l = &w->layers;
    int id = pdf_file_id(w->file, layer);
    if (id == 0) return false;
    return l->base_off ? !is_among(l->on, l->n_on, id)
                       : is_among(l->off, l->n_off, id);
}

/* Notes the layer of content (/OC) if it is off. Of several layers (OCMD) all
 * must be, or one with the policy AllOn; other rules are not followed. */
static void check_layer(struct page_walk *w, pdf_object layer)
{
    struct pdf_file *file = w->file;
    if (*w->out->layer || (!w->layers.base_off && !w->layers.n_off)) return;
    pdf_object of = pdf_file_get(file, layer, "OCGs");
    bool all_on =
        pdf_file_is_name(file, pdf_file_get(file, layer, "P"), "AllOn");
    int n = pdf_file_array_size(file, of), n_off = 0;
    if (pdf_file_is_dictionary(file, of)) layer = of;
    for (int i = 0; i < n && i < LAYERS_MAX; i++) {
        pdf_object one = pdf_file_array_at(file, of, i);
        if (!is_off(w, one)) continue;
        layer = one;
        n_off++;
    }
    if (n ? n_off < (all_on ? 1 : n) : !is_off(w, layer)) return;
    pdf_file_text(file, pdf_file_get(file, layer, "Name"), w->out->layer,
                  sizeof w->out->layer);
    if (!*w->out->layer)
        strncpy(w->out->layer, "without a name", sizeof w->out->layer - 1);
}

/* --- contents ------------------------------------------------------------- */

static void read_content(struct page_walk *w, const uint8_t *bytes, size_t n,
                         pdf_object resources, int depth,
                         struct text_state state);

/* Appends a stream's content to *all. */
static void add_content(struct page_walk *w, pdf_object stream, uint8_t **all,
                        size_t *n_all)
{
    struct pdf_filters filters;
    size_t size = 0;
    if (pdf_file_is_null(w->file, stream)) return;
    pdf_image_filters(w->file, stream, &filters);
    uint8_t *raw = pdf_file_stream(w->file, stream, &size);
    if (!raw || filters.n < 0) {
        set_missing(w, "part of the content cannot be read");
        free(raw);
        return;
    }
    struct pdf_decoded d =
        pdf_decode(&filters, raw, size, CONTENT_BYTES_MAX, true);
    free(raw);
    bool odd = d.refused || !d.bytes || d.stopped_at < filters.n;
    bool large = d.n >= CONTENT_BYTES_MAX || w->n_byte + d.n > PAGE_BYTES_MAX;
    if (odd || large) {
        set_missing(w, large ? "the content is too long to be checked"
                             : "part of the content cannot be checked");
        free(d.bytes);
        return;
    }
    if (!d.ended && filters.n > 0 &&
        (filters.filter[filters.n - 1].kind == PDF_FLATE || d.n == 0))
        set_missing(w, "part of the content ends early");
    w->n_byte += d.n;
    *all = mem_room(*all, *n_all, d.n + 1, 1);
    memcpy(*all + *n_all, d.bytes, d.n);
    *n_all += d.n;
    (*all)[(*n_all)++] = '\n';
    free(d.bytes);
}

/* Walks a form, pattern, glyph or appearance. */
static void walk_stream(struct page_walk *w, pdf_object stream,
                        pdf_object resources, int depth,
                        struct text_state state)
{
    if (!pdf_file_is_stream(w->file, stream)) return;
    if (depth > DEPTH_MAX) {
        set_missing(w, "forms are nested more than 100 deep");
        return;
    }
    struct followed *seen = follow_once(w, pdf_file_id(w->file, stream), depth);
    if (!seen) return;
    ptrdiff_t at = seen - w->seen; /* MEM_ADD can move the table */
    pdf_object own = pdf_file_get(w->file, stream, "Resources");
    uint8_t *bytes = NULL;
    size_t n = 0;
    add_content(w, stream, &bytes, &n);
    w->seen[at].active = true;
    read_content(w, bytes, n, pdf_file_is_null(w->file, own) ? resources : own,
                 depth, state);
    w->seen[at].active = false;
    mem_free(bytes);
}

/* --- operators ------------------------------------------------------------ */

static void paint_object(struct content *c)
{
    struct page_walk *w = c->w;
    pdf_object o = resource(c, "XObject");
    if (!pdf_file_is_stream(w->file, o)) return; /* poppler reports it */
    check_layer(w, pdf_file_get(w->file, o, "OC"));
    if (pdf_file_is_name(w->file, pdf_file_get(w->file, o, "Subtype"),
                         "Form")) {
        walk_stream(w, o, c->resources, c->depth + 1, *current_state(c));
    } else if (pdf_file_is_name(w->file, pdf_file_get(w->file, o, "Subtype"),
                                "Image") &&
               follow_once(w, pdf_file_id(w->file, o), 0)) {
        const char *why = pdf_image_check_stream(w->file, o, c->resources);
        if (why) set_missing(w, why);
    }
}

static void set_graphics(struct content *c)
{
    struct page_walk *w = c->w;
    pdf_object o = resource(c, "ExtGState");
    pdf_object font =
        pdf_file_array_at(w->file, pdf_file_get(w->file, o, "Font"), 0);
    pdf_object mask = pdf_file_get(w->file, o, "SMask");
    if (!pdf_file_is_null(w->file, font)) current_state(c)->font = font;
    if (pdf_file_is_dictionary(w->file, mask))
        walk_stream(w, pdf_file_get(w->file, mask, "G"), c->resources,
                    c->depth + 1, *current_state(c));
}

static void show_type3(struct content *c, pdf_object font)
{
    struct page_walk *w = c->w;
    pdf_object own = pdf_file_get(w->file, font, "Resources");
    if (w->font != font) pdf_type3_glyphs(w->file, font, w->glyph);
    w->font = font;
    for (int i = 0; i < 256; i++) {
        if (!c->used[i]) continue;
        if (w->glyph[i] == PDF_NONE)
            set_missing(
                w, "a font lacks a glyph that the text has: another one is "
                   "drawn");
        else
            walk_stream(w, w->glyph[i],
                        pdf_file_is_null(w->file, own) ? c->resources : own,
                        c->depth + 1, *current_state(c));
        if (w->font != font) pdf_type3_glyphs(w->file, font, w->glyph);
        w->font = font;
    }
}

static void show_text(struct content *c)
{
    struct pdf_file *file = c->w->file;
    pdf_object font = current_state(c)->font;
    if (!c->any_string) return;
    if (current_state(c)->invisible) return;
    c->w->out->shows_text = true;
    if (pdf_file_is_name(file, pdf_file_get(file, font, "Subtype"), "Type3"))
        show_type3(c, font);
}

/* Whether the colour is white in every colour space with this number of
 * components; for one component the spaces disagree. */
static bool is_white(const struct content *c)
{
    double least = 1, most = 0;
    for (int i = 0; i < c->n_number && i < 4; i++) {
        least = c->number[i] < least ? c->number[i] : least;
        most = c->number[i] > most ? c->number[i] : most;
    }
    if (c->n_number > 4) return false;
    return (c->n_number == 3 && least >= 1) || (c->n_number == 4 && most <= 0);
}

static void set_colour(struct content *c, const char *operator)
{
    struct text_state *s = current_state(c);
    bool stroke = *operator>= 'A' && * operator<= 'Z';
    bool white = is_white(c);
    if (!strcmp(operator, "g") || !strcmp(operator, "G"))
        white = c->n_number == 1 && c->number[0] >= 1;
    if (*c->name) { /* a pattern */
        pdf_object pattern = resource(c, "Pattern");
        walk_stream(c->w, pattern, c->resources, c->depth + 1, *s);
        white = false;
    }
    if (stroke)
        s->white_stroke = white;
    else
        s->white_fill = white;
}

static bool is_one_of(const char *operator, const char * const * all)
{
    for (; *all; all++)
        if (!strcmp(operator, * all)) return true;
    return false;
}

static void paint(struct content *c, const char *operator)
{
    static const char *const fill[] = {"f",  "F", "f*", "B",
                                       "B*", "b", "b*", NULL};
    static const char *const stroke[] = {"S", "s", "B", "B*", "b", "b*", NULL};
    struct text_state *s = current_state(c);
    if ((is_one_of(operator, fill) && !s->white_fill) ||
        (is_one_of(operator, stroke) && !s->white_stroke))
        c->w->out->paints = true;
}

static void push_state(struct content *c)
{
    struct text_state s = *current_state(c);
    c->n_state++;
    *current_state(c) = s;
}

static void run_operator(struct content *c, const char *operator)
{
    static const char *const show[] = {"Tj", "TJ", "'", "\"", NULL};
    static const char *const colour[] = {"g",  "rg", "k",  "sc",  "scn", "G",
                                         "RG", "K",  "SC", "SCN", NULL};
    if (!strcmp(operator, "q"))
        push_state(c);
    else if (!strcmp(operator, "Q") && c->n_state > 0)
        c->n_state--;
    else if (!strcmp(operator, "Do"))
        paint_object(c);
    else if (!strcmp(operator, "BDC") && c->of_layer)
        check_layer(c->w, resource(c, "Properties"));
    else if (!strcmp(operator, "gs"))
        set_graphics(c);
    else if (!strcmp(operator, "Tf"))
        current_state(c)->font = resource(c, "Font");
    else if (!strcmp(operator, "Tr"))
        current_state(c)->invisible =
            c->n_number && (int)c->number[0] == INVISIBLE;
    else if (!strcmp(operator, "sh"))
        c->w->out->paints = true;
    else if (is_one_of(operator, show))
        show_text(c);
    else if (is_one_of(operator, colour))
        set_colour(c, operator);
    else
        paint(c, operator);
}

static void add_operand(struct content *c, const struct pdf_token *token)
{
    if (token->kind == PDF_TOKEN_NAME) {
        c->of_layer |= !strcmp(c->name, "OC");
        memcpy(c->name, token->text, sizeof c->name);
    }
    if (token->kind == PDF_TOKEN_NUMBER) {
        if (c->n_number < 4) c->number[c->n_number] = token->number;
        if (c->n_number < 5) c->n_number++; /* 5: more than any colour has */
    }
    if (token->kind == PDF_TOKEN_STRING) {
        pdf_tokens_codes(token, c->used);
        c->any_string |= token->to - token->from > 2;
    }
}

static void drop_operands(struct content *c)
{
    *c->name = '\0';
    c->of_layer = false;
    c->n_number = 0;
    if (c->any_string) memset(c->used, 0, sizeof c->used);
    c->any_string = false;
}

static void read_content(struct page_walk *w, const uint8_t *bytes, size_t n,
                         pdf_object resources, int depth,
                         struct text_state state)
{
    struct content c = {.w = w, .resources = resources, .depth = depth};
    struct pdf_tokens t = {bytes, bytes + n};
    struct pdf_token token;
    if (n == 0) return;
    c.state[0] = state;
    for (;;) {
        pdf_tokens_next(&t, &token);
        if (token.kind == PDF_TOKEN_END) return;
        if (token.kind != PDF_TOKEN_OPERATOR) {
            add_operand(&c, &token);
            continue;
        }
        if (!strcmp(token.text, "BI")) {
            const char *why = pdf_inline_check(&t, w->file, resources);
            if (why) set_missing(w, why);
        } else {
            run_operator(&c, token.text);
        }
        drop_operands(&c);
    }
}

/* --- a page --------------------------------------------------------------- */

static void walk_annotation(struct page_walk *w, pdf_object annotation)
{
    struct pdf_file *file = w->file;
    pdf_object appearance =
        pdf_file_get(file, pdf_file_get(file, annotation, "AP"), "N");
    long long flags =
        pdf_file_integer(file, pdf_file_get(file, annotation, "F"), 0);
    bool hidden = flags & (2 | 32);
    if (pdf_file_is_name(file, pdf_file_get(file, annotation, "Subtype"),
                         "FileAttachment"))
        w->out->attached = true;
    if (hidden) return;
    check_layer(w, pdf_file_get(file, annotation, "OC"));
    if (pdf_file_is_dictionary(file, appearance) &&
        !pdf_file_is_stream(file, appearance)) {
        char state[PDF_TOKEN_TEXT];
        strncpy(state,
                pdf_file_name(file, pdf_file_get(file, annotation, "AS")),
                sizeof state - 1);
        state[sizeof state - 1] = '\0';
        appearance = pdf_file_get(file, appearance, state);
    }
    bool painted = w->out->paints, shown = w->out->shows_text;
    walk_stream(w, appearance, PDF_NONE, 1,
                (struct text_state){.font = PDF_NONE});
    w->out->paints = painted; /* the annotation may be hidden */
    w->out->shows_text = shown;
}

void pdf_walk_page(struct pdf_file *file, pdf_object page, struct pdf_walk *out)
{
    *out = (struct pdf_walk){.missing = NULL};
    struct page_walk *w = mem_alloc(1, sizeof *w);
    w->file = file;
    w->out = out;
    read_layers(w);
    pdf_object contents = pdf_file_get(file, page, "Contents");
    uint8_t *bytes = NULL;
    size_t n = 0;
    if (pdf_file_is_array(file, contents))
        for (int i = 0; i < pdf_file_array_size(file, contents); i++)
            add_content(w, pdf_file_array_at(file, contents, i), &bytes, &n);
    else
        add_content(w, contents, &bytes, &n);
    read_content(w, bytes, n, pdf_file_inherited(file, page, "Resources"), 0,
                 (struct text_state){.font = PDF_NONE});
    pdf_object annotations = pdf_file_get(file, page, "Annots");
    int n_annotation = pdf_file_array_size(file, annotations);
    for (int i = 0; i < n_annotation && i < ANNOTATIONS_MAX; i++)
        walk_annotation(w, pdf_file_array_at(file, annotations, i));
    mem_free(bytes);
    mem_free(w->seen);
    mem_free(w->layers.off);
    mem_free(w->layers.on);
    mem_free(w);
}
