/* schema_shape.h - recognises files that are given as a schema and are none. */
#ifndef PIPELINE_LOCAL_SCHEMA_SHAPE_H
#define PIPELINE_LOCAL_SCHEMA_SHAPE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Refuses a schema that requests no value: an example document, an API's
 * wrapper around a schema, or one without properties; the error says which.
 * `loads`: loading it succeeded. If not, only the first two are refused, since
 * otherwise the loader's error says more. FAIL: [schema-refused]. */
void schema_shape_check(struct span text, const char *name, bool loads,
                        struct err *err);

#endif
