/* mail_file.c - see mail_file.h. */
#include "stages/children/raster/mail_file.h"

#include <string.h>
#include <strings.h>

#include <gmime/gmime.h>

struct mail_walk {
    const struct mail_file_to *to;
    int n_part;
};

void mail_file_prepare(void)
{
    static const char *const set[] = {
        "ISO-8859-1",   "ISO-8859-2",   "ISO-8859-9", "ISO-8859-15",
        "WINDOWS-1250", "WINDOWS-1252", "KOI8-R",     "WINDOWS-1251",
        "ISO-2022-JP",  "SHIFT_JIS",    "EUC-JP",     "EUC-KR",
        "GB18030",      "BIG5",         "UTF-16"};
    g_mime_init();
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

static void name_only(const struct mail_walk *w, const char *name,
                      const char *why)
{
    char *valid = valid_text(name);
    w->to->other(w->to->arg, valid, why);
    g_free(valid);
}

static bool is_one_of(const char *type, const char *const *all)
{
    for (; *all; all++)
        if (!strcasecmp(type, *all)) return true;
    return false;
}

/* Why a part is only named; NULL: it is not. */
static const char *why_named(const char *type, const char *name)
{
    static const char *const smime[] = {"application/pkcs7-mime",
                                        "application/x-pkcs7-mime", NULL};
    static const char *const tnef[] = {"application/ms-tnef",
                                       "application/vnd.ms-tnef", NULL};
    if (is_one_of(type, smime)) return "encrypted or sealed with S/MIME";
    if (is_one_of(type, tnef) || !strcasecmp(name, "winmail.dat"))
        return "Outlook's own format TNEF";
    if (!strcasecmp(type, "message/partial")) return "a piece of a mail";
    return NULL;
}

static bool is_signature(const char *type)
{
    static const char *const signature[] = {
        "application/pgp-signature", "application/pkcs7-signature",
        "application/x-pkcs7-signature", "application/pgp-keys", NULL};
    return is_one_of(type, signature);
}

static bool is_attached(GMimeObject *part)
{
    const char *how = g_mime_object_get_disposition(part);
    return how && !strcasecmp(how, "attachment");
}

static GByteArray *decode(GMimePart *part)
{
    GByteArray *bytes = g_byte_array_new();
    GMimeDataWrapper *content = g_mime_part_get_content(part);
    GMimeStream *to = g_mime_stream_mem_new_with_byte_array(bytes);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(to), FALSE);
    if (content) g_mime_data_wrapper_write_to_stream(content, to);
    g_object_unref(to);
    return bytes;
}

static void send_part(const struct mail_walk *w, GMimeObject *object)
{
    GMimePart *part = GMIME_PART(object);
    char *name = valid_text(g_mime_part_get_filename(part));
    char *type = g_mime_content_type_get_mime_type(
        g_mime_object_get_content_type(object));
    bool attached = is_attached(object);
    bool text = !strncasecmp(type, "text/", 5);
    const char *why = why_named(type, name);
    if (why) {
        name_only(w, name, why);
    } else if (!is_signature(type) && (!text || attached || *name)) {
        GByteArray *bytes = decode(part);
        bool logo = !attached && !strncasecmp(type, "image/", 6) &&
                    g_mime_object_get_content_id(object) &&
                    bytes->len < MAIL_LOGO_BYTES;
        if (!logo) w->to->file(w->to->arg, name, bytes->data, bytes->len);
        g_byte_array_free(bytes, TRUE);
    }
    g_free(type);
    g_free(name);
}

static void walk_object(struct mail_walk *w, GMimeObject *object, int depth)
{
    if (!object || ++w->n_part > MAIL_PARTS_MAX) return;
    if (GMIME_IS_MESSAGE_PART(object)) {
        GMimeMessage *inner =
            g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
        name_only(w, inner ? g_mime_message_get_subject(inner) : "",
                  "a mail inside the mail");
    } else if (GMIME_IS_MULTIPART_ENCRYPTED(object)) {
        name_only(w, "", "encrypted with PGP");
    } else if (GMIME_IS_MULTIPART(object) && depth == MAIL_DEPTH_MAX) {
        name_only(w, "", "nested more than 32 deep");
    } else if (GMIME_IS_MULTIPART(object)) {
        GMimeMultipart *all = GMIME_MULTIPART(object);
        for (int i = 0; i < g_mime_multipart_get_count(all); i++)
            walk_object(w, g_mime_multipart_get_part(all, i), depth + 1);
    } else if (GMIME_IS_PART(object)) {
        send_part(w, object);
    }
}

bool mail_file_read(const void *bytes, size_t size,
                    const struct mail_file_to *to)
{
    struct mail_walk w = {.to = to};
    g_mime_init(); /* again does nothing */
    GMimeStream *stream = g_mime_stream_mem_new_with_buffer(bytes, size);
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);
    GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);
    g_object_unref(stream);
    g_object_unref(parser);
    if (!message) return false;
    send_head(message, to);
    walk_object(&w, g_mime_message_get_mime_part(message), 0);
    if (w.n_part > MAIL_PARTS_MAX)
        to->other(to->arg, "", "what follows 1,000 parts");
    g_object_unref(message);
    return true;
}
