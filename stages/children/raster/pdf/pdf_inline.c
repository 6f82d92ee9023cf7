/* pdf_inline.c - see pdf_inline.h. (ISO 32000-1, 8.9.7) */
#include "stages/children/raster/pdf/pdf_inline.h"

#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/pdf_image.h"

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

const char *pdf_inline_check(struct pdf_tokens *t, struct pdf_file *file,
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
