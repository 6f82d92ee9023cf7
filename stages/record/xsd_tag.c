/* xsd_tag.c - see xsd_tag.h. */
#include "stages/record/xsd_tag.h"

#include "vlm/base/buf.h"

static void check_write(struct xsd_writer *w, int result)
{
    if (result < 0) err_set(w->err, ERR_SYSTEM, "no memory for XML");
}

void xsd_tag_open(struct xsd_writer *w, const char *name)
{
    check_write(w, xmlTextWriterStartElement(w->out, BAD_CAST name));
}

void xsd_tag_close(struct xsd_writer *w, int n)
{
    for (int i = 0; i < n; i++)
        check_write(w, xmlTextWriterEndElement(w->out));
}

void xsd_tag_attribute(struct xsd_writer *w, const char *name,
                       const char *value)
{
    check_write(
        w, xmlTextWriterWriteAttribute(w->out, BAD_CAST name, BAD_CAST value));
}

void xsd_tag_open_named(struct xsd_writer *w, const char *tag, const char *name)
{
    xsd_tag_open(w, tag);
    xsd_tag_attribute(w, "name", name);
}

void xsd_tag_facet(struct xsd_writer *w, const char *name, const char *value)
{
    xsd_tag_open(w, name);
    xsd_tag_attribute(w, "value", value);
    xsd_tag_close(w, 1);
}

void xsd_tag_note(struct xsd_writer *w, const char *what)
{
    struct buf text = buf_limit(1 << 16);
    buf_print(&text, " left to the JSON Schema: %s ", what);
    for (char *p = text.data; *p; p++) /* comments must not contain "--" */
        if (p[0] == '-' && p[1] == '-') p[1] = '_';
    check_write(w, xmlTextWriterWriteComment(w->out, BAD_CAST text.data));
    buf_free(&text);
}
