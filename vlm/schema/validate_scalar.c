/* validate_scalar.c - what is asked of a value by itself; see validate.h. */
#include "vlm/base/json.h"
#include "vlm/base/number.h"
#include "vlm/base/utf8.h"
#include "vlm/schema/validate.h"

static bool is_type(const cJSON *value, const char *type)
{
    switch (*type) {
    case 's': return cJSON_IsString(value);
    case 'o': return cJSON_IsObject(value);
    case 'a': return cJSON_IsArray(value);
    case 'b': return cJSON_IsBool(value);
    case 'i':
        return cJSON_IsNumber(value) && number_is_integer(json_number(value));
    default:
        return !strcmp(type, "null") ? cJSON_IsNull(value)
                                     : cJSON_IsNumber(value);
    }
}

static bool type_holds(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    if (cJSON_IsString(rule->value)) {
        if (is_type(spot->value, rule->value->valuestring)) return true;
        return finding_add(r, node, rule, spot, RANK_TYPE, "type %s",
                           rule->value->valuestring);
    }
    for (const cJSON *t = rule->value->child; t; t = t->next)
        if (is_type(spot->value, t->valuestring)) return true;
    return finding_add(r, node, rule, spot, RANK_TYPE, "type %s",
                       finding_names(r, rule->value));
}

static bool enum_holds(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    size_t i = 0, mask = rule->n_value_at - 1;
    if (rule->value_at)
        i = (size_t)json_equal_hash_stream(spot->value, r->stream) & mask;
    for (; rule->value_at && rule->value_at[i]; i = (i + 1) & mask)
        if (json_equal_stream(spot->value, rule->value_at[i], r->stream))
            return true;
    const cJSON *v = rule->value_at ? NULL : rule->value->child;
    for (; v; v = v->next)
        if (json_equal_stream(spot->value, v, r->stream)) return true;
    return finding_add(r, node, rule, spot, RANK_VALUE, "%s",
                       finding_names(r, rule->value));
}

static bool number_holds(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    const char *value = json_number(spot->value);
    const char *limit = json_number(rule->value);
    if (rule->id == KEYWORD_MULTIPLE_OF) {
        if (number_is_multiple(value, limit)) return true;
        return finding_add(r, node, rule, spot, RANK_SIZE, "a multiple of %s",
                           limit);
    }
    int c = number_compare(value, limit);
    const char *word = rule->id == KEYWORD_MINIMUM             ? "at least"
                       : rule->id == KEYWORD_MAXIMUM           ? "at most"
                       : rule->id == KEYWORD_EXCLUSIVE_MINIMUM ? "more than"
                                                               : "less than";
    bool good = rule->id == KEYWORD_MINIMUM             ? c >= 0
                : rule->id == KEYWORD_MAXIMUM           ? c <= 0
                : rule->id == KEYWORD_EXCLUSIVE_MINIMUM ? c > 0
                                                        : c < 0;
    return good ||
           finding_add(r, node, rule, spot, RANK_SIZE, "%s %s", word, limit);
}

static bool length_holds(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    long long n = (long long)utf8_count(spot->value->valuestring);
    long long limit = number_whole(json_number(rule->value), 0, INT64_MAX);
    bool least = rule->id == KEYWORD_MIN_LENGTH;
    if (least ? n >= limit : n <= limit) return true;
    return finding_add(r, node, rule, spot, RANK_SIZE,
                       "at %s %lld characters (there are %lld)",
                       least ? "least" : "most", limit, n);
}

static bool pattern_holds(struct validation *r, const struct node *node,
                          const struct keyword_rule *rule,
                          const struct spot *spot)
{
    switch (pattern_match(rule->pattern, span_of(spot->value->valuestring))) {
    case PATTERN_YES: return true;
    case PATTERN_NO:
        return finding_add(r, node, rule, spot, RANK_TEXT, "a match of %s",
                           finding_value(r, rule->value));
    default:
        return node_refuse(node, r->err,
                           "the pattern \"%.100s\" takes more than %d steps on "
                           "a text of %zu bytes",
                           rule->value->valuestring, PATTERN_MATCH_MAX,
                           strlen(spot->value->valuestring));
    }
}

static bool format_is_kept(struct validation *r, const struct node *node,
                           const struct keyword_rule *rule,
                           const struct spot *spot)
{
    if (!rule->format || format_holds(rule->format, rule->pattern,
                                      span_of(spot->value->valuestring)))
        return true;
    return finding_add(r, node, rule, spot, RANK_TEXT, "the format %s",
                       rule->format->name);
}

bool validate_scalar(struct validation *r, const struct node *node,
                     const struct keyword_rule *rule, const struct spot *spot)
{
    bool string = cJSON_IsString(spot->value);
    switch ((int)rule->id) {
    case KEYWORD_TYPE: return type_holds(r, node, rule, spot);
    case KEYWORD_ENUM: return enum_holds(r, node, rule, spot);
    case KEYWORD_CONST:
        return json_equal_stream(spot->value, rule->value, r->stream) ||
               finding_add(r, node, rule, spot, RANK_VALUE, "%s",
                           finding_value(r, rule->value));
    case KEYWORD_MINIMUM:
    case KEYWORD_MAXIMUM:
    case KEYWORD_EXCLUSIVE_MINIMUM:
    case KEYWORD_EXCLUSIVE_MAXIMUM:
    case KEYWORD_MULTIPLE_OF:
        return !cJSON_IsNumber(spot->value) ||
               number_holds(r, node, rule, spot);
    case KEYWORD_MIN_LENGTH:
    case KEYWORD_MAX_LENGTH:
        return !string || length_holds(r, node, rule, spot);
    case KEYWORD_PATTERN: return !string || pattern_holds(r, node, rule, spot);
    case KEYWORD_FORMAT: return !string || format_is_kept(r, node, rule, spot);
    default: return true;
    }
}
