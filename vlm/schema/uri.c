/* uri.c - see uri.h. Splitting follows RFC 3986, appendix B. */
#include "vlm/schema/uri.h"

#include <stdlib.h>

#include "vlm/base/text.h"

static const struct span ABSENT = {NULL, 0};

/* Splits a text by the expression of RFC 3986, appendix B, which accepts any
 * text. */
static struct uri uri_split(const char *text)
{
    struct uri u = {ABSENT, ABSENT, ABSENT, ABSENT, ABSENT};
    size_t n = strcspn(text, ":/?#");
    if (text[n] == ':' && n > 0) {
        u.scheme = (struct span){text, n};
        text += n + 1;
    }
    if (text[0] == '/' && text[1] == '/') {
        n = strcspn(text + 2, "/?#");
        u.authority = (struct span){text + 2, n};
        text += 2 + n;
    }
    n = strcspn(text, "?#");
    u.path = (struct span){text, n};
    text += n;
    if (*text == '?') {
        n = strcspn(++text, "#");
        u.query = (struct span){text, n};
        text += n;
    }
    if (*text == '#') u.fragment = span_of(text + 1);
    return u;
}

/* Removes "." and ".." segments in place (RFC 3986, 5.2.4). */
static void remove_dots(char *path)
{
    char *in = path, *out = path;
    while (*in) {
        if (!strncmp(in, "/../", 4) || !strcmp(in, "/..")) {
            in += 3;
            while (out > path && *--out != '/')
                continue;
            if (!*in) *out++ = '/';
        } else if (!strncmp(in, "/./", 3)) {
            in += 2;
        } else if (!strcmp(in, "/.")) {
            in += 2;
            *out++ = '/';
        } else {
            *out++ = *in++;
            while (*in && *in != '/')
                *out++ = *in++;
        }
    }
    *out = '\0';
}

/* The base's path up to its last slash, then the reference's. */
static char *merge_paths(struct arena *arena, const struct uri *base,
                         struct span path)
{
    size_t keep = base->path.size;
    while (keep > 0 && base->path.data[keep - 1] != '/')
        keep--;
    const char *slash = base->authority.data && base->path.size == 0 ? "/" : "";
    return arena_text(arena, "%s%.*s%.*s", slash, (int)keep, base->path.data,
                      (int)path.size, path.data);
}

static const char *percent_decode(struct arena *arena, struct span text)
{
    char *out = arena_copy(arena, text);
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        int high = text.data[i] == '%' && i + 2 < text.size
                       ? text_hex_digit(text.data[i + 1])
                       : -1;
        int low = high >= 0 ? text_hex_digit(text.data[i + 2]) : -1;
        out[n++] = low >= 0 ? (char)(high * 16 + low) : text.data[i];
        if (low >= 0) i += 2;
    }
    out[n] = '\0';
    return out;
}

static const char *join_parts(struct arena *arena, const struct uri *u,
                              const char *path)
{
    return arena_text(arena, "%.*s%s%s%.*s%s%s%.*s", (int)u->scheme.size,
                      u->scheme.data ? u->scheme.data : "",
                      u->scheme.data ? ":" : "", u->authority.data ? "//" : "",
                      (int)u->authority.size,
                      u->authority.data ? u->authority.data : "", path,
                      u->query.data ? "?" : "", (int)u->query.size,
                      u->query.data ? u->query.data : "");
}

const char *uri_resolve(struct arena *arena, const char *base_text,
                        const char *ref_text, const char **fragment)
{
    struct uri base = uri_split(base_text), ref = uri_split(ref_text);
    struct uri u = ref;
    char *path = arena_copy(arena, ref.path);
    if (!ref.scheme.data) {
        u.scheme = base.scheme;
        if (!ref.authority.data) {
            u.authority = base.authority;
            if (ref.path.size == 0) {
                path = arena_copy(arena, base.path);
                if (!ref.query.data) u.query = base.query;
            } else if (*path != '/') {
                path = merge_paths(arena, &base, ref.path);
            }
        }
    }
    remove_dots(path);
    *fragment = ref.fragment.data ? percent_decode(arena, ref.fragment) : "";
    return join_parts(arena, &u, path);
}
