/* pointer.c - see pointer.h. */
#include "vlm/base/pointer.h"

enum { INDEX_DIGIT_MAX = 9 };

void pointer_add(struct buf *out, const char *key)
{
    buf_add_text(out, "/");
    while (*key) {
        size_t plain = strcspn(key, "~/");
        buf_add(out, key, plain);
        key += plain;
        if (*key) buf_add_text(out, *key++ == '~' ? "~0" : "~1");
    }
}

void pointer_add_index(struct buf *out, long long index)
{
    buf_print(out, "/%lld", index);
}

void pointer_add_child(struct buf *out, const cJSON *container,
                       const cJSON *child, long long index)
{
    if (cJSON_IsArray(container))
        pointer_add_index(out, index);
    else
        pointer_add(out, child->string);
}

bool pointer_next(const char **at, struct span *token)
{
    if (**at != '/') return false;
    const char *begin = *at + 1;
    *token = (struct span){begin, strcspn(begin, "/")};
    *at = begin + token->size;
    return true;
}

/* The character that the token goes on with, unescaped; moves on. */
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
static bool pointer_token_is(struct span token, const char *key)
{
    for (; token.size && *key; key++)
        if (take_char(&token) != *key) return false;
    return !token.size && !*key;
}

const char *pointer_text(struct span token, struct arena *arena)
{
    char *text = arena_take(arena, token.size + 1), *out = text;
    while (token.size)
        *out++ = take_char(&token);
    *out = '\0';
    return text;
}

int pointer_index(struct span token)
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

const cJSON *pointer_step(const cJSON *value, struct span token)
{
    if (cJSON_IsArray(value)) {
        int index = pointer_index(token);
        return index < 0 ? NULL : cJSON_GetArrayItem(value, index);
    }
    if (!cJSON_IsObject(value)) return NULL;
    for (const cJSON *m = value->child; m; m = m->next)
        if (pointer_token_is(token, m->string)) return m;
    return NULL;
}

const cJSON *pointer_find(const cJSON *value, const char *pointer)
{
    struct span token;
    while (value && pointer_next(&pointer, &token))
        value = pointer_step(value, token);
    return *pointer ? NULL : value;
}
