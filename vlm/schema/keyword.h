/* keyword.h - the keywords of JSON Schema 2020-12: one table. */
#ifndef VLM_SCHEMA_KEYWORD_H
#define VLM_SCHEMA_KEYWORD_H

#include <cjson/cJSON.h>

#include <stdbool.h>

/* In the order in which a value is looked at; the last two need to know what
 * all others have looked at. */
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
    /* from here on nothing is asserted */
    KEYWORD_ID,
    KEYWORD_SCHEMA,
    KEYWORD_ANCHOR,
    KEYWORD_DYNAMIC_ANCHOR,
    KEYWORD_VOCABULARY,
    KEYWORD_DEFS,
    KEYWORD_CONTENT_SCHEMA,
    KEYWORD_NOTE
};

/* What the keyword's value must be. */
enum shape {
    SHAPE_ANY,
    SHAPE_SCHEMA,
    SHAPE_SCHEMA_LIST,
    SHAPE_SCHEMA_MAP,
    SHAPE_DEPENDENCIES, /* map of schemas or lists of names */
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
    /* what https://json-schema.org/draft/2020-12/schema asks for */
    VOCABULARY_DRAFT = 0xff & ~VOCABULARY_FORMAT_ASSERTION
};

struct keyword_row {
    const char *name;
    enum keyword id;
    enum shape shape;
    enum vocabulary vocabulary;
};

/* The row of a keyword, or NULL when there is none of that name. */
const struct keyword_row *keyword_find(const char *name);

/* The keyword that asserts something and that was probably meant: `name` is no
 * keyword but nearly one ("requred", "maxlength", "ref"), and its value could
 * be that one's; else NULL. */
const struct keyword_row *keyword_near(const char *name, const cJSON *value);

/* Is the name one of our own marks ("x-platen-read"), or nearly ("x_platen_read",
 * "x-platten-read")? */
bool keyword_is_mark(const char *name);

/* As written in a schema: "maxItems". */
const char *keyword_name(enum keyword id);

/* What a value of this shape is, for people: "a list of names". */
const char *keyword_shape(enum shape shape);

/* The bit of a vocabulary's URI, or 0 when it is not known here. */
unsigned keyword_vocabulary(const char *uri);

/* Is the schema under this keyword applied to the same value? */
bool keyword_in_place(enum keyword id);

#endif
