/* out_names.c - see out_names.h. */
#include "pipeline/local/out_names.h"

#include <string.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/buf.h"
#include "vlm/base/text.h"

const char *out_names_take(struct out_names *names, const char *path,
                           int number)
{
    struct buf stem = buf_limit(4096);
    file_name_stem(strcmp(path, "-") ? text_base_name(path) : "stdin", &stem);
    if (number) buf_print(&stem, "-%d", number);
    size_t size = stem.size;
    for (int n = 2;; n++) {
        size_t i = 0;
        while (i < names->n_stem &&
               strcmp(names->stem[i], buf_span(&stem).data) != 0)
            i++;
        if (i == names->n_stem) break;
        buf_cut(&stem, size);
        buf_print(&stem, "-%d", n);
    }
    const char *kept = arena_copy(names->arena, buf_span(&stem));
    buf_free(&stem);
    *MEM_ADD(names->stem, names->n_stem) = kept;
    return kept;
}

void out_names_free(struct out_names *names)
{
    mem_free(names->stem);
    names->stem = NULL;
    names->n_stem = 0;
}
