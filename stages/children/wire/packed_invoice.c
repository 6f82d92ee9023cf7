/* packed_invoice.c - see packed_invoice.h. */
#include "stages/children/wire/packed_invoice.h"

#include <string.h>

#include "stages/children/wire/packed_words.h"
#include "vlm/base/arena.h"

static bool unpack_value(const struct packed_value *packed, const char *text,
                         struct arena *arena, struct invoice_value *out)
{
    char *own = arena_copy(arena, (struct span){text, packed->size});
    char *path =
        arena_copy(arena, (struct span){text + packed->size, packed->n_path});
    *out = (struct invoice_value){(int)packed->term, (int)packed->line,
                                  (int)packed->row, own, path};
    return packed->term <= INVOICE_TERM_MAX &&
           packed->line <= INVOICE_LINES_MAX &&
           packed->row <= INVOICE_LINES_MAX && strlen(own) == packed->size &&
           packed_words_is_plain(own) && strlen(path) == packed->n_path &&
           packed_words_is_plain(path);
}

bool packed_invoice_unpack(const struct packed_value *packed, size_t n,
                           const char *text, size_t n_byte, struct arena *arena,
                           struct invoice *out)
{
    struct invoice_value *value = arena_array(arena, n + 1, sizeof *value);
    size_t at = 0;
    int kept = 0;
    *out = (struct invoice){.name = ""};
    for (size_t i = 0; i < n; i++) {
        size_t size = packed[i].size, n_path = packed[i].n_path;
        if (size < 1 || size > INVOICE_VALUE_MAX || n_path > INVOICE_PATH_MAX ||
            size + n_path > n_byte - at)
            return false;
        if (!unpack_value(&packed[i], text + at, arena, &value[kept]))
            return false;
        at += size + n_path;
        if (value[kept].term)
            kept++;
        else
            out->name = value[kept].text;
    }
    if (at != n_byte) return false;
    out->value = value;
    out->n = kept;
    return true;
}
