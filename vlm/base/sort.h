/* sort.h - sorting of numbers. */
#ifndef VLM_BASE_SORT_H
#define VLM_BASE_SORT_H

#include <stddef.h>

/* Sort n numbers in ascending order; none may be NaN. */
void sort_doubles(double *value, size_t n);
void sort_ints(int *value, size_t n);

#endif
