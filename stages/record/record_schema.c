/* record_schema.c - see record_schema.h. In pieces, since C guarantees only
 * short string literals; warning codes come from their table. */
#include "stages/record/record_schema.h"

#include <string.h>

#include "stages/document/warnings.h"
#include "vlm/json/json.h"

enum { TEXT_MOST = 64 << 20 };

static const char RECORD[] =
    "{"
    "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$id\":\"urn:platen:record:2\","
    "\"title\":\"Record of platen, version 2\","
    "\"description\":\"The data of one document, its source, how it was read, "
    "and how far to trust it.\","
    "\"type\":\"object\","
    "\"additionalProperties\":false,"
    "\"properties\":{"
    "\"format\":{\"type\":\"string\",\"const\":\"platen-record/2\"},"
    "\"id\":{\"type\":\"string\",\"description\":\"the document's name in "
    "the spool, or made up for a run on the command line\"},"
    "\"created\":{\"type\":\"string\",\"format\":\"date-time\"},"
    "\"verdict\":{\"type\":\"string\",\"enum\":[\"read\",\"doubtful\","
    "\"unread\"],\"description\":\"on the whole record; nulls of an unread "
    "record mean nothing\"},"
    "\"review\":{\"type\":\"boolean\",\"description\":\"whether a person "
    "should check it\"},"
    "\"confidence_fit\":{\"type\":\"string\",\"description\":\"the fit of "
    "platen eval that calibrated the confidences, if any\"},"
    "\"source\":{\"$ref\":\"#/$defs/source\"},"
    "\"part\":{\"$ref\":\"#/$defs/part\"},"
    "\"archive_number\":{\"type\":\"string\"},"
    "\"pages\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/page\"}},"
    "\"schema\":{\"$ref\":\"#/$defs/named\"},"
    "\"classification\":{\"$ref\":\"#/$defs/classification\"},"
    "\"model\":{\"$ref\":\"#/$defs/named\"},"
    "\"examples\":{\"type\":\"array\",\"minItems\":1,"
    "\"items\":{\"type\":\"string\"},\"description\":\"ids of the earlier "
    "documents that the model was told as examples\"},"
    "\"engine\":{\"type\":\"string\"},"
    "\"device\":{\"type\":\"string\",\"description\":\"the GPU used; absent "
    "for the processor\"},"
    "\"seed\":{\"type\":\"integer\"},"
    "\"attempts\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"number "
    "of questions to the model\"},"
    "\"versions\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"string\"}},"
    "\"unsandboxed\":{\"type\":\"boolean\"},"
    "\"tokens\":{\"$ref\":\"#/$defs/tokens\"},"
    "\"seconds\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"number\",\"minimum\":0},"
    "\"description\":\"by stage\"},"
    "\"warnings\":{\"type\":\"array\","
    "\"items\":{\"$ref\":\"#/$defs/warning\"}},"
    "\"gaps\":{\"type\":\"array\",\"minItems\":1,"
    "\"items\":{\"$ref\":\"#/$defs/gap\"},\"description\":\"printed rows that "
    "are missing, and pages that could not be checked\"},"
    "\"conflicts\":{\"type\":\"array\",\"minItems\":1,"
    "\"items\":{\"$ref\":\"#/$defs/conflict\"},\"description\":\"values "
    "about which pages differ\"},"
    "\"fields\":{\"type\":\"object\","
    "\"additionalProperties\":{\"$ref\":\"#/$defs/field\"},"
    "\"description\":\"keyed by the JSON Pointer of a value in data\"},"
    "\"data\":{\"description\":\"the values, valid under the schema "
    "that `schema` names\"}"
    "},"
    "\"required\":[\"format\",\"id\",\"created\",\"source\",\"pages\","
    "\"schema\",\"model\",\"engine\",\"seed\",\"attempts\",\"versions\","
    "\"tokens\",\"seconds\",\"warnings\",\"fields\",\"data\"],"
    "\"$defs\":{";

static const char RECORD_PARTS[] =
    ","
    "\"probability\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1},"
    "\"part\":{\"description\":\"the part of a stack\","
    "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"stack\":{\"type\":\"string\",\"description\":\"its id\"},"
    "\"number\":{\"type\":\"integer\",\"minimum\":1},"
    "\"count\":{\"type\":\"integer\",\"minimum\":1},"
    "\"pages\":{\"type\":\"string\",\"description\":\"pages of the stack, "
    "such as 4-6; absent: all, or an attached file\"},"
    "\"attachment\":{\"type\":\"string\",\"description\":\"the name of "
    "the attached file that it is\"}"
    "},\"required\":[\"stack\",\"number\",\"count\"]},"
    "\"page\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"number\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"width_px\":{\"type\":\"integer\",\"minimum\":0},"
    "\"height_px\":{\"type\":\"integer\",\"minimum\":0},"
    "\"dpi\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
    "\"skew_degrees\":{\"type\":\"number\",\"description\":\"skew that was "
    "removed\"},"
    "\"blank\":{\"type\":\"boolean\"},"
    "\"words_told\":{\"type\":\"boolean\",\"description\":\"whether its words "
    "were sent to the model with its picture\"}"
    "},\"required\":[\"number\",\"width_px\",\"height_px\"]},"
    "\"named\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"sha256\":{\"$ref\":\"#/$defs/sha256\"}"
    "},\"required\":[\"name\"]},"
    "\"classification\":{\"description\":\"the schema that the model chose, if "
    "it "
    "was asked\",\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"p\":{\"$ref\":\"#/$defs/probability\"},"
    "\"p_legal\":{\"$ref\":\"#/$defs/probability\"}"
    "},\"required\":[\"name\"]},"
    "\"tokens\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"prompt\":{\"type\":\"integer\",\"minimum\":0},"
    "\"sampled\":{\"type\":\"integer\",\"minimum\":0},"
    "\"forced\":{\"type\":\"integer\",\"minimum\":0}"
    "},\"required\":[\"prompt\",\"sampled\",\"forced\"]},"
    "\"gap\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"page\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"text\":{\"type\":\"string\",\"description\":\"the printed text\"},"
    "\"unchecked\":{\"type\":\"boolean\",\"description\":\"the page has print, "
    "but its words are unknown: rows may be missing\"},"
    "\"lines\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"printed "
    "lines on it\"},"
    "\"rows\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"rows in "
    "the answer about it; absent for an answer about several pages\"}"
    "},\"required\":[\"page\"]},"
    "\"conflict\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"pointer\":{\"type\":\"string\"},"
    "\"taken\":{\"$ref\":\"#/$defs/reading\"},"
    "\"others\":{\"type\":\"array\","
    "\"items\":{\"$ref\":\"#/$defs/reading\"}}"
    "},\"required\":[\"pointer\",\"taken\",\"others\"]},"
    "\"reading\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"page\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"p\":{\"$ref\":\"#/$defs/probability\"},"
    "\"value\":{}"
    "},\"required\":[\"page\",\"value\"]},";

static const char RECORD_FIELD[] =
    "\"field\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"p\":{\"$ref\":\"#/$defs/probability\",\"description\":\"the model's "
    "probability of the value among all answers\"},"
    "\"p_legal\":{\"$ref\":\"#/$defs/probability\",\"description\":\"the "
    "same among answers that the schema allows\"},"
    "\"confidence\":{\"$ref\":\"#/$defs/probability\","
    "\"description\":\"probability that the value is right, from all "
    "evidence\"},"
    "\"verdict\":{\"type\":\"string\",\"enum\":[\"agree\",\"doubtful\","
    "\"differ\",\"unseen\",\"derived\",\"overlooked\"],"
    "\"description\":\"of text layer or OCR\"},"
    "\"doubt\":{\"type\":\"string\",\"enum\":[\"place\",\"sign\","
    "\"date-order\",\"scale\",\"partial\",\"label\",\"check-digits\","
    "\"layer\"],"
    "\"description\":\"why the print may be another value's\"},"
    "\"source\":{\"type\":\"string\",\"enum\":[\"person\"],"
    "\"description\":\"a person gave or confirmed it\"},"
    "\"page\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"evidence\":{\"type\":\"array\",\"minItems\":1,"
    "\"items\":{\"$ref\":\"#/$defs/place\"}}"
    "}},"
    "\"place\":{\"description\":\"where a value is printed\","
    "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"page\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"box\":{\"type\":\"array\",\"minItems\":4,\"maxItems\":4,"
    "\"items\":{\"type\":\"number\"},\"description\":\"x, y, width, height "
    "in 0..1 of the page as a viewer shows it, from the top left\"},"
    "\"text\":{\"type\":\"string\",\"description\":\"the printed text\"},"
    "\"source\":{\"type\":\"string\",\"enum\":[\"text-layer\","
    "\"ocr\",\"model\",\"attention\",\"e-invoice\",\"person\"]"
    "},"
    "\"match\":{\"type\":\"string\",\"enum\":[\"exact\",\"normalised\","
    "\"fuzzy\",\"ambiguous\",\"partial\",\"position\",\"different\"]},"
    "\"term\":{\"type\":\"string\",\"pattern\":\"^BT-[0-9]+$\","
    "\"description\":\"term of EN 16931, for an e-invoice's value\"},"
    "\"xpath\":{\"type\":\"string\",\"description\":\"where an XML file has "
    "it, with the prefixes of the file\"},"
    "\"confidence\":{\"$ref\":\"#/$defs/probability\","
    "\"description\":\"of OCR: the lowest of its words\"},"
    "\"distance\":{\"type\":\"integer\",\"minimum\":0,"
    "\"description\":\"letters that differ in a fuzzy match\"}"
    "},\"required\":[\"source\"]}";

static const char STACK[] =
    "{"
    "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$id\":\"urn:platen:stack:2\","
    "\"title\":\"Stack of platen, version 2\","
    "\"description\":\"The documents that a file was cut into. Each of them "
    "has a record of its own.\","
    "\"type\":\"object\","
    "\"additionalProperties\":false,"
    "\"properties\":{"
    "\"format\":{\"type\":\"string\",\"const\":\"platen-stack/2\"},"
    "\"id\":{\"type\":\"string\"},"
    "\"created\":{\"type\":\"string\",\"format\":\"date-time\"},"
    "\"source\":{\"$ref\":\"#/$defs/source\"},"
    "\"parts\":{\"type\":\"array\",\"minItems\":1,"
    "\"items\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"id\":{\"type\":\"string\"},"
    "\"pages\":{\"type\":\"string\",\"description\":\"pages of the stack, "
    "such as 4-6; absent: all, or an attached file\"},"
    "\"attachment\":{\"type\":\"string\",\"description\":\"the name of "
    "the attached file that it is\"},"
    "\"sha256\":{\"$ref\":\"#/$defs/sha256\"},"
    "\"schema\":{\"type\":\"string\",\"description\":\"the schema named on its "
    "separator\"},"
    "\"archive_number\":{\"type\":\"string\"}"
    "},\"required\":[\"id\"]}},"
    "\"sheets\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":false,\"description\":\"a page that belongs "
    "to no document\",\"properties\":{"
    "\"page\":{\"type\":\"integer\",\"minimum\":1},"
    "\"code\":{\"type\":\"string\"},"
    "\"marks\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"other "
    "marks on it, about as many as letters\"},"
    "\"back\":{\"type\":\"boolean\",\"description\":\"whether it is the blank "
    "back of the sheet before it, which has the code\"}"
    "},\"required\":[\"page\",\"code\",\"marks\"]}},"
    "\"versions\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"string\"}},"
    "\"warnings\":{\"type\":\"array\","
    "\"items\":{\"$ref\":\"#/$defs/warning\"}}"
    "},"
    "\"required\":[\"format\",\"id\",\"created\",\"source\",\"parts\","
    "\"sheets\",\"versions\",\"warnings\"],"
    "\"$defs\":{";

static const char SHARED[] =
    "\"source\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"type\":{\"type\":\"string\",\"enum\":[\"PDF\",\"TIFF\",\"JPEG\","
    "\"PNG\",\"WebP\",\"HEIF\",\"AVIF\",\"JPEG 2000\","
    "\"BMP\",\"GIF\",\"PNM\",\"XML\",\"mail\"]},"
    "\"sha256\":{\"$ref\":\"#/$defs/sha256\"},"
    "\"bytes\":{\"type\":\"integer\",\"minimum\":0},"
    "\"pages\":{\"type\":\"integer\",\"minimum\":0},"
    "\"mail\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"description\":\"header of the e-mail that it was attached to, or "
    "is\",\"properties\":{"
    "\"from\":{\"type\":\"string\"},\"date\":{\"type\":\"string\"},"
    "\"message_id\":{\"type\":\"string\"},"
    "\"subject\":{\"type\":\"string\"},"
    "\"attachments\":{\"type\":\"array\",\"description\":\"names of all "
    "files in it that were read\",\"items\":{\"type\":\"string\"}}}}"
    "},\"required\":[\"name\",\"type\",\"sha256\",\"bytes\",\"pages\"]},"
    "\"warning\":{\"type\":\"object\",\"additionalProperties\":false,"
    "\"properties\":{"
    "\"code\":{\"type\":\"string\"},"
    "\"pointer\":{\"type\":\"string\",\"description\":\"JSON Pointer of the "
    "value\"},"
    "\"page\":{\"$ref\":\"#/$defs/number_of_page\"},"
    "\"more\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"number of "
    "warnings of this code that are not listed\"},"
    "\"text\":{\"type\":\"string\"}"
    "},\"required\":[\"code\",\"text\"]},"
    "\"number_of_page\":{\"type\":\"integer\",\"minimum\":1,"
    "\"description\":\"page of the file, from 1\"},"
    "\"sha256\":{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"}";

/* An $id next to the schema's file, so that references to other files there
 * keep their targets (vlm/schema/schema.h). */
static const char DATA_ID[] = "platen:///beside/data";

static cJSON *member(cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Parses head, SHARED and the rest as one object. */
static cJSON *parse_schema(const char *head, const char *rest, const char *more)
{
    struct err none = {0};
    struct buf text = buf_limit(TEXT_MOST);
    buf_print(&text, "%s%s%s%s}}", head, SHARED, rest, more);
    cJSON *tree = json_parse(buf_span(&text), &none);
    buf_free(&text);
    cJSON *defs = member(tree, "$defs");
    cJSON *code = member(member(member(defs, "warning"), "properties"), "code");
    cJSON *names = cJSON_AddArrayToObject(code, "enum");
    for (int i = 0; i < WARNING_CODES; i++)
        cJSON_AddItemToArray(
            names, cJSON_CreateString(warnings_name((enum warning_code)i)));
    return tree;
}

bool record_schema_print(const char *name, struct buf *out)
{
    cJSON *tree = !strcmp(name, "record")
                      ? parse_schema(RECORD, RECORD_PARTS, RECORD_FIELD)
                  : !strcmp(name, "stack") ? parse_schema(STACK, "", "")
                                           : NULL;
    if (tree && out) {
        json_print(out, tree, 2);
        buf_add_text(out, "\n");
    }
    bool known = tree;
    cJSON_Delete(tree);
    return known;
}

struct schema *record_schema_new(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    cJSON *tree = parse_schema(RECORD, RECORD_PARTS, RECORD_FIELD);
    /* a resource of its own, so that its references keep their targets */
    cJSON *data = cJSON_Duplicate(schema_root(schema), true);
    if (cJSON_IsObject(data) && !json_get(data, "$id"))
        cJSON_AddItemToObject(data, "$id", cJSON_CreateString(DATA_ID));
    /* the dialect of the record's schema is that of the data's */
    cJSON_DeleteItemFromObjectCaseSensitive(tree, "$schema");
    cJSON_ReplaceItemInObjectCaseSensitive(member(tree, "properties"), "data",
                                           data);
    struct buf text = buf_limit(TEXT_MOST);
    json_print(&text, tree, 0);
    cJSON_Delete(tree);
    struct schema *record = schema_parse(buf_span(&text), schema_name(schema),
                                         schema_options(schema), err);
    buf_free(&text);
    return record;
}

bool record_schema_is_general(const struct schema *schema)
{
    const cJSON *root = schema_root(schema);
    const char *id = json_get_text(root, "$id");
    const cJSON *data = json_get(json_get(root, "properties"), "data");
    return id && !strcmp(id, "urn:platen:record:2") && cJSON_IsObject(data) &&
           !json_get(data, "$id");
}
