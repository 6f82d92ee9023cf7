/* read_region.c - a page, or a part of one: asked about, halved if its answer is too
 * long, and its rows kept (long_inside.h). */
#include "stages/long/long_inside.h"

#include <stdio.h>
#include <string.h>

#include "stages/ask/question.h"
#include "stages/pixels/contrast.h"
#include "stages/pixels/levels.h"
#include "stages/pixels/thumbnail.h"
#include "vlm/json/json.h"

enum { DEPTH_MAX = 3 };
static const double piece_share = 0.6; /* share of max_pixels */
enum { FAINT = 40 /* grey levels below paper */, HEIGHT_LEAST = 64 };
/* Limit of halvings for size: pieces are whole patches high, so that a cut can remove
 * less than one. */
enum { CUT_MAX = 8 };
/* A model that was cut off this often, each time for a smaller part, never ends. */
enum { CUT_OFF_MOST = 3 };

static long ink_of_row(const struct image *image, int y, int paper)
{
    long n = 0;
    for (int x = 0; x < image->width_px; x++)
        n += image_grey(image, x, y) < paper - FAINT;
    return n;
}

/* The pixel row with the least ink in the middle third, nearest to the middle;
 * `centred`: the middle of such rows. */
static int find_gap(const struct image *image, bool centred)
{
    int height = image->height_px, middle = height / 2, best = middle;
    struct levels levels = levels_of(image, image_region(image), 1);
    int paper = levels_paper(&levels);
    long least = -1;
    for (int d = 0; d < height / 6; d++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            long ink = ink_of_row(image, middle + sign * d, paper);
            if (least >= 0 && ink >= least) continue;
            least = ink;
            best = middle + sign * d;
        }
    }
    if (!centred) return best;
    int above = best, below = best;
    while (above > height / 3 && ink_of_row(image, above - 1, paper) <= least)
        above--;
    while (below < height * 2 / 3 &&
           ink_of_row(image, below + 1, paper) <= least)
        below++;
    return (above + below) / 2;
}

/* Rows [from, to) of the image on white, its sides on the grid. */
static struct image cut_out(const struct image *image, int from, int to,
                            const struct prepare_target *target,
                            struct err *err)
{
    int grid = target->grid, height = to - from;
    while ((int64_t)height * image->width_px < target->min_pixels)
        height += grid;
    height = (height + grid - 1) / grid * grid;
    struct image out =
        image_new(image->width_px, height, image->n_channel, err);
    if (err_failed(err)) return out;
    size_t stride = image->stride_bytes, n = (size_t)(to - from) * stride;
    memcpy(out.data, image_row(image, from), n);
    memset(out.data + n, 0xff, (size_t)height * stride - n);
    return out;
}

/* The part's pixel rows [from, to), with their own picture. */
static struct part less_of(struct long_document *w, const struct part *part,
                           int from, int to, struct image *picture)
{
    double top = part->top, span = part->bottom - part->top;
    int height = part_height(part);
    struct part less = *part;
    *picture = cut_out(part->image, from, to, &w->r->target, w->r->err);
    less.image = picture;
    less.depth++;
    if (to > height) to = height; /* the white below it */
    less.height_px = to - from;
    less.top = top + span * from / height;
    less.bottom = top + span * to / height;
    return less;
}

/* For a page whose print would be too small in one picture (prepare.h): pieces are
 * smaller than the largest picture, since they have nothing but rows, and at least as
 * large as the smallest one. */
static bool is_too_large(const struct long_document *w, const struct part *part)
{
    const struct prepare_target *target = &w->r->target;
    int64_t width = part->image->width_px;
    int64_t area = width * part->image->height_px;
    return w->r->doc->page[part->index].cramped && target->whole_pixels &&
           part->n_cut < CUT_MAX &&
           area > target->min_pixels + width * target->grid &&
           area > (int64_t)(piece_share * (double)target->max_pixels);
}

static bool is_empty(const struct long_document *w, const struct image *piece)
{
    struct image glance = thumbnail_new(piece, w->r->err);
    bool empty = !err_failed(w->r->err) && thumbnail_blank(&glance);
    image_free(&glance);
    return empty;
}

/* Reads a piece that was cut for size; blank ones are skipped. */
static void read_piece(struct long_document *w, const struct part *piece,
                       struct image *picture, int height)
{
    if (is_empty(w, picture)) return;
    if (!is_too_large(w, piece)) {
        /* the print of one piece is equally faint, and the model was trained
         * with this; the white below it is not paper */
        struct levels printed = levels_of(
            picture, (struct region){0, 0, picture->width_px, height}, 1);
        contrast_stretch(picture, &printed, CONTRAST_FULL);
    }
    read_region(w, piece);
}

static void read_between(struct long_document *w, const struct part *part,
                         int from, int to)
{
    struct image half;
    struct part less = less_of(w, part, from, to, &half);
    if (!err_failed(w->r->err) && part->n_cut)
        read_piece(w, &less, &half, to - from);
    else if (!err_failed(w->r->err))
        read_region(w, &less);
    image_free(&half);
}

static void leave_gap(struct long_document *w, const struct part *part)
{
    struct document *doc = w->r->doc;
    cJSON *gap = cJSON_CreateObject();
    char text[600];
    snprintf(text, sizeof text,
             "what stands between %.0f %% and %.0f %% of "
             "the page: %s",
             100 * part->top, 100 * part->bottom, w->lost.text);
    cJSON_AddItemToObject(gap, "page",
                          json_new_integer(doc->page[part->index].number));
    cJSON_AddStringToObject(gap, "text", text);
    cJSON_AddItemToArray(w->gaps, gap);
    for (int i = 0; i < w->plan->n_array; i++)
        row_file_mark_closed(cJSON_GetArrayItem(w->last, i));
}

/* Whether to give up on the page: the model always runs into the token limit. */
static bool is_endless(const struct long_document *w)
{
    return w->r->n_cut_off >= CUT_OFF_MOST;
}

/* Asks for single lines of a part whose rows do not fit an answer however small it is;
 * what is still missing is a gap. */
static void read_by_lines(struct long_document *w, const struct part *part)
{
    struct part less = *part;
    less.unanswered = true;
    less.scalars = false;
    int n_answer = w->n_answer, n_gap = cJSON_GetArraySize(w->gaps);
    w->lost = *w->r->err;
    *w->r->err = (struct err){0};
    page_lines_read(w, part->index);
    if (page_lines_can_ask(w) && w->table.n_line)
        keep_rows_part(w, &less, cJSON_CreateObject());
    if (w->n_answer == n_answer && cJSON_GetArraySize(w->gaps) == n_gap)
        leave_gap(w, part);
}

void read_region(struct long_document *w, const struct part *all)
{
    struct part own = *all, *part = &own;
    int halved = part->depth - part->n_cut;
    bool cut = is_too_large(w, part), split = cut || halved < w->split;
    if (is_endless(w)) {
        leave_gap(w, part);
        return;
    }
    cJSON *value = split ? NULL : ask_region(w, part);
    if (value) {
        w->n_answer++;
        keep_rows_part(w, part, value);
        return;
    }
    if (!split && !question_was_too_large(w->r->err)) return;
    if (is_endless(w)) {
        w->lost = *w->r->err;
        *w->r->err = (struct err){0};
        leave_gap(w, part);
        return;
    }
    if ((!cut && halved == DEPTH_MAX) ||
        part->image->height_px < HEIGHT_LEAST) {
        read_by_lines(w, part);
        return;
    }
    *w->r->err = (struct err){0};
    if (!split) w->split = halved + 1;
    part->n_cut += cut;
    int gap = find_gap(part->image, cut);
    read_between(w, part, 0, gap);
    read_between(w, part, gap, part->image->height_px);
}
