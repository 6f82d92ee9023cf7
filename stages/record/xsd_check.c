/* xsd_check.c - validates documents with libxml2; see xsd.h. */
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "stages/record/xml.h"
#include "stages/record/xsd.h"

struct xsd {
    xmlSchemaPtr compiled;
};

/* Keeps the first message, with its line. */
struct xsd_message {
    struct arena *arena;
    const char *text;
};

static void keep_message(void *data, xmlErrorPtr error)
{
    struct xsd_message *m = data;
    if (m->text || !error->message) return;
    m->text = arena_text(m->arena, "line %d: %.*s", error->line,
                         (int)strcspn(error->message, "\n"), error->message);
}

struct xsd *xsd_open(const struct schema *record, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new();
    struct xsd_message message = {.arena = arena};
    struct buf text = buf_limit(64 << 20);
    struct xsd *x = NULL;
    xsd_write(record, &text, err);
    if (!err_failed(err)) {
        xmlSchemaParserCtxtPtr parser =
            xmlSchemaNewMemParserCtxt(text.data, (int)text.size);
        x = mem_alloc(1, sizeof *x);
        if (parser) {
            xmlSchemaSetParserStructuredErrors(parser, keep_message, &message);
            x->compiled = xmlSchemaParse(parser);
        }
        xmlSchemaFreeParserCtxt(parser);
    }
    if (x && !x->compiled) {
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "no XSD: libxml2 rejects it: %s",
                   message.text ? message.text : "no memory");
        xsd_close(x);
        x = NULL;
    }
    buf_free(&text);
    arena_free(arena);
    return x;
}

void xsd_close(struct xsd *x)
{
    if (!x) return;
    xmlSchemaFree(x->compiled);
    mem_free(x);
}

bool xsd_validate(const struct xsd *x, struct span xml, struct arena *arena,
                  const char **why, struct err *err)
{
    *why = NULL;
    if (err_failed(err)) return false;
    struct err own = {0};
    xmlDocPtr doc = xml_parse(xml, &own);
    if (!doc) {
        *why = arena_copy(arena, span_of(own.text));
        return false;
    }
    struct xsd_message message = {.arena = arena};
    xmlSchemaValidCtxtPtr context = xmlSchemaNewValidCtxt(x->compiled);
    int result = -1;
    if (context) {
        xmlSchemaSetValidStructuredErrors(context, keep_message, &message);
        result = xmlSchemaValidateDoc(context, doc);
    }
    xmlSchemaFreeValidCtxt(context);
    xmlFreeDoc(doc);
    if (result < 0) err_set(err, ERR_SYSTEM, "libxml2 cannot validate");
    *why = message.text;
    if (result > 0 && !*why) *why = "not valid";
    return result == 0;
}
