/* print_width.c - see print_width.h. */
#include "stages/page/print_width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Thousandths of an em, from the space on: those of most sans-serif fonts. */
static const short width_of[] = {
    278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
    278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
    584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
    667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
    278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584};
enum { OTHER = 556, WIDE = 1000, EVEN = 600, WIDE_FROM = 0xe2 /* U+2000 */ };

/* Of the character whose first byte it is. */
static int thousandths(unsigned char byte, bool even)
{
    if (byte >= WIDE_FROM) return byte > WIDE_FROM ? WIDE : OTHER;
    if (even) return EVEN;
    if (byte >= ' ' && byte < ' ' + (int)(sizeof width_of / sizeof *width_of))
        return width_of[byte - ' '];
    return OTHER;
}

double print_width(const char *text, bool even)
{
    int sum = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            sum += thousandths((unsigned char)*text, even);
    return sum / 1000.0;
}

static double of_digits(int n, bool even)
{
    return n * (even ? EVEN : OTHER) / 1000.0;
}

/* A number: with its thousands apart or not, with a sign or not, and with cents
 * or as it is. */
static int of_number(double value, bool even, bool cents,
                     double width[PRINT_FORMS])
{
    char text[64];
    double mark = print_width(".", even), fraction = mark + of_digits(2, even);
    int n_form = 0;
    if (!isfinite(value) || fabs(value) >= 1e15) return 0;
    snprintf(text, sizeof text, "%.0f", floor(fabs(value) + 0.001));
    int n = (int)strlen(text);
    double whole = of_digits(n, even), apart = whole + (n - 1) / 3 * mark;
    double sign = value < 0 ? print_width("-", even) : 0;
    for (int with = cents; with < 2; with++) {
        double more = with ? fraction : 0;
        width[n_form++] = sign + apart + more;
        width[n_form++] = sign + whole + more;
        width[n_form++] = apart + more;
        width[n_form++] = whole + more;
    }
    return n_form;
}

/* A date as it is written elsewhere than in JSON. */
static int of_date(int year, int month, int day, bool even,
                   double width[PRINT_FORMS])
{
    static const char *const name[] = {
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    char text[64];
    const char *m = name[month - 1];
    int n = 0;
    width[n++] = print_width("00.00.0000", even);
    width[n++] = print_width("0000-00-00", even);
    width[n++] = print_width("00.00.00", even);
    width[n++] = print_width("00.00", even);
    snprintf(text, sizeof text, "%02d %.3s %d", day, m, year);
    width[n++] = print_width(text, even);
    snprintf(text, sizeof text, "%s %d, %d", m, day, year);
    width[n++] = print_width(text, even);
    return n;
}

int print_width_forms(const cJSON *value, bool even, bool cents,
                      double width[PRINT_FORMS])
{
    int year, month, day, end = 0;
    if (cJSON_IsNumber(value))
        return of_number(value->valuedouble, even, cents, width);
    if (!cJSON_IsString(value) || !*value->valuestring) return 0;
    const char *text = value->valuestring;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 &&
        end == 10 && !text[end] && month >= 1 && month <= 12)
        return of_date(year, month, day, even, width);
    width[0] = print_width(text, even);
    return 1;
}
