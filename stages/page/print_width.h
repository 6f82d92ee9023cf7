/* print_width.h - how broad a value is where it is printed.
 *
 * Nobody knows the font, nor how numbers and dates are written; but of the ways
 * that there are one fits a column of values and the ink of its cells. Widths are
 * in ems of a sans-serif or of a font whose letters are all as broad.
 */
#ifndef STAGES_PAGE_PRINT_WIDTH_H
#define STAGES_PAGE_PRINT_WIDTH_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { PRINT_FORMS = 8 };

/* Of the text, which has no spaces at its ends. */
double print_width(const char *text, bool even);

/* Of a string or a number in each of the ways to print it; returns how many
 * there are, 0 for a value that is not printed as such. `cents`: its column has
 * numbers with a fraction. */
int print_width_forms(const cJSON *value, bool even, bool cents,
                      double width[PRINT_FORMS]);

#endif
