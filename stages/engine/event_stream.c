/* event_stream.c - see event_stream.h. */
#include "stages/engine/event_stream.h"

#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/json/json.h"

static const char *const text_keys[] = {"content", "reasoning_content",
                                        "reasoning", "refusal"};

enum { TEXT_KEYS = sizeof text_keys / sizeof *text_keys };

struct event_stream {
    struct buf event;           /* data of the present event */
    struct buf text[TEXT_KEYS]; /* of the message, so far */
    bool has[TEXT_KEYS];
    cJSON *finish, *usage, *error; /* the last of each, or NULL */
    cJSON *tokens;                 /* of "logprobs" */
    bool done, damaged, any;
};

bool event_stream_is(struct span body)
{
    static const char *const field[] = {
        "data:", "event:", "id:", "retry:", ":"};
    if (span_starts(body, "\xEF\xBB\xBF"))
        body = (struct span){body.data + 3, body.size - 3};
    while (body.size && (*body.data == '\n' || *body.data == '\r'))
        body = (struct span){body.data + 1, body.size - 1};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        if (span_starts(body, field[i])) return true;
    return false;
}

static void replace(cJSON **last, const cJSON *item)
{
    if (!item || cJSON_IsNull(item)) return;
    cJSON_Delete(*last);
    *last = cJSON_Duplicate(item, true);
}

/* A text, or a list of parts with texts. */
static void add_text(struct buf *out, const cJSON *item)
{
    const cJSON *part = NULL;
    if (cJSON_IsString(item)) buf_add_text(out, item->valuestring);
    cJSON_ArrayForEach(part, item)
    {
        buf_add_text(out, json_get_text_or_empty(part, "text"));
    }
}

static void add_choice(struct event_stream *s, const cJSON *choice)
{
    const cJSON *delta = json_get(choice, "delta"), *token = NULL;
    if (!delta) delta = json_get(choice, "message");
    for (int i = 0; i < TEXT_KEYS; i++) {
        const cJSON *item = json_get(delta, text_keys[i]);
        if (!item || cJSON_IsNull(item)) continue;
        s->has[i] = true;
        add_text(&s->text[i], item);
    }
    replace(&s->finish, json_get(choice, "finish_reason"));
    cJSON_ArrayForEach(token, json_get(json_get(choice, "logprobs"), "content"))
    {
        cJSON_AddItemToArray(s->tokens, cJSON_Duplicate(token, true));
    }
}

/* An event is complete. */
static void take_event(struct event_stream *s)
{
    struct err bad = {0};
    const cJSON *choice = NULL;
    struct span data = buf_span(&s->event);
    if (!data.size) return;
    if (!strcmp(data.data, "[DONE]")) {
        s->done = true;
    } else if (!s->done) {
        cJSON *chunk = json_parse(data, &bad);
        s->damaged |= !cJSON_IsObject(chunk);
        replace(&s->error, json_get(chunk, "error"));
        replace(&s->usage, json_get(chunk, "usage"));
        cJSON_ArrayForEach(choice, json_get(chunk, "choices"))
        {
            const cJSON *index = json_get(choice, "index");
            if (cJSON_IsNumber(index) && index->valueint != 0) continue;
            s->any = true;
            add_choice(s, choice);
        }
        cJSON_Delete(chunk);
    }
    buf_cut(&s->event, 0);
}

static void take_line(struct event_stream *s, struct span line)
{
    if (!line.size) take_event(s);
    if (!span_starts(line, "data:")) return;
    size_t n = line.size > 5 && line.data[5] == ' ' ? 6 : 5;
    if (s->event.size) buf_add_text(&s->event, "\n");
    buf_add(&s->event, line.data + n, line.size - n);
}

static void take_lines(struct event_stream *s, struct span body)
{
    size_t begin = span_starts(body, "\xEF\xBB\xBF") ? 3 : 0;
    for (size_t i = begin; i <= body.size; i++) {
        bool end = i == body.size || body.data[i] == '\n';
        bool carriage = !end && body.data[i] == '\r';
        if (!end && !carriage) continue;
        take_line(s, (struct span){body.data + begin, i - begin});
        if (carriage && i + 1 < body.size && body.data[i + 1] == '\n') i++;
        begin = i + 1;
    }
    take_event(s); /* the last may lack its empty line */
}

static cJSON *completion_of(struct event_stream *s)
{
    cJSON *body = cJSON_CreateObject();
    cJSON *choice = cJSON_CreateObject();
    cJSON *message = cJSON_AddObjectToObject(choice, "message");
    for (int i = 0; i < TEXT_KEYS; i++)
        if (s->has[i])
            cJSON_AddStringToObject(message, text_keys[i],
                                    buf_span(&s->text[i]).data);
    if (s->finish) cJSON_AddItemToObject(choice, "finish_reason", s->finish);
    cJSON *logprobs = cJSON_AddObjectToObject(choice, "logprobs");
    cJSON_AddItemToObject(logprobs, "content", s->tokens);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(body, "choices"), choice);
    if (s->usage) cJSON_AddItemToObject(body, "usage", s->usage);
    s->finish = s->tokens = s->usage = NULL;
    return body;
}

cJSON *event_stream_read(struct span body)
{
    cJSON *out = NULL;
    struct event_stream s = {.event = buf_limit(body.size),
                             .tokens = cJSON_CreateArray()};
    for (int i = 0; i < TEXT_KEYS; i++)
        s.text[i] = buf_limit(body.size);
    take_lines(&s, body);
    if (s.error) {
        out = cJSON_CreateObject();
        cJSON_AddItemToObject(out, "error", s.error);
        s.error = NULL;
    } else if (!s.damaged && s.any && (s.done || s.finish)) {
        out = completion_of(&s);
    }
    for (int i = 0; i < TEXT_KEYS; i++)
        buf_free(&s.text[i]);
    buf_free(&s.event);
    cJSON_Delete(s.finish);
    cJSON_Delete(s.usage);
    cJSON_Delete(s.tokens);
    return out;
}
