/* device_name.c - see device_name.h. */
#include "vlm/device/device_name.h"

#include <string.h>

enum { ORDINAL_MOST = 63 };

int device_name_read(const char *name)
{
    static const char kind[] = "cuda:";
    int n = 0;
    if (!name || !*name || !strcmp(name, "cpu")) return DEVICE_NAME_CPU;
    if (!strcmp(name, "auto")) return DEVICE_NAME_AUTO;
    if (strncmp(name, kind, sizeof kind - 1) != 0) return DEVICE_NAME_BAD;
    const char *digit = name + sizeof kind - 1;
    if (!*digit || (*digit == '0' && digit[1])) return DEVICE_NAME_BAD;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9') return DEVICE_NAME_BAD;
        n = 10 * n + (*digit - '0');
        if (n > ORDINAL_MOST) return DEVICE_NAME_BAD;
    }
    return n;
}
