/* pdf_writer.c - see pdf_writer.h. */
#include "stages/children/raster/pdf/pdf_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qpdf/qpdf-c.h>
#include <zlib.h>

#include "stages/children/raster/pdf/glyphless_text.h"
#include "stages/children/raster/pdf/hidden_text.h"
#include "stages/children/raster/pdf/pdf_archive.h"
#include "stages/children/raster/pdf/picture_pack.h"
#include "stages/children/raster/pdf/picture_stream.h"
#include "stages/children/raster/pdf/qpdf_objects.h"
#include "stages/children/wire/raster_protocol.h"
#include "vlm/base/arena.h"

enum {
    CONTENT_MAX = 1 << 26,
    NAME_MAX_TRIES = 1000,
    SIDE_LEAST = 3,
    SIDE_MAX = 14400,
    FIELDS_DEEP = 16,
    FORMS_DEEP = 4
};

struct pdf_writer {
    qpdf_data qpdf;
    unsigned options;
    bool must_declare; /* that it is PDF/A: the file does not */
    struct glyphless_codes codes;
    qpdf_oh font, map, glyphs; /* the font; its ToUnicode, its CIDToGIDMap */
    qpdf_oh *page;             /* of the PDF; 0 once it is kept */
    int n_page;
};

static void fail(struct err *err, const char *what)
{
    err_reason(err, ERR_INPUT, "damaged", "libqpdf cannot %s", what);
}

static void set(struct pdf_writer *w, qpdf_oh dict, const char *key,
                qpdf_oh value)
{
    qpdf_oh_replace_key(w->qpdf, dict, key, value);
}

/* --- the font -------------------------------------------------------------- */

static qpdf_oh new_dictionary(struct pdf_writer *w, const char *text)
{
    return qpdf_oh_parse(w->qpdf, text);
}

static qpdf_oh make_descriptor(struct pdf_writer *w)
{
    char text[400];
    struct buf bytes = buf_limit(1 << 12);
    glyphless_text_font(&bytes);
    qpdf_oh file = qpdf_objects_stream(w->qpdf, bytes.data, bytes.size);
    set(w, qpdf_oh_get_dict(w->qpdf, file), "/Length1",
        qpdf_oh_new_integer(w->qpdf, (long long)bytes.size));
    buf_free(&bytes);
    snprintf(text, sizeof text,
             "<< /Type /FontDescriptor /FontName /PlatenInvisible /Flags 4 "
             "/FontBBox [0 %d %d %d] /ItalicAngle 0 /Ascent %d /Descent %d "
             "/CapHeight %d /StemV 80 >>",
             GLYPHLESS_TEXT_DESCENT, GLYPHLESS_TEXT_WIDTH,
             GLYPHLESS_TEXT_ASCENT, GLYPHLESS_TEXT_ASCENT,
             GLYPHLESS_TEXT_DESCENT, GLYPHLESS_TEXT_ASCENT);
    qpdf_oh descriptor = new_dictionary(w, text);
    set(w, descriptor, "/FontFile2", file);
    return qpdf_make_indirect_object(w->qpdf, descriptor);
}

static void make_font(struct pdf_writer *w)
{
    char text[300];
    w->map = qpdf_oh_new_stream(w->qpdf);
    w->glyphs = qpdf_oh_new_stream(w->qpdf);
    snprintf(text, sizeof text,
             "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /PlatenInvisible "
             "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
             "/Supplement 0 >> /DW %d /W [1 [0]] >>",
             GLYPHLESS_TEXT_WIDTH);
    qpdf_oh descendant = new_dictionary(w, text);
    set(w, descendant, "/FontDescriptor", make_descriptor(w));
    set(w, descendant, "/CIDToGIDMap", w->glyphs);
    qpdf_oh list = qpdf_oh_new_array(w->qpdf);
    qpdf_oh_append_item(w->qpdf, list,
                        qpdf_make_indirect_object(w->qpdf, descendant));
    qpdf_oh font = new_dictionary(
        w, "<< /Type /Font /Subtype /Type0 /BaseFont /PlatenInvisible "
           "/Encoding /Identity-H >>");
    set(w, font, "/DescendantFonts", list);
    set(w, font, "/ToUnicode", w->map);
    w->font = qpdf_make_indirect_object(w->qpdf, font);
}

/* Once all characters are known. All have the second glyph. */
static void finish_font(struct pdf_writer *w)
{
    struct buf map = buf_limit(1 << 22), glyphs = buf_limit(1 << 18);
    glyphless_text_map(&w->codes, &map);
    for (uint32_t i = 0; i < w->codes.n; i++)
        buf_add(&glyphs, "\0\1", 2);
    qpdf_objects_set_bytes(w->qpdf, w->map, map.data, map.size);
    qpdf_objects_set_bytes(w->qpdf, w->glyphs, glyphs.data, glyphs.size);
    buf_free(&map);
    buf_free(&glyphs);
}

/* --- life ------------------------------------------------------------------ */

/* Inherited attributes move to each page, so that one page's can be changed. */
static void list_pages(struct pdf_writer *w, struct err *err)
{
    if (qpdf_push_inherited_attributes_to_page(w->qpdf) & QPDF_ERRORS) {
        fail(err, "read the pages");
        return;
    }
    w->n_page = qpdf_get_num_pages(w->qpdf);
    if (w->n_page < 0) w->n_page = 0;
    w->page = mem_alloc((size_t)w->n_page + 1, sizeof *w->page);
    for (int i = 0; i < w->n_page; i++)
        w->page[i] = qpdf_get_page_n(w->qpdf, (size_t)i);
}

/* Whether one of the form's fields is a signature that has been given; `type`:
 * of the fields above. */
static bool has_signature(struct pdf_writer *w, qpdf_oh fields, bool above,
                          int depth)
{
    int n = depth < FIELDS_DEEP ? qpdf_objects_in(w->qpdf, fields) : 0;
    for (int i = 0; i < n; i++) {
        qpdf_oh field = qpdf_oh_get_array_item(w->qpdf, fields, i);
        if (!qpdf_oh_is_dictionary(w->qpdf, field)) continue;
        qpdf_oh type = qpdf_oh_get_key(w->qpdf, field, "/FT");
        bool is = qpdf_oh_is_name(w->qpdf, type)
                      ? qpdf_objects_is(w->qpdf, type, "/Sig")
                      : above;
        if ((is && qpdf_oh_is_dictionary(
                       w->qpdf, qpdf_oh_get_key(w->qpdf, field, "/V"))) ||
            has_signature(w, qpdf_oh_get_key(w->qpdf, field, "/Kids"), is,
                          depth + 1))
            return true;
    }
    return false;
}

static void check_signature(struct pdf_writer *w, struct err *err)
{
    qpdf_oh form =
        qpdf_oh_get_key(w->qpdf, qpdf_get_root(w->qpdf), "/AcroForm");
    if (err_failed(err) || w->options & RASTER_LAYER_SIGNED ||
        !qpdf_oh_is_dictionary(w->qpdf, form) ||
        !has_signature(w, qpdf_oh_get_key(w->qpdf, form, "/Fields"), false, 0))
        return;
    err_reason(err, ERR_INPUT, "signed",
               "the PDF is signed, and a change would invalidate that "
               "(invalidate_digital_signatures allows it)");
}

struct pdf_writer *pdf_writer_open(struct span pdf, unsigned options,
                                   struct err *err)
{
    if (err_failed(err)) return NULL;
    struct pdf_writer *w = mem_alloc(1, sizeof *w);
    w->options = options;
    w->qpdf = qpdf_init();
    qpdf_set_suppress_warnings(w->qpdf, QPDF_TRUE);
    qpdf_silence_errors(w->qpdf);
    QPDF_ERROR_CODE code = pdf.size ? qpdf_read_memory(w->qpdf, "document",
                                                       pdf.data, pdf.size, NULL)
                                    : qpdf_empty_pdf(w->qpdf);
    if (code & QPDF_ERRORS)
        fail(err, "read the file");
    else if (pdf.size && qpdf_is_encrypted(w->qpdf))
        err_reason(err, ERR_INPUT, "encrypted",
                   "the file is encrypted (qpdf --decrypt removes that)");
    check_signature(w, err);
    w->must_declare = options & RASTER_LAYER_ARCHIVE && !err_failed(err) &&
                      !pdf_archive_is_claimed(w->qpdf);
    if (w->must_declare) pdf_archive_check_file(w->qpdf, err);
    if (!err_failed(err)) list_pages(w, err);
    if (err_failed(err)) {
        pdf_writer_close(w);
        return NULL;
    }
    w->codes = glyphless_text_codes();
    make_font(w);
    return w;
}

void pdf_writer_close(struct pdf_writer *w)
{
    if (!w) return;
    if (qpdf_has_error(w->qpdf)) qpdf_get_error(w->qpdf);
    qpdf_cleanup(&w->qpdf);
    glyphless_text_free(&w->codes);
    mem_free(w->page);
    mem_free(w);
}

/* --- pages of a PDF -------------------------------------------------------- */

/* A copy of the dictionary, which other pages may share; empty if it is
 * none. */
static qpdf_oh copy_dictionary(struct pdf_writer *w, qpdf_oh from)
{
    qpdf_oh copy = qpdf_oh_new_dictionary(w->qpdf);
    qpdf_objects_copy_keys(w->qpdf, from, copy);
    return copy;
}

/* Adds the font to the page's resources, by a name that is free there. */
static void add_font(struct pdf_writer *w, qpdf_oh page, char *name,
                     size_t size)
{
    qpdf_oh resources =
        copy_dictionary(w, qpdf_oh_get_key(w->qpdf, page, "/Resources"));
    qpdf_oh fonts =
        copy_dictionary(w, qpdf_oh_get_key(w->qpdf, resources, "/Font"));
    snprintf(name, size, "/PlatenWords");
    for (int i = 2; qpdf_oh_has_key(w->qpdf, fonts, name) && i < NAME_MAX_TRIES;
         i++)
        snprintf(name, size, "/PlatenWords%d", i);
    set(w, fonts, name, w->font);
    set(w, resources, "/Font", fonts);
    set(w, page, "/Resources", resources);
}

static void prepend_content(struct pdf_writer *w, qpdf_oh page,
                            const struct buf *content)
{
    qpdf_oh stream = qpdf_oh_new_stream(w->qpdf);
    qpdf_oh all = qpdf_oh_new_array(w->qpdf);
    qpdf_oh old = qpdf_oh_get_key(w->qpdf, page, "/Contents");
    qpdf_objects_set_bytes(w->qpdf, stream, buf_span(content).data,
                           content->size);
    qpdf_oh_append_item(w->qpdf, all, stream);
    if (qpdf_oh_is_stream(w->qpdf, old)) qpdf_oh_append_item(w->qpdf, all, old);
    int n = qpdf_objects_in(w->qpdf, old);
    for (int i = 0; i < n; i++)
        qpdf_oh_append_item(w->qpdf, all,
                            qpdf_oh_get_array_item(w->qpdf, old, i));
    set(w, page, "/Contents", all);
}

static void add_words(struct pdf_writer *w, qpdf_oh page,
                      const struct glyphless_frame *frame,
                      const struct words *words, struct err *err)
{
    char name[40];
    struct buf content = buf_limit(CONTENT_MAX);
    if (err_failed(err) || words->n_word == 0) return;
    add_font(w, page, name, sizeof name);
    glyphless_text_content(words, frame, name + 1, &w->codes, &content);
    if (content.full)
        err_reason(err, ERR_LIMIT, "too-large", "too many words on a page");
    else
        prepend_content(w, page, &content);
    buf_free(&content);
}

/* --- other programs' words --------------------------------------------------- */

/* The content without invisible text; false if it has none. */
static bool drop_from(const unsigned char *bytes, size_t size,
                      struct buf *content)
{
    *content = buf_limit(CONTENT_MAX);
    bool any =
        hidden_text_drop((struct span){(const char *)bytes, size}, content) &&
        !content->full;
    if (!any) buf_free(content);
    return any;
}

static bool drop_from_forms(struct pdf_writer *w, qpdf_oh owner, int depth);

/* A copy of the form without invisible text; the form itself, if it has none. */
static qpdf_oh drop_from_form(struct pdf_writer *w, qpdf_oh form, int depth)
{
    size_t size = 0;
    struct buf content;
    qpdf_oh dict = copy_dictionary(w, qpdf_oh_get_dict(w->qpdf, form));
    bool any = drop_from_forms(w, dict, depth + 1);
    unsigned char *bytes =
        qpdf_objects_bytes(w->qpdf, form, qpdf_dl_generalized, &size);
    if (bytes && drop_from(bytes, size, &content)) {
        any = true;
    } else {
        content = buf_limit(CONTENT_MAX);
        if (bytes) buf_add(&content, bytes, size);
    }
    if (any && bytes && !content.full) {
        qpdf_oh_remove_key(w->qpdf, dict, "/Filter");
        qpdf_oh_remove_key(w->qpdf, dict, "/DecodeParms");
        qpdf_oh_replace_key(w->qpdf, dict, "/Length",
                            qpdf_oh_new_null(w->qpdf));
        form = qpdf_oh_new_stream(w->qpdf);
        qpdf_objects_copy_keys(w->qpdf, dict, qpdf_oh_get_dict(w->qpdf, form));
        qpdf_objects_set_bytes(w->qpdf, form, content.data, content.size);
    }
    buf_free(&content);
    free(bytes);
    return form;
}

/* Replaces the forms among the resources of a page or form that have invisible
 * text; returns whether there were any. */
static bool drop_from_forms(struct pdf_writer *w, qpdf_oh owner, int depth)
{
    bool any = false;
    qpdf_oh resources =
        copy_dictionary(w, qpdf_oh_get_key(w->qpdf, owner, "/Resources"));
    qpdf_oh old = qpdf_oh_get_key(w->qpdf, resources, "/XObject");
    if (depth > FORMS_DEEP || !qpdf_oh_is_dictionary(w->qpdf, old))
        return false;
    qpdf_oh forms = copy_dictionary(w, old);
    struct buf names = buf_limit(1 << 20);
    qpdf_oh_begin_dict_key_iter(w->qpdf, old);
    while (qpdf_oh_dict_more_keys(w->qpdf)) {
        const char *name = qpdf_oh_dict_next_key(w->qpdf);
        buf_add(&names, name, strlen(name) + 1);
    }
    for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
        const char *name = names.data + at;
        qpdf_oh form = qpdf_oh_get_key(w->qpdf, old, name);
        if (!qpdf_oh_is_stream(w->qpdf, form) ||
            !qpdf_objects_is(w->qpdf,
                             qpdf_oh_get_key(w->qpdf,
                                             qpdf_oh_get_dict(w->qpdf, form),
                                             "/Subtype"),
                             "/Form"))
            continue;
        qpdf_oh copy = drop_from_form(w, form, depth);
        if (copy == form) continue;
        set(w, forms, name, copy);
        any = true;
    }
    buf_free(&names);
    if (any) {
        set(w, resources, "/XObject", forms);
        set(w, owner, "/Resources", resources);
    }
    return any;
}

static void drop_text(struct pdf_writer *w, qpdf_oh page)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    struct buf content;
    drop_from_forms(w, page, 0);
    if (!(qpdf_oh_get_page_content_data(w->qpdf, page, &bytes, &size) &
          QPDF_ERRORS) &&
        drop_from(bytes, size, &content)) {
        qpdf_oh stream =
            qpdf_objects_stream(w->qpdf, buf_span(&content).data, content.size);
        set(w, page, "/Contents", stream);
        buf_free(&content);
    }
    free(bytes);
}

/* --- frames ----------------------------------------------------------------- */

/* The sides of a box, in order; false if there is no box. */
static bool read_box(struct pdf_writer *w, qpdf_oh page, const char *key,
                     double side[4])
{
    qpdf_oh box = qpdf_oh_get_key(w->qpdf, page, key);
    double v[4];
    if (qpdf_objects_in(w->qpdf, box) != 4) return false;
    for (int i = 0; i < 4; i++) {
        qpdf_oh one = qpdf_oh_get_array_item(w->qpdf, box, i);
        if (!qpdf_oh_get_value_as_number(w->qpdf, one, &v[i]) ||
            !isfinite(v[i]))
            return false;
    }
    side[0] = fmin(v[0], v[2]);
    side[1] = fmin(v[1], v[3]);
    side[2] = fmax(v[0], v[2]);
    side[3] = fmax(v[1], v[3]);
    return side[0] < side[2] && side[1] < side[3];
}

/* The part that viewers show: the crop box within the media box. */
static struct glyphless_frame frame_of(struct pdf_writer *w, qpdf_oh page)
{
    double all[4] = {0, 0, 612, 792}, crop[4];
    (void)read_box(w, page, "/MediaBox", all);
    struct glyphless_frame f = {all[0], all[1], all[2], all[3], 0};
    if (read_box(w, page, "/CropBox", crop)) {
        double x0 = fmax(all[0], crop[0]), x1 = fmin(all[2], crop[2]);
        double y0 = fmax(all[1], crop[1]), y1 = fmin(all[3], crop[3]);
        if (x0 < x1 && y0 < y1) f = (struct glyphless_frame){x0, y0, x1, y1, 0};
    }
    int rotate = qpdf_objects_integer(
        w->qpdf, qpdf_oh_get_key(w->qpdf, page, "/Rotate"), 0);
    f.rotate = (rotate % 360 + 360) % 360 / 90 * 90;
    return f;
}

void pdf_writer_page(struct pdf_writer *w, int number, int quarters,
                     const struct words *words, struct err *err)
{
    if (err_failed(err)) return;
    if (number < 1 || number > w->n_page || !w->page[number - 1]) {
        fail(err, "find a page that was drawn");
        err->page = number;
        return;
    }
    qpdf_oh page = w->page[number - 1];
    struct glyphless_frame frame = frame_of(w, page);
    frame.rotate = (frame.rotate + 90 * quarters) % 360;
    if (w->options & RASTER_LAYER_REDO && words->n_word) drop_text(w, page);
    if (w->options & RASTER_LAYER_ROTATE && quarters)
        set(w, page, "/Rotate", qpdf_oh_new_integer(w->qpdf, frame.rotate));
    if (w->must_declare) pdf_archive_check_page(w->qpdf, page, number, err);
    add_words(w, page, &frame, words, err);
    w->page[number - 1] = 0;
}

/* --- pictures -------------------------------------------------------------- */

/* Eight pixels a byte if all are black or white; NULL: they are not. */
static uint8_t *pack_bits(const struct image *image, size_t *size)
{
    size_t width = (size_t)image->width_px, line = (width + 7) / 8;
    if (image->n_channel != 1) return NULL;
    *size = line * (size_t)image->height_px;
    uint8_t *bits = mem_alloc(*size, 1);
    for (int y = 0; y < image->height_px; y++) {
        const uint8_t *row = image_row(image, y);
        uint8_t *to = bits + line * (size_t)y;
        for (size_t x = 0; x < width; x++) {
            if (row[x] != 0 && row[x] != 255) {
                mem_free(bits);
                return NULL;
            }
            if (row[x]) to[x / 8] = (uint8_t)(to[x / 8] | 0x80 >> x % 8);
        }
    }
    return bits;
}

/* Compressed here, not by libqpdf, which would keep the pixels of all pages
 * until it writes. */
static void set_pixels(struct pdf_writer *w, qpdf_oh stream, const void *bytes,
                       size_t size, struct err *err)
{
    uLongf packed_size = compressBound(size);
    uint8_t *packed = mem_try_aligned(packed_size);
    if (!packed || compress2(packed, &packed_size, bytes, size, 6) != Z_OK)
        err_reason(err, ERR_SYSTEM, "resource-memory",
                   "no memory for the pixels of a page");
    else
        qpdf_oh_replace_stream_data(w->qpdf, stream, packed, packed_size,
                                    qpdf_oh_new_name(w->qpdf, "/FlateDecode"),
                                    qpdf_oh_new_null(w->qpdf));
    mem_free(packed);
}

static void describe(struct pdf_writer *w, qpdf_oh stream, int width,
                     int height, int bits, const char *colours)
{
    qpdf_oh dict = qpdf_oh_get_dict(w->qpdf, stream);
    set(w, dict, "/Type", qpdf_oh_new_name(w->qpdf, "/XObject"));
    set(w, dict, "/Subtype", qpdf_oh_new_name(w->qpdf, "/Image"));
    set(w, dict, "/Width", qpdf_oh_new_integer(w->qpdf, width));
    set(w, dict, "/Height", qpdf_oh_new_integer(w->qpdf, height));
    set(w, dict, "/BitsPerComponent", qpdf_oh_new_integer(w->qpdf, bits));
    set(w, dict, "/ColorSpace", qpdf_oh_new_name(w->qpdf, colours));
}

/* Sets data that was compressed for a filter. */
static void set_packed(struct pdf_writer *w, qpdf_oh stream,
                       const struct buf *packed, const char *filter,
                       const char *parameters)
{
    qpdf_oh_replace_stream_data(w->qpdf, stream,
                                (const unsigned char *)packed->data,
                                packed->size, qpdf_oh_new_name(w->qpdf, filter),
                                *parameters ? new_dictionary(w, parameters)
                                            : qpdf_oh_new_null(w->qpdf));
}

/* Black and white as Group 4; false: it cannot be. */
static bool set_fax(struct pdf_writer *w, qpdf_oh stream, const uint8_t *bits,
                    const struct image *image)
{
    char parameters[100];
    struct buf packed = buf_limit(SIZE_MAX);
    bool well = bits && picture_pack_fax(bits, image->width_px,
                                         image->height_px, &packed);
    snprintf(parameters, sizeof parameters, "<< /K -1 /Columns %d /Rows %d >>",
             image->width_px, image->height_px);
    if (well) set_packed(w, stream, &packed, "/CCITTFaxDecode", parameters);
    buf_free(&packed);
    return well;
}

static bool set_jpeg(struct pdf_writer *w, qpdf_oh stream,
                     const struct image *image)
{
    struct buf packed = buf_limit(SIZE_MAX);
    bool well = picture_pack_jpeg(image, &packed);
    if (well) set_packed(w, stream, &packed, "/DCTDecode", "");
    buf_free(&packed);
    return well;
}

static void make_pixels(struct pdf_writer *w,
                        const struct pdf_writer_picture *picture,
                        qpdf_oh stream, struct err *err)
{
    const struct image *image = &picture->pixels;
    size_t size = 0;
    uint8_t *bits = pack_bits(image, &size);
    if (set_fax(w, stream, bits, image) ||
        (!bits && picture->lossy && set_jpeg(w, stream, image)))
        ;
    else if (bits)
        set_pixels(w, stream, bits, size, err);
    else
        set_pixels(w, stream, image->data,
                   image->stride_bytes * (size_t)image->height_px, err);
    describe(w, stream, image->width_px, image->height_px, bits ? 1 : 8,
             image->n_channel == 1 ? "/DeviceGray" : "/DeviceRGB");
    mem_free(bits);
}

/* Embeds a part of the picture's file; false: that cannot be. */
static bool set_stream(struct pdf_writer *w,
                       const struct pdf_writer_picture *picture, qpdf_oh stream,
                       int *orientation)
{
    static const char *const colours[] = {
        [1] = "/DeviceGray", [3] = "/DeviceRGB", [4] = "/DeviceCMYK"};
    struct picture_stream found;
    const struct image *image = &picture->pixels;
    if (!picture_stream_find(picture->file, picture->number, &found))
        return false;
    bool lies = found.orientation > 4;
    bool same = (lies ? found.height_px : found.width_px) == image->width_px &&
                (lies ? found.width_px : found.height_px) == image->height_px &&
                (found.n_colour < 4 || !(w->options & RASTER_LAYER_ARCHIVE));
    if (same) {
        qpdf_oh_replace_stream_data(
            w->qpdf, stream, (const unsigned char *)found.bytes.data,
            found.bytes.size, qpdf_oh_new_name(w->qpdf, found.filter),
            qpdf_oh_new_null(w->qpdf));
        describe(w, stream, found.width_px, found.height_px, 8,
                 colours[found.n_colour]);
        *orientation = found.orientation;
    }
    /* as Adobe stores CMYK, 255 is no ink */
    if (same && found.n_colour == 4)
        set(w, qpdf_oh_get_dict(w->qpdf, stream), "/Decode",
            qpdf_oh_parse(w->qpdf, "[1 0 1 0 1 0 1 0]"));
    picture_stream_free(&found);
    return same;
}

static qpdf_oh make_picture(struct pdf_writer *w,
                            const struct pdf_writer_picture *picture,
                            int *orientation, struct err *err)
{
    qpdf_oh stream = qpdf_oh_new_stream(w->qpdf);
    if (!set_stream(w, picture, stream, orientation))
        make_pixels(w, picture, stream, err);
    return stream;
}

/* Draws the unit square of a picture stored in an EXIF orientation onto a page
 * of w x h. */
static void draw_picture(double w, double h, int orientation, struct buf *out)
{
    const double matrix[9][6] = {
        {w, 0, 0, h, 0, 0},   {w, 0, 0, h, 0, 0},  {-w, 0, 0, h, w, 0},
        {-w, 0, 0, -h, w, h}, {w, 0, 0, -h, 0, h}, {0, -h, -w, 0, w, h},
        {0, -h, w, 0, 0, h},  {0, h, w, 0, 0, 0},  {0, h, -w, 0, w, 0}};
    const double *m =
        matrix[orientation > 0 && orientation < 9 ? orientation : 1];
    buf_print(out, "q %.3f %.3f %.3f %.3f %.3f %.3f cm /Picture Do Q\n", m[0],
              m[1], m[2], m[3], m[4], m[5]);
}

static double side_of(double points)
{
    return fmin(fmax(points, SIDE_LEAST), SIDE_MAX);
}

void pdf_writer_picture(struct pdf_writer *w,
                        const struct pdf_writer_picture *picture, int quarters,
                        const struct words *words, struct err *err)
{
    int orientation = 1;
    if (!err_failed(err) && !picture->pixels.data)
        fail(err, "find the pixels of a page");
    if (err_failed(err)) return;
    double width = side_of(picture->width_pt),
           height = side_of(picture->height_pt);
    struct glyphless_frame frame = {0, 0, width, height, 90 * quarters % 360};
    qpdf_oh image = make_picture(w, picture, &orientation, err);
    if (err_failed(err)) return;
    struct buf text = buf_limit(400);
    buf_print(&text, "<< /Type /Page /MediaBox [0 0 %.3f %.3f] >>", width,
              height);
    qpdf_oh page = qpdf_make_indirect_object(
        w->qpdf, new_dictionary(w, buf_span(&text).data));
    buf_cut(&text, 0);
    draw_picture(width, height, orientation, &text);
    qpdf_oh content = qpdf_objects_stream(w->qpdf, text.data, text.size);
    buf_free(&text);
    qpdf_oh pictures = qpdf_oh_new_dictionary(w->qpdf);
    qpdf_oh resources = qpdf_oh_new_dictionary(w->qpdf);
    set(w, pictures, "/Picture", image);
    set(w, resources, "/XObject", pictures);
    set(w, page, "/Resources", resources);
    set(w, page, "/Contents", content);
    if (w->options & RASTER_LAYER_ROTATE && quarters)
        set(w, page, "/Rotate", qpdf_oh_new_integer(w->qpdf, frame.rotate));
    add_words(w, page, &frame, words, err);
    if (qpdf_add_page(w->qpdf, w->qpdf, page, QPDF_FALSE) & QPDF_ERRORS)
        fail(err, "add a page");
}

/* --- the result ------------------------------------------------------------ */

struct span pdf_writer_end(struct pdf_writer *w, struct err *err)
{
    struct span none = {"", 0};
    if (err_failed(err)) return none;
    for (int i = w->n_page - 1; i >= 0; i--)
        if (w->page[i] && qpdf_remove_page(w->qpdf, w->page[i]) & QPDF_ERRORS)
            fail(err, "remove a page");
    finish_font(w);
    if (w->must_declare) pdf_archive_declare(w->qpdf, err);
    if (err_failed(err)) return none;
    QPDF_ERROR_CODE code = qpdf_init_write_memory(w->qpdf);
    qpdf_set_newline_before_endstream(w->qpdf, QPDF_TRUE); /* as PDF/A has it */
    qpdf_set_minimum_pdf_version(w->qpdf, w->must_declare ? "1.7" : "1.5");
    qpdf_set_deterministic_ID(w->qpdf, QPDF_TRUE);
    if (!(code & QPDF_ERRORS)) code = qpdf_write(w->qpdf);
    if (code & QPDF_ERRORS) {
        fail(err, "write the file");
        return none;
    }
    return (struct span){(const char *)qpdf_get_buffer(w->qpdf),
                         qpdf_get_buffer_length(w->qpdf)};
}
