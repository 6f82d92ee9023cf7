/* ocr_onnx.c - see ocr_onnx.h.
 *
 * The detector sees the page at DETECT_DPI, a large one in tiles that overlap;
 * its maps are joined before lines are looked for, so that no line ends at a
 * tile.
 * Lines are drawn from the page itself, and read one by one: a batch of lines is
 * not faster on a processor, and a line's text does not depend on others.
 */
#include "stages/children/ocr/ocr_onnx.h"

#include <dirent.h>
#include <fcntl.h>
#include <leptonica/allheaders.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stages/children/ocr/ctc.h"
#include "stages/children/ocr/line_crop.h"
#include "stages/children/ocr/ocr_pix.h"
#include "stages/children/ocr/onnx_model.h"
#include "stages/children/ocr/reading_order.h"
#include "stages/children/ocr/text_map.h"
#include "stages/children/wire/ocr_scripts.h"
#include "vlm/base/arena.h"
#include "vlm/base/text.h"

enum {
    FILES_MAX = 32, /* of a folder */
    NAME_SIZE = 128,
    PATH_SIZE = 4096,
    DETECT_DPI = 200,        /* at 150, noisy print of 6 points is missed */
    DETECT_PIXELS = 2500000, /* of a page of unknown resolution */
    DETECT_MOST = 12 * 1000 * 1000,
    SIDE_LEAST = 736, /* the shorter side of a page, by enlarging */
    ENLARGED_MAX = 2,
    TILE = 1600, /* side of a tile */
    MARGIN = 96, /* of a tile, which its neighbour sees better */
    GRID = 32,   /* sides of a detector's input are multiples of it */
    LINE = 48,   /* height of a line, as the models were trained */
    LINE_MAX_WIDTH = 100 * LINE,
    LINE_MIN_WIDTH = 3 * LINE,
    FACE_WIDTH = 192, /* of the part of a line that shows its direction */
    FACES_MAX = 12,   /* lines asked */
    WORD_SIZE = 1024
};

enum role { DETECTS, READS, TURNS, N_ROLE };

struct file {
    char name[NAME_SIZE]; /* without its ending */
    const void *data;     /* mapped */
    size_t size;
    const void *list; /* mapped dictionary, or NULL */
    size_t list_size;
    enum role role;
};

struct ocr_onnx {
    struct onnx_runtime *runtime;
    struct file file[FILES_MAX];
    int n_file;
    struct onnx_model *model[N_ROLE];
    const char *name; /* of the model that reads */
    struct ctc_dictionary dictionary;
    uint32_t scripts;
};

/* --- files ------------------------------------------------------------------ */

/* Maps a file for reading; NULL: it cannot be. */
static const void *map_file(const char *folder, const char *name,
                            const char *ending, size_t *size)
{
    char path[PATH_SIZE];
    struct stat st = {.st_size = 0};
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    int fd = n > 0 && n < PATH_SIZE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *data = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0) close(fd);
    *size = (size_t)st.st_size;
    return data == MAP_FAILED ? NULL : data;
}

/* What a model does, by its name; N_ROLE: nothing of use. */
static enum role role_of(const char *name)
{
    return strstr(name, "det")   ? DETECTS
           : strstr(name, "rec") ? READS
           : strstr(name, "cls") ? TURNS
                                 : N_ROLE;
}

static void add_file(struct ocr_onnx *s, const char *folder, const char *entry)
{
    size_t n = text_stem(entry, ".onnx");
    if (s->n_file == FILES_MAX || !n || n >= NAME_SIZE - 5) return;
    struct file *f = &s->file[s->n_file];
    *f = (struct file){.size = 0};
    memcpy(f->name, entry, n);
    f->role = role_of(f->name);
    if (f->role == N_ROLE) return;
    f->data = map_file(folder, f->name, ".onnx", &f->size);
    if (f->role == READS)
        f->list = map_file(folder, f->name, ".txt", &f->list_size);
    s->n_file += f->data != NULL;
}

static bool has_role(const struct ocr_onnx *s, enum role role)
{
    for (int i = 0; i < s->n_file; i++)
        if (s->file[i].role == role) return true;
    return false;
}

struct ocr_onnx *ocr_onnx_find(const char *folder)
{
    struct dirent **entry = NULL;
    int n = onnx_model_library() && *folder
                ? scandir(folder, &entry, NULL, alphasort)
                : 0;
    struct ocr_onnx *s = mem_alloc(1, sizeof *s);
    for (int i = 0; i < n; i++) {
        add_file(s, folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (has_role(s, DETECTS) && has_role(s, READS))
        s->runtime = onnx_model_prepare();
    if (s->runtime) return s;
    mem_free(s);
    return NULL;
}

/* --- models ------------------------------------------------------------------ */

static bool has_letter(const struct ctc_dictionary *d, const char *letter)
{
    for (int i = 0; i < d->n; i++)
        if (!strcmp(d->character[i], letter)) return true;
    return false;
}

static uint32_t scripts_of(const struct ctc_dictionary *d)
{
    uint32_t scripts = 0;
    for (int i = 0; ocr_scripts_name(i); i++)
        if (has_letter(d, ocr_scripts_letter(i))) scripts |= 1U << i;
    return scripts;
}

/* Opens a model that reads, instead of another. */
static void open_reader(struct ocr_onnx *s, const struct file *f)
{
    struct onnx_model *m = onnx_model_open(s->runtime, f->data, f->size);
    char *list = m ? onnx_model_text(m, "character") : NULL;
    if (!m || (!list && !f->list)) {
        onnx_model_close(m);
        return;
    }
    onnx_model_close(s->model[READS]);
    ctc_dictionary_free(&s->dictionary);
    s->model[READS] = m;
    s->name = f->name;
    s->dictionary = list ? ctc_dictionary_new(list, strlen(list))
                         : ctc_dictionary_new(f->list, f->list_size);
    s->scripts = scripts_of(&s->dictionary);
    mem_free(list);
}

static const struct file *first_of(const struct ocr_onnx *s, enum role role)
{
    for (int i = 0; i < s->n_file; i++)
        if (s->file[i].role == role) return &s->file[i];
    return NULL;
}

static void open_first(struct ocr_onnx *s, enum role role)
{
    const struct file *f = first_of(s, role);
    if (f) s->model[role] = onnx_model_open(s->runtime, f->data, f->size);
}

bool ocr_onnx_load(struct ocr_onnx *s, uint32_t scripts)
{
    setMsgSeverity(L_SEVERITY_NONE);
    open_first(s, DETECTS);
    open_first(s, TURNS);
    for (int i = 0; i < s->n_file; i++)
        if (s->file[i].role == READS && scripts & ~s->scripts)
            open_reader(s, &s->file[i]);
    if (scripts & ~s->scripts) open_reader(s, first_of(s, READS));
    return s->model[DETECTS] && s->model[READS];
}

uint32_t ocr_onnx_scripts(const struct ocr_onnx *s)
{
    return s->scripts;
}

void ocr_onnx_describe(const struct ocr_onnx *s, char *out, size_t size)
{
    snprintf(out, size, "ONNX Runtime %s, %s", onnx_model_library(), s->name);
}

/* --- detection --------------------------------------------------------------- */

/* A picture and its map of probabilities, in pixels of the scaled page. */
struct map {
    PIX *pix;
    float *p;
    int width, height;
};

static double detection_scale(const struct image *page, int dpi)
{
    double w = page->width_px, h = page->height_px;
    double scale = fmin(fmax(SIDE_LEAST / fmin(w, h), 1), ENLARGED_MAX);
    double most = sqrt((dpi ? DETECT_MOST : DETECT_PIXELS) / (w * h));
    if (dpi) scale = fmin((double)DETECT_DPI / dpi, ENLARGED_MAX);
    return fmin(scale, most);
}

/* One of n grey pixels, as -1..1 in three channels: the models were trained on
 * colour. */
static void set_pixel(float *channel, size_t n, size_t at, l_uint32 grey)
{
    float v = (float)grey / 127.5F - 1;
    channel[at] = channel[n + at] = channel[2 * n + at] = v;
}

struct map_tile {
    int x, y, w, h;
};

static int round_up(int n)
{
    return (n + GRID - 1) / GRID * GRID;
}

static bool run_tile(struct ocr_onnx *s, struct map *map,
                     const struct map_tile *t)
{
    int w = round_up(t->w), h = round_up(t->h);
    size_t n = (size_t)w * (size_t)h;
    struct onnx_array out,
        in = {mem_alloc(3 * n, sizeof(float)), {1, 3, h, w}, 4};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            l_uint32 grey = 255;
            if (x < t->w && y < t->h)
                pixGetPixel(map->pix, t->x + x, t->y + y, &grey);
            set_pixel(in.value, n, (size_t)y * (size_t)w + (size_t)x, grey);
        }
    bool well = onnx_model_run(s->model[DETECTS], &in, &out) && out.rank == 4 &&
                out.size[0] == 1 && out.size[1] == 1 && out.size[2] == h &&
                out.size[3] == w;
    for (int y = t->y ? MARGIN : 0; well && y < t->h; y++) {
        int from = t->x ? MARGIN : 0;
        memcpy(map->p + (size_t)(t->y + y) * (size_t)map->width +
                   (size_t)(t->x + from),
               out.value + (size_t)y * (size_t)w + (size_t)from,
               (size_t)(t->w - from) * sizeof(float));
    }
    mem_free(in.value);
    mem_free(out.value);
    return well;
}

/* A tile's left or upper margin is that of the tile before, whose last MARGIN
 * pixels it overwrites with what it sees better. */
static bool run_tiles(struct ocr_onnx *s, struct map *map)
{
    const int step = TILE - 2 * MARGIN;
    bool well = true;
    for (int y = 0; well && (y == 0 || y + 2 * MARGIN < map->height); y += step)
        for (int x = 0; well && (x == 0 || x + 2 * MARGIN < map->width);
             x += step) {
            struct map_tile t = {x, y, map->width - x, map->height - y};
            if (t.w > TILE) t.w = TILE;
            if (t.h > TILE) t.h = TILE;
            well = run_tile(s, map, &t);
        }
    return well;
}

/* The lines of the page, in pixels of it; -1: the detector fails. */
static int find_lines(struct ocr_onnx *s, const struct image *page, int dpi,
                      struct text_box **line)
{
    int n = -1;
    double scale = detection_scale(page, dpi);
    PIX *whole = ocr_pix_of(page);
    struct map map = {
        .pix = pixScaleGeneral(whole, (float)scale, (float)scale, 0, 0)};
    pixDestroy(&whole);
    if (!map.pix) return -1;
    map.width = pixGetWidth(map.pix);
    map.height = pixGetHeight(map.pix);
    map.p = mem_alloc((size_t)map.width * (size_t)map.height, sizeof *map.p);
    if (run_tiles(s, &map))
        n = text_map_lines(map.p, map.width, map.height, line);
    for (int i = 0; i < n; i++) {
        (*line)[i].x *= page->width_px / (double)map.width;
        (*line)[i].y *= page->height_px / (double)map.height;
        (*line)[i].w *= page->width_px / (double)map.width;
        (*line)[i].h *= page->height_px / (double)map.height;
    }
    mem_free(map.p);
    pixDestroy(&map.pix);
    return n;
}

/* --- direction --------------------------------------------------------------- */

static bool is_level(const struct text_box *line)
{
    return line->angle < 1;
}

/* A picture of a line, LINE pixels high, in the first `width` columns of
 * `padded` ones. */
static void fill_input(const uint8_t *picture, int width, int padded,
                       float *channel)
{
    size_t n = (size_t)LINE * (size_t)padded;
    for (int y = 0; y < LINE; y++)
        for (int x = 0; x < width; x++)
            set_pixel(channel, n, (size_t)y * (size_t)padded + (size_t)x,
                      picture[y * width + x]);
}

static int width_of(const struct text_box *line, int most)
{
    return (int)fmin(fmax(ceil(LINE * line->w / line->h), 8), most);
}

/* The part of a line at its start that is asked about: longer lines would have to
 * be squeezed, and squeezed to less than a quarter the model only guesses. */
static struct text_box face_of(const struct text_box *line)
{
    struct text_box face = *line;
    face.w = fmin(line->w, line->h * FACE_WIDTH / LINE);
    face.x -= cos(line->angle) * (line->w - face.w) / 2;
    face.y -= sin(line->angle) * (line->w - face.w) / 2;
    return face;
}

/* By how much a line is more probably upside down than not: -1..1. */
static double upside_down(struct ocr_onnx *s, const struct image *page,
                          const struct text_box *line)
{
    uint8_t picture[LINE * FACE_WIDTH];
    struct text_box face = face_of(line);
    int width = width_of(&face, FACE_WIDTH);
    struct onnx_array out, in = {NULL, {1, 3, LINE, FACE_WIDTH}, 4};
    in.value = mem_alloc((size_t)(3 * LINE * FACE_WIDTH), sizeof *in.value);
    line_crop_draw(page, &face, width, LINE, picture);
    fill_input(picture, width, FACE_WIDTH, in.value);
    bool well = onnx_model_run(s->model[TURNS], &in, &out) && out.rank == 2 &&
                out.size[0] == 1 && out.size[1] == 2;
    double more = well ? (double)(out.value[1] - out.value[0]) : 0;
    mem_free(in.value);
    mem_free(out.value);
    return more;
}

static int compare_lengths(const void *a, const void *b)
{
    const struct text_box *p = a, *q = b;
    double x = p->w / p->h, y = q->w / q->h;
    return (x < y) - (x > y);
}

/* Turns all level lines, or all others, if the longest of them are mostly upside
 * down: a single short line says little. */
static void turn_lines(struct ocr_onnx *s, const struct image *page,
                       struct text_box *line, int n, bool level)
{
    double sum = 0;
    for (int i = 0, asked = 0; i < n && asked < FACES_MAX; i++)
        if (is_level(&line[i]) == level) {
            sum += upside_down(s, page, &line[i]);
            asked++;
        }
    for (int i = 0; sum > 0 && i < n; i++)
        if (is_level(&line[i]) == level) line[i].angle += acos(-1);
}

/* The quarter turns that make most of the lines, by their length, upright. */
static uint32_t turns_for(const struct text_box *line, int n)
{
    double length[4] = {0}, sum = 0;
    for (int i = 0; i < n; i++) {
        length[(int)lround(line[i].angle / acos(0)) & 3] += line[i].w;
        sum += line[i].w;
    }
    for (uint32_t q = 1; q < 4; q++)
        if (3 * length[q] > 2 * sum) return 4 - q;
    return 0;
}

/* --- reading ----------------------------------------------------------------- */

/* Appends a character. Models that know Chinese take some points for its full
 * stop, and the like: outside Chinese text they are the plain characters. */
static size_t add_character(char *text, size_t size, const char *c, bool plain)
{
    static const struct {
        const char *wide, *plain;
    } same[] = {{"。", "."}, {"，", ","}, {"：", ":"}, {"；", ";"},
                {"（", "("}, {"）", ")"}, {"！", "!"}, {"？", "?"},
                {"－", "-"}, {"％", "%"}, {"／", "/"}, {"＋", "+"}};
    for (size_t i = 0; plain && i < sizeof same / sizeof *same; i++)
        if (!strcmp(c, same[i].wide)) c = same[i].plain;
    return size + strlen(c) < WORD_SIZE
               ? size + (size_t)snprintf(text + size, WORD_SIZE - size, "%s", c)
               : size;
}

/* Whether a word has ASCII characters, and no East Asian ones but
 * punctuation. */
static bool is_plain(const struct ctc_character *c, int n)
{
    bool found = false;
    for (int i = 0; i < n; i++) {
        unsigned char first = (unsigned char)c[i].text[0];
        found |= first < 0x80;
        if (first >= 0xE3 && first != 0xEF &&
            strncmp(c[i].text, "\xE3\x80", 2) != 0)
            return false;
    }
    return found;
}

/* Sends the words of a line that was read; `padded` pixels wide, in out. */
static void add_words(struct ocr_onnx *s, const struct image *page,
                      const struct text_box *line, const uint8_t *picture,
                      int width, const struct onnx_array *out, int padded,
                      struct ocr_result *found)
{
    struct ctc_character *c = mem_alloc(CTC_LINE_MAX, sizeof *c);
    struct line_word *word = mem_alloc(CTC_LINE_MAX, sizeof *word);
    int n_step = (int)out->size[1];
    int n =
        ctc_decode(&s->dictionary, out->value, n_step, (int)out->size[2], c);
    int n_word = n > 0 ? line_crop_words(picture, width, LINE,
                                         padded / (double)n_step, c, n, word)
                       : 0;
    for (int i = 0; i < n_word; i++) {
        char text[WORD_SIZE] = "";
        double at[4];
        size_t size = 0;
        bool plain = is_plain(c + word[i].first, word[i].n);
        for (int k = 0; k < word[i].n; k++)
            size = add_character(text, size, c[word[i].first + k].text, plain);
        line_crop_place(line, width, LINE, &word[i], at);
        const struct ocr_place place = {at[0],          at[1],
                                        at[2] - at[0],  at[3] - at[1],
                                        page->width_px, page->height_px};
        /* from 80 on as much worth as Tesseract's confidence
         * (docs/notes/ocr-models.md) */
        ocr_words_add(found, &place, text, 100 * word[i].p);
    }
    mem_free(c);
    mem_free(word);
}

static bool read_line(struct ocr_onnx *s, const struct image *page,
                      const struct text_box *line, struct ocr_result *found)
{
    int width = width_of(line, LINE_MAX_WIDTH);
    int padded = width < LINE_MIN_WIDTH ? LINE_MIN_WIDTH : width;
    struct onnx_array out, in = {NULL, {1, 3, LINE, padded}, 4};
    uint8_t *picture = mem_alloc((size_t)(LINE * width), 1);
    in.value = mem_alloc((size_t)(3 * LINE * padded), sizeof *in.value);
    line_crop_draw(page, line, width, LINE, picture);
    fill_input(picture, width, padded, in.value);
    bool well = onnx_model_run(s->model[READS], &in, &out) && out.rank == 3 &&
                out.size[0] == 1;
    if (well) add_words(s, page, line, picture, width, &out, padded, found);
    mem_free(picture);
    mem_free(in.value);
    mem_free(out.value);
    return well;
}

bool ocr_onnx_read(struct ocr_onnx *s, const struct image *page, int dpi,
                   struct ocr_result *found)
{
    struct text_box *line = NULL;
    *found = (struct ocr_result){.n_word = 0};
    int n = find_lines(s, page, dpi, &line);
    bool well = n >= 0;
    if (n > 0 && s->model[TURNS]) {
        qsort(line, (size_t)n, sizeof *line, compare_lengths);
        turn_lines(s, page, line, n, false);
        turn_lines(s, page, line, n, true);
    }
    found->turns = turns_for(line, n);
    reading_order_sort(line, n, (int)found->turns);
    for (int i = 0; well && i < n; i++)
        well = read_line(s, page, &line[i], found);
    mem_free(line);
    return well;
}
