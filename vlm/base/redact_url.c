/* redact_url.c - see redact_url.h. */
#include "vlm/base/redact_url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char hidden[] = "***";

static bool is_secret(const char *name, size_t n)
{
    static const char *const part[] = {"pass", "key", "token", "secret", "sig"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        size_t m = strlen(part[i]);
        for (size_t at = 0; at + m <= n; at++)
            if (!strncasecmp(name + at, part[i], m)) return true;
    }
    return false;
}

/* user:password@, or nothing. Returns the text after it. */
static const char *put_user(const char *at, struct buf *out)
{
    size_t n = strcspn(at, "/?#");
    const char *end = NULL;
    for (size_t i = 0; i < n; i++)
        if (at[i] == '@') end = at + i;
    if (!end) return at;
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon) buf_add(out, at, (size_t)(colon - at) + 1);
    buf_print(out, "%s@", hidden);
    return end + 1;
}

/* ?a=b&key=c */
static void put_query(const char *at, struct buf *out)
{
    while (*at) {
        size_t n = 1 + strcspn(at + 1, "&#");
        const char *equal = memchr(at, '=', n);
        bool hides = equal && is_secret(at, (size_t)(equal - at));
        buf_add(out, at, hides ? (size_t)(equal - at) + 1 : n);
        if (hides) buf_add_text(out, hidden);
        at += n;
    }
}

static void put_url(const char *url, const char *host, struct buf *out)
{
    buf_add(out, url, (size_t)(host - url));
    const char *rest = put_user(host, out);
    size_t n = strcspn(rest, "?");
    buf_add(out, rest, n);
    put_query(rest + n, out);
}

/* Bytes of a value of a connection string: 'quoted', or up to a blank. */
static size_t value_size(const char *at)
{
    bool quoted = *at == '\'';
    size_t n = quoted;
    while (at[n] && (quoted ? at[n] != '\'' : !strchr(" \t\n", at[n])))
        n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    return n + (quoted && at[n] == '\'');
}

static void put_conninfo(const char *at, struct buf *out)
{
    while (*(at += strspn(at, " \t\n"))) {
        size_t name = strcspn(at, " \t\n=");
        const char *equal = at + name + strspn(at + name, " \t\n");
        if (*equal != '=' || !name) {
            buf_add_text(out, hidden); /* not parseable */
            return;
        }
        const char *value = equal + 1 + strspn(equal + 1, " \t\n");
        size_t n = value_size(value);
        buf_add(out, at, name);
        buf_add_text(out, "=");
        if (is_secret(at, name))
            buf_add_text(out, hidden);
        else
            buf_add(out, value, n);
        at = value + n;
        if (at[strspn(at, " \t\n")]) buf_add_text(out, " ");
    }
}

void redact_url_secrets(const char *address, struct buf *out)
{
    const char *host = strstr(address, "://");
    if (host)
        put_url(address, host + 3, out);
    else if (strchr(address, '='))
        put_conninfo(address, out);
    else
        buf_add_text(out, address);
}

struct redact_url_text redact_url_in_message(const char *address)
{
    struct redact_url_text shown;
    struct buf text = buf_limit(1 << 16);
    redact_url_secrets(address, &text);
    snprintf(shown.text, sizeof shown.text, "%s", buf_span(&text).data);
    buf_free(&text);
    return shown;
}
