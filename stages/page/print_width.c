/* print_width.c - see print_width.h. */
#include "stages/page/print_width.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/utf8.h"

/* Thousandths of an em, of each letter of a run (below). Those of Greek and Cyrillic
 * are the ones of fonts that were made to be as broad as the other two; the third
 * is DejaVu Sans, which Verdana resembles. */
static const short sans_ascii[] = {
    278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
    278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
    584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
    667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
    278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584};
static const short serif_ascii[] = {
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333,
    250, 278, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278,
    564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333,
    389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944,
    722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444,
    333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389,
    278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541};
static const short sans_greek[] = {
    667, 667, 551, 668, 667, 611, 722, 778, 278, 667, 668, 833, 722, 650, 778,
    722, 667, 365, 618, 611, 667, 798, 667, 835, 748, 278, 667, 578, 446, 556,
    222, 547, 578, 575, 500, 557, 446, 441, 556, 556, 222, 500, 500, 576, 500,
    448, 556, 690, 569, 482, 617, 395, 547, 648, 525, 713, 781};
static const short serif_greek[] = {
    722, 667, 578, 643, 611, 611, 722, 722, 333, 722, 725, 889, 722, 643, 722,
    722, 556, 365, 582, 611, 722, 731, 722, 738, 743, 333, 722, 524, 420, 523,
    269, 495, 524, 509, 442, 471, 420, 414, 523, 479, 269, 504, 485, 536, 452,
    446, 500, 505, 499, 396, 539, 402, 495, 577, 444, 626, 658};
static const short sans_cyrillic[] = {
    865, 542, 719,  667, 278, 278, 500, 1057, 1010, 854, 583, 722, 635, 719,
    667, 656, 667,  542, 677, 667, 923, 604,  719,  719, 583, 656, 833, 722,
    778, 719, 667,  722, 611, 635, 760, 667,  740,  667, 917, 938, 792, 885,
    656, 719, 1010, 722, 556, 573, 531, 365,  584,  556, 669, 458, 559, 559,
    438, 584, 688,  552, 556, 542, 556, 500,  458,  500, 823, 500, 573, 521,
    802, 823, 625,  719, 521, 510, 750, 542,  556,  556, 556, 365, 510, 500,
    222, 278, 222,  906, 812, 556, 438, 559,  500,  552};
static const short serif_cyrillic[] = {
    752, 578, 660,  556, 333, 333, 389, 872, 872, 741, 667,  722,  708, 722,
    722, 574, 667,  578, 682, 611, 896, 501, 722, 722, 667,  678,  889, 722,
    722, 722, 556,  667, 611, 708, 790, 722, 722, 650, 1009, 1009, 706, 872,
    574, 660, 1028, 667, 444, 509, 472, 410, 509, 444, 691,  395,  535, 535,
    486, 499, 633,  535, 500, 535, 500, 444, 437, 500, 648,  500,  535, 503,
    770, 770, 517,  672, 456, 429, 747, 460, 444, 444, 483,  410,  429, 389,
    278, 278, 278,  727, 723, 500, 486, 535, 500, 535};

static const short broad_ascii[] = {
    318, 401, 460, 838, 636,  950, 780, 275, 390, 390, 500, 838, 318, 361,
    318, 337, 636, 636, 636,  636, 636, 636, 636, 636, 636, 636, 337, 337,
    838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748,  787, 603, 787, 695, 635, 611, 732, 684, 989,
    685, 611, 685, 390, 337,  390, 838, 500, 500, 613, 635, 550, 635, 615,
    352, 635, 634, 278, 278,  579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592,  592, 525, 636, 337, 636, 838};
static const short broad_greek[] = {
    684, 686, 557, 684, 632, 685, 752, 787, 295, 656, 684, 863, 748, 632, 787,
    752, 603, 600, 632, 611, 611, 787, 685, 787, 764, 295, 611, 659, 541, 634,
    338, 579, 659, 638, 592, 612, 541, 544, 634, 612, 338, 589, 592, 636, 559,
    558, 612, 602, 635, 587, 634, 602, 579, 660, 578, 660, 837};
static const short broad_cyrillic[] = {
    786, 610, 698,  635, 295, 295, 295,  1094, 1045, 786, 710,  748,  609, 752,
    684, 686, 686,  610, 781, 632, 1077, 641,  748,  748, 710,  752,  863, 752,
    787, 752, 603,  698, 611, 609, 861,  685,  776,  686, 1069, 1094, 833, 882,
    686, 698, 1080, 695, 613, 617, 589,  525,  691,  615, 901,  532,  650, 650,
    604, 639, 754,  654, 612, 654, 635,  550,  583,  592, 855,  592,  681, 591,
    915, 942, 707,  790, 589, 549, 842,  602,  615,  615, 625,  525,  549, 521,
    278, 278, 278,  902, 898, 652, 604,  650,  592,  654};

/* In the faces before PRINT_EVEN. */
static const struct {
    uint32_t first, last;
    const short *of[PRINT_EVEN];
} runs[] = {{' ', '~', {sans_ascii, serif_ascii, broad_ascii}},
            {0x391, 0x3c9, {sans_greek, serif_greek, broad_greek}},
            {0x402, 0x45f, {sans_cyrillic, serif_cyrillic, broad_cyrillic}}};

/* What no decomposition leads to. */
static const struct {
    uint32_t letter;
    short of[PRINT_EVEN];
} alone[] = {{0xa0, {278, 250, 318}},      {0xa1, {333, 333, 401}},
             {0xbf, {611, 444, 531}},      {0xc6, {1000, 889, 974}},
             {0xd8, {778, 722, 787}},      {0xdf, {611, 500, 630}},
             {0xe6, {889, 667, 982}},      {0xf8, {611, 500, 612}},
             {0x131, {278, 278, 278}},     {0x141, {556, 611, 562}},
             {0x142, {222, 278, 284}},     {0x152, {1000, 889, 1070}},
             {0x153, {944, 722, 1023}},    {0x2013, {556, 500, 500}},
             {0x2014, {1000, 1000, 1000}}, {0x2018, {222, 333, 318}},
             {0x2019, {222, 333, 318}},    {0x201a, {222, 333, 318}},
             {0x201c, {333, 444, 518}},    {0x201d, {333, 444, 518}},
             {0x201e, {333, 444, 518}},    {0x2022, {350, 350, 590}},
             {0x2116, {1073, 954, 1040}}};
enum { WIDE = 1000, EVEN = 600 };

static int of_figure(enum print_face face)
{
    return face == PRINT_EVEN ? EVEN : runs[0].of[face]['0' - ' '];
}

/* Of a letter without its accents; -1 where no table has it. */
static int of_letter(uint32_t letter, enum print_face face)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (letter >= runs[i].first && letter <= runs[i].last)
            return runs[i].of[face][letter - runs[i].first];
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (letter == alone[i].letter) return alone[i].of[face];
    return -1;
}

/* Marks above and below take no room; what is in no table is as broad as a
 * figure. */
static int thousandths(uint32_t letter, enum print_face face)
{
    int columns = utf8_columns(letter);
    if (columns != 1) return columns > 1 ? WIDE : 0;
    int width = face == PRINT_EVEN ? -1 : of_letter(utf8_bare(letter), face);
    return width < 0 ? of_figure(face) : width;
}

double print_width(const char *text, enum print_face face)
{
    int sum = 0;
    while (*text)
        sum += thousandths(utf8_take(&text), face);
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
