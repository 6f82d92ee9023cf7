/* pdf_archive.c - see pdf_archive.h. Numbers in comments are clauses of ISO
 * 19005-2. */
#include "stages/children/raster/pdf/pdf_archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

#include "stages/children/raster/pdf/pdf_tokens.h"
#include "stages/children/raster/pdf/picture_stream.h"
#include "stages/children/raster/pdf/qpdf_objects.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum {
    SAVED_MAX = 28,  /* q within q (6.1.13) */
    NAME_MOST = 127, /* bytes with the slash (6.1.13) */
    STRING_MOST = 32767,
    SIDE_LEAST = 3, /* of a page (6.1.13) */
    SIDE_MAX = 14400,
    DEEP = 4, /* forms, masks and colours within each other */
    FONT_DEEP = 6,
    WHAT_MAX = 200,
    PROFILE_HEAD = 128
};

/* What is being checked. */
struct archive_check {
    qpdf_data qpdf;
    int page; /* 0: the file */
    struct err *err;
};

static void refuse(struct archive_check *c, const char *what)
{
    char where[40] = "it";
    if (c->page) snprintf(where, sizeof where, "page %d", c->page);
    if (err_failed(c->err)) return;
    err_reason(c->err, ERR_INPUT, "not-pdfa",
               "the PDF cannot become PDF/A: %s has %s", where, what);
    c->err->page = c->page;
}

/* --- parts ------------------------------------------------------------------ */

static qpdf_oh key_of(struct archive_check *c, qpdf_oh dict, const char *key)
{
    return qpdf_oh_get_key(c->qpdf, dict, key);
}

/* Whether the word is in the list: " one two ". */
static bool is_listed(const char *word, const char *list)
{
    char with_blanks[PDF_TOKEN_TEXT + 2];
    int n = snprintf(with_blanks, sizeof with_blanks, " %s ", word);
    return n < (int)sizeof with_blanks && strstr(list, with_blanks);
}

static void check_keys(struct archive_check *c, qpdf_oh dict,
                       const char *allowed, const char *of)
{
    qpdf_oh_begin_dict_key_iter(c->qpdf, dict);
    while (qpdf_oh_dict_more_keys(c->qpdf)) {
        char what[WHAT_MAX];
        const char *key = qpdf_oh_dict_next_key(c->qpdf);
        qpdf_oh value = qpdf_oh_get_key(c->qpdf, dict, key);
        if (strlen(qpdf_objects_name(c->qpdf, value)) > NAME_MOST)
            refuse(c, "a name that is too long");
        if (is_listed(key, allowed)) continue;
        snprintf(what, sizeof what, "%.100s%s", key, of);
        refuse(c, what);
    }
}

/* The keys of a dictionary, each with a NUL. */
static struct buf keys_of(struct archive_check *c, qpdf_oh dict)
{
    struct buf names = buf_limit(1 << 20);
    if (!qpdf_oh_is_dictionary(c->qpdf, dict)) return names;
    qpdf_oh_begin_dict_key_iter(c->qpdf, dict);
    while (qpdf_oh_dict_more_keys(c->qpdf)) {
        const char *name = qpdf_oh_dict_next_key(c->qpdf);
        buf_add(&names, name, strlen(name) + 1);
    }
    return names;
}

/* Calls `check` for each value of a dictionary of resources. */
static void check_each(struct archive_check *c, qpdf_oh dict,
                       void (*check)(struct archive_check *c, qpdf_oh value,
                                     int depth),
                       int depth)
{
    struct buf names = keys_of(c, dict);
    for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
        if (strlen(names.data + at) > NAME_MOST)
            refuse(c, "a name that is too long");
        check(c, key_of(c, dict, names.data + at), depth);
    }
    buf_free(&names);
}

static void check_filter(struct archive_check *c, qpdf_oh filter)
{
    char what[WHAT_MAX] = "an unknown filter";
    const char *name = qpdf_objects_name(c->qpdf, filter);
    if (is_listed(name, " /FlateDecode /DCTDecode /CCITTFaxDecode /JBIG2Decode "
                        "/JPXDecode /RunLengthDecode /ASCII85Decode "
                        "/ASCIIHexDecode "))
        return;
    if (*name) snprintf(what, sizeof what, "a stream in %.100s", name);
    refuse(c, what);
}

static void check_filters(struct archive_check *c, qpdf_oh filter)
{
    int n = qpdf_objects_in(c->qpdf, filter);
    for (int i = 0; i < n; i++)
        check_filter(c, qpdf_oh_get_array_item(c->qpdf, filter, i));
    if (!qpdf_oh_is_array(c->qpdf, filter) && !qpdf_oh_is_null(c->qpdf, filter))
        check_filter(c, filter);
}

/* What is there and not used, like fonts after their text was dropped: streams
 * have rules of their own. */
static void check_unused(struct archive_check *c, qpdf_oh value, int depth)
{
    bool is_stream = qpdf_oh_is_stream(c->qpdf, value);
    qpdf_oh dict = is_stream ? qpdf_oh_get_dict(c->qpdf, value) : value;
    if (is_stream) {
        check_filters(c, key_of(c, dict, "/Filter"));
        if (!qpdf_oh_is_null(c->qpdf, key_of(c, dict, "/F")))
            refuse(c, "a stream in another file");
    }
    if (depth > FONT_DEEP || err_failed(c->err)) return;
    int n = qpdf_objects_in(c->qpdf, value);
    for (int i = 0; i < n; i++)
        check_unused(c, qpdf_oh_get_array_item(c->qpdf, value, i), depth + 1);
    check_each(c, dict, check_unused, depth + 1);
}

/* --- colours ---------------------------------------------------------------- */

/* Version 4 at most, of a device that makes or shows such colours (6.2.4.2). */
static void check_profile(struct archive_check *c, qpdf_oh profile)
{
    size_t size = 0;
    qpdf_oh n = key_of(c, qpdf_oh_get_dict(c->qpdf, profile), "/N");
    unsigned char *b =
        qpdf_oh_is_stream(c->qpdf, profile)
            ? qpdf_objects_bytes(c->qpdf, profile, qpdf_dl_generalized, &size)
            : NULL;
    int n_colour = qpdf_objects_integer(c->qpdf, n, 0);
    bool well = b && size > PROFILE_HEAD && !memcmp(b + 36, "acsp", 4) &&
                b[8] <= 4 &&
                ((n_colour == 1 && !memcmp(b + 16, "GRAY", 4)) ||
                 (n_colour == 3 && !memcmp(b + 16, "RGB ", 4))) &&
                (!memcmp(b + 12, "scnr", 4) || !memcmp(b + 12, "mntr", 4) ||
                 !memcmp(b + 12, "prtr", 4) || !memcmp(b + 12, "spac", 4));
    if (!well) refuse(c, "a colour profile that is neither grey nor RGB");
    free(b);
}

static void check_colours(struct archive_check *c, qpdf_oh space, int depth)
{
    char what[WHAT_MAX] = "an unknown colour space";
    bool is_array = qpdf_oh_is_array(c->qpdf, space);
    qpdf_oh kind = is_array ? qpdf_oh_get_array_item(c->qpdf, space, 0) : space;
    const char *name = qpdf_objects_name(c->qpdf, kind);
    if (is_listed(name, " /DeviceGray /DeviceRGB ")) return;
    if (is_array && is_listed(name, " /CalGray /CalRGB /Lab ")) return;
    if (is_array && !strcmp(name, "/ICCBased")) {
        check_profile(c, qpdf_oh_get_array_item(c->qpdf, space, 1));
    } else if (is_array && !strcmp(name, "/Indexed") && depth < DEEP) {
        check_colours(c, qpdf_oh_get_array_item(c->qpdf, space, 1), depth + 1);
        check_unused(c, qpdf_oh_get_array_item(c->qpdf, space, 3), 0);
    } else {
        if (*name) snprintf(what, sizeof what, "colours in %.100s", name);
        refuse(c, what);
    }
}

static void check_state(struct archive_check *c, qpdf_oh state, int depth)
{
    (void)depth;
    qpdf_oh blend = key_of(c, state, "/BM"), mask = key_of(c, state, "/SMask");
    check_keys(c, state,
               " /Type /LW /LC /LJ /ML /D /OP /op /OPM /FL /SM /SA /BM "
               "/SMask /CA /ca /AIS /TK ",
               " in a graphics state");
    if (!qpdf_oh_is_null(c->qpdf, blend) &&
        !qpdf_objects_is(c->qpdf, blend, "/Normal") &&
        !qpdf_objects_is(c->qpdf, blend, "/Compatible"))
        refuse(c, "blended colours");
    if (!qpdf_oh_is_null(c->qpdf, mask) &&
        !qpdf_objects_is(c->qpdf, mask, "/None"))
        refuse(c, "a mask in a graphics state");
}

/* --- pictures --------------------------------------------------------------- */

/* JPEG 2000 has colours and depths of its own (6.2.8.3). */
static void check_jpeg2000(struct archive_check *c, qpdf_oh image)
{
    size_t size = 0;
    struct picture_stream found;
    unsigned char *bytes =
        qpdf_objects_bytes(c->qpdf, image, qpdf_dl_none, &size);
    if (bytes && picture_stream_find((struct span){(const char *)bytes, size},
                                     1, &found))
        picture_stream_free(&found);
    else
        refuse(c, "an unusual JPEG 2000 picture");
    free(bytes);
}

static void check_picture_filters(struct archive_check *c, qpdf_oh image,
                                  qpdf_oh filter)
{
    qpdf_oh last = filter;
    int n = qpdf_objects_in(c->qpdf, filter);
    if (n) last = qpdf_oh_get_array_item(c->qpdf, filter, n - 1);
    check_filters(c, filter);
    if (!qpdf_objects_is(c->qpdf, last, "/JPXDecode")) return;
    if (n > 1)
        refuse(c, "JPEG 2000 within another filter");
    else
        check_jpeg2000(c, image);
}

static void check_depth(struct archive_check *c, qpdf_oh bits)
{
    int n = qpdf_objects_integer(c->qpdf, bits, 1);
    if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16)
        refuse(c, "a picture of an unknown depth");
}

static void check_image(struct archive_check *c, qpdf_oh image, int depth)
{
    qpdf_oh dict = qpdf_oh_get_dict(c->qpdf, image);
    qpdf_oh colours = key_of(c, dict, "/ColorSpace");
    qpdf_oh smooth = key_of(c, dict, "/Interpolate");
    static const char *const masks[] = {"/SMask", "/Mask"};
    check_keys(c, dict,
               " /Type /Subtype /Width /Height /ColorSpace /BitsPerComponent "
               "/Decode /DecodeParms /Filter /Length /ImageMask /Mask /SMask "
               "/Name /Interpolate /StructParent /ID /Matte ",
               " in a picture");
    if (qpdf_oh_is_bool(c->qpdf, smooth) &&
        qpdf_oh_get_bool_value(c->qpdf, smooth))
        refuse(c, "a picture that asks to be smoothed (/Interpolate)");
    if (!qpdf_oh_is_null(c->qpdf, colours)) check_colours(c, colours, 0);
    check_picture_filters(c, image, key_of(c, dict, "/Filter"));
    check_depth(c, key_of(c, dict, "/BitsPerComponent"));
    for (int i = 0; i < 2; i++) {
        qpdf_oh mask = key_of(c, dict, masks[i]);
        if (qpdf_oh_is_stream(c->qpdf, mask) && depth < DEEP)
            check_image(c, mask, depth + 1);
    }
}

/* --- content ---------------------------------------------------------------- */

static void check_operator(struct archive_check *c, const struct pdf_token *t,
                           int *n_saved)
{
    char what[WHAT_MAX];
    if (!strcmp(t->text, "q") && ++*n_saved > SAVED_MAX)
        refuse(c, "more than 28 nested graphics states");
    if (!strcmp(t->text, "Q")) --*n_saved;
    if (is_listed(t->text, " Tj TJ ' \" "))
        refuse(c, "text of another program (redo_ocr replaces invisible text)");
    else if (!is_listed(t->text,
                        " q Q cm w J j M d i gs m l c v y h re S s f F f* B "
                        "B* b b* n W W* CS cs SC SCN sc scn G g RG rg Do MP DP "
                        "BMC BDC EMC BT ET Tc Tw Tz TL Tf Tr Ts Td TD Tm T* "
                        "true false null ")) {
        snprintf(what, sizeof what, "the operator %.40s", t->text);
        refuse(c, what);
    }
}

static void check_content(struct archive_check *c, const unsigned char *bytes,
                          size_t size)
{
    if (!size) return; /* bytes may be NULL */
    struct pdf_tokens tokens = {bytes, bytes + size};
    struct pdf_token t;
    int n_saved = 0;
    for (pdf_tokens_next(&tokens, &t);
         t.kind != PDF_TOKEN_END && !err_failed(c->err);
         pdf_tokens_next(&tokens, &t)) {
        if (t.kind == PDF_TOKEN_OPERATOR) check_operator(c, &t, &n_saved);
        if (t.kind == PDF_TOKEN_NAME &&
            (!strcmp(t.text, "DeviceCMYK") || !strcmp(t.text, "Pattern")))
            refuse(c, "colours in CMYK or patterns");
        size_t size_of = (size_t)(t.to - t.from);
        if (t.kind == PDF_TOKEN_NAME && size_of > NAME_MOST)
            refuse(c, "a name that is too long");
        if (t.kind == PDF_TOKEN_STRING &&
            (*t.from == '<' || size_of > STRING_MOST))
            refuse(c, "a string in hexadecimal digits, or a long one");
        if (t.kind == PDF_TOKEN_NUMBER && !(fabs(t.number) < INT32_MAX))
            refuse(c, "a number that is too large");
    }
}

static void check_resources(struct archive_check *c, qpdf_oh resources,
                            int depth);

static void check_object(struct archive_check *c, qpdf_oh object, int depth)
{
    size_t size = 0;
    if (!qpdf_oh_is_stream(c->qpdf, object)) return;
    qpdf_oh dict = qpdf_oh_get_dict(c->qpdf, object);
    qpdf_oh kind = key_of(c, dict, "/Subtype");
    if (qpdf_objects_is(c->qpdf, kind, "/Image")) {
        check_image(c, object, 0);
        return;
    }
    unsigned char *bytes = NULL;
    if (qpdf_objects_is(c->qpdf, kind, "/Form") && depth < DEEP)
        bytes = qpdf_objects_bytes(c->qpdf, object, qpdf_dl_generalized, &size);
    if (!bytes) {
        refuse(c, "content that cannot be looked into");
        return;
    }
    check_keys(c, dict,
               " /Type /Subtype /FormType /BBox /Matrix /Resources /Group "
               "/Filter /DecodeParms /Length /Name /StructParent "
               "/StructParents /LastModified ",
               " in a form");
    check_content(c, bytes, size);
    check_resources(c, key_of(c, dict, "/Resources"), depth + 1);
    free(bytes);
}

static void check_resources(struct archive_check *c, qpdf_oh resources,
                            int depth)
{
    if (!qpdf_oh_is_dictionary(c->qpdf, resources)) {
        refuse(c, "content without resources");
        return;
    }
    check_keys(c, resources,
               " /ProcSet /XObject /ColorSpace /ExtGState /Font /Properties ",
               " among its resources");
    check_each(c, key_of(c, resources, "/XObject"), check_object, depth);
    check_each(c, key_of(c, resources, "/ColorSpace"), check_colours, 0);
    check_each(c, key_of(c, resources, "/ExtGState"), check_state, 0);
    check_each(c, key_of(c, resources, "/Font"), check_unused, 0);
    check_each(c, key_of(c, resources, "/Properties"), check_unused, 0);
}

static void check_sides(struct archive_check *c, qpdf_oh page)
{
    static const char *const boxes[] = {"/MediaBox", "/CropBox", "/BleedBox",
                                        "/TrimBox", "/ArtBox"};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        qpdf_oh box = key_of(c, page, boxes[i]);
        double v[4] = {0};
        for (int k = 0; k < 4 && qpdf_oh_is_array(c->qpdf, box); k++)
            (void)qpdf_oh_get_value_as_number(
                c->qpdf, qpdf_oh_get_array_item(c->qpdf, box, k), &v[k]);
        double w = fabs(v[2] - v[0]), h = fabs(v[3] - v[1]);
        if (!qpdf_oh_is_null(c->qpdf, box) &&
            !(fmin(w, h) >= SIDE_LEAST && fmax(w, h) <= SIDE_MAX))
            refuse(c, "a box of less than 3 or more than 14,400 points");
    }
}

void pdf_archive_check_page(qpdf_data qpdf, qpdf_oh page, int number,
                            struct err *err)
{
    struct archive_check c = {qpdf, number, err};
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (err_failed(err)) return;
    check_keys(&c, page,
               " /Type /Parent /MediaBox /CropBox /BleedBox /TrimBox /ArtBox "
               "/Rotate /Contents /Resources /Group /LastModified "
               "/StructParents /Tabs /UserUnit ",
               "");
    qpdf_oh blended = key_of(&c, key_of(&c, page, "/Group"), "/CS");
    if (!qpdf_oh_is_null(qpdf, blended)) check_colours(&c, blended, 0);
    check_sides(&c, page);
    check_unused(&c, key_of(&c, page, "/Contents"), 0);
    check_resources(&c, key_of(&c, page, "/Resources"), 0);
    if (qpdf_oh_get_page_content_data(qpdf, page, &bytes, &size) & QPDF_ERRORS)
        refuse(&c, "content that cannot be read");
    else
        check_content(&c, bytes, size);
    free(bytes);
}

/* --- the file --------------------------------------------------------------- */

static const char claim[] = "pdfaid:part";

bool pdf_archive_is_claimed(qpdf_data qpdf)
{
    struct archive_check c = {qpdf, 0, NULL};
    size_t size = 0;
    qpdf_oh metadata = key_of(&c, qpdf_get_root(qpdf), "/Metadata");
    unsigned char *bytes =
        qpdf_oh_is_stream(qpdf, metadata)
            ? qpdf_objects_bytes(qpdf, metadata, qpdf_dl_generalized, &size)
            : NULL;
    bool any = false;
    for (size_t at = 0; bytes && at + sizeof claim <= size; at++)
        any |= !memcmp(bytes + at, claim, sizeof claim - 1);
    free(bytes);
    return any;
}

void pdf_archive_check_file(qpdf_data qpdf, struct err *err)
{
    struct archive_check c = {qpdf, 0, err};
    if (err_failed(err)) return;
    qpdf_oh root = qpdf_get_root(qpdf);
    qpdf_oh opens = key_of(&c, root, "/OpenAction"); /* a place is no action */
    check_keys(&c, root,
               qpdf_oh_is_array(qpdf, opens)
                   ? " /Type /Pages /Version /PageLayout /PageMode /Lang "
                     "/ViewerPreferences /PageLabels /Metadata /MarkInfo "
                     "/OpenAction "
                   : " /Type /Pages /Version /PageLayout /PageMode /Lang "
                     "/ViewerPreferences /PageLabels /Metadata /MarkInfo ",
               "");
}

static const char metadata[] =
    "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
    "<rdf:Description rdf:about=\"\" "
    "xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\">\n"
    "<pdfaid:part>2</pdfaid:part>\n"
    "<pdfaid:conformance>B</pdfaid:conformance>\n"
    "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>\n";

/* sRGB, without the time at which it was made. */
static struct buf make_profile(void)
{
    enum { TIME_AT = 24, TIME_SIZE = 12 };
    static const unsigned char time[TIME_SIZE] = {0x07, 0xD0, 0, 1, 0, 1};
    struct buf out = buf_limit(1 << 16);
    cmsUInt32Number size = 0;
    cmsHPROFILE profile = cmsCreate_sRGBProfile();
    if (profile && cmsSaveProfileToMem(profile, NULL, &size) &&
        size > PROFILE_HEAD) {
        unsigned char *bytes = mem_alloc(size, 1);
        bool well = cmsSaveProfileToMem(profile, bytes, &size);
        memcpy(bytes + TIME_AT, time, TIME_SIZE);
        if (well) buf_add(&out, bytes, size);
        mem_free(bytes);
    }
    if (profile) cmsCloseProfile(profile);
    return out;
}

/* A new stream whose dictionary has these keys. */
static qpdf_oh described(qpdf_data qpdf, const char *dict, struct span bytes)
{
    qpdf_oh stream = qpdf_objects_stream(qpdf, bytes.data, bytes.size);
    qpdf_objects_copy_keys(qpdf, qpdf_oh_parse(qpdf, dict),
                           qpdf_oh_get_dict(qpdf, stream));
    return stream;
}

void pdf_archive_declare(qpdf_data qpdf, struct err *err)
{
    if (err_failed(err)) return;
    struct buf profile = make_profile();
    if (!profile.size)
        err_reason(err, ERR_SYSTEM, "resource-memory",
                   "no memory for a colour profile");
    qpdf_oh root = qpdf_get_root(qpdf);
    qpdf_oh intent = qpdf_oh_parse(
        qpdf, "<< /Type /OutputIntent /S /GTS_PDFA1 "
              "/OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) >>");
    qpdf_oh intents = qpdf_oh_new_array(qpdf);
    qpdf_oh_replace_key(qpdf, intent, "/DestOutputProfile",
                        described(qpdf, "<< /N 3 >>", buf_span(&profile)));
    qpdf_oh_append_item(qpdf, intents, intent);
    qpdf_oh_replace_key(qpdf, root, "/OutputIntents", intents);
    qpdf_oh_replace_key(qpdf, root, "/Metadata",
                        described(qpdf, "<< /Type /Metadata /Subtype /XML >>",
                                  span_of(metadata)));
    buf_free(&profile);
}
