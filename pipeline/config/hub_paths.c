/* hub_paths.c - see hub_paths.h. */
#include "pipeline/config/hub_paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/file_map.h"

enum { TOKEN_MOST = 4096 };

static const char *set_or_null(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The text without the spaces and line ends around it, or NULL. */
static const char *trimmed(struct arena *arena, struct span text)
{
    static const char blank[] = " \t\r\n";
    while (text.size && memchr(blank, text.data[text.size - 1], 4))
        text.size--;
    while (text.size && memchr(blank, text.data[0], 4))
        text.data++, text.size--;
    return text.size ? arena_copy(arena, text) : NULL;
}

/* A missing or unreadable token file means no token. */
static const char *read_token(struct arena *arena, const char *home)
{
    const char *given = set_or_null("HF_TOKEN");
    if (given) return trimmed(arena, span_of(given));
    const char *path = arena_text(arena, "%s/token", home);
    struct err none = {0};
    if (access(path, R_OK) != 0) return NULL;
    struct span text = file_map_read(path, TOKEN_MOST, arena, &none);
    return err_failed(&none) ? NULL : trimmed(arena, text);
}

struct hub_paths hub_paths_read(struct arena *arena, struct err *err)
{
    struct hub_paths p = {0};
    if (err_failed(err)) return p;
    p.endpoint = set_or_null("HF_ENDPOINT");
    if (!p.endpoint) p.endpoint = "https://huggingface.co";
    size_t n = strlen(p.endpoint);
    while (n && p.endpoint[n - 1] == '/')
        n--;
    p.endpoint = arena_copy(arena, (struct span){p.endpoint, n});
    if (strncmp(p.endpoint, "https://", 8) != 0 &&
        strncmp(p.endpoint, "http://", 7) != 0)
        err_set(err, ERR_CONFIG, "HF_ENDPOINT %s: not an http address",
                p.endpoint);
    const char *home = set_or_null("HF_HOME"), *own = set_or_null("HOME");
    if (!home && own) home = arena_text(arena, "%s/.cache/huggingface", own);
    if (!home) {
        err_set(err, ERR_CONFIG, "no folder for models: set HF_HOME or HOME");
        return p;
    }
    p.folder = arena_text(arena, "%s/hub", home);
    const char *xdg = set_or_null("XDG_CONFIG_HOME");
    p.conf = xdg   ? arena_text(arena, "%s/platen/platen.conf", xdg)
             : own ? arena_text(arena, "%s/.config/platen/platen.conf", own)
                   : "";
    p.token = read_token(arena, home);
    return p;
}
