/* mail_fuzz.c - any bytes as an e-mail: the header comes first and once, what is
 * sent is valid text, and no more bytes come than a mail can hold.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "stages/children/raster/mail/mail_file.h"
#include "stages/document/file_type.h"
#include "vlm/base/utf8.h"

enum { UNPACKED_MAX = 1 << 20 };

struct told {
    int n_head, n_file;
    size_t n_byte;
};

static void check_text(const char *text)
{
    for (const char *at = text; *at;)
        assert(utf8_take(&at) != UTF8_BAD);
}

static void on_head(void *arg, const struct mail_head *head)
{
    struct told *told = arg;
    assert(++told->n_head == 1);
    check_text(head->from);
    check_text(head->date);
    check_text(head->message_id);
    check_text(head->subject);
}

static void on_file(void *arg, const char *name, const void *bytes, size_t size)
{
    struct told *told = arg;
    assert(told->n_head == 1);
    check_text(name);
    assert(!size || bytes);
    told->n_file++;
    told->n_byte += size;
}

static void on_other(void *arg, const char *name, const char *why)
{
    const struct told *told = arg;
    assert(told->n_head == 1);
    check_text(name);
    assert(*why);
}

int mail_fuzz(const uint8_t *data, size_t size)
{
    struct told told = {.n_head = 0};
    const struct mail_file_to to = {on_head, on_file, on_other, &told,
                                    UNPACKED_MAX};
    const struct span head = {(const char *)data, size < 1024 ? size : 1024};
    bool read = mail_file_read(data, size, &to);
    assert(read == (told.n_head == 1) && told.n_file <= MAIL_PARTS_MAX);
    assert(told.n_byte <= 3 * size + UNPACKED_MAX);
    (void)file_type_of(head);
    return 0;
}
