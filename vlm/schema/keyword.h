/* keyword.h - table of the keywords of JSON Schema 2020-12. */
#ifndef VLM_SCHEMA_KEYWORD_H
#define VLM_SCHEMA_KEYWORD_H

#include <cjson/cJSON.h>

#include <stdbool.h>

/* In order of evaluation; the two unevaluated... keywords come last because
 * they depend on what all others have evaluated. */
enum keyword {
    KEYWORD_TYPE,
    KEYWORD_ENUM,
    KEYWORD_CONST,
    KEYWORD_REQUIRED,
    KEYWORD_REF,
    KEYWORD_DYNAMIC_REF,
    KEYWORD_ALL_OF,
    KEYWORD_ANY_OF,
    KEYWORD_ONE_OF,
    KEYWORD_NOT,
    KEYWORD_IF,
    KEYWORD_THEN,
    KEYWORD_ELSE,
    KEYWORD_DEPENDENT_SCHEMAS,
    KEYWORD_DEPENDENT_REQUIRED,
    KEYWORD_DEPENDENCIES,
    KEYWORD_PROPERTY_NAMES,
    KEYWORD_PROPERTIES,
    KEYWORD_PATTERN_PROPERTIES,
    KEYWORD_ADDITIONAL_PROPERTIES,
    KEYWORD_PREFIX_ITEMS,
    KEYWORD_ITEMS,
    KEYWORD_CONTAINS,
    KEYWORD_MIN_CONTAINS,
    KEYWORD_MAX_CONTAINS,
    KEYWORD_PATTERN,
    KEYWORD_FORMAT,
    KEYWORD_MIN_LENGTH,
    KEYWORD_MAX_LENGTH,
    KEYWORD_MINIMUM,
    KEYWORD_MAXIMUM,
    KEYWORD_EXCLUSIVE_MINIMUM,
    KEYWORD_EXCLUSIVE_MAXIMUM,
    KEYWORD_MULTIPLE_OF,
    KEYWORD_MIN_ITEMS,
    KEYWORD_MAX_ITEMS,
    KEYWORD_UNIQUE_ITEMS,
    KEYWORD_MIN_PROPERTIES,
    KEYWORD_MAX_PROPERTIES,
    KEYWORD_UNEVALUATED_ITEMS,
    KEYWORD_UNEVALUATED_PROPERTIES,
    /* from here on: no assertions */
    KEYWORD_ID,
    KEYWORD_SCHEMA,
    KEYWORD_ANCHOR,
    KEYWORD_DYNAMIC_ANCHOR,
    KEYWORD_VOCABULARY,
    KEYWORD_DEFS,
    KEYWORD_CONTENT_SCHEMA,
    KEYWORD_NOTE
};

/* Required form of a keyword's value. */
enum shape {
    SHAPE_ANY,
    SHAPE_SCHEMA,
    SHAPE_SCHEMA_LIST,
    SHAPE_SCHEMA_MAP,
    SHAPE_DEPENDENCIES, /* map of schemas and lists of names */
    SHAPE_TEXT,
    SHAPE_ANCHOR,
    SHAPE_BOOL,
    SHAPE_NUMBER,
    SHAPE_POSITIVE,
    SHAPE_COUNT,
    SHAPE_LIST,
    SHAPE_NAMES,
    SHAPE_NAMES_MAP,
    SHAPE_TYPE,
    SHAPE_BOOL_MAP
};

enum vocabulary {
    VOCABULARY_CORE = 1 << 0,
    VOCABULARY_APPLICATOR = 1 << 1,
    VOCABULARY_UNEVALUATED = 1 << 2,
    VOCABULARY_VALIDATION = 1 << 3,
    VOCABULARY_META_DATA = 1 << 4,
    VOCABULARY_FORMAT_ANNOTATION = 1 << 5,
    VOCABULARY_FORMAT_ASSERTION = 1 << 6,
    VOCABULARY_CONTENT = 1 << 7,
    /* those of https://json-schema.org/draft/2020-12/schema */
    VOCABULARY_DRAFT = 0xff & ~VOCABULARY_FORMAT_ASSERTION
};

struct keyword_row {
    const char *name;
    enum keyword id;
    enum shape shape;
    enum vocabulary vocabulary;
};

/* The row of a keyword, or NULL for an unknown name. */
const struct keyword_row *keyword_find(const char *name);

/* The asserting keyword that an unknown `name` probably misspells ("requred",
 * "maxlength", "ref") and that could have this value; else NULL. */
const struct keyword_row *keyword_near(const char *name, const cJSON *value);

/* Is the name one of our own keywords ("x-platen-read") or a misspelling of one
 * ("x_platen_read", "x-platten-read")? */
bool keyword_is_platen(const char *name);

/* Its name in a schema: "maxItems". */
const char *keyword_name(enum keyword id);

/* Description of the shape for messages: "a list of unique names". */
const char *keyword_shape(enum shape shape);

/* The bit of the vocabulary with this URI, or 0 if unknown. */
unsigned keyword_vocabulary(const char *uri);

/* Does this keyword apply its subschema to the same value? */
bool keyword_in_place(enum keyword id);

/* Is the value of the type, or of one of the types, that "type" gives? */
bool keyword_type_fits(const cJSON *type, const cJSON *v);

#endif
