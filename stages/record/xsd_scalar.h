/* xsd_scalar.h - types of texts, numbers and booleans in an XSD; for xsd.c. */
#ifndef STAGES_RECORD_XSD_SCALAR_H
#define STAGES_RECORD_XSD_SCALAR_H

#include "stages/record/xsd_tag.h"

/* Writes the types that every XSD begins with: text, number, integer, boolean,
 * nothing, and those that they are built from. */
void xsd_scalar_types(struct xsd_writer *w);

/* The name of a scalar form's type among these; NULL: it has limits, or is not
 * a scalar. */
const char *xsd_scalar_plain(const struct mapping_form *form);

/* Writes the body of the open element: a text or number with limits. */
void xsd_scalar_string(struct xsd_writer *w, const cJSON *node);
void xsd_scalar_number(struct xsd_writer *w, const cJSON *node, bool integer);

/* Writes the declaration of an attribute: a scalar, or an array of numbers. */
void xsd_scalar_attribute(struct xsd_writer *w, const char *name,
                          const struct mapping_form *form, bool required);

/* Writes the declaration of the attribute standin-NAME. */
void xsd_scalar_standin(struct xsd_writer *w, const char *name);

#endif
