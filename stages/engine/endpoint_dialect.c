/* endpoint_dialect.c - see endpoint_dialect.h. */
#define _GNU_SOURCE
#include "stages/engine/endpoint_dialect.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vlm/json/json.h"

enum { WORDS = 4 };

static const struct {
    unsigned bit;
    const char *word[WORDS]; /* one of them in a refusal names the member */
    const char *text;
} rows[] = {
    {ENDPOINT_NO_TEMPLATE,
     {"chat_template_kwargs"},
     "no chat_template_kwargs (turn off thinking in the endpoint)"},
    {ENDPOINT_NO_MAX_TOKENS,
     {"max_tokens", "max_completion_tokens"},
     "max_completion_tokens instead of max_tokens"},
    {ENDPOINT_NO_TEMPERATURE, {"temperature"}, "no temperature"},
    {ENDPOINT_NO_SEED, {"seed"}, "no seed"},
    {ENDPOINT_NO_LOGPROBS,
     {"logprobs", "top_logprobs", "logprob"},
     "no logprobs (values have no probabilities)"},
    {ENDPOINT_NO_SCHEMA,
     {"json_schema", "json schema", "response_format", "json_object"},
     "response_format json_object instead of json_schema"},
    {ENDPOINT_NO_FORMAT,
     {"json_object", "response_format"},
     "no response_format"},
    {ENDPOINT_IN_REASONING, {NULL}, "answers as reasoning"},
    {ENDPOINT_IN_PARTS, {NULL}, "answers as a list of parts"},
    {ENDPOINT_IN_EVENTS, {NULL}, "answers as event stream"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void add_format(cJSON *request, unsigned dialect,
                       const struct endpoint_options *options)
{
    bool plain = dialect & ENDPOINT_NO_SCHEMA;
    if (dialect & ENDPOINT_NO_FORMAT) {
        cJSON_Delete(options->schema);
        return;
    }
    cJSON *format = cJSON_AddObjectToObject(request, "response_format");
    cJSON_AddStringToObject(format, "type",
                            plain ? "json_object" : "json_schema");
    if (plain) {
        cJSON_Delete(options->schema);
        return;
    }
    cJSON *wrapped = cJSON_AddObjectToObject(format, "json_schema");
    cJSON_AddStringToObject(wrapped, "name", options->name);
    cJSON_AddTrueToObject(wrapped, "strict");
    cJSON_AddItemToObject(wrapped, "schema", options->schema);
}

void endpoint_dialect_add(cJSON *request, unsigned dialect,
                          const struct endpoint_options *options)
{
    json_add_integer(request,
                     dialect & ENDPOINT_NO_MAX_TOKENS ? "max_completion_tokens"
                                                      : "max_tokens",
                     options->max_tokens);
    if (options->logprobs && !(dialect & ENDPOINT_NO_LOGPROBS)) {
        cJSON_AddTrueToObject(request, "logprobs");
        json_add_integer(request, "top_logprobs", 1);
    }
    cJSON_AddFalseToObject(request, "stream");
    add_format(request, dialect, options);
    if (!(dialect & ENDPOINT_NO_TEMPLATE)) {
        cJSON *kwargs =
            cJSON_AddObjectToObject(request, "chat_template_kwargs");
        cJSON_AddFalseToObject(kwargs, "enable_thinking");
    }
    if (!(dialect & ENDPOINT_NO_TEMPERATURE))
        cJSON_AddNumberToObject(request, "temperature", options->temperature);
    if (!(dialect & ENDPOINT_NO_SEED))
        json_add_integer(request, "seed", options->seed);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first place where the text has the word as a whole, or NULL. */
static const char *find_name(const char *text, const char *word)
{
    for (const char *at = text; (at = strcasestr(at, word)); at++)
        if ((at == text || !is_of_name(at[-1])) &&
            !is_of_name(at[strlen(word)]))
            return at;
    return NULL;
}

unsigned endpoint_dialect_named(const char *text, unsigned dialect)
{
    const char *first = NULL;
    unsigned bit = 0;
    for (int i = 0; i < ROWS; i++) {
        bool later = rows[i].bit == ENDPOINT_NO_FORMAT &&
                     !(dialect & ENDPOINT_NO_SCHEMA);
        if (later || (dialect & rows[i].bit)) continue;
        for (int k = 0; k < WORDS && rows[i].word[k]; k++) {
            const char *at = find_name(text, rows[i].word[k]);
            /* a row before has a better reason for the same word */
            if (!at || (first && at >= first)) continue;
            first = at;
            bit = rows[i].bit;
        }
    }
    return bit;
}

void endpoint_dialect_print(unsigned dialect, struct buf *out)
{
    size_t size = out->size;
    for (int i = 0; i < ROWS; i++)
        if (dialect & rows[i].bit)
            buf_print(out, "%s%s", out->size > size ? ", " : "", rows[i].text);
}
