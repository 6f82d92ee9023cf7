/* member_names.c - members of free names: no name is written twice, and none
 * that the schema lists; see machine.h.
 *
 * Values are compared, not spellings: "\u0061" equals "a". While a taken name
 * begins like the present text, the name continues only if it can become more
 * names than are taken (`clear`: no taken name begins like it).
 */
#include "vlm/sample/machine.h"

#include "vlm/base/fnv.h"
#include "vlm/sample/string_value.h"

enum { NAME_BYTES = 4 * GRAMMAR_NAME_MAX + 1 };

const struct name_rule *member_names_rule(const struct machine *m, int frame,
                                          int i)
{
    return &m->frame[frame].way->object.name[i];
}

static struct string_value used_name(const struct machine *m, int used)
{
    return string_value(m->text, m->used[used].start, m->used[used].end - 1);
}

static size_t copy_name(struct string_value name, char out[static NAME_BYTES])
{
    size_t n = 0;
    for (int c; n < NAME_BYTES - 1 && (c = string_value_next(&name)) >= 0;)
        out[n++] = (char)c;
    out[n] = '\0';
    return n;
}

/* The node of the trie at which the name ends; 0: none. */
static int taken_at(const struct grammar *g, int root, struct string_value name)
{
    int at = root;
    for (int c; at && (c = string_value_next(&name)) >= 0;)
        at = grammar_literal_child(g, at, (char)c);
    return at;
}

/* Number of taken names of the rule that begin with `start`. */
static int count_taken(const struct machine *m, int frame,
                       const struct name_rule *r, struct string_value start)
{
    int at = taken_at(m->g, r->taken, start);
    int n = at ? m->g->literal[at].n_text : 0;
    for (int i = m->frame[frame].used; i; i = m->used[i].next) {
        char name[NAME_BYTES];
        if (!string_value_same(start, used_name(m, i), true)) continue;
        copy_name(used_name(m, i), name);
        n += grammar_text_has(&r->text, name);
    }
    return n;
}

bool member_names_can_continue(const struct machine *m, struct machine_state *s)
{
    const struct name_rule *r = member_names_rule(m, s->frame, s->name);
    if (s->clear) return true;
    int n =
        count_taken(m, s->frame, r,
                    string_value(m->text, m->frame[s->frame].start, m->at + 1));
    s->clear = n == 0;
    return n == 0 || string_state_count(&r->text, &s->chars, n + 1) > n;
}

bool member_names_can_begin(const struct machine *m, int frame, int name)
{
    const struct name_rule *r = member_names_rule(m, frame, name);
    struct string_state chars;
    string_state_start(&r->text, &chars);
    int n = count_taken(m, frame, r, string_value(m->text, 0, 0));
    return string_state_count(&r->text, &chars, n + 1) > n;
}

bool member_names_add(struct machine *m, struct frame *f, int name, int end)
{
    const struct name_rule *r = &f->way->object.name[name];
    struct string_value text = string_value(m->text, f->start, end - 1);
    int at = taken_at(m->g, r->taken, text);
    if ((at && m->g->literal[at].final) || m->n_used == MACHINE_USED_MAX)
        return false;
    for (int i = f->used; i; i = m->used[i].next)
        if (string_value_same(text, used_name(m, i), false)) return false;
    char bytes[NAME_BYTES];
    size_t n = copy_name(text, bytes);
    uint64_t hash =
        fnv_bytes(f->used ? m->used[f->used].hash : FNV_START, bytes, n);
    m->used[m->n_used] =
        (struct used){f->used, f->start, end, fnv_add(hash, n)};
    f->used = m->n_used++;
    return true;
}

void member_names_pointer(const struct machine *m, int used,
                          void (*add)(struct buf *out, const char *key),
                          struct buf *out)
{
    char bytes[NAME_BYTES];
    copy_name(used_name(m, used), bytes);
    add(out, bytes);
}
