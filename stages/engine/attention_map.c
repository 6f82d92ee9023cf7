/* attention_map.c - see attention_map.h.
 *
 * For each token of a value the cell with the most attention of all heads
 * together is kept; everything else is computed when the answer is complete.
 */
#include "stages/engine/attention_map.h"

#include <stdlib.h>
#include <string.h>

#include "stages/page/attended_print.h"
#include "stages/page/prepare.h"
#include "stages/print/text_lines.h"
#include "vlm/base/arena.h"
#include "vlm/vlm.h"

/* A page as shown to the model. */
struct look_page {
    const struct page *page;
    double top, height; /* of the image, in 0..1 of the prepared page */
    const struct text_lines *lines; /* of the deskewed page */
};

/* A token of a value. */
struct look_token {
    int value;       /* index of the answer's value */
    int page;        /* index of the page shown; -1: it attended to text */
    int n_char;      /* characters of the value in the token */
    struct box cell; /* in 0..1 of the image */
    double weight;
};

struct attention_map {
    struct vlm_session *session;
    struct arena *arena; /* for one question */
    struct look_page *shown;
    int n_shown, room_shown;
    struct look_token *token;
    int n_token, room_token;
    struct buf pointer; /* of the last token's value */
    int n_value;
};

enum { POINTER_MOST = 1 << 16 };

/* The number of characters that begin in the token. */
static int n_char_of(struct span text)
{
    int n = 0;
    for (size_t i = 0; i < text.size; i++)
        n += ((unsigned)text.data[i] & 0xc0) != 0x80;
    return n;
}

/* Finds the page and cell with the most attention of all heads together. */
static void find_cell(const struct vlm_attention *attention,
                      struct look_token *t)
{
    double best = 0;
    t->page = -1;
    for (int p = 0; p < attention->n_picture; p++) {
        const struct vlm_picture *picture = &attention->picture[p];
        for (int i = 0; i < picture->n_y * picture->n_x; i++) {
            double sum = 0;
            for (int h = 0; h < attention->n_head; h++)
                sum += (double)attention
                           ->weight[h * attention->n_key + picture->first + i];
            if (sum <= best) continue;
            double w = 1.0 / picture->n_x, h = 1.0 / picture->n_y;
            best = sum;
            t->page = p;
            t->cell = (struct box){i % picture->n_x * w,
                                   (double)(i / picture->n_x) * h, w, h};
        }
    }
    t->weight = best / attention->n_head;
}

static void record_token(void *arg, const struct vlm_attention *attention)
{
    struct attention_map *l = arg;
    struct span pointer = span_of(attention->pointer);
    int n_char = n_char_of(attention->text);
    if (!l->n_value || !span_equal(buf_span(&l->pointer), pointer)) {
        buf_cut(&l->pointer, 0);
        buf_add(&l->pointer, pointer.data, pointer.size);
        l->n_value++;
    }
    if (l->n_token == l->room_token) {
        l->room_token = 2 * l->room_token + 1024;
        l->token = mem_grow(l->token, (size_t)l->room_token, sizeof *l->token);
    }
    struct look_token *t = &l->token[l->n_token++];
    *t = (struct look_token){.value = l->n_value - 1, .n_char = n_char};
    find_cell(attention, t);
}

struct attention_map *attention_map_new(struct vlm_session *s,
                                        const struct retrieval_heads *heads)
{
    struct vlm_head head[RETRIEVAL_HEADS_MAX];
    if (!s || !heads->n_head) return NULL;
    struct attention_map *l = mem_alloc(1, sizeof *l);
    l->arena = arena_new();
    l->pointer = buf_limit(POINTER_MOST);
    for (int i = 0; i < heads->n_head; i++)
        head[i] = (struct vlm_head){heads->head[i].layer, heads->head[i].head};
    vlm_probe_heads(s, head, heads->n_head, record_token, l);
    return l;
}

void attention_map_free(struct attention_map *l)
{
    if (!l) return;
    buf_free(&l->pointer);
    mem_free(l->token);
    mem_free(l->shown);
    arena_free(l->arena);
    mem_free(l);
}

void attention_map_begin(struct attention_map *l)
{
    if (!l) return;
    l->n_shown = 0;
    attention_map_answer(l);
    arena_reset(l->arena);
}

void attention_map_answer(struct attention_map *l)
{
    if (!l) return;
    l->n_token = l->n_value = 0;
    buf_cut(&l->pointer, 0);
}

void attention_map_page(struct attention_map *l, const struct view *view,
                        const struct err *err)
{
    static const struct text_lines no_lines = {.n_line = 0};
    if (err_failed(err) || !l) return;
    if (l->n_shown == l->room_shown) {
        l->room_shown = 2 * l->room_shown + 4;
        l->shown = mem_grow(l->shown, (size_t)l->room_shown, sizeof *l->shown);
    }
    struct look_page *s = &l->shown[l->n_shown++];
    *s = (struct look_page){.page = view->page,
                            .top = view->top,
                            .height = (double)view->image->height_px /
                                      view->page->fitted_height_px,
                            .lines = view->lines ? view->lines : &no_lines};
}

/* Maps a box of the image to the deskewed page. */
static struct box straight_of(const struct look_page *s, struct box box)
{
    box.y = s->top + box.y * s->height;
    box.h *= s->height;
    return prepare_to_straight(s->page, box);
}

/* Maps a box of the deskewed page to the page as displayed. */
static struct field_place display_place(const struct look_page *s,
                                        struct box box)
{
    return (struct field_place){s->page->number,
                                prepare_straight_to_page(s->page, box), 1};
}

static int heaviest_first(const void *a, const void *b)
{
    const struct field_place *one = a, *two = b;
    return (one->weight < two->weight) - (one->weight > two->weight);
}

/* The cells of tokens first .. first + n - 1, each once, with weights added
 * up. */
static void fill_look(const struct attention_map *l,
                      const struct look_token *token, int n,
                      struct arena *arena, struct field_look *out)
{
    struct field_place *look = arena_array(arena, (size_t)n, sizeof *look);
    int *of = arena_array(arena, (size_t)n, sizeof *of), n_look = 0;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        int at = 0;
        if (token[i].page < 0 || token[i].page >= l->n_shown) continue;
        while (at < n_look && (token[of[at]].page != token[i].page ||
                               memcmp(&token[of[at]].cell, &token[i].cell,
                                      sizeof token[i].cell) != 0))
            at++;
        if (at == n_look) {
            const struct look_page *page = &l->shown[token[i].page];
            look[at] = display_place(page, straight_of(page, token[i].cell));
            look[at].weight = 0;
            of[n_look++] = i;
        }
        look[at].weight += token[i].weight;
        sum += token[i].weight;
    }
    for (int i = 0; i < n_look; i++)
        look[i].weight /= sum;
    qsort(look, (size_t)n_look, sizeof *look, heaviest_first);
    out->place = look;
    out->n_place = n_look;
}

/* The page with most of the value's tokens, or -1. */
static int main_page(const struct attention_map *l,
                     const struct look_token *token, int n)
{
    int page = -1;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            if (token[k].page == token[i].page) sum += token[k].weight;
        if (token[i].page < 0 || token[i].page >= l->n_shown || sum <= most)
            continue;
        most = sum;
        page = token[i].page;
    }
    return page;
}

/* A value's tokens on page `page` for attended_print. */
static struct ink_value ink_value_of(const struct attention_map *l,
                                     const struct look_token *token, int n,
                                     int page, const char *pointer,
                                     struct arena *arena)
{
    struct ink_token *own = arena_array(arena, (size_t)n, sizeof *own);
    struct ink_value v = {.pointer = pointer, .token = own};
    for (int i = 0; i < n; i++)
        if (token[i].page == page)
            own[v.n_token++] = (struct ink_token){
                straight_of(&l->shown[page], token[i].cell), token[i].n_char};
    return v;
}

/* Sets the ink of fields on `page`; field i has tokens first[i] .. first[i + 1]
 * - 1. */
static void fill_ink(const struct attention_map *l, struct document *doc,
                     const int *first, int page, struct arena *arena)
{
    size_t n = (size_t)doc->n_field;
    struct ink_value *value = arena_array(arena, n, sizeof *value);
    int *of = arena_array(arena, n, sizeof *of), n_value = 0;
    for (int i = 0; i < doc->n_field; i++) {
        const struct look_token *token = l->token + first[i];
        int n_token = first[i + 1] - first[i];
        if (n_token == 0 || main_page(l, token, n_token) != page) continue;
        of[n_value] = i;
        value[n_value++] =
            ink_value_of(l, token, n_token, page, doc->field[i].pointer, arena);
    }
    attended_print(l->shown[page].lines, value, n_value, arena);
    for (int i = 0; i < n_value; i++)
        if (value[i].box.w > 0)
            doc->look[of[i]].ink = display_place(&l->shown[page], value[i].box);
}

void attention_map_fields(struct attention_map *l, struct document *doc)
{
    doc->look = NULL;
    if (!l || doc->n_field == 0) return;
    doc->look =
        arena_array(doc->scratch, (size_t)doc->n_field, sizeof *doc->look);
    struct arena *arena = arena_new();
    int *first = arena_array(arena, (size_t)doc->n_field + 1, sizeof *first);
    for (int i = 0, at = 0; i <= doc->n_field; i++) {
        while (at < l->n_token && l->token[at].value < i)
            at++;
        first[i] = at;
    }
    for (int i = 0; i < doc->n_field; i++)
        fill_look(l, l->token + first[i], first[i + 1] - first[i], doc->scratch,
                  &doc->look[i]);
    for (int page = 0; page < l->n_shown; page++)
        fill_ink(l, doc, first, page, arena);
    arena_free(arena);
}
