/* text_map.c - see text_map.h. */
#include "stages/children/ocr/text_map.h"

#include <leptonica/allheaders.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/ocr/rect.h"
#include "vlm/base/arena.h"
#include "vlm/base/sort.h"

enum { SIDE_LEAST = 3, GROWN_LEAST = 5 };

/* Below the 0.3 and 0.5 that PP-OCR's detectors are published with: of noisy
 * print of 6 points, they leave a third more. */
static const float ink_least = 0.2F, line_least = 0.4F;
static const double grow_ratio = 1.6;

/* --- the smallest rectangle ------------------------------------------------ */

static int compare_points(const void *a, const void *b)
{
    const double *p = a, *q = b;
    int by_x = (p[0] > q[0]) - (p[0] < q[0]);
    return by_x ? by_x : (p[1] > q[1]) - (p[1] < q[1]);
}

static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The convex hull of n sorted points, into hull[2 * n]; its size. */
static int hull_of(const double (*point)[2], int n, double (*hull)[2])
{
    int size = 0;
    for (int pass = 0; pass < 2; pass++) {
        int start = size;
        for (int k = 0; k < n; k++) {
            const double *p = point[pass ? n - 1 - k : k];
            while (size >= start + 2 &&
                   turn_of(hull[size - 2], hull[size - 1], p) <= 0)
                size--;
            memcpy(hull[size++], p, sizeof *hull);
        }
        size--; /* the next half begins with it */
    }
    return size;
}

/* The rectangle around the hull with a side along `angle`. */
static struct text_box box_along(const double (*hull)[2], int n, double angle)
{
    double c = cos(angle), s = sin(angle);
    double u0 = HUGE_VAL, u1 = -HUGE_VAL, v0 = HUGE_VAL, v1 = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double u = c * hull[i][0] + s * hull[i][1];
        double v = c * hull[i][1] - s * hull[i][0];
        u0 = fmin(u0, u);
        u1 = fmax(u1, u);
        v0 = fmin(v0, v);
        v1 = fmax(v1, v);
    }
    double u = (u0 + u1) / 2, v = (v0 + v1) / 2;
    return (struct text_box){c * u - s * v, s * u + c * v, u1 - u0, v1 - v0,
                             angle};
}

/* The angle of the side that is closer to the horizontal. */
static double level_angle(const double *a, const double *b)
{
    const double right = acos(0);
    double angle = atan2(b[1] - a[1], b[0] - a[0]);
    return angle - right * round(angle / right);
}

struct text_box text_map_around(const double (*point)[2], int n)
{
    struct text_box best = {.w = 0};
    double(*sorted)[2] = mem_alloc((size_t)n + 1, sizeof *sorted);
    double(*hull)[2] = mem_alloc(2 * (size_t)n + 2, sizeof *hull);
    memcpy(sorted, point, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_points);
    int size = n > 2 ? hull_of((const double(*)[2])sorted, n, hull) : 0;
    for (int i = 0; size > 2 && i < size; i++) {
        struct text_box box =
            box_along((const double(*)[2])hull, size,
                      level_angle(hull[i], hull[(i + 1) % size]));
        if (i == 0 || box.w * box.h < best.w * best.h) best = box;
    }
    mem_free(sorted);
    mem_free(hull);
    return best;
}

void text_map_grow(struct text_box *box, double ratio)
{
    double by = box->w * box->h * ratio / (box->w + box->h);
    box->w += by;
    box->h += by;
}

/* The height of the middle one of the boxes that are clearly level; 0: none. */
static double usual_height(const struct text_box *box, int n)
{
    double *height = mem_alloc((size_t)n + 1, sizeof *height);
    int n_level = 0;
    for (int i = 0; i < n; i++)
        if (box[i].w > 2 * box[i].h) height[n_level++] = box[i].h;
    sort_doubles(height, (size_t)n_level);
    double middle = n_level > 0 ? height[n_level / 2] : 0;
    mem_free(height);
    return middle;
}

void text_map_direct(struct text_box *box, int n)
{
    double usual = usual_height(box, n);
    for (int i = 0; i < n; i++) {
        double w = box[i].w;
        if (box[i].h < 1.5 * w || box[i].h < 1.5 * usual) continue;
        box[i].w = box[i].h;
        box[i].h = w;
        box[i].angle += acos(0);
    }
}

/* --- the map --------------------------------------------------------------- */

static PIX *ink_of(const float *map, int width, int height)
{
    PIX *ink = pixCreate(width, height, 1);
    for (int y = 0; ink && y < height; y++) {
        l_uint32 *line = pixGetData(ink) + (size_t)y * (size_t)pixGetWpl(ink);
        for (int x = 0; x < width; x++)
            if (map[(size_t)y * (size_t)width + (size_t)x] > ink_least)
                SET_DATA_BIT(line, x);
    }
    if (ink) pixDilateBrick(ink, ink, 2, 2);
    return ink;
}

/* The corners of the first and the last pixel of each row of a component, into
 * point[4 * rows]; *mean is that of the map below it. */
static int outline_of(PIX *part, const struct rect *at, const float *map,
                      int width, double (*point)[2], double *mean)
{
    int n = 0;
    double sum = 0, n_pixel = 0;
    for (int y = 0; y < at->h; y++) {
        l_uint32 *line = pixGetData(part) + (size_t)y * (size_t)pixGetWpl(part);
        const float *row =
            map + (size_t)(at->y + y) * (size_t)width + (size_t)at->x;
        int first = -1, last = -1;
        for (int x = 0; x < at->w; x++) {
            if (!GET_DATA_BIT(line, x)) continue;
            if (first < 0) first = x;
            last = x;
            sum += (double)row[x];
            n_pixel++;
        }
        for (int k = 0; first >= 0 && k < 4; k++) {
            point[n][0] = at->x + (k & 1 ? last + 1 : first);
            point[n++][1] = at->y + y + (k >> 1);
        }
    }
    *mean = n_pixel > 0 ? sum / n_pixel : 0;
    return n;
}

/* False if the component is no line of text. */
static bool line_of(PIX *part, const struct rect *at, const float *map,
                    int width, struct text_box *box)
{
    double mean = 0;
    double(*point)[2] = mem_alloc(4 * (size_t)at->h + 1, sizeof *point);
    int n = outline_of(part, at, map, width, point, &mean);
    *box = text_map_around((const double(*)[2])point, n);
    mem_free(point);
    if (mean < (double)line_least || fmin(box->w, box->h) < SIDE_LEAST)
        return false;
    text_map_grow(box, grow_ratio);
    return fmin(box->w, box->h) >= GROWN_LEAST;
}

int text_map_lines(const float *map, int width, int height,
                   struct text_box **box)
{
    PIXA *parts = NULL;
    int n = 0;
    PIX *ink = ink_of(map, width, height);
    BOXA *places = ink ? pixConnComp(ink, &parts, 8) : NULL;
    *box = mem_alloc(TEXT_MAP_LINES_MAX, sizeof **box);
    for (int i = 0; parts && i < pixaGetCount(parts); i++) {
        struct rect at = rect_at(places, i);
        PIX *part = pixaGetPix(parts, i, L_CLONE);
        if (part && n < TEXT_MAP_LINES_MAX)
            n += line_of(part, &at, map, width, &(*box)[n]);
        pixDestroy(&part);
    }
    boxaDestroy(&places);
    pixaDestroy(&parts);
    pixDestroy(&ink);
    text_map_direct(*box, n);
    return n;
}
