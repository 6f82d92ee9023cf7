/* metaschema.c - the metaschemas of JSON Schema 2020-12, built in so that a
 * reference to them needs no file; see node.h.
 *
 * SOURCE  https://json-schema.org/draft/2020-12, BSD licence of the JSON
 * Schema specification authors; whitespace removed.
 */
#include "vlm/schema/node.h"

static const struct metaschema row[] = {
    {"https://json-schema.org/draft/2020-12/schema",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":"
     "{\"https://json-schema.org/draft/2020-12/vocab/core\":true,\"https:/"
     "/json-schema.org/draft/2020-12/vocab/applicator\":true,\"https://jso"
     "n-schema.org/draft/2020-12/vocab/unevaluated\":true,\"https://json-s"
     "chema.org/draft/2020-12/vocab/validation\":true,\"https://json-schem"
     "a.org/draft/2020-12/vocab/meta-data\":true,\"https://json-schema.org"
     "/draft/2020-12/vocab/format-annotation\":true,\"https://json-schema."
     "org/draft/2020-12/vocab/content\":true},\"$dynamicAnchor\":\"meta\","
     "\"title\":\"Core and Validation specifications meta-schema\",\"allOf"
     "\":[{\"$ref\":\"meta/core\"},{\"$ref\":\"meta/applicator\"},{\"$ref"
     "\":\"meta/unevaluated\"},{\"$ref\":\"meta/validation\"},{\"$ref\":\""
     "meta/meta-data\"},{\"$ref\":\"meta/format-annotation\"},{\"$ref\":\""
     "meta/content\"}],\"type\":[\"object\",\"boolean\"],\"$comment\":\"Th"
     "is meta-schema also defines keywords that have appeared in previous "
     "drafts in order to prevent incompatible extensions as they remain in"
     " common use.\",\"properties\":{\"definitions\":{\"$comment\":\"\\\"d"
     "efinitions\\\" has been replaced by \\\"$defs\\\".\",\"type\":\"obje"
     "ct\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"deprecat"
     "ed\":true,\"default\":{}},\"dependencies\":{\"$comment\":\"\\\"depen"
     "dencies\\\" has been split and replaced by \\\"dependentSchemas\\\" "
     "and \\\"dependentRequired\\\" in order to serve their differing sema"
     "ntics.\",\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{"
     "\"$dynamicRef\":\"#meta\"},{\"$ref\":\"meta/validation#/$defs/string"
     "Array\"}]},\"deprecated\":true,\"default\":{}},\"$recursiveAnchor\":"
     "{\"$comment\":\"\\\"$recursiveAnchor\\\" has been replaced by \\\"$d"
     "ynamicAnchor\\\".\",\"$ref\":\"meta/core#/$defs/anchorString\",\"dep"
     "recated\":true},\"$recursiveRef\":{\"$comment\":\"\\\"$recursiveRef"
     "\\\" has been replaced by \\\"$dynamicRef\\\".\",\"$ref\":\"meta/cor"
     "e#/$defs/uriReferenceString\",\"deprecated\":true}}}"},
    {"https://json-schema.org/draft/2020-12/meta/core",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/core\",\"$vocabulary"
     "\":{\"https://json-schema.org/draft/2020-12/vocab/core\":true},\"$dy"
     "namicAnchor\":\"meta\",\"title\":\"Core vocabulary meta-schema\",\"t"
     "ype\":[\"object\",\"boolean\"],\"properties\":{\"$id\":{\"$ref\":\"#"
     "/$defs/uriReferenceString\",\"$comment\":\"Non-empty fragments not a"
     "llowed.\",\"pattern\":\"^[^#]*#?$\"},\"$schema\":{\"$ref\":\"#/$defs"
     "/uriString\"},\"$ref\":{\"$ref\":\"#/$defs/uriReferenceString\"},\"$"
     "anchor\":{\"$ref\":\"#/$defs/anchorString\"},\"$dynamicRef\":{\"$ref"
     "\":\"#/$defs/uriReferenceString\"},\"$dynamicAnchor\":{\"$ref\":\"#/"
     "$defs/anchorString\"},\"$vocabulary\":{\"type\":\"object\",\"propert"
     "yNames\":{\"$ref\":\"#/$defs/uriString\"},\"additionalProperties\":{"
     "\"type\":\"boolean\"}},\"$comment\":{\"type\":\"string\"},\"$defs\":"
     "{\"type\":\"object\",\"additionalProperties\":{\"$dynamicRef\":\"#me"
     "ta\"}}},\"$defs\":{\"anchorString\":{\"type\":\"string\",\"pattern\""
     ":\"^[A-Za-z_][-A-Za-z0-9._]*$\"},\"uriString\":{\"type\":\"string\","
     "\"format\":\"uri\"},\"uriReferenceString\":{\"type\":\"string\",\"fo"
     "rmat\":\"uri-reference\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/applicator",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/applicator\",\"$voca"
     "bulary\":{\"https://json-schema.org/draft/2020-12/vocab/applicator\""
     ":true},\"$dynamicAnchor\":\"meta\",\"title\":\"Applicator vocabulary"
     " meta-schema\",\"type\":[\"object\",\"boolean\"],\"properties\":{\"p"
     "refixItems\":{\"$ref\":\"#/$defs/schemaArray\"},\"items\":{\"$dynami"
     "cRef\":\"#meta\"},\"contains\":{\"$dynamicRef\":\"#meta\"},\"additio"
     "nalProperties\":{\"$dynamicRef\":\"#meta\"},\"properties\":{\"type\""
     ":\"object\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"d"
     "efault\":{}},\"patternProperties\":{\"type\":\"object\",\"additional"
     "Properties\":{\"$dynamicRef\":\"#meta\"},\"propertyNames\":{\"format"
     "\":\"regex\"},\"default\":{}},\"dependentSchemas\":{\"type\":\"objec"
     "t\",\"additionalProperties\":{\"$dynamicRef\":\"#meta\"},\"default\""
     ":{}},\"propertyNames\":{\"$dynamicRef\":\"#meta\"},\"if\":{\"$dynami"
     "cRef\":\"#meta\"},\"then\":{\"$dynamicRef\":\"#meta\"},\"else\":{\"$"
     "dynamicRef\":\"#meta\"},\"allOf\":{\"$ref\":\"#/$defs/schemaArray\"}"
     ",\"anyOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"oneOf\":{\"$ref\":\""
     "#/$defs/schemaArray\"},\"not\":{\"$dynamicRef\":\"#meta\"}},\"$defs"
     "\":{\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":{\""
     "$dynamicRef\":\"#meta\"}}}}"},
    {"https://json-schema.org/draft/2020-12/meta/unevaluated",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/unevaluated\",\"$voc"
     "abulary\":{\"https://json-schema.org/draft/2020-12/vocab/unevaluated"
     "\":true},\"$dynamicAnchor\":\"meta\",\"title\":\"Unevaluated applica"
     "tor vocabulary meta-schema\",\"type\":[\"object\",\"boolean\"],\"pro"
     "perties\":{\"unevaluatedItems\":{\"$dynamicRef\":\"#meta\"},\"uneval"
     "uatedProperties\":{\"$dynamicRef\":\"#meta\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/validation",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/validation\",\"$voca"
     "bulary\":{\"https://json-schema.org/draft/2020-12/vocab/validation\""
     ":true},\"$dynamicAnchor\":\"meta\",\"title\":\"Validation vocabulary"
     " meta-schema\",\"type\":[\"object\",\"boolean\"],\"properties\":{\"t"
     "ype\":{\"anyOf\":[{\"$ref\":\"#/$defs/simpleTypes\"},{\"type\":\"arr"
     "ay\",\"items\":{\"$ref\":\"#/$defs/simpleTypes\"},\"minItems\":1,\"u"
     "niqueItems\":true}]},\"const\":true,\"enum\":{\"type\":\"array\",\"i"
     "tems\":true},\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum"
     "\":0},\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type"
     "\":\"number\"},\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum"
     "\":{\"type\":\"number\"},\"maxLength\":{\"$ref\":\"#/$defs/nonNegati"
     "veInteger\"},\"minLength\":{\"$ref\":\"#/$defs/nonNegativeIntegerDef"
     "ault0\"},\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},\"ma"
     "xItems\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},\"minItems\":{\"$"
     "ref\":\"#/$defs/nonNegativeIntegerDefault0\"},\"uniqueItems\":{\"typ"
     "e\":\"boolean\",\"default\":false},\"maxContains\":{\"$ref\":\"#/$de"
     "fs/nonNegativeInteger\"},\"minContains\":{\"$ref\":\"#/$defs/nonNega"
     "tiveInteger\",\"default\":1},\"maxProperties\":{\"$ref\":\"#/$defs/n"
     "onNegativeInteger\"},\"minProperties\":{\"$ref\":\"#/$defs/nonNegati"
     "veIntegerDefault0\"},\"required\":{\"$ref\":\"#/$defs/stringArray\"}"
     ",\"dependentRequired\":{\"type\":\"object\",\"additionalProperties\""
     ":{\"$ref\":\"#/$defs/stringArray\"}}},\"$defs\":{\"nonNegativeIntege"
     "r\":{\"type\":\"integer\",\"minimum\":0},\"nonNegativeIntegerDefault"
     "0\":{\"$ref\":\"#/$defs/nonNegativeInteger\",\"default\":0},\"simple"
     "Types\":{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"numb"
     "er\",\"object\",\"string\"]},\"stringArray\":{\"type\":\"array\",\"i"
     "tems\":{\"type\":\"string\"},\"uniqueItems\":true,\"default\":[]}}}"},
    {"https://json-schema.org/draft/2020-12/meta/meta-data",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/meta-data\",\"$vocab"
     "ulary\":{\"https://json-schema.org/draft/2020-12/vocab/meta-data\":t"
     "rue},\"$dynamicAnchor\":\"meta\",\"title\":\"Meta-data vocabulary me"
     "ta-schema\",\"type\":[\"object\",\"boolean\"],\"properties\":{\"titl"
     "e\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},\"de"
     "fault\":true,\"deprecated\":{\"type\":\"boolean\",\"default\":false}"
     ",\"readOnly\":{\"type\":\"boolean\",\"default\":false},\"writeOnly\""
     ":{\"type\":\"boolean\",\"default\":false},\"examples\":{\"type\":\"a"
     "rray\",\"items\":true}}}"},
    {"https://json-schema.org/draft/2020-12/meta/format-annotation",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/format-annotation\","
     "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/forma"
     "t-annotation\":true},\"$dynamicAnchor\":\"meta\",\"title\":\"Format "
     "vocabulary meta-schema for annotation results\",\"type\":[\"object\""
     ",\"boolean\"],\"properties\":{\"format\":{\"type\":\"string\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/content",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/content\",\"$vocabul"
     "ary\":{\"https://json-schema.org/draft/2020-12/vocab/content\":true}"
     ",\"$dynamicAnchor\":\"meta\",\"title\":\"Content vocabulary meta-sch"
     "ema\",\"type\":[\"object\",\"boolean\"],\"properties\":{\"contentEnc"
     "oding\":{\"type\":\"string\"},\"contentMediaType\":{\"type\":\"strin"
     "g\"},\"contentSchema\":{\"$dynamicRef\":\"#meta\"}}}"},
    {"https://json-schema.org/draft/2020-12/meta/format-assertion",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id"
     "\":\"https://json-schema.org/draft/2020-12/meta/format-assertion\","
     "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/forma"
     "t-assertion\":true},\"$dynamicAnchor\":\"meta\",\"title\":\"Format v"
     "ocabulary meta-schema for assertion results\",\"type\":[\"object\","
     "\"boolean\"],\"properties\":{\"format\":{\"type\":\"string\"}}}"}};

const char *metaschema_find(const char *uri)
{
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(row[i].uri, uri)) return row[i].text;
    for (const struct metaschema *m = metaschema_drafts; m->uri; m++)
        if (!strcmp(m->uri, uri)) return m->text;
    return NULL;
}
