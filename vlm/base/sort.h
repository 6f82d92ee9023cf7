/* sort.h - numbers in order. */
#ifndef VLM_BASE_SORT_H
#define VLM_BASE_SORT_H

#include <stddef.h>

/* The n numbers, none of them a NaN, from the least to the greatest. */
void sort_doubles(double *value, size_t n);
void sort_ints(int *value, size_t n);

#endif
