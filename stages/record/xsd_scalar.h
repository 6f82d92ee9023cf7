/* xsd_scalar.h - texts, numbers and booleans in an XSD; for xsd.c. */
#ifndef STAGES_RECORD_XSD_SCALAR_H
#define STAGES_RECORD_XSD_SCALAR_H

#include "stages/record/xsd_tag.h"

/* The types that every XSD begins with: text, number, integer, boolean,
 * nothing, and those that they are made of. */
void xsd_scalar_types(struct xsd_writer *w);

/* The one of them that a form is, where it needs no body of its own; NULL for
 * all but scalars. */
const char *xsd_scalar_plain(const struct mapping_form *form);

/* The body of an open element: a text or a number within a schema's limits. */
void xsd_scalar_string(struct xsd_writer *w, const cJSON *node);
void xsd_scalar_number(struct xsd_writer *w, const cJSON *node, bool integer);

/* The attribute of that name, of a scalar or (an array) of numbers. */
void xsd_scalar_attribute(struct xsd_writer *w, const char *name,
                          const struct mapping_form *form, bool required);

/* The attribute standin-NAME beside one of texts. */
void xsd_scalar_standin(struct xsd_writer *w, const char *name);

#endif
