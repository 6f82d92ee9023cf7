/* sweep.c - defines the thresholds (stages/print/thresholds.h) for the program of
 * tests/eval/sweep.py; THRESHOLD=,name=value,.. in the environment sets some of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double value_of(const char *name, double usual)
{
    const char *set = getenv("THRESHOLD");
    char key[64];
    int n = snprintf(key, sizeof key, ",%s=", name);
    const char *at = set ? strstr(set, key) : NULL;
    return at ? strtod(at + n, NULL) : usual;
}

/* Before main, which the constants are for, too. */
#define THRESHOLD(name, value)                                \
    double name;                                              \
    __attribute__((constructor)) static void set_##name(void) \
    {                                                         \
        name = value_of(#name, value);                        \
    }                                                         \
    extern double name
#define THRESHOLD_COUNT(name, value)                          \
    int name;                                                 \
    __attribute__((constructor)) static void set_##name(void) \
    {                                                         \
        name = (int)value_of(#name, value);                   \
    }                                                         \
    extern int name

#include "stages/print/thresholds.h"
