/* xsd_tag.h - the XSD as it is written, tag by tag; for xsd.c and
 * xsd_scalar.c. What libxml2 cannot do for want of memory is in w->err. */
#ifndef STAGES_RECORD_XSD_TAG_H
#define STAGES_RECORD_XSD_TAG_H

#include <libxml/xmlwriter.h>

#include "stages/record/mapping.h"

/* What has a name, ref-N: one of the two. */
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
    struct xsd_reference *reference; /* by N of ref-N */
    int n_reference, n_unique;
    bool has_value; /* some place takes any value */
    int *number;    /* N + 1 by the group's or form's number; 0: none yet */
    int n_number;
    struct err *err;
};

/* Opens an element (named: with the attribute `name`); closes n of them. */
void xsd_tag_open(struct xsd_writer *w, const char *tag);
void xsd_tag_open_named(struct xsd_writer *w, const char *tag,
                        const char *name);
void xsd_tag_close(struct xsd_writer *w, int n);

/* Of the element that is open. */
void xsd_tag_attribute(struct xsd_writer *w, const char *name,
                       const char *value);

/* An empty element with the attribute `value`. */
void xsd_tag_facet(struct xsd_writer *w, const char *name, const char *value);

/* A comment: what the XSD leaves to the JSON Schema. */
void xsd_tag_note(struct xsd_writer *w, const char *what);

#endif
