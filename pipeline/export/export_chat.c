/* export_chat.c - see export_chat.h. */
#include "pipeline/export/export_chat.h"

#include "stages/engine/prompt.h"
#include "vlm/json/json.h"

void export_chat_answer(const struct schema *schema, const cJSON *data,
                        struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct findings found = {0};
    cJSON *ordered = cJSON_Duplicate(data, true);
    if (!schema_validate(schema, data, arena, &found, err) && !err_failed(err))
        err_set(err, ERR_INPUT, "its data does not fit the schema %s: %s: %s",
                schema_name(schema),
                found.n_finding ? found.finding[0].instance : "",
                found.n_finding ? found.finding[0].wanted : "");
    if (!err_failed(err)) {
        schema_order(schema, ordered);
        json_print(out, ordered, 0);
    }
    cJSON_Delete(ordered);
    arena_free(arena);
}

void export_chat_question(const struct schema *schema, const char *prompt,
                          bool outline, struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    if (outline)
        prompt_outline(schema, out, err);
    else
        prompt_full(schema, prompt, out);
}

static cJSON *add_part(cJSON *content, const char *type, const char *text)
{
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "type", type);
    if (text) cJSON_AddStringToObject(part, "text", text);
    cJSON_AddItemToArray(content, part);
    return content;
}

static cJSON *add_turn(cJSON *messages, const char *role)
{
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", role);
    cJSON_AddItemToArray(messages, turn);
    return cJSON_AddArrayToObject(turn, "content");
}

void export_chat_line(const char *question, const char *const *picture,
                      int n_picture, const char *answer, struct buf *out)
{
    cJSON *line = cJSON_CreateObject();
    cJSON *images = cJSON_AddArrayToObject(line, "images");
    cJSON *messages = cJSON_AddArrayToObject(line, "messages");
    cJSON *asked = add_part(add_turn(messages, "user"), "text", question);
    for (int i = 0; i < n_picture; i++) {
        cJSON_AddItemToArray(images, cJSON_CreateString(picture[i]));
        add_part(asked, "image", NULL);
    }
    add_part(add_turn(messages, "assistant"), "text", answer);
    json_print(out, line, 0);
    buf_add_text(out, "\n");
    cJSON_Delete(line);
}
