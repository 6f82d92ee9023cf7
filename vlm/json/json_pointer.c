/* json_pointer.c - see json_pointer.h. */
#include "vlm/json/json_pointer.h"

enum { INDEX_DIGIT_MAX = 9 };

void json_pointer_add(struct buf *out, const char *key)
{
    buf_add_text(out, "/");
    while (*key) {
        size_t plain = strcspn(key, "~/");
        buf_add(out, key, plain);
        key += plain;
        if (*key) buf_add_text(out, *key++ == '~' ? "~0" : "~1");
    }
}

void json_pointer_add_index(struct buf *out, long long index)
{
    buf_print(out, "/%lld", index);
}

void json_pointer_add_child(struct buf *out, const cJSON *container,
                            const cJSON *child, long long index)
{
    if (cJSON_IsArray(container))
        json_pointer_add_index(out, index);
    else
        json_pointer_add(out, child->string);
}

bool json_pointer_next(const char **at, struct span *token)
{
    if (**at != '/') return false;
    const char *begin = *at + 1;
    *token = (struct span){begin, strcspn(begin, "/")};
    *at = begin + token->size;
    return true;
}

/* The next character of the token, unescaped; advances. */
static char take_char(struct span *token)
{
    char c = *token->data++;
    token->size--;
    if (c != '~' || !token->size || !strchr("01", *token->data)) return c;
    c = *token->data++ == '0' ? '~' : '/';
    token->size--;
    return c;
}

/* Is this the token of that key? */
static bool json_pointer_token_is(struct span token, const char *key)
{
    for (; token.size && *key; key++)
        if (take_char(&token) != *key) return false;
    return !token.size && !*key;
}

const char *json_pointer_text(struct span token, struct arena *arena)
{
    char *text = arena_alloc(arena, token.size + 1), *out = text;
    while (token.size)
        *out++ = take_char(&token);
    *out = '\0';
    return text;
}

int json_pointer_index(struct span token)
{
    int index = 0;
    if (!token.size || token.size > INDEX_DIGIT_MAX) return -1;
    if (token.size > 1 && token.data[0] == '0') return -1;
    for (size_t i = 0; i < token.size; i++) {
        if (token.data[i] < '0' || token.data[i] > '9') return -1;
        index = index * 10 + (token.data[i] - '0');
    }
    return index;
}

size_t json_pointer_row_size(const char *pointer)
{
    const char *at = pointer;
    size_t row = 0;
    struct span token;
    while (json_pointer_next(&at, &token))
        if (json_pointer_index(token) >= 0 && *at) row = (size_t)(at - pointer);
    return row;
}

const cJSON *json_pointer_step(const cJSON *value, struct span token)
{
    if (cJSON_IsArray(value)) {
        int index = json_pointer_index(token);
        return index < 0 ? NULL : cJSON_GetArrayItem(value, index);
    }
    if (!cJSON_IsObject(value)) return NULL;
    for (const cJSON *m = value->child; m; m = m->next)
        if (json_pointer_token_is(token, m->string)) return m;
    return NULL;
}

const cJSON *json_pointer_find(const cJSON *value, const char *pointer)
{
    struct span token;
    while (value && json_pointer_next(&pointer, &token))
        value = json_pointer_step(value, token);
    return *pointer ? NULL : value;
}
