/* print_width.c - see print_width.h. */
#include "stages/page/print_width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = ' ', LAST = '~' };

/* Thousandths of an em, from the space on. What is not here is as broad as a figure. */
struct print_table {
    short figure, ascii[LAST - FIRST + 1];
};

static const struct print_table sans = {
    556, {278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
          278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
          584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
          500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
          667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
          278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
          278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584}};
static const struct print_table serif = {
    500, {250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333,
          250, 278, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278,
          564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333,
          389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944,
          722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444,
          333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389,
          278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541}};
enum { WIDE = 1000, EVEN = 600, WIDE_FROM = 0xe2 /* U+2000 */ };

static int of_figure(enum print_face face)
{
    if (face == PRINT_EVEN) return EVEN;
    return face == PRINT_SERIF ? serif.figure : sans.figure;
}

/* Of the character whose first byte it is. */
static int thousandths(unsigned char byte, enum print_face face)
{
    const struct print_table *t = face == PRINT_SERIF ? &serif : &sans;
    if (byte >= WIDE_FROM) return byte > WIDE_FROM ? WIDE : t->figure;
    if (face == PRINT_EVEN || byte < FIRST || byte > LAST)
        return of_figure(face);
    return t->ascii[byte - FIRST];
}

double print_width(const char *text, enum print_face face)
{
    int sum = 0;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            sum += thousandths((unsigned char)*text, face);
    return sum / 1000.0;
}

static double of_digits(int n, enum print_face face)
{
    return n * of_figure(face) / 1000.0;
}

/* A number: with its thousands apart or not, with a sign or not, and with cents
 * or, where its column has none, as it is. */
static int of_number(double value, enum print_face face, bool cents,
                     double width[PRINT_FORMS])
{
    char text[64];
    double mark = print_width(".", face), fraction = mark + of_digits(2, face);
    int n_form = 0;
    if (!isfinite(value) || fabs(value) >= 1e15) return 0;
    snprintf(text, sizeof text, "%.0f", floor(fabs(value) + 0.001));
    int n = (int)strlen(text);
    double whole = of_digits(n, face), apart = whole + (n - 1) / 3 * mark;
    double sign = value < 0 ? print_width("-", face) : 0;
    for (int with = 1; with >= cents; with--) {
        double more = with ? fraction : 0;
        width[n_form++] = sign + apart + more;
        width[n_form++] = sign + whole + more;
        width[n_form++] = apart + more;
        width[n_form++] = whole + more;
    }
    return n_form;
}

/* A date as it is written elsewhere than in JSON. */
static int of_date(int year, int month, int day, enum print_face face,
                   double width[PRINT_FORMS])
{
    static const char *const name[] = {
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    char text[64];
    const char *m = name[month - 1];
    int n = 0;
    width[n++] = print_width("00.00.0000", face);
    width[n++] = print_width("0000-00-00", face);
    width[n++] = print_width("00.00.00", face);
    width[n++] = print_width("00.00", face);
    snprintf(text, sizeof text, "%02d %.3s %d", day, m, year);
    width[n++] = print_width(text, face);
    snprintf(text, sizeof text, "%s %d, %d", m, day, year);
    width[n++] = print_width(text, face);
    return n;
}

int print_width_forms(const cJSON *value, enum print_face face, bool cents,
                      double width[PRINT_FORMS])
{
    int year, month, day, end = 0;
    if (cJSON_IsNumber(value))
        return of_number(value->valuedouble, face, cents, width);
    if (!cJSON_IsString(value) || !*value->valuestring) return 0;
    const char *text = value->valuestring;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 &&
        end == 10 && !text[end] && month >= 1 && month <= 12)
        return of_date(year, month, day, face, width);
    width[0] = print_width(text, face);
    return 1;
}
