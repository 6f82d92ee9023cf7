/* sort.h - sorting of numbers and texts. */
#ifndef VLM_BASE_SORT_H
#define VLM_BASE_SORT_H

#include <stddef.h>

/* Sort n numbers in ascending order; none may be NaN. */
void sort_doubles(double *value, size_t n);
void sort_ints(int *value, size_t n);

/* For qsort and bsearch of pointers to texts. */
int sort_by_text(const void *a, const void *b);

#endif
