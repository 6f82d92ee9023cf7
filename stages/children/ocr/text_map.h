/* text_map.h - the lines of text in the probability map of a text detector
 * (differentiable binarisation): connected pixels, the smallest rectangle
 * around them, grown by what the map's training cut off.
 */
#ifndef STAGES_CHILDREN_OCR_TEXT_MAP_H
#define STAGES_CHILDREN_OCR_TEXT_MAP_H

enum { TEXT_MAP_LINES_MAX = 4096 /* of a page; further ones are dropped */ };

/* A rectangle, in pixels of the map from its top left corner. */
struct text_box {
    double x, y;  /* its centre */
    double w, h;  /* w along the line of text */
    double angle; /* radians by which the line slopes down to the right, or for
                   * a line that runs down, past a right angle */
};

/* The lines of the map, width * height probabilities of 0..1, in no order: the
 * longer side of each that is not upright text is its direction. Returns their
 * number; the caller frees *box with mem_free. */
int text_map_lines(const float *map, int width, int height,
                   struct text_box **box);

/* The rectangle with the smallest area around n points (x, y), whose w is the
 * side that is closer to the horizontal; all zero without an area. */
struct text_box text_map_around(const double (*point)[2], int n);

/* Grows a rectangle on all sides by its area times `ratio` over its
 * perimeter. */
void text_map_grow(struct text_box *box, double ratio);

/* Turns boxes that are much higher than wide by a right angle, so that w runs
 * along their text, which is read from the top. One that is no higher than
 * usual lines is a single character, and stays. */
void text_map_direct(struct text_box *box, int n);

#endif
