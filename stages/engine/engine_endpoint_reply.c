/* engine_endpoint_reply.c - see engine_endpoint_reply.h. */
#define _GNU_SOURCE
#include "stages/engine/engine_endpoint_reply.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

static bool is_busy(int status)
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

static const cJSON *first_choice(const cJSON *body)
{
    return cJSON_GetArrayItem(json_get(body, "choices"), 0);
}

/* Whether the body is a chat completion. */
static bool is_completion(const cJSON *body)
{
    return cJSON_IsObject(json_get(first_choice(body), "message"));
}

static bool is_garbled(const struct engine_endpoint_reply *r)
{
    struct err bad = {0};
    cJSON *body = json_parse(buf_span(&r->body), &bad);
    bool garbled = !is_completion(body);
    cJSON_Delete(body);
    return garbled;
}

bool engine_endpoint_reply_passes(const struct engine_endpoint_reply *r)
{
    if (r->outcome >= FETCH_TOO_LONG) return false;
    if (r->outcome != FETCH_ANSWERED || is_busy(r->status)) return true;
    return r->status == 200 && is_garbled(r);
}

/* Whether the status is about the request; any other 4xx is about access, the
 * model or the address. */
static bool is_about_request(int status)
{
    static const int row[] = {400, 406, 411, 413, 414, 415, 416, 422, 431, 451};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (status == row[i]) return true;
    return false;
}

enum { SAID_SIZE = 201 };

/* The server's error message, or else the body. */
static void read_error(const struct engine_endpoint_reply *r,
                       char out[static SAID_SIZE])
{
    struct err bad = {0};
    cJSON *body = json_parse(buf_span(&r->body), &bad);
    const cJSON *error = json_get(body, "error");
    const char *text = json_get_text(error, "message");
    if (!text && cJSON_IsString(error)) text = error->valuestring;
    if (!text) text = json_get_text(body, "message");
    if (!text) text = buf_span(&r->body).data;
    snprintf(out, SAID_SIZE, "%s", text);
    if (strlen(text) >= SAID_SIZE) out[utf8_cut(text, SAID_SIZE - 1)] = '\0';
    cJSON_Delete(body);
}

/* An explanation of a known error with a remedy, or "". */
static const char *meaning_of(int status, const char *body_text)
{
    static const char memory[] =
        "the endpoint is out of memory; lower max_pixels, endpoint_parallel or "
        "its context size: ";
    static const char format[] =
        "the endpoint refuses response_format (JSON Schema for the answer): ";
    static const char filter[] = "the endpoint's content filter rejected it: ";
    static const struct {
        const char *word, *text;
    } row[] = {{"loading model", "the endpoint is still loading its model: "},
               {"out of memory", memory},
               {"failed to allocate", memory},
               {"image input is not supported",
                "the endpoint's model cannot read images, or was started "
                "without its mmproj file: "},
               {"content_filter", filter},
               {"content management policy", filter},
               {"response_format", format},
               {"json_schema", format},
               {"json schema", format}};
    if (status == 429)
        return "too many requests; lower endpoint_parallel, or raise the "
               "endpoint's limit: ";
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcasestr(body_text, row[i].word)) return row[i].text;
    return "";
}

static void check_status(const struct engine_endpoint_reply *r, const char *url,
                         struct err *err)
{
    const char *body_text = buf_span(&r->body).data;
    if (r->outcome == FETCH_ABORTED) {
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    } else if (r->outcome == FETCH_LOST) {
        err_reason(err, ERR_SYSTEM, "model-server-lost", "%s", r->text);
    } else if (r->outcome == FETCH_TOO_LONG) {
        err_reason(err, ERR_REMOTE, "endpoint-rejected",
                   "%s: the reply has more than %d bytes", url,
                   FETCH_REPLY_MOST);
    } else if (r->outcome != FETCH_ANSWERED) {
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: %s", url, r->text);
    } else if (r->status != 200) {
        const char *reason = "endpoint-refused";
        enum err_kind kind = ERR_CONFIG;
        if (is_busy(r->status)) {
            reason = "endpoint-failed";
            kind = ERR_REMOTE;
        } else if (is_about_request(r->status)) {
            bool full = strstr(body_text, "context");
            reason = full ? "context-full" : "endpoint-rejected";
            kind = full ? ERR_LIMIT : ERR_REMOTE;
        }
        char text[SAID_SIZE];
        read_error(r, text);
        err_reason(err, kind, reason, "%s: HTTP %d: %s%s", url, r->status,
                   meaning_of(r->status, body_text), text);
    }
}

static int count_of(const cJSON *body, const char *key)
{
    const cJSON *n = json_get(json_get(body, "usage"), key);
    return cJSON_IsNumber(n) && n->valueint > 0 ? n->valueint : 0;
}

/* Text that the server took for reasoning, or NULL; *key: its member. */
static const char *reasoning_of(const cJSON *message, const char **key)
{
    static const char *const name[] = {"reasoning_content", "reasoning"};
    for (size_t i = 0; i < 2; i++) {
        const char *text = json_get_text(message, *key = name[i]);
        if (text && *text) return text;
    }
    return NULL;
}

/* Reports that there is only reasoning. */
static void report_reasoning(const char *key, const char *end, const char *url,
                             int max_tokens, struct err *err)
{
    if (end && !strcmp(end, "length"))
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the model spent max_tokens (%d) on reasoning; turn off "
                   "thinking in the endpoint",
                   url, max_tokens);
    else
        err_reason(err, ERR_REMOTE, "endpoint-rejected",
                   "%s: the answer is in \"%s\" and \"content\" is empty; turn "
                   "off thinking or the reasoning parser in the endpoint",
                   url, key);
}

/* Reports why the message has no text: the model's refusal, or its type. */
static void report_no_text(const cJSON *message, const char *url,
                           struct err *err)
{
    const char *refusal = json_get_text(message, "refusal");
    const cJSON *content = json_get(message, "content");
    err_reason(err, ERR_REMOTE, "endpoint-rejected", "%s: %s%.200s", url,
               refusal                  ? "the model refused: "
               : cJSON_IsArray(content) ? "the content is a list, not text"
               : cJSON_IsNull(content)  ? "the content is null"
                                        : "the message has no text",
               refusal ? refusal : "");
}

static void report_garbled(const struct engine_endpoint_reply *r,
                           const cJSON *body, const struct err *bad,
                           const char *url, struct err *err)
{
    char text[SAID_SIZE];
    read_error(r, text);
    if (json_get(body, "error"))
        err_reason(err, ERR_REMOTE, "endpoint-invalid",
                   "%s: an error instead of an answer: %s%s", url,
                   meaning_of(r->status, text), text);
    else
        err_reason(err, ERR_REMOTE, "endpoint-invalid",
                   "%s: the reply is not a chat completion%s%s", url,
                   err_failed(bad) ? ": " : "",
                   err_failed(bad) ? bad->text : "");
}

static void check_finish(const char *why, const char *url, int n_sampled,
                         int max_tokens, struct err *err)
{
    if (!why) why = "";
    bool at_length = !strcmp(why, "length");
    if (at_length && n_sampled && n_sampled < max_tokens)
        err_reason(err, ERR_LIMIT, "context-full",
                   "%s: the answer was cut off after %d tokens, before "
                   "max_tokens (%d): the context is full",
                   url, n_sampled, max_tokens);
    else if (at_length)
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the answer was cut off at max_tokens (%d)", url,
                   max_tokens);
    else if (strcmp(why, "stop") != 0)
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the answer ended with \"%.40s\", not \"stop\"", url,
                   why);
}

bool engine_endpoint_reply_rejects_logprobs(
    const struct engine_endpoint_reply *r)
{
    return r->outcome == FETCH_ANSWERED && r->status >= 400 &&
           strstr(buf_span(&r->body).data, "logprob");
}

/* --- tokens --------------------------------------------------------------- */

/* Appends the token's bytes, because its text may not contain all of them. */
static void add_bytes(struct buf *out, const cJSON *token)
{
    const cJSON *bytes = json_get(token, "bytes"), *b = NULL;
    if (!cJSON_IsArray(bytes)) {
        buf_add_text(out, json_get_text_or_empty(token, "token"));
        return;
    }
    cJSON_ArrayForEach(b, bytes)
    {
        char c = (char)(cJSON_IsNumber(b) ? b->valueint : 0);
        buf_add(out, &c, 1);
    }
}

/* Finds the last occurrence of the text in `all`: tokens of thinking can
 * precede it, and one that ends the turn can follow. */
static bool find_last(struct span all, struct span text, size_t *at)
{
    if (!text.size || text.size > all.size) return false;
    for (*at = all.size - text.size + 1; (*at)-- > 0;)
        if (!memcmp(all.data + *at, text.data, text.size)) return true;
    return false;
}

/* The tokens of the text, with offsets from its start. */
static struct document_token_probs token_probs_of(const cJSON *choice,
                                                  struct span text,
                                                  struct arena *arena)
{
    const cJSON *list = json_get(json_get(choice, "logprobs"), "content");
    size_t n = (size_t)cJSON_GetArraySize(list), i = 0, begin = 0;
    struct document_token *token = arena_array(arena, n + 1, sizeof *token);
    struct document_token_probs token_probs = {token, 0};
    struct buf all = buf_limit(FETCH_REPLY_MOST);
    const cJSON *t = NULL;
    cJSON_ArrayForEach(t, list)
    {
        const cJSON *log_p = json_get(t, "logprob");
        add_bytes(&all, t);
        if (!cJSON_IsNumber(log_p)) break;
        token[i++] = (struct document_token){all.size, log_p->valuedouble};
    }
    bool found = i == n && find_last(buf_span(&all), text, &begin);
    for (i = 0; found && i < n && token_probs.n < INT_MAX; i++) {
        if (token[i].end <= begin) continue;
        token[token_probs.n] = token[i];
        token[token_probs.n++].end -= begin;
    }
    buf_free(&all);
    return token_probs;
}

void engine_endpoint_reply_read(const struct engine_endpoint_reply *r,
                                const char *url, int max_tokens,
                                struct arena *arena,
                                struct engine_endpoint_answer *answer,
                                struct err *err)
{
    *answer = (struct engine_endpoint_answer){.text = {"", 0}};
    if (err_failed(err)) return;
    check_status(r, url, err);
    if (err_failed(err)) return;
    struct err bad = {0};
    cJSON *body = json_parse(buf_span(&r->body), &bad);
    const cJSON *choice = first_choice(body);
    const cJSON *message = json_get(choice, "message");
    const char *content = json_get_text(message, "content"), *key;
    const char *end = json_get_text(choice, "finish_reason");
    answer->n_prompt = count_of(body, "prompt_tokens");
    answer->n_sampled = count_of(body, "completion_tokens");
    if (end && !strcmp(end, "content_filter")) {
        err_reason(err, ERR_REMOTE, "endpoint-rejected",
                   "%s: the endpoint's content filter stopped the answer", url);
    } else if ((!content || !*content) && reasoning_of(message, &key)) {
        report_reasoning(key, end, url, max_tokens, err);
    } else if (content) {
        check_finish(end, url, answer->n_sampled, max_tokens, err);
        answer->text = span_of(arena_copy(arena, span_of(content)));
        answer->token_probs = token_probs_of(choice, answer->text, arena);
    } else if (is_completion(body)) {
        report_no_text(message, url, err);
    } else {
        report_garbled(r, body, &bad, url, err);
    }
    cJSON_Delete(body);
}
