/* unpack.c - see unpack.h. */
#include "stages/children/raster/mail/unpack.h"

#include <stdlib.h>
#include <strings.h>

#include <archive.h>
#include <archive_entry.h>
#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/objects.h>
/* newer releases have a folder of their own */
#define MPList unpack_mapi_names /* its header defines that array */
#if __has_include(<libytnef/ytnef.h>)
#    include <libytnef/mapi.h>
#    include <libytnef/mapidefs.h>
#    include <libytnef/mapitags.h>
#    include <libytnef/ytnef.h>
#else
#    include <mapi.h>
#    include <mapidefs.h>
#    include <mapitags.h>
#    include <ytnef.h>
#endif

#include "vlm/base/buf.h"

enum { CHUNK = 64 << 10, NAME_MAX_BYTES = 512 };

void unpack_prepare(void)
{
    /* names and numbers of algorithms; no settings, no random numbers */
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    (void)OBJ_txt2nid("pkcs7-signedData");
}

/* --- ZIP ------------------------------------------------------------------ */

static struct archive *open_zip(struct span zip)
{
    struct archive *a = archive_read_new();
    archive_read_support_format_zip_seekable(a);
    if (archive_read_open_memory(a, zip.data, zip.size) == ARCHIVE_OK) return a;
    archive_read_free(a);
    return NULL;
}

static const char *name_of_entry(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname_utf8(entry);
    if (!name) name = archive_entry_pathname(entry);
    return name ? name : "";
}

/* Is it a document of another program (an office file), which is a ZIP archive
 * inside? */
static bool is_document(struct span zip)
{
    static const char *const own[] = {"[Content_Types].xml", "mimetype",
                                      "META-INF/MANIFEST.MF", NULL};
    struct archive *a = open_zip(zip);
    struct archive_entry *entry;
    bool found = false;
    while (a && !found && archive_read_next_header(a, &entry) == ARCHIVE_OK)
        for (int i = 0; own[i]; i++)
            found |= !strcmp(name_of_entry(entry), own[i]);
    if (a) archive_read_free(a);
    return found;
}

/* Reads an entry; why it cannot be read, or NULL. */
static const char *read_entry(struct archive *a, struct archive_entry *entry,
                              struct buf *out)
{
    char chunk[CHUNK];
    la_ssize_t n = 0;
    if (archive_entry_is_encrypted(entry)) return "encrypted";
    while (!out->full && (n = archive_read_data(a, chunk, sizeof chunk)) > 0)
        buf_add(out, chunk, (size_t)n);
    if (out->full) return "too large";
    return n < 0 ? "damaged, or packed in an unknown way" : NULL;
}

static const char *unpack_zip(struct span zip, const struct unpack_to *to)
{
    if (is_document(zip)) return "";
    struct archive *a = open_zip(zip);
    struct archive_entry *entry;
    size_t left = to->bytes_max;
    int status = ARCHIVE_FATAL, n = 0;
    while (a && ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK ||
                 status == ARCHIVE_WARN)) {
        n++;
        if (archive_entry_filetype(entry) == AE_IFDIR) continue;
        char name[NAME_MAX_BYTES];
        size_t length = strlen(name_of_entry(entry));
        if (length >= sizeof name) length = sizeof name - 1;
        memcpy(name, name_of_entry(entry), length);
        name[length] = '\0';
        struct buf bytes = buf_limit(left);
        const char *why = read_entry(a, entry, &bytes);
        if (why)
            to->other(to->arg, name, why);
        else
            to->file(to->arg, name, buf_span(&bytes));
        left -= bytes.size;
        buf_free(&bytes);
    }
    if (a) archive_read_free(a);
    if (status == ARCHIVE_EOF) return NULL;
    if (n) to->other(to->arg, "", "a ZIP archive that is damaged");
    return n ? NULL : "a ZIP archive that is damaged";
}

/* --- winmail.dat ----------------------------------------------------------- */

/* The long name; the title is in letters of a DOS name. */
static void name_of_tnef(Attachment *from, char name[NAME_MAX_BYTES])
{
    const variableLength *title = MAPIFindProperty(
        &from->MAPI, PROP_TAG(PT_STRING8, PR_ATTACH_LONG_FILENAME));
    if (title == MAPI_UNDEFINED)
        title = MAPIFindProperty(&from->MAPI,
                                 PROP_TAG(PT_UNICODE, PR_ATTACH_LONG_FILENAME));
    if (title == MAPI_UNDEFINED || !title->data) title = &from->Title;
    size_t n = title->data && title->size > 0
                   ? strnlen((const char *)title->data, (size_t)title->size)
                   : 0;
    if (n >= NAME_MAX_BYTES) n = NAME_MAX_BYTES - 1;
    if (n) memcpy(name, title->data, n);
    name[n] = '\0';
}

/* A mail that is attached in Outlook's own form has no bytes of a file. */
static bool is_object(Attachment *from)
{
    return MAPIFindProperty(&from->MAPI,
                            PROP_TAG(PT_OBJECT, PR_ATTACH_DATA_OBJ)) !=
           MAPI_UNDEFINED;
}

/* Attributes to the end: a level, a number, a length, content and a sum each.
 * libytnef does not tell where it stopped. */
static bool is_whole(struct span tnef)
{
    size_t at = 6;
    while (at + 11 <= tnef.size) {
        const unsigned char *b = (const unsigned char *)tnef.data + at + 5;
        at += 11 + ((size_t)b[3] << 24 | (size_t)b[2] << 16 |
                    (size_t)b[1] << 8 | b[0]);
    }
    return at == tnef.size && at > 6;
}

static const char *unpack_tnef(struct span tnef, const struct unpack_to *to)
{
    static const char damaged[] =
        "Outlook's own format TNEF, and it is damaged";
    TNEFStruct all;
    char *copy = malloc(tnef.size);
    if (!copy) return damaged;
    memcpy(copy, tnef.data, tnef.size);
    TNEFInitialize(&all);
    bool read = TNEFParseMemory((BYTE *)copy, (long)tnef.size, &all) >= 0;
    for (Attachment *one = all.starting_attach.next; one; one = one->next) {
        char name[NAME_MAX_BYTES];
        name_of_tnef(one, name);
        if (is_object(one))
            to->other(to->arg, name, "a mail in Outlook's own format");
        else if (one->FileData.size > 0)
            to->file(to->arg, name,
                     (struct span){(const char *)one->FileData.data,
                                   (size_t)one->FileData.size});
    }
    TNEFFree(&all);
    free(copy);
    return read && is_whole(tnef) ? NULL : damaged;
}

/* --- signatures ------------------------------------------------------------ */

/* PEM is for the eye; the same in DER is what programs write. */
static const char *unpack_cms(struct span der, const struct unpack_to *to)
{
    const unsigned char *at = (const unsigned char *)der.data;
    CMS_ContentInfo *cms = d2i_CMS_ContentInfo(NULL, &at, (long)der.size);
    if (!cms) return "";
    int kind = OBJ_obj2nid(CMS_get0_type(cms));
    ASN1_OCTET_STRING **inside = CMS_get0_content(cms);
    const char *why = "";
    if (kind == NID_pkcs7_signed && inside && *inside) {
        to->file(to->arg, "",
                 (struct span){(const char *)ASN1_STRING_get0_data(*inside),
                               (size_t)ASN1_STRING_length(*inside)});
        why = NULL;
    } else if (kind == NID_pkcs7_enveloped ||
               kind == NID_id_smime_ct_authEnvelopedData) {
        why = "encrypted with S/MIME";
    } else if (kind != NID_pkcs7_signed) {
        why = "sealed with S/MIME";
    }
    CMS_ContentInfo_free(cms);
    return why;
}

const char *unpack(struct span bytes, const struct unpack_to *to)
{
    if (span_starts(bytes, "PK\3\4")) return unpack_zip(bytes, to);
    if (span_starts(bytes, "\x78\x9f\x3e\x22")) return unpack_tnef(bytes, to);
    /* a sequence: what CMS begins with */
    return span_starts(bytes, "\x30") ? unpack_cms(bytes, to) : "";
}
