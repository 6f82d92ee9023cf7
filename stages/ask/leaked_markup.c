/* leaked_markup.c - see leaked_markup.h. */
#include "stages/ask/leaked_markup.h"

#include <string.h>

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Is there a bracket beside more syntax, or before the next chat role? One
 * bracket alone can be print. */
static bool begins_here(const char *text, const char *at)
{
    if (!is_one_of(*at, "[]{}")) return false;
    return is_one_of(at[1], "[]{}:\"") ||
           (at > text && is_one_of(at[-1], ":\"")) ||
           !strncmp(at + 1, "assistant", 9);
}

/* The length of the text without the syntax at its end. */
static size_t length_before(const char *text, const char *at)
{
    static const char null[] = "null";
    size_t n = (size_t)(at - text);
    while (n && is_one_of(text[n - 1], "[]{}:,\" "))
        n--;
    if (n >= 4 && !memcmp(text + n - 4, null, 4)) n -= 4;
    while (n && text[n - 1] == ' ')
        n--;
    return n;
}

static int cut_text(cJSON *leaf, bool nullable)
{
    char *text = leaf->valuestring, *at = text;
    while (*at && !begins_here(text, at))
        at++;
    if (!*at) return 0;
    size_t n = length_before(text, at);
    text[n] = 0;
    if (n || !nullable) return 1;
    cJSON_free(text);
    leaf->valuestring = NULL;
    leaf->type = cJSON_NULL;
    return 1;
}

int leaked_markup_cut(cJSON *value, bool nullable)
{
    int n = cJSON_IsString(value) ? cut_text(value, nullable) : 0;
    cJSON *child = NULL;
    cJSON_ArrayForEach(child, value) n += leaked_markup_cut(child, nullable);
    return n;
}
