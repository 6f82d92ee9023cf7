/* xsd_tag.h - writes the tags of an XSD; for xsd.c and xsd_scalar.c. FAIL:
 * w->err: ERR_SYSTEM without memory. */
#ifndef STAGES_RECORD_XSD_TAG_H
#define STAGES_RECORD_XSD_TAG_H

#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"

/* A type named ref-N: a group or a choice, the other is NULL. */
struct xsd_reference {
    struct mapping_group *group;
    struct mapping_form *choice;
};

struct xsd_writer {
    const struct schema *schema;
    struct mapping *mapping;
    xmlBufferPtr text;
    xmlTextWriterPtr out;            /* into text */
    struct mapping_group *record;    /* of whole records */
    struct xsd_reference *reference; /* indexed by N of ref-N */
    int n_reference, n_unique;
    bool has_value; /* the type "value" is used */
    int *number; /* N + 1, indexed by the group's or form's number; 0: none */
    int n_number;
    struct err *err;
};

/* Opens an element (_named: with the attribute `name`); closes n of them. */
void xsd_tag_open(struct xsd_writer *w, const char *tag);
void xsd_tag_open_named(struct xsd_writer *w, const char *tag,
                        const char *name);
void xsd_tag_close(struct xsd_writer *w, int n);

/* Writes an attribute of the open element. */
void xsd_tag_attribute(struct xsd_writer *w, const char *name,
                       const char *value);

/* Writes an empty element with the attribute `value`. */
void xsd_tag_facet(struct xsd_writer *w, const char *name, const char *value);

/* Writes a comment: a keyword that is left to the JSON Schema. */
void xsd_tag_note(struct xsd_writer *w, const char *what);

#endif
