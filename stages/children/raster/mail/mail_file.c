/* mail_file.c - see mail_file.h. */
#include "stages/children/raster/mail/mail_file.h"

#include <string.h>
#include <strings.h>

#include <gmime/gmime.h>

#include "stages/children/raster/invoice/invoice_xml.h"
#include "stages/children/raster/mail/mail_text.h"
#include "stages/children/raster/mail/unpack.h"
#include "stages/document/file_type.h"

enum { PREFIX_MOST = 80 };
static const char spoilt[] = "in part: its encoding is damaged";

struct mail_walk {
    const struct mail_file_to *to;
    GHashTable *shown;  /* Content-IDs that texts refer to */
    GPtrArray *layout;  /* names of the pictures that they show */
    const char *prefix; /* names of the containers around, "a.zip/" */
    int n_part, n_sent, inside;
    size_t bytes_left; /* for what containers hold */
};

/* What is known of a part besides its bytes. */
enum part_role { PART_FILE, PART_TEXT, PART_BY_PRODUCT };

void mail_file_prepare(void)
{
    static const char *const set[] = {
        "ISO-8859-1",   "ISO-8859-2",   "ISO-8859-9", "ISO-8859-15",
        "WINDOWS-1250", "WINDOWS-1252", "KOI8-R",     "WINDOWS-1251",
        "ISO-2022-JP",  "SHIFT_JIS",    "EUC-JP",     "EUC-KR",
        "GB18030",      "BIG5",         "UTF-16"};
    g_mime_init();
    unpack_prepare();
    /* never closed, so that the library's modules stay loaded */
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        (void)g_iconv_open("UTF-8", set[i]);
}

/* Valid UTF-8; the caller frees it (g_free). */
static char *valid_text(const char *text)
{
    return g_utf8_make_valid(text ? text : "", -1);
}

/* --- the header ----------------------------------------------------------- */

static char *date_of(GMimeMessage *message)
{
    GDateTime *date = g_mime_message_get_date(message);
    GDateTime *utc = date ? g_date_time_to_utc(date) : NULL;
    char *text = utc ? g_date_time_format(utc, "%Y-%m-%dT%H:%M:%SZ") : NULL;
    if (utc) g_date_time_unref(utc);
    return text ? text : g_strdup("");
}

static void send_head(GMimeMessage *message, const struct mail_file_to *to)
{
    InternetAddressList *list = g_mime_message_get_from(message);
    char *sender =
        list ? internet_address_list_to_string(list, NULL, FALSE) : NULL;
    char *from = valid_text(sender), *date = date_of(message);
    char *id = valid_text(g_mime_message_get_message_id(message));
    char *subject = valid_text(g_mime_message_get_subject(message));
    to->head(to->arg, &(struct mail_head){from, date, id, subject});
    g_free(sender);
    g_free(from);
    g_free(date);
    g_free(id);
    g_free(subject);
}

/* --- parts ---------------------------------------------------------------- */

static char *full_name(const struct mail_walk *w, const char *name)
{
    char *valid = valid_text(name);
    char *full = g_strconcat(w->prefix, valid, NULL);
    if (!*valid && *full) full[strlen(full) - 1] = '\0'; /* the container's */
    g_free(valid);
    return full;
}

static void name_only(const struct mail_walk *w, const char *name,
                      const char *why)
{
    char *full = full_name(w, name);
    w->to->other(w->to->arg, full, why);
    g_free(full);
}

static void send_file(struct mail_walk *w, const char *name, struct span bytes)
{
    char *full = full_name(w, name);
    w->to->file(w->to->arg, full, bytes.data, bytes.size);
    w->n_sent++;
    g_free(full);
}

static bool is_one_of(const char *type, const char *const *all)
{
    for (; *all; all++)
        if (!strcasecmp(type, *all)) return true;
    return false;
}

static void take(struct mail_walk *w, enum part_role role, const char *name,
                 struct span bytes);
static bool read_mail(struct mail_walk *w, struct span bytes, bool entity);
static void walk_message(struct mail_walk *w, GMimeMessage *message);

/* --- containers ------------------------------------------------------------ */

/* What is in the container `name` is named with it. False: it is too deep. */
static bool enter(struct mail_walk *w, struct mail_walk *inner,
                  const char *name)
{
    if (w->inside == MAIL_INSIDE_MAX) return false;
    char *valid = valid_text(name);
    char *cut = g_utf8_substring(
        valid, 0, MIN(g_utf8_strlen(valid, -1), PREFIX_MOST / 4));
    *inner = *w;
    inner->prefix = g_strconcat(w->prefix, cut, *cut ? "/" : "", NULL);
    inner->inside++;
    g_free(valid);
    g_free(cut);
    return true;
}

static void leave(struct mail_walk *w, struct mail_walk *inner)
{
    g_free((void *)(uintptr_t)inner->prefix);
    w->n_part = inner->n_part;
    w->n_sent = inner->n_sent;
    w->bytes_left = inner->bytes_left;
}

/* What a signature signs has no name; it is a file or a part of a mail. */
static void take_unpacked(void *arg, const char *name, struct span bytes)
{
    struct mail_walk *w = arg;
    if (++w->n_part > MAIL_PARTS_MAX) return;
    if (bytes.size > w->bytes_left) {
        name_only(w, name, "too large");
        return;
    }
    w->bytes_left -= bytes.size;
    struct span head = {bytes.data, MIN(bytes.size, (size_t)FILE_HEAD_BYTES)};
    bool is_entity = !*name && !file_type_of(head) && bytes.size > 8 &&
                     !g_ascii_strncasecmp(bytes.data, "Content-", 8);
    if (!is_entity || !read_mail(w, bytes, true))
        take(w, PART_FILE, name, bytes);
}

static void name_unpacked(void *arg, const char *name, const char *why)
{
    name_only(arg, name, why);
}

/* False: it is no container. */
static bool take_container(struct mail_walk *w, const char *name,
                           struct span bytes)
{
    struct mail_walk inner;
    if (!enter(w, &inner, name)) return false;
    const struct unpack_to to = {w->bytes_left, take_unpacked, name_unpacked,
                                 &inner};
    const char *why = unpack(bytes, &to);
    leave(w, &inner);
    if (why && *why) name_only(w, name, why);
    return !why || *why;
}

static void take_mail(struct mail_walk *w, const char *name, struct span bytes)
{
    struct mail_walk inner;
    if (!enter(w, &inner, name)) {
        name_only(w, name, "a mail inside the mail, more than 3 deep");
        return;
    }
    if (!read_mail(&inner, bytes, false))
        name_only(w, name, "a mail inside the mail that cannot be read");
    leave(w, &inner);
}

/* --- one file ---------------------------------------------------------------- */

/* What the post office of a certified mail (PEC) says of it. */
static bool is_receipt(struct span xml)
{
    return g_strstr_len(xml.data, (gssize)MIN(xml.size, (size_t)1024),
                        "<postacert ") != NULL;
}

/* Another program's XML is only named; what is damaged may be an invoice. */
static void take_xml(struct mail_walk *w, enum part_role role, const char *name,
                     struct span bytes)
{
    char fault[INVOICE_XML_FAULT_MAX] = "";
    struct invoice_xml xml = {.n = 0};
    enum invoice_xml_status status =
        bytes.size > INVOICE_XML_BYTES_MAX
            ? INVOICE_XML_READ
            : invoice_xml_read(bytes.data, bytes.size, true, &xml, fault);
    invoice_xml_free(&xml);
    if (status == INVOICE_XML_READ ||
        (status == INVOICE_XML_DAMAGED && role != PART_TEXT)) {
        send_file(w, name, bytes);
    } else if (role != PART_TEXT && !is_receipt(bytes)) {
        char *why = g_strdup_printf("XML that is no e-invoice: %s", fault);
        name_only(w, name, why);
        g_free(why);
    }
}

static void take_uuencoded(void *arg, const char *name, struct span bytes,
                           bool whole)
{
    struct mail_walk *w = arg;
    if (++w->n_part > MAIL_PARTS_MAX) return;
    if (!whole) name_only(w, name, "uuencoded, and damaged or cut short");
    take(w, PART_FILE, name, bytes);
}

/* A file inside a text, or bytes of an unknown type. */
static void take_unknown(struct mail_walk *w, enum part_role role,
                         const char *name, struct span bytes)
{
    if (take_container(w, name, bytes)) return;
    GByteArray *inside = mail_text_base64(bytes);
    struct span decoded = {inside ? (char *)inside->data : "",
                           inside ? inside->len : 0};
    if (inside && (file_type_of(decoded) || role == PART_FILE)) {
        if (mail_text_spoils_base64(bytes)) name_only(w, name, spoilt);
        take(w, PART_FILE, name, decoded);
    } else if (!mail_text_uuencoded(bytes, take_uuencoded, w)) {
        if (role == PART_FILE) send_file(w, name, bytes);
        if ((role == PART_TEXT || !*name) && mail_text_hides_part(bytes))
            name_only(w, "",
                      "an encoded part in the text: the mail is damaged");
    }
    if (inside) g_byte_array_free(inside, TRUE);
}

static void take(struct mail_walk *w, enum part_role role, const char *name,
                 struct span bytes)
{
    struct span head = {bytes.data, MIN(bytes.size, (size_t)FILE_HEAD_BYTES)};
    enum file_type type = file_type_of(head);
    bool late = type == FILE_PDF && strncmp(bytes.data, "%PDF-", 5);
    if (head.size > 4 && !memcmp(bytes.data, "\0\5\x16\7", 4))
        return; /* of a Macintosh: AppleDouble */
    if (!bytes.size && role == PART_FILE) {
        name_only(w, name, "empty");
        return;
    }
    if (role == PART_TEXT && (type == FILE_PNM || type == FILE_MAIL || late))
        type = FILE_UNKNOWN;
    if (type == FILE_MAIL)
        take_mail(w, name, bytes);
    else if (type == FILE_XML)
        take_xml(w, role, name, bytes);
    else if (type)
        send_file(w, name, bytes);
    else
        take_unknown(w, role, name, bytes);
}

/* --- parts of a mail ----------------------------------------------------------- */

static enum part_role role_of(const char *type, bool attached, const char *name)
{
    static const char *const by_product[] = {"application/pgp-signature",
                                             "application/pkcs7-signature",
                                             "application/x-pkcs7-signature",
                                             "application/pgp-keys",
                                             "application/pgp-encrypted",
                                             "application/applefile",
                                             NULL};
    static const char *const xml[] = {"text/xml", NULL};
    static const char *const reply[] = {"message/delivery-status",
                                        "message/disposition-notification",
                                        "message/feedback-report", NULL};
    if (is_one_of(type, by_product)) return PART_BY_PRODUCT;
    bool text = !strncasecmp(type, "text/", 5) && !is_one_of(type, xml);
    return (text || is_one_of(type, reply)) && !attached && !*name ? PART_TEXT
                                                                   : PART_FILE;
}

static bool is_attached(GMimeObject *part)
{
    const char *how = g_mime_object_get_disposition(part);
    return how && !strcasecmp(how, "attachment");
}

/* The bytes of a part, `raw`: as they are encoded. */
static GByteArray *bytes_of(GMimePart *part, bool raw)
{
    GByteArray *bytes = g_byte_array_new();
    GMimeDataWrapper *content = g_mime_part_get_content(part);
    GMimeStream *to = g_mime_stream_mem_new_with_byte_array(bytes);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(to), FALSE);
    if (content && raw) {
        GMimeStream *from = g_mime_data_wrapper_get_stream(content);
        g_mime_stream_reset(from);
        g_mime_stream_write_to_stream(from, to);
        g_mime_stream_reset(from);
    } else if (content) {
        g_mime_data_wrapper_write_to_stream(content, to);
    }
    g_object_unref(to);
    return bytes;
}

static struct span span_of_array(const GByteArray *bytes)
{
    return (struct span){bytes->data ? (const char *)bytes->data : "",
                         bytes->len};
}

static void check_encoding(struct mail_walk *w, GMimePart *part,
                           const char *name)
{
    if (g_mime_part_get_content_encoding(part) != GMIME_CONTENT_ENCODING_BASE64)
        return;
    GByteArray *raw = bytes_of(part, true);
    if (mail_text_spoils_base64(span_of_array(raw))) name_only(w, name, spoilt);
    g_byte_array_free(raw, TRUE);
}

static bool is_shown(const struct mail_walk *w, GMimeObject *object,
                     const char *type)
{
    const char *id = g_mime_object_get_content_id(object);
    return id && !is_attached(object) && !strncasecmp(type, "image/", 6) &&
           g_hash_table_contains(w->shown, id);
}

static void take_part(struct mail_walk *w, GMimeObject *object)
{
    GMimePart *part = GMIME_PART(object);
    char *name = valid_text(g_mime_part_get_filename(part));
    char *type = g_mime_content_type_get_mime_type(
        g_mime_object_get_content_type(object));
    if (!strcasecmp(type, "message/partial")) {
        name_only(w, name, "a piece of a mail");
    } else if (is_shown(w, object, type)) {
        g_ptr_array_add(w->layout, full_name(w, name));
    } else {
        GByteArray *bytes = bytes_of(part, false);
        take(w, role_of(type, is_attached(object), name), name,
             span_of_array(bytes));
        check_encoding(w, part, name);
        g_byte_array_free(bytes, TRUE);
    }
    g_free(type);
    g_free(name);
}

/* --- the tree ---------------------------------------------------------------- */

static void check_around(struct mail_walk *w, const char *text)
{
    if (text && mail_text_hides_part(span_of(text)))
        name_only(w, "",
                  "an encoded part outside of the parts: the mail is "
                  "damaged");
}

/* What is outside of its parts, and whether it has its end. */
static void check_multipart(struct mail_walk *w, GMimeMultipart *all)
{
    if (!g_mime_multipart_get_count(all))
        name_only(w, "",
                  "parts that cannot be told apart: the mail is "
                  "damaged");
    else if (!all->write_end_boundary)
        name_only(w, "",
                  "what may follow: the mail is cut short, without its "
                  "closing boundary");
    check_around(w, g_mime_multipart_get_prologue(all));
    check_around(w, g_mime_multipart_get_epilogue(all));
}

static void walk_inner(struct mail_walk *w, GMimeObject *object)
{
    struct mail_walk inner;
    GMimeMessage *message =
        g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
    const char *name =
        g_mime_object_get_content_disposition_parameter(object, "filename");
    const char *how =
        g_mime_object_get_header(object, "Content-Transfer-Encoding");
    GMimeContentEncoding encoding =
        g_mime_content_encoding_from_string(how ? how : "");
    if (!name && message) name = g_mime_message_get_subject(message);
    if (!message || encoding == GMIME_CONTENT_ENCODING_BASE64 ||
        encoding == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE) {
        name_only(w, name, "a mail inside the mail that cannot be read");
    } else if (!enter(w, &inner, name ? name : "")) {
        name_only(w, name, "a mail inside the mail, more than 3 deep");
    } else {
        walk_message(&inner, message);
        leave(w, &inner);
    }
}

static void walk_object(struct mail_walk *w, GMimeObject *object, int depth)
{
    if (!object || ++w->n_part > MAIL_PARTS_MAX) return;
    if (GMIME_IS_MESSAGE_PART(object)) {
        walk_inner(w, object);
    } else if (GMIME_IS_MULTIPART(object) && depth == MAIL_DEPTH_MAX) {
        name_only(w, "", "nested more than 32 deep");
    } else if (GMIME_IS_MULTIPART(object)) {
        GMimeMultipart *all = GMIME_MULTIPART(object);
        for (int i = 0; i < g_mime_multipart_get_count(all); i++)
            walk_object(w, g_mime_multipart_get_part(all, i), depth + 1);
        check_multipart(w, all);
    } else if (GMIME_IS_PART(object)) {
        take_part(w, object);
    }
}

static void add_references(GMimeObject *parent, GMimeObject *part, void *arg)
{
    (void)parent;
    if (!GMIME_IS_PART(part)) return;
    GMimeContentType *type = g_mime_object_get_content_type(part);
    if (!g_mime_content_type_is_type(type, "text", "*")) return;
    GByteArray *text = bytes_of(GMIME_PART(part), false);
    mail_text_add_references(span_of_array(text), arg);
    g_byte_array_free(text, TRUE);
}

/* An entity of a signature has no text of another mail around it. */
static void walk_message(struct mail_walk *w, GMimeMessage *message)
{
    g_mime_message_foreach(message, add_references, w->shown);
    walk_object(w, g_mime_message_get_mime_part(message), 0);
}

/* --- the bytes ----------------------------------------------------------------- */

/* The boundaries that are declared anywhere. */
static GHashTable *boundaries_of(struct span mail)
{
    GHashTable *all =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GRegex *regex =
        g_regex_new("boundary\\s*=\\s*(?:\"([^\"\\r\\n]+)\"|([^\\s;\"]+))",
                    G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
    GMatchInfo *match = NULL;
    g_regex_match_full(regex, mail.data, (gssize)mail.size, 0, 0, &match, NULL);
    for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
        char *quoted = g_match_info_fetch(match, 1);
        char *bare = g_match_info_fetch(match, 2);
        g_hash_table_add(all, g_strconcat("--", quoted, bare, NULL));
        g_hash_table_add(all, g_strconcat("--", quoted, bare, "--", NULL));
        g_free(quoted);
        g_free(bare);
    }
    g_match_info_free(match);
    g_regex_unref(regex);
    return all;
}

static bool is_boundary(GHashTable *all, struct span line)
{
    if (line.size < 3 || memcmp(line.data, "--", 2)) return false;
    while (line.size && strchr(" \t\r\n", line.data[line.size - 1]))
        line.size--;
    char *text = g_strndup(line.data, line.size);
    bool found = g_hash_table_contains(all, text);
    g_free(text);
    return found;
}

/* A copy whose lines around boundaries end with LF alone: where one of the two
 * ends with CRLF, GMime takes two bytes, or one, before the boundary. */
static GByteArray *with_even_ends(struct span mail)
{
    GHashTable *boundaries = boundaries_of(mail);
    GByteArray *out = g_byte_array_sized_new((guint)mail.size + 1);
    while (mail.size) {
        const char *end = memchr(mail.data, '\n', mail.size);
        size_t n = end ? (size_t)(end - mail.data) + 1 : mail.size;
        bool boundary = is_boundary(boundaries, (struct span){mail.data, n});
        for (int i = 0; i < 2 && boundary; i++) {
            if (out->len > 1 && !memcmp(out->data + out->len - 2, "\r\n", 2)) {
                out->data[out->len - 2] = '\n';
                g_byte_array_set_size(out, out->len - 1);
            }
            if (!i)
                g_byte_array_append(out, (const guint8 *)mail.data, (guint)n);
        }
        if (!boundary)
            g_byte_array_append(out, (const guint8 *)mail.data, (guint)n);
        mail = (struct span){mail.data + n, mail.size - n};
    }
    g_hash_table_unref(boundaries);
    return out;
}

/* A line among header fields that is none of them, or two that contradict each
 * other: what follows may have lost its place. */
static void on_fault(gint64 at, GMimeParserWarning fault, const gchar *item,
                     gpointer arg)
{
    bool *is_damaged = arg;
    (void)at;
    *is_damaged |= fault == GMIME_CRIT_INVALID_HEADER_NAME ||
                   (fault == GMIME_CRIT_CONFLICTING_HEADER && item &&
                    !g_ascii_strncasecmp(item, "Content-", 8));
}

static GMimeMessage *parse(struct span mail, bool *is_damaged)
{
    GByteArray *even = with_even_ends(mail);
    GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(even);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);
    GMimeParserOptions *options = g_mime_parser_options_new();
    *is_damaged = false;
/* 3.2.14 and 3.2.15 have a fourth argument */
#if GMIME_CHECK_VERSION(3, 2, 14) && !GMIME_CHECK_VERSION(3, 2, 16)
    g_mime_parser_options_set_warning_callback(options, on_fault, is_damaged,
                                               NULL);
#else
    g_mime_parser_options_set_warning_callback(options, on_fault, is_damaged);
#endif
    GMimeMessage *message = g_mime_parser_construct_message(parser, options);
    g_mime_parser_options_free(options);
    g_object_unref(stream);
    g_object_unref(parser);
    return message;
}

/* `entity`: what a signature signs, a part with its header. */
static bool read_mail(struct mail_walk *w, struct span bytes, bool entity)
{
    size_t at = entity ? 0 : file_type_mail_start(bytes);
    bool is_damaged;
    GMimeMessage *message =
        parse((struct span){bytes.data + at, bytes.size - at}, &is_damaged);
    if (!message) return false;
    if (!w->inside) send_head(message, w->to);
    if (is_damaged) name_only(w, "", "what a header that is damaged hides");
    walk_message(w, message);
    g_object_unref(message);
    return true;
}

bool mail_file_read(const void *bytes, size_t size,
                    const struct mail_file_to *to)
{
    struct mail_walk w = {.to = to, .prefix = "", .bytes_left = to->bytes_max};
    g_mime_init(); /* again does nothing */
    w.shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    w.layout = g_ptr_array_new_with_free_func(g_free);
    bool read = read_mail(&w, (struct span){bytes, size}, false);
    if (w.n_part > MAIL_PARTS_MAX)
        to->other(to->arg, "", "what follows 1,000 parts");
    for (guint i = 0; i < w.layout->len && !w.n_sent; i++)
        to->other(to->arg, g_ptr_array_index(w.layout, i),
                  "a picture that its text shows");
    g_ptr_array_unref(w.layout);
    g_hash_table_unref(w.shown);
    return read;
}
