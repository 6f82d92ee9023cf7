/* keyword.c - see keyword.h. */
#include "vlm/schema/keyword.h"

#include <string.h>
#include <strings.h>

#include "vlm/base/number.h"
#include "vlm/json/json.h"

#define CORE        VOCABULARY_CORE
#define APPLICATOR  VOCABULARY_APPLICATOR
#define UNEVALUATED VOCABULARY_UNEVALUATED
#define VALIDATION  VOCABULARY_VALIDATION
#define META_DATA   VOCABULARY_META_DATA
#define CONTENT     VOCABULARY_CONTENT

static const struct keyword_row row[] = {
    {"type", KEYWORD_TYPE, SHAPE_TYPE, VALIDATION},
    {"enum", KEYWORD_ENUM, SHAPE_LIST, VALIDATION},
    {"const", KEYWORD_CONST, SHAPE_ANY, VALIDATION},
    {"required", KEYWORD_REQUIRED, SHAPE_NAMES, VALIDATION},
    {"$ref", KEYWORD_REF, SHAPE_TEXT, CORE},
    {"$dynamicRef", KEYWORD_DYNAMIC_REF, SHAPE_TEXT, CORE},
    {"allOf", KEYWORD_ALL_OF, SHAPE_SCHEMA_LIST, APPLICATOR},
    {"anyOf", KEYWORD_ANY_OF, SHAPE_SCHEMA_LIST, APPLICATOR},
    {"oneOf", KEYWORD_ONE_OF, SHAPE_SCHEMA_LIST, APPLICATOR},
    {"not", KEYWORD_NOT, SHAPE_SCHEMA, APPLICATOR},
    {"if", KEYWORD_IF, SHAPE_SCHEMA, APPLICATOR},
    {"then", KEYWORD_THEN, SHAPE_SCHEMA, APPLICATOR},
    {"else", KEYWORD_ELSE, SHAPE_SCHEMA, APPLICATOR},
    {"dependentSchemas", KEYWORD_DEPENDENT_SCHEMAS, SHAPE_SCHEMA_MAP,
     APPLICATOR},
    {"dependentRequired", KEYWORD_DEPENDENT_REQUIRED, SHAPE_NAMES_MAP,
     VALIDATION},
    {"dependencies", KEYWORD_DEPENDENCIES, SHAPE_DEPENDENCIES, APPLICATOR},
    {"propertyNames", KEYWORD_PROPERTY_NAMES, SHAPE_SCHEMA, APPLICATOR},
    {"properties", KEYWORD_PROPERTIES, SHAPE_SCHEMA_MAP, APPLICATOR},
    {"patternProperties", KEYWORD_PATTERN_PROPERTIES, SHAPE_SCHEMA_MAP,
     APPLICATOR},
    {"additionalProperties", KEYWORD_ADDITIONAL_PROPERTIES, SHAPE_SCHEMA,
     APPLICATOR},
    {"prefixItems", KEYWORD_PREFIX_ITEMS, SHAPE_SCHEMA_LIST, APPLICATOR},
    {"items", KEYWORD_ITEMS, SHAPE_SCHEMA, APPLICATOR},
    {"contains", KEYWORD_CONTAINS, SHAPE_SCHEMA, APPLICATOR},
    {"minContains", KEYWORD_MIN_CONTAINS, SHAPE_COUNT, VALIDATION},
    {"maxContains", KEYWORD_MAX_CONTAINS, SHAPE_COUNT, VALIDATION},
    {"pattern", KEYWORD_PATTERN, SHAPE_TEXT, VALIDATION},
    /* in either format vocabulary; node.c checks which */
    {"format", KEYWORD_FORMAT, SHAPE_TEXT, CORE},
    {"minLength", KEYWORD_MIN_LENGTH, SHAPE_COUNT, VALIDATION},
    {"maxLength", KEYWORD_MAX_LENGTH, SHAPE_COUNT, VALIDATION},
    {"minimum", KEYWORD_MINIMUM, SHAPE_NUMBER, VALIDATION},
    {"maximum", KEYWORD_MAXIMUM, SHAPE_NUMBER, VALIDATION},
    {"exclusiveMinimum", KEYWORD_EXCLUSIVE_MINIMUM, SHAPE_NUMBER, VALIDATION},
    {"exclusiveMaximum", KEYWORD_EXCLUSIVE_MAXIMUM, SHAPE_NUMBER, VALIDATION},
    {"multipleOf", KEYWORD_MULTIPLE_OF, SHAPE_POSITIVE, VALIDATION},
    {"minItems", KEYWORD_MIN_ITEMS, SHAPE_COUNT, VALIDATION},
    {"maxItems", KEYWORD_MAX_ITEMS, SHAPE_COUNT, VALIDATION},
    {"uniqueItems", KEYWORD_UNIQUE_ITEMS, SHAPE_BOOL, VALIDATION},
    {"minProperties", KEYWORD_MIN_PROPERTIES, SHAPE_COUNT, VALIDATION},
    {"maxProperties", KEYWORD_MAX_PROPERTIES, SHAPE_COUNT, VALIDATION},
    {"unevaluatedItems", KEYWORD_UNEVALUATED_ITEMS, SHAPE_SCHEMA, UNEVALUATED},
    {"unevaluatedProperties", KEYWORD_UNEVALUATED_PROPERTIES, SHAPE_SCHEMA,
     UNEVALUATED},
    {"$id", KEYWORD_ID, SHAPE_TEXT, CORE},
    {"$schema", KEYWORD_SCHEMA, SHAPE_TEXT, CORE},
    {"$anchor", KEYWORD_ANCHOR, SHAPE_ANCHOR, CORE},
    {"$dynamicAnchor", KEYWORD_DYNAMIC_ANCHOR, SHAPE_ANCHOR, CORE},
    {"$vocabulary", KEYWORD_VOCABULARY, SHAPE_BOOL_MAP, CORE},
    {"$comment", KEYWORD_NOTE, SHAPE_TEXT, CORE},
    {"$defs", KEYWORD_DEFS, SHAPE_SCHEMA_MAP, CORE},
    {"definitions", KEYWORD_DEFS, SHAPE_SCHEMA_MAP, CORE},
    {"title", KEYWORD_NOTE, SHAPE_TEXT, META_DATA},
    {"description", KEYWORD_NOTE, SHAPE_TEXT, META_DATA},
    {"default", KEYWORD_NOTE, SHAPE_ANY, META_DATA},
    {"deprecated", KEYWORD_NOTE, SHAPE_BOOL, META_DATA},
    {"readOnly", KEYWORD_NOTE, SHAPE_BOOL, META_DATA},
    {"writeOnly", KEYWORD_NOTE, SHAPE_BOOL, META_DATA},
    {"examples", KEYWORD_NOTE, SHAPE_ANY, META_DATA},
    {"contentEncoding", KEYWORD_NOTE, SHAPE_TEXT, CONTENT},
    {"contentMediaType", KEYWORD_NOTE, SHAPE_TEXT, CONTENT},
    {"contentSchema", KEYWORD_CONTENT_SCHEMA, SHAPE_SCHEMA, CONTENT}};

static const size_t n_row = sizeof row / sizeof *row;

const struct keyword_row *keyword_find(const char *name)
{
    for (size_t i = 0; i < n_row; i++)
        if (!strcmp(row[i].name, name)) return &row[i];
    return NULL;
}

enum { NEAR_LENGTH_MAX = 31 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance with transpositions (optimal string alignment); NEAR_LENGTH_MAX
 * for names longer than that. */
static int distance(const char *a, const char *b)
{
    int d[NEAR_LENGTH_MAX + 1][NEAR_LENGTH_MAX + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > NEAR_LENGTH_MAX || m > NEAR_LENGTH_MAX) return NEAR_LENGTH_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1,
                              d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* The name in lower case, without "_" and "-" ("any_of"). */
static void fold(char out[NEAR_LENGTH_MAX + 2], const char *name)
{
    size_t n = 0;
    for (; *name && n <= NEAR_LENGTH_MAX; name++)
        if (*name != '_' && *name != '-')
            out[n++] =
                (char)(*name >= 'A' && *name <= 'Z' ? *name | 32 : *name);
    out[n] = 0;
}

/* Do two names of edit distance 1 differ by swapped letters? */
static bool are_swapped(const char *a, const char *b)
{
    int n = 0;
    for (; *a && *b; a++, b++)
        n += *a != *b;
    return n == 2;
}

/* "patternProperty" for "patternProperties" */
static bool is_singular_of(const char *name, const char *keyword)
{
    size_t n = strlen(name);
    return n > 4 && name[n - 1] == 'y' && strlen(keyword) == n + 2 &&
           !strncmp(name, keyword, n - 1) && !strcmp(keyword + n - 1, "ies");
}

/* Stricter for short names, which can be close by chance ("when", "then"). */
static bool is_near(const char *name, const char *keyword)
{
    char a[NEAR_LENGTH_MAX + 2], b[NEAR_LENGTH_MAX + 2];
    fold(a, name);
    fold(b, keyword);
    size_t n = strlen(a), m = strlen(b);
    if (!strcmp(a, b) || is_singular_of(a, b)) return true;
    if (*b == '$' && !strcmp(a, b + 1)) return true;
    if (n < 4 || m < 4 || n > m + 2 || m > n + 2) return false;
    int d = m < 8 ? distance(name, keyword) : distance(a, b);
    if (m == 4) return d == 1 && (n != m || are_swapped(a, b));
    return d == 1 || (d == 2 && n >= 9 && m >= 9);
}

bool keyword_is_platen(const char *name)
{
    static const char *const mark[] = {
        "x-platen-check", "x-platen-per-page", "x-platen-read",
        "x-platen-required-evidence", "x-platen-sign"};
    bool is = !strncmp(name, "x-platen-", 9);
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        is = is || is_near(name, mark[i]);
    return is;
}

static bool is_type(const char *text)
{
    static const char *const type[] = {"array",  "boolean", "integer", "null",
                                       "number", "object",  "string"};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++)
        if (!strcasecmp(text, type[i])) return true;
    return false;
}

static bool has_type(const cJSON *v, const char *type)
{
    switch (*type) {
    case 's': return cJSON_IsString(v);
    case 'o': return cJSON_IsObject(v);
    case 'a': return cJSON_IsArray(v);
    case 'b': return cJSON_IsBool(v);
    case 'i': return cJSON_IsNumber(v) && number_is_integer(json_number(v));
    default: return !strcmp(type, "null") ? cJSON_IsNull(v) : cJSON_IsNumber(v);
    }
}

bool keyword_type_fits(const cJSON *type, const cJSON *v)
{
    if (cJSON_IsString(type)) return has_type(v, type->valuestring);
    for (const cJSON *t = type->child; t; t = t->next)
        if (has_type(v, t->valuestring)) return true;
    return false;
}

/* Does the value have the shape's JSON type? A list under "patterns" is not a
 * misspelt "pattern", and "sh:NodeShape" under "@type" is not a type. */
static bool has_json_type(const cJSON *v, enum shape shape)
{
    switch (shape) {
    case SHAPE_ANY: return true;
    case SHAPE_SCHEMA: return cJSON_IsObject(v) || cJSON_IsBool(v);
    case SHAPE_SCHEMA_LIST:
    case SHAPE_LIST:
    case SHAPE_NAMES: return cJSON_IsArray(v);
    case SHAPE_SCHEMA_MAP:
    case SHAPE_DEPENDENCIES:
    case SHAPE_NAMES_MAP:
    case SHAPE_BOOL_MAP: return cJSON_IsObject(v);
    case SHAPE_TEXT:
    case SHAPE_ANCHOR: return cJSON_IsString(v);
    case SHAPE_BOOL: return cJSON_IsBool(v);
    case SHAPE_NUMBER:
    case SHAPE_POSITIVE:
    case SHAPE_COUNT: return cJSON_IsNumber(v) || cJSON_IsString(v);
    case SHAPE_TYPE:
        return cJSON_IsArray(v) ||
               (cJSON_IsString(v) && is_type(v->valuestring));
    }
    return true;
}

/* "xrequired", "_required", "//required": disabled on purpose. */
static bool is_commented_out(const char *name, const char *keyword)
{
    size_t n = strspn(name, "x_/#-@");
    return n > 0 && !strcasecmp(name + n, keyword);
}

const struct keyword_row *keyword_near(const char *name, const cJSON *value)
{
    for (size_t i = 0; i < n_row; i++)
        if (row[i].id < KEYWORD_ID && is_near(name, row[i].name) &&
            has_json_type(value, row[i].shape) &&
            !is_commented_out(name, row[i].name))
            return &row[i];
    return NULL;
}

const char *keyword_name(enum keyword id)
{
    for (size_t i = 0; i < n_row; i++)
        if (row[i].id == id) return row[i].name;
    return "";
}

const char *keyword_shape(enum shape shape)
{
    static const char *const text[] = {
        [SHAPE_ANY] = "a value",
        [SHAPE_SCHEMA] = "a schema (an object or a boolean)",
        [SHAPE_SCHEMA_LIST] = "a list of at least one schema",
        [SHAPE_SCHEMA_MAP] = "an object of schemas",
        [SHAPE_DEPENDENCIES] = "an object of schemas or lists of names",
        [SHAPE_TEXT] = "a string",
        [SHAPE_ANCHOR] = "a name of letters, digits, '-', '_' and '.'",
        [SHAPE_BOOL] = "true or false",
        [SHAPE_NUMBER] = "a number",
        [SHAPE_POSITIVE] = "a number above 0",
        [SHAPE_COUNT] = "a non-negative whole number",
        [SHAPE_LIST] = "a list",
        [SHAPE_NAMES] = "a list of unique names",
        [SHAPE_NAMES_MAP] = "an object of lists of unique names",
        [SHAPE_TYPE] = "a type name or a list of unique type names",
        [SHAPE_BOOL_MAP] = "an object of booleans"};
    return text[shape];
}

unsigned keyword_vocabulary(const char *uri)
{
    static const char *const name[] = {
        "core",      "applicator",        "unevaluated",      "validation",
        "meta-data", "format-annotation", "format-assertion", "content"};
    static const char prefix[] = "https://json-schema.org/draft/2020-12/vocab/";
    static const char before[] = "https://json-schema.org/draft/2019-09/vocab/";
    size_t n = sizeof prefix - 1;
    bool older = !strncmp(uri, before, n);
    if (!older && strncmp(uri, prefix, n) != 0) return 0;
    if (older && !strcmp(uri + n, "applicator"))
        return VOCABULARY_APPLICATOR | VOCABULARY_UNEVALUATED;
    if (older && !strcmp(uri + n, "format"))
        return VOCABULARY_FORMAT_ANNOTATION;
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(uri + n, name[i])) return 1u << i;
    return 0;
}

bool keyword_in_place(enum keyword id)
{
    return id == KEYWORD_REF || id == KEYWORD_DYNAMIC_REF ||
           (id >= KEYWORD_ALL_OF && id <= KEYWORD_DEPENDENCIES &&
            id != KEYWORD_DEPENDENT_REQUIRED);
}
