/* csv_dialect.c - see csv_dialect.h. */
#include "pipeline/export/csv_dialect.h"

#include <stdio.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

const struct csv_dialect *csv_dialect_find(const char *name)
{
    static const struct csv_dialect all[] = {
        {"rfc4180", ",", "", false},
        {"excel", ",", BYTE_ORDER_MARK, false},
        {"excel-de", ";", BYTE_ORDER_MARK, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!name || !strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

void csv_dialect_number(const struct csv_dialect *d, const char *number,
                        struct buf *out)
{
    for (; *number; number++)
        buf_add(out, d->german && *number == '.' ? "," : number, 1);
}

bool csv_dialect_date(const struct csv_dialect *d, const char *text,
                      char out[11])
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
