/* engine_endpoint_reply.c - see engine_endpoint_reply.h. */
#define _GNU_SOURCE
#include "stages/engine/engine_endpoint_reply.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/event_stream.h"
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

/* The body, also of an event stream, or NULL. */
static cJSON *parse_body(const struct engine_endpoint_reply *r, struct err *bad)
{
    struct span body = buf_span(&r->body);
    if (!event_stream_is(body)) return json_parse(body, bad);
    cJSON *joined = event_stream_read(body);
    if (!joined) err_set(bad, ERR_INPUT, "the event stream breaks off");
    return joined;
}

static bool is_garbled(const struct engine_endpoint_reply *r)
{
    struct err bad = {0};
    cJSON *body = parse_body(r, &bad);
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
    cJSON *body = parse_body(r, &bad);
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

/* Whether the refusal is about the length of question and answer. */
static bool is_too_long(const char *body_text)
{
    static const char *const words[] = {"too large", "at most", "exceed",
                                        "less than or equal"};
    if (strstr(body_text, "context")) return true;
    if (!strstr(body_text, "max_tokens") &&
        !strstr(body_text, "max_completion_tokens"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(body_text, words[i])) return true;
    return false;
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
            bool full = is_too_long(body_text);
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
    *key = NULL;
    return NULL;
}

/* Reports that the answer is empty, or that there is only reasoning, in
 * `key`. */
static void report_no_answer(const char *key, bool at_length, const char *url,
                             int max_tokens, struct err *err)
{
    if (at_length)
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the model spent max_tokens (%d) on reasoning; turn off "
                   "thinking in the endpoint",
                   url, max_tokens);
    else if (key)
        err_reason(err, ERR_REMOTE, "endpoint-rejected",
                   "%s: \"content\" is empty, and \"%s\" has no JSON; turn "
                   "off thinking or the reasoning parser in the endpoint",
                   url, key);
    else
        err_reason(err, ERR_ANSWER, "endpoint-rejected",
                   "%s: the answer is empty", url);
}

/* Reports why the message has no text: the model's refusal, or its type. */
static void report_no_text(const cJSON *message, const char *url,
                           struct err *err)
{
    const char *refusal = json_get_text(message, "refusal");
    const cJSON *content = json_get(message, "content");
    err_reason(err, ERR_REMOTE, "endpoint-rejected", "%s: %s%.200s", url,
               refusal                  ? "the model refused: "
               : cJSON_IsArray(content) ? "the content is a list without text"
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

/* Whether the text ends as JSON does, or a fence around it: whether it is
 * complete is then seen when it is parsed. */
static bool ends_like_json(const char *text)
{
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    return n && strchr("}]`~", text[n - 1]);
}

static bool is_blank(const char *text)
{
    return !text || !text[strspn(text, " \t\r\n")];
}

/* Some servers give no reason why the answer ended, or one of their own. */
static void check_finish(const char *why, const char *content, const char *url,
                         int n_sampled, int max_tokens, struct err *err)
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
    else if (strcmp(why, "stop") != 0 && !ends_like_json(content))
        err_reason(err, ERR_ANSWER, "model-truncated",
                   "%s: the answer ended with \"%.40s\", not \"stop\"", url,
                   why);
}

unsigned engine_endpoint_reply_names(const struct engine_endpoint_reply *r,
                                     unsigned dialect)
{
    enum { LOOKED_AT = 1 << 16 };
    struct span body = buf_span(&r->body);
    if (r->outcome != FETCH_ANSWERED || r->status < 400 || r->status == 401 ||
        r->status == 403 || r->status == 429 || body.size > LOOKED_AT ||
        is_too_long(body.data))
        return 0;
    return endpoint_dialect_named(body.data, dialect);
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

/* --- the answer ------------------------------------------------------------ */

/* Joins the texts of a content that is a list of parts. NULL: it has none. */
static const char *join_parts(const cJSON *content, struct arena *arena)
{
    struct buf text = buf_limit(FETCH_REPLY_MOST);
    const cJSON *part = NULL;
    bool any = false;
    cJSON_ArrayForEach(part, content)
    {
        const char *own = json_get_text(part, "text");
        if (own) buf_add_text(&text, own);
        any |= own != NULL;
    }
    const char *joined = any ? arena_copy(arena, buf_span(&text)) : NULL;
    buf_free(&text);
    return joined;
}

/* Whether a text that the server took for reasoning is an answer, and nothing
 * else: drafts between thoughts are none. */
static bool is_answer(const char *text)
{
    return strchr("{[`~", text[strspn(text, " \t\r\n")]) &&
           ends_like_json(text);
}

/* The text of the answer, wherever the message has it, or NULL. *key: the
 * member with reasoning, if that is all; else NULL. */
static const char *text_of(const cJSON *message, bool at_length,
                           struct arena *arena, unsigned *seen,
                           const char **key)
{
    const cJSON *content = json_get(message, "content");
    const char *text = json_get_text(message, "content"), *other;
    const char *refusal = json_get_text(message, "refusal");
    *key = NULL;
    if (cJSON_IsArray(content)) {
        text = join_parts(content, arena);
        if (text) *seen |= ENDPOINT_IN_PARTS;
    }
    if (!is_blank(text)) return text;
    if (!is_blank(refusal)) return NULL;
    if (!(other = reasoning_of(message, key))) return text;
    if (at_length || !is_answer(other)) return text ? text : "";
    *seen |= ENDPOINT_IN_REASONING;
    return other;
}

/* Reads the text of a completion that has one. */
static void read_text(const char *text, const char *key, const cJSON *choice,
                      const char *url, int max_tokens, struct arena *arena,
                      struct engine_endpoint_answer *answer, struct err *err)
{
    const char *end = json_get_text(choice, "finish_reason");
    if (is_blank(text)) {
        answer->only_thought = end && !strcmp(end, "length");
        report_no_answer(key, answer->only_thought, url, max_tokens, err);
        return;
    }
    check_finish(end, text, url, answer->n_sampled, max_tokens, err);
    answer->text = span_of(arena_copy(arena, span_of(text)));
    answer->token_probs = token_probs_of(choice, answer->text, arena);
}

void engine_endpoint_reply_read(const struct engine_endpoint_reply *r,
                                const char *url, int max_tokens,
                                struct arena *arena,
                                struct engine_endpoint_answer *answer,
                                struct err *err)
{
    *answer = (struct engine_endpoint_answer){.text = {"", 0}};
    answer->refused = r->outcome == FETCH_ANSWERED && r->status != 200;
    if (err_failed(err)) return;
    check_status(r, url, err);
    if (err_failed(err)) return;
    struct err bad = {0};
    cJSON *body = parse_body(r, &bad);
    const cJSON *choice = first_choice(body);
    const cJSON *message = json_get(choice, "message");
    const char *end = json_get_text(choice, "finish_reason"), *key;
    bool at_length = end && !strcmp(end, "length");
    const char *text =
        text_of(message, at_length, arena, &answer->dialect, &key);
    if (event_stream_is(buf_span(&r->body)) && is_completion(body))
        answer->dialect |= ENDPOINT_IN_EVENTS;
    answer->n_prompt = count_of(body, "prompt_tokens");
    answer->n_sampled = count_of(body, "completion_tokens");
    if (end && !strcmp(end, "content_filter"))
        err_reason(err, ERR_REMOTE, "endpoint-rejected",
                   "%s: the endpoint's content filter stopped the answer", url);
    else if (text)
        read_text(text, key, choice, url, max_tokens, arena, answer, err);
    else if (is_completion(body))
        report_no_text(message, url, err);
    else
        report_garbled(r, body, &bad, url, err);
    cJSON_Delete(body);
}
