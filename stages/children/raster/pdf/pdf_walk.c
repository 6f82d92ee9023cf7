/* pdf_walk.c - see pdf_walk.h. */
#include "stages/children/raster/pdf/pdf_walk.h"

#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/pdf_decode.h"
#include "stages/children/raster/pdf/pdf_image.h"
#include "stages/children/raster/pdf/pdf_inline.h"
#include "stages/children/raster/pdf/pdf_tokens.h"
#include "stages/children/raster/pdf/pdf_type3.h"
#include "vlm/base/arena.h"

enum {
    DEPTH_MAX = 100, /* of forms; poppler draws no deeper ones */
    STATES_MAX = 64,
    SEEN_FIRST = 64,
    ANNOTATIONS_MAX = 10000,
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

struct page_walk {
    struct pdf_file *file;
    struct pdf_walk *out;
    struct followed *seen;
    int n_seen, capacity;
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
    char name[PDF_TOKEN_TEXT];
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
        if (w->n_seen == w->capacity) {
            w->capacity = w->capacity ? 2 * w->capacity : SEEN_FIRST;
            w->seen = mem_grow(w->seen, (size_t)w->capacity, sizeof *w->seen);
        }
        w->n_seen++;
    }
    w->seen[i] = (struct followed){.id = id, .depth = depth};
    return &w->seen[i];
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
    *all = mem_grow(*all, *n_all + d.n + 1, 1);
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
    ptrdiff_t at = seen - w->seen; /* mem_grow can move the table */
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
    if (token->kind == PDF_TOKEN_NAME)
        memcpy(c->name, token->text, sizeof c->name);
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
    mem_free(w);
}
