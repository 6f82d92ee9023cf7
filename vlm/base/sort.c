/* sort.c - see sort.h. */
#include "vlm/base/sort.h"

#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    const double *one = a, *two = b;
    return (*one > *two) - (*one < *two);
}

void sort_doubles(double *value, size_t n)
{
    if (n) qsort(value, n, sizeof *value, by_size);
}

static int by_value(const void *a, const void *b)
{
    const int *one = a, *two = b;
    return (*one > *two) - (*one < *two);
}

void sort_ints(int *value, size_t n)
{
    if (n) qsort(value, n, sizeof *value, by_value);
}

int sort_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
