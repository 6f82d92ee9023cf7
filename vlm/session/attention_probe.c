/* attention_probe.c - where heads look among a sequence's pictures (vlm.h).
 *
 * What is noted is the attention of the last token that was read, and of those
 * before it behind which the answer was guessed: it says from where the next one
 * is copied. A pass is asked for it only while heads are
 * watched and pictures stand in the sequence.
 */
#include <string.h>

#include "vlm/session/vlm_inside.h"

/* Keys from the first cell of the first picture to the last of the last. */
static int n_key(const struct vlm_session *s)
{
    if (!s->n_picture) return 0;
    const struct vlm_picture *last = &s->picture[s->n_picture - 1];
    return last->first + last->n_y * last->n_x;
}

/* Room for a gaze, taken before answers are written. */
static void take_room(struct vlm_session *s)
{
    size_t n = VLM_AHEAD_MAX * (size_t)s->look.n_head * (size_t)n_key(s);
    if (n <= s->room_look) return;
    s->look.weight = mem_grow(s->look.weight, n, sizeof *s->look.weight);
    s->room_look = n;
    s->looked_at = 0;
}

void attention_probe_picture(struct vlm_session *s, int first, int n_y, int n_x)
{
    if (s->n_picture == s->room_picture) {
        s->room_picture = 2 * s->room_picture + 4;
        s->picture =
            mem_grow(s->picture, (size_t)s->room_picture, sizeof *s->picture);
    }
    if (!s->n_picture) s->picture_at = first;
    s->picture[s->n_picture++] =
        (struct vlm_picture){first - s->picture_at, n_y, n_x};
    s->looked_at = 0;
    take_room(s);
}

void attention_probe_rewind(struct vlm_session *s)
{
    while (s->n_picture && s->picture_at + n_key(s) > s->state->n_past)
        s->n_picture--;
    s->looked_at = 0;
}

void attention_probe_fork(struct vlm_session *to,
                          const struct vlm_session *from)
{
    to->n_picture = 0;
    for (int i = 0; i < from->n_picture; i++)
        attention_probe_picture(to, from->picture_at + from->picture[i].first,
                                from->picture[i].n_y, from->picture[i].n_x);
    to->looked_at = 0;
}

void attention_probe_close(struct vlm_session *s)
{
    mem_free(s->picture);
    mem_free(s->look.weight);
    mem_free((void *)s->look.head);
}

void vlm_watch_heads(struct vlm_session *s, const struct vlm_head *head,
                     int n_head, vlm_gaze_fn *fn, void *arg)
{
    mem_free((void *)s->look.head);
    s->look.head = NULL;
    s->look.n_head = n_head;
    s->gaze = fn;
    s->gaze_arg = arg;
    s->looked_at = 0;
    if (!n_head) return;
    struct device_head *copy = mem_alloc((size_t)n_head, sizeof *copy);
    for (int i = 0; i < n_head; i++)
        copy[i] = (struct device_head){head[i].layer, head[i].head};
    s->look.head = copy;
    take_room(s);
}

const struct device_attention *attention_probe_ask(struct vlm_session *s, int n)
{
    if (!s->look.n_head || !s->n_picture) return NULL;
    s->look.from = n - 1 - s->n_ahead;
    s->look_ahead = s->n_ahead;
    s->look.first = s->picture_at;
    s->look.n_key = n_key(s);
    s->looked_at = s->state->n_past + n;
    return &s->look;
}

bool attention_probe_last(const struct vlm_session *s, struct vlm_gaze *gaze)
{
    *gaze = (struct vlm_gaze){.n_head = 0};
    if (!s->looked_at || s->looked_at != s->state->n_past || s->n_pending)
        return false;
    gaze->n_head = s->look.n_head;
    gaze->n_key = s->look.n_key;
    gaze->weight = s->look.weight + (size_t)(s->look_ahead - s->n_ahead) *
                                        (size_t)s->look.n_head *
                                        (size_t)s->look.n_key;
    gaze->picture = s->picture;
    gaze->n_picture = s->n_picture;
    return true;
}

void attention_probe_report(const struct vlm_session *s, const char *pointer,
                            struct span text)
{
    struct vlm_gaze gaze;
    if (!s->gaze || !attention_probe_last(s, &gaze)) return;
    gaze.pointer = pointer;
    gaze.text = text;
    s->gaze(s->gaze_arg, &gaze);
}
