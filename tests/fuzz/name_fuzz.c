/* name_fuzz.c - any bytes as a name: the escaped form is one line of UTF-8 that
 * comes back byte by byte, and a stem is a name that is fit for out/. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/arena.h"

/* As a file system gives it: neither '/' nor NUL, at most 255 bytes. */
static void make_name(const uint8_t *data, size_t size,
                      char name[static FILE_NAME_BYTES_MAX + 1])
{
    size_t n = size < FILE_NAME_BYTES_MAX ? size : FILE_NAME_BYTES_MAX;
    for (size_t i = 0; i < n; i++)
        name[i] = data[i] == '/' || !data[i] ? '_' : (char)data[i];
    name[n] = '\0';
}

static void check_line(const char *text)
{
    for (const char *s = text; *s; s++)
        assert((unsigned char)*s >= 0x20 && *s != 0x7f && *s != '/');
}

static void check_name(const char *name)
{
    char back[FILE_NAME_BYTES_MAX + 1];
    struct buf escaped = buf_limit(4096), stem = buf_limit(4096);
    file_name_escape(name, &escaped);
    if (*name) {
        check_line(buf_span(&escaped).data);
        assert(file_name_unescape(buf_span(&escaped).data, back));
        assert(!strcmp(back, name));
    }
    file_name_stem(name, &stem);
    const char *text = buf_span(&stem).data;
    check_line(text);
    assert(stem.size <= 150 && !strchr("-.~", *text ? *text : 'x'));
    assert(!*text || file_name_unescape(text, back));
    file_name_ignored(name, name);
    buf_free(&escaped);
    buf_free(&stem);
}

int name_fuzz(const uint8_t *data, size_t size)
{
    char name[FILE_NAME_BYTES_MAX + 1], raw[FILE_NAME_BYTES_MAX + 1];
    make_name(data, size, name);
    check_name(name);
    /* and as the text of a name.json that somebody spoilt */
    char *text = mem_alloc(size + 1, 1);
    if (size) memcpy(text, data, size);
    if (file_name_unescape(text, raw)) assert(*raw && !strchr(raw, '/'));
    char path[FILE_NAME_PATH_MAX + 1];
    if (file_name_unescape_path(text, path))
        assert(*path && *path != '.' && *path != '/' && !strstr(path, "/."));
    mem_free(text);
    return 0;
}
