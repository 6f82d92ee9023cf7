/* pdf_image.c - see pdf_image.h. */
#include "stages/children/raster/pdf/pdf_image.h"

#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/jbig2.h"
#include "stages/children/raster/picture/fax.h"

enum {
    SIDE_MAX = 1 << 24,
    LENGTH_SLACK = 5000,
    CODED_BYTES_MAX = 256 << 20 /* of an image for another decoder */
};

size_t pdf_image_size(const struct pdf_image *p)
{
    if (p->width < 1 || p->height < 1 || p->width > SIDE_MAX ||
        p->height > SIDE_MAX || p->bits < 1 || p->bits > 16 || p->colours < 1 ||
        p->colours > 32)
        return 0;
    return (size_t)((p->width * p->bits * p->colours + 7) / 8) *
           (size_t)p->height;
}

static const char *check_fax(const struct pdf_image *p,
                             const struct pdf_filter *f, const uint8_t *bytes,
                             size_t size)
{
    long long columns = f->columns < 0 ? 1728 : f->columns;
    struct fax fax = {.k = f->k,
                      .end_of_line = f->end_of_line,
                      .width = (uint32_t)columns,
                      .height = (uint32_t)p->height,
                      .bytes = bytes,
                      .size = size};
    if (columns < p->width || columns > SIDE_MAX || p->height < 1 ||
        p->height > SIDE_MAX || (f->rows > 0 && f->rows < p->height))
        return "a CCITT image has fewer rows or columns than declared";
    if (f->byte_align)
        return "a CCITT image with byte-aligned rows cannot be checked";
    return fax_is_whole(&fax)
               ? NULL
               : "a CCITT image is damaged, or has fewer rows than declared";
}

const char *pdf_image_check(const struct pdf_image *p, const uint8_t *bytes,
                            size_t size)
{
    const char *lacking = "an image has fewer rows than declared";
    size_t want = pdf_image_size(p);
    if (p->filters.n < 0) return "an image has too many filters";
    bool coded = false;
    for (int i = 0; i < p->filters.n; i++)
        coded |= p->filters.filter[i].kind > PDF_CRYPT;
    if (!coded && want == 0) return NULL; /* poppler reports it */
    struct pdf_decoded d = pdf_decode(&p->filters, bytes, size,
                                      coded ? CODED_BYTES_MAX : want, coded);
    const char *why = NULL;
    const struct pdf_filter *f =
        coded ? &p->filters.filter[d.stopped_at] : NULL;
    if (!f)
        why = d.n < want ? lacking : NULL;
    else if (!d.bytes || d.refused)
        why = "an image is too large to be checked";
    else if (d.n == 0)
        why = "an image has no data";
    else if (f->kind == PDF_CCITT)
        why = check_fax(p, f, d.bytes, d.n);
    else if (f->kind == PDF_JBIG2)
        why = jbig2_check(d.bytes, d.n);
    free(d.bytes);
    return why;
}

/* --- image XObjects ------------------------------------------------------- */

long long pdf_image_colours(struct pdf_file *file, pdf_object space,
                            pdf_object resources)
{
    static const struct {
        const char *name;
        long long n;
    } table[] = {{"DeviceGray", 1}, {"G", 1},          {"CalGray", 1},
                 {"DeviceRGB", 3},  {"RGB", 3},        {"CalRGB", 3},
                 {"Lab", 3},        {"DeviceCMYK", 4}, {"CMYK", 4},
                 {"Indexed", 1},    {"I", 1},          {"Separation", 1}};
    bool is_array = pdf_file_is_array(file, space);
    char name[128];
    strncpy(name,
            pdf_file_name(file,
                          is_array ? pdf_file_array_at(file, space, 0) : space),
            sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(name, table[i].name)) return table[i].n;
    pdf_object second = pdf_file_array_at(file, space, 1);
    if (!strcmp(name, "ICCBased"))
        return pdf_file_integer(file, pdf_file_get(file, second, "N"), 0);
    if (!strcmp(name, "DeviceN")) return pdf_file_array_size(file, second);
    if (is_array || !*name || resources == PDF_NONE) return 0;
    pdf_object spaces = pdf_file_get(file, resources, "ColorSpace");
    return pdf_image_colours(file, pdf_file_get(file, spaces, name), PDF_NONE);
}

static void read_parameters(struct pdf_file *file, pdf_object o,
                            struct pdf_filter *f)
{
    if (!pdf_file_is_dictionary(file, o)) return;
    f->predictor =
        pdf_file_integer(file, pdf_file_get(file, o, "Predictor"), 1);
    f->colours = pdf_file_integer(file, pdf_file_get(file, o, "Colors"), 1);
    f->bits =
        pdf_file_integer(file, pdf_file_get(file, o, "BitsPerComponent"), 8);
    f->columns = pdf_file_integer(file, pdf_file_get(file, o, "Columns"), -1);
    f->early = pdf_file_integer(file, pdf_file_get(file, o, "EarlyChange"), 1);
    f->k = pdf_file_integer(file, pdf_file_get(file, o, "K"), 0);
    f->rows = pdf_file_integer(file, pdf_file_get(file, o, "Rows"), 0);
    f->end_of_line = pdf_file_is_true(file, pdf_file_get(file, o, "EndOfLine"));
    f->byte_align =
        pdf_file_is_true(file, pdf_file_get(file, o, "EncodedByteAlign"));
}

static pdf_object either(struct pdf_file *file, pdf_object o, const char *key,
                         const char *brief)
{
    pdf_object value = pdf_file_get(file, o, key);
    return pdf_file_is_null(file, value) ? pdf_file_get(file, o, brief) : value;
}

void pdf_image_filters(struct pdf_file *file, pdf_object stream,
                       struct pdf_filters *out)
{
    pdf_object names = either(file, stream, "Filter", "F");
    pdf_object parameters = either(file, stream, "DecodeParms", "DP");
    bool many = pdf_file_is_array(file, names);
    int n = many                            ? pdf_file_array_size(file, names)
            : pdf_file_is_null(file, names) ? 0
                                            : 1;
    out->n = n > PDF_FILTERS_MAX ? -1 : n;
    for (int i = 0; i < out->n; i++) {
        out->filter[i] = pdf_decode_filter(pdf_file_name(
            file, many ? pdf_file_array_at(file, names, i) : names));
        read_parameters(file,
                        pdf_file_is_array(file, parameters)
                            ? pdf_file_array_at(file, parameters, i)
                            : parameters,
                        &out->filter[i]);
    }
}

/* What poppler reads if a stream's /Length is wrong: that and some more. */
static size_t within_length(struct pdf_file *file, pdf_object stream,
                            size_t size)
{
    long long declared =
        pdf_file_integer(file, pdf_file_get(file, stream, "Length"), -1);
    return declared >= 0 && (size_t)declared + LENGTH_SLACK < size
               ? (size_t)declared + LENGTH_SLACK
               : size;
}

static const char *check_one(struct pdf_file *file, pdf_object image,
                             pdf_object resources)
{
    struct pdf_image p = {
        .width = pdf_file_integer(file, either(file, image, "Width", "W"), 0),
        .height = pdf_file_integer(file, either(file, image, "Height", "H"), 0),
        .bits = pdf_file_integer(
            file, either(file, image, "BitsPerComponent", "BPC"), 0)};
    if (pdf_file_is_true(file, either(file, image, "ImageMask", "IM")))
        p.bits = p.colours = 1;
    else
        p.colours = pdf_image_colours(
            file, either(file, image, "ColorSpace", "CS"), resources);
    pdf_image_filters(file, image, &p.filters);
    size_t size = 0;
    uint8_t *bytes = pdf_file_stream(file, image, &size);
    if (!bytes) return "the data of an image cannot be read";
    const char *why =
        pdf_image_check(&p, bytes, within_length(file, image, size));
    free(bytes);
    return why;
}

const char *pdf_image_check_stream(struct pdf_file *file, pdf_object image,
                                   pdf_object resources)
{
    const char *why = check_one(file, image, resources);
    static const char *const mask[] = {"SMask", "Mask"};
    for (int i = 0; i < 2 && !why; i++) {
        pdf_object o = pdf_file_get(file, image, mask[i]);
        if (pdf_file_is_stream(file, o)) why = check_one(file, o, resources);
    }
    return why;
}
