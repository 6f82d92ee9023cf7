/* print_width.h - how broad a value is where it is printed.
 *
 * Nobody knows the font, nor how numbers and dates are written; but of the ways
 * that there are one fits a column of values and the ink of its cells. Widths are
 * in ems of a face: what other fonts' letters are broader than those of the nearest
 * one is much the same for all, and so a matter of their size.
 */
#ifndef STAGES_PAGE_PRINT_WIDTH_H
#define STAGES_PAGE_PRINT_WIDTH_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Of numbers the forms from PRINT_WHOLE on are without cents. */
enum { PRINT_FORMS = 8, PRINT_WHOLE = 4 };

/* broad: of letters that are nearer to each other than those of sans; even: all
 * letters are as broad. */
enum print_face {
    PRINT_SANS,
    PRINT_SERIF,
    PRINT_BROAD,
    PRINT_EVEN,
    PRINT_FACES
};

/* Of the text, which has no spaces at its ends. */
double print_width(const char *text, enum print_face face);

/* Of a string or a number in each of the ways to print it; returns how many
 * there are, 0 for a value that is not printed as such. `cents`: its column has
 * numbers with a fraction; the forms of others are the same and some more. */
int print_width_forms(const cJSON *value, enum print_face face, bool cents,
                      double width[PRINT_FORMS]);

#endif
