/* csv_cells.c - see csv_cells.h. */
#include "pipeline/export/csv_cells.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

const struct csv_dialect *csv_cells_find(const char *name)
{
    static const struct csv_dialect all[] = {
        {"rfc4180", ",", "", false},
        {"excel", ",", BYTE_ORDER_MARK, false},
        {"excel-de", ";", BYTE_ORDER_MARK, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!name || !strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

/* Characters that importers skip before they look for a formula: space, line
 * ends, characters without width, the byte order mark. */
static bool is_passed_over(utf8proc_int32_t rune)
{
    utf8proc_category_t c = utf8proc_category(rune);
    return rune <= 0x20 || c == UTF8PROC_CATEGORY_ZS ||
           c == UTF8PROC_CATEGORY_ZL || c == UTF8PROC_CATEGORY_ZP ||
           c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CF;
}

/* Would a spreadsheet treat the text as a formula? The wide and small forms of
 * = + - @ count too: some programs convert them to the plain ones. */
static bool is_formula(const char *text)
{
    static const utf8proc_int32_t sign[] = {
        '=',    '+',    '-',    '@',    0xff1d, 0xff0b, 0xff0d,
        0xff20, 0xfe66, 0xfe62, 0xfe63, 0xfe6b, 0x2212};
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    if (*text == '\t' || *text == '\r' || *text == '\n') return true;
    utf8proc_int32_t rune = 0;
    utf8proc_ssize_t n = utf8proc_iterate(at, -1, &rune);
    while (n > 0 && rune && is_passed_over(rune)) {
        at += n;
        n = utf8proc_iterate(at, -1, &rune);
    }
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (rune == sign[i]) return true;
    return false;
}

void csv_cells_text(struct buf *out, const char *text)
{
    /* numbers, which can begin with a sign, do not come here */
    bool formula = *text == '\'' || is_formula(text);
    bool quote = formula || !*text || strpbrk(text, ",;\"\t\r\n") ||
                 *text == ' ' || text[strlen(text) - 1] == ' ';
    if (!quote) {
        buf_add_text(out, text);
        return;
    }
    buf_add_text(out, formula ? "\"'" : "\"");
    for (; *text; text++) {
        if (*text == '"') buf_add_text(out, "\"");
        buf_add(out, text, 1);
    }
    buf_add_text(out, "\"");
}

void csv_cells_number(const struct csv_dialect *d, const char *number,
                      struct buf *out)
{
    for (; *number; number++)
        buf_add(out, d->german && *number == '.' ? "," : number, 1);
}

bool csv_cells_date(const struct csv_dialect *d, const char *text, char out[11])
{
    static const char form[] = "0000-00-00";
    if (!d->german || strlen(text) != sizeof form - 1) return false;
    for (size_t i = 0; form[i]; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != '-') return false;
    }
    snprintf(out, 11, "%.2s.%.2s.%.4s", text + 8, text + 5, text);
    return true;
}
