/* pretoken_class.c - letters, marks and digits that PCRE2 has not heard of.
 *
 * Where text is cut depends on what is a letter, and the system's PCRE2 and
 * utf8proc need not be of one age: Debian 12 has PCRE2 10.42 (Unicode 14)
 * beside utf8proc 2.8 (Unicode 15). A digit that is new in Unicode 15, as
 * U+11F50, would then be cut as punctuation, unlike in training. So PCRE2 is
 * asked about every character that utf8proc puts into a class, all in one
 * text, and what it does not find there is added to the class by name.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "vlm/text/pretoken_class.h"

#include <pcre2.h>
#include <utf8proc.h>

/* Characters lie in planes 0 to 3 and at the start of plane 14. */
static const utf8proc_int32_t area[][2] = {{0x80, 0x3ffff}, {0xe0000, 0xe0fff}};

/* All characters of the class, in order, as one text. */
static void list_class(struct buf *out, char class)
{
    for (size_t i = 0; i < sizeof area / sizeof *area; i++) {
        for (utf8proc_int32_t c = area[i][0]; c <= area[i][1]; c++) {
            utf8proc_uint8_t text[4];
            if (*utf8proc_category_string(c) != class) continue;
            buf_add(out, text, (size_t)utf8proc_encode_char(c, text));
        }
    }
}

/* The characters of a run as ranges inside [...]. */
static void add_ranges(struct buf *out, const utf8proc_uint8_t *at,
                       const utf8proc_uint8_t *end)
{
    utf8proc_int32_t first = -1, last = -1;
    while (at < end) {
        utf8proc_int32_t c;
        at += utf8proc_iterate(at, end - at, &c);
        if (first >= 0 && c != last + 1) {
            buf_print(out, "\\x{%x}-\\x{%x}", (unsigned)first, (unsigned)last);
            first = c;
        }
        if (first < 0) first = c;
        last = c;
    }
    if (first >= 0)
        buf_print(out, "\\x{%x}-\\x{%x}", (unsigned)first, (unsigned)last);
}

void pretoken_class(struct buf *out, char class)
{
    char foreign[] = "\\P{?}+";
    int code = 0;
    PCRE2_SIZE at = 0;
    foreign[3] = class;
    buf_print(out, "\\p{%c}", class);
    pcre2_code *probe =
        pcre2_compile((PCRE2_SPTR)foreign, sizeof foreign - 1,
                      PCRE2_UTF | PCRE2_NO_UTF_CHECK, &code, &at, NULL);
    if (!probe) return; /* the pattern itself will be refused, with a message */
    struct buf all = buf_limit(1 << 21);
    list_class(&all, class);
    const PCRE2_SPTR text = (PCRE2_SPTR)buf_span(&all).data;
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    for (at = 0; match && pcre2_match(probe, text, all.size, at,
                                      PCRE2_NO_UTF_CHECK, match, NULL) > 0;) {
        const PCRE2_SIZE *bound = pcre2_get_ovector_pointer(match);
        add_ranges(out, text + bound[0], text + bound[1]);
        at = bound[1];
    }
    pcre2_match_data_free(match);
    pcre2_code_free(probe);
    buf_free(&all);
}
