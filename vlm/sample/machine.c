/* machine.c - see machine.h.
 *
 * WHAT IT IS  The rules of a grammar, run as an automaton over bytes whose
 * stack is the open arrays and objects. Under {"type": "array", "items":
 * {"type": ["integer", "null"]}} the answer [1,null] is processed as
 *
 *     byte   state after it              frame
 *            VALUE                       0
 *     [      LIST_FIRST                  1: array, nothing done
 *     1      NUMBER "1"                  1
 *     ,      VALUE                       2: array, 1 done
 *     n      LITERAL n                   2
 *     ull    LIST_NEXT                   3: array, 2 done
 *     ]      END                         0
 *
 * HOW  No byte ends a number: after "1" the item can be complete or continue.
 * step_state() passes the byte to the number and, if the number can end, also
 * to the states after its end (the LIST_NEXT of a frame with 1 done). Only
 * such bytes are processed twice. If alternatives begin alike ("in" and
 * "into", a literal and a string), several states are alive at once, each with
 * its own frame.
 *
 * WHY SO  Frames are only added, never changed. So a state is plain data that
 * can be copied, states can share enclosing frames, and trying a token is
 * undone by restoring n_frame. Every state that add_state() accepts can be
 * completed: levels are counted before they are opened (fits_depth), texts
 * know the distance to their end (dfa.h), and unique items begin only while
 * values are left (unique_is_open). So there is always a next byte.
 */
#include "vlm/sample/machine.h"

#include <assert.h>

#include "vlm/base/number.h"
#include "vlm/sample/string_value.h"

/* --- unique ---------------------------------------------------------------- */

/* Unique scalar items of an array.
 *
 * Values are compared, not spellings: 1.0 equals 1, and "\u0061" equals "a". A
 * state stays alive while it can become more values than there are earlier
 * items among them.
 */

enum { NUMBER_MOST = 64 };

static bool same_number(const struct machine *m, int start, int end,
                        const struct used *u)
{
    char a[NUMBER_MOST] = {0}, b[NUMBER_MOST] = {0};
    int n = end - start, k = u->end - u->start;
    if (n >= NUMBER_MOST || k >= NUMBER_MOST) return false;
    memcpy(a, m->text + start, (size_t)n);
    memcpy(b, m->text + u->start, (size_t)k);
    return number_compare(a, b) == 0;
}

static bool is_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Is text[start..end) the same value as an earlier item? */
static bool unique_clashes(const struct machine *m, int used, int start,
                           int end)
{
    char kind = m->text[start];
    for (int i = used; i; i = m->used[i].next) {
        const struct used *u = &m->used[i];
        char other = m->text[u->start];
        if (is_number(kind) && is_number(other)) {
            if (same_number(m, start, end, u)) return true;
        } else if (kind != other)
            continue;
        else if (kind == '"') {
            if (string_value_same(string_value(m->text, start, end - 1),
                                  string_value(m->text, u->start, u->end - 1),
                                  false))
                return true;
        } else if (end - start == u->end - u->start &&
                   !memcmp(m->text + start, m->text + u->start,
                           (size_t)(end - start)))
            return true;
    }
    return false;
}

static bool leads_to_literal(const struct machine *m,
                             const struct machine_state *s, int start,
                             const struct used *u)
{
    int n = m->at + 1 - start; /* bytes so far, including the current one */
    if (u->end - u->start < n ||
        memcmp(m->text + start, m->text + u->start, (size_t)n) != 0)
        return false;
    const struct literal *l = m->g->literal;
    int at = s->literal;
    for (int i = u->start + n; i < u->end; i++) {
        at = grammar_literal_child(m->g, at, m->text[i]);
        if (!at) return false;
    }
    return l[at].final;
}

static bool leads_to_number(const struct machine *m,
                            const struct machine_state *s, const struct used *u)
{
    struct decimal_state other = {0};
    for (int i = u->start; i < u->end; i++)
        if (!decimal_step(&s->way->number, &other, m->text[i])) return false;
    return decimal_leads_to(&s->way->number, &s->number,
                            decimal_get(&s->way->number, &other));
}

/* Number of values that the state can still become, at most `most`. */
static int count_open(const struct machine *m, const struct machine_state *s,
                      int most)
{
    if (s->kind == STATE_NUMBER)
        return decimal_left(&s->way->number, &s->number, most);
    if (s->kind == STATE_TEXT)
        return string_state_count(&s->way->text, &s->chars, most);
    int n = m->g->literal[s->literal].n_text;
    return n < most ? n : most;
}

/* Can this state still become an item that differs from all earlier ones? */
static bool unique_is_open(const struct machine *m,
                           const struct machine_state *s)
{
    const struct frame *f = &m->frame[s->frame];
    int n = 0;
    for (int i = f->used; i; i = m->used[i].next) {
        const struct used *u = &m->used[i];
        char other = m->text[u->start];
        if (s->kind == STATE_LITERAL)
            n += leads_to_literal(m, s, f->start, u);
        else if (s->kind == STATE_NUMBER)
            n += is_number(other) && leads_to_number(m, s, u);
        else if (other == '"')
            n += string_value_same(string_value(m->text, f->start, m->at + 1),
                                   string_value(m->text, u->start, u->end - 1),
                                   true);
    }
    return n == 0 || count_open(m, s, n + 1) > n;
}

/* --- machine --------------------------------------------------------------- */

enum { TEXT_CAPACITY_FIRST = 1 << 16 };

void machine_open(struct machine *m, const struct grammar *g)
{
    *m = (struct machine){.g = g};
    m->frame = mem_alloc(MACHINE_FRAME_MAX, sizeof *m->frame);
    if (!g->unique) return;
    m->used = mem_alloc(MACHINE_USED_MAX, sizeof *m->used);
    m->capacity = TEXT_CAPACITY_FIRST;
    m->text = mem_alloc((size_t)m->capacity, 1);
}

void machine_close(struct machine *m)
{
    mem_free(m->frame);
    mem_free(m->used);
    mem_free(m->text);
}

void machine_start(struct machine *m, struct states *s)
{
    m->n_frame = m->n_used = 1;
    m->at = 0;
    s->n = 1;
    s->state[0] =
        (struct machine_state){.kind = STATE_VALUE, .rule = m->g->root};
}

static bool in_unique(const struct machine *m, int frame)
{
    return frame && m->frame[frame].way->kind == WAY_LIST &&
           m->frame[frame].way->list.unique;
}

static bool state_equal(const struct machine_state *a,
                        const struct machine_state *b)
{
    if (a->kind != b->kind || a->frame != b->frame || a->way != b->way)
        return false;
    switch (a->kind) {
    case STATE_VALUE: return a->rule == b->rule;
    case STATE_KEY:
    case STATE_LITERAL: return a->literal == b->literal;
    case STATE_NUMBER:
    case STATE_NAME:
    case STATE_TEXT: return false;
    case STATE_NAME_END:
    case STATE_LIST_FIRST:
    case STATE_LIST_NEXT:
    case STATE_OBJECT_FIRST:
    case STATE_OBJECT_NEXT:
    case STATE_OBJECT_KEY:
    case STATE_END: return true;
    }
    return false;
}

/* Drops states beyond the maximum: the others can be completed. */
static void add_state(const struct machine *m, struct states *to,
                      const struct machine_state *s)
{
    assert(to->n >= 0 && to->n <= MACHINE_STATE_MAX);
    assert(s->frame >= 0 && s->frame < m->n_frame);
    if (to->n == MACHINE_STATE_MAX) return;
    bool lexeme = s->kind == STATE_LITERAL || s->kind == STATE_NUMBER ||
                  s->kind == STATE_TEXT;
    if (lexeme && in_unique(m, s->frame) && !unique_is_open(m, s)) return;
    for (int i = 0; i < to->n; i++)
        if (state_equal(&to->state[i], s)) return;
    to->state[to->n++] = *s;
}

static int frame_new(struct machine *m, struct frame frame)
{
    assert(frame.parent < m->n_frame); /* outer frames are older */
    assert(frame.depth >= 1 && frame.depth <= GRAMMAR_DEPTH_MAX);
    assert(frame.way->kind == WAY_LIST || frame.way->kind == WAY_OBJECT);
    if (m->n_frame == MACHINE_FRAME_MAX) return 0;
    m->frame[m->n_frame] = frame;
    return m->n_frame++;
}

void machine_value_done(struct machine *m, int frame, int end,
                        struct states *to)
{
    if (!frame) {
        add_state(m, to, &(struct machine_state){.kind = STATE_END});
        return;
    }
    assert(frame > 0 && frame < m->n_frame);
    struct frame f = m->frame[frame];
    struct machine_state s = {.kind = STATE_OBJECT_NEXT};
    if (f.way->kind == WAY_LIST) {
        s.kind = STATE_LIST_NEXT;
        f.n_done++;
        /* arrays and objects are left to the validator, unless they are listed
         * values */
        bool compared = f.way->list.unique &&
                        ((m->text[f.start] != '{' && m->text[f.start] != '[') ||
                         m->g->rule[f.way->list.item].leaf);
        if (compared) {
            if (unique_clashes(m, f.used, f.start, end) ||
                m->n_used == MACHINE_USED_MAX)
                return;
            m->used[m->n_used] = (struct used){f.used, f.start, end, 0};
            f.used = m->n_used++;
        }
    } else {
        int n = f.way->object.n_member;
        f.n_done = f.member < n ? f.member + 1 : n;
        f.n_member++;
    }
    s.frame = frame_new(m, f);
    if (s.frame) add_state(m, to, &s);
}

/* Are `height` more levels of nesting allowed inside `frame`? */
static bool fits_depth(const struct machine *m, int height, int frame)
{
    int depth = frame ? m->frame[frame].depth : 0;
    return depth + height <= GRAMMAR_DEPTH_MAX;
}

static void literal_step(struct machine *m, const struct machine_state *s,
                         unsigned char byte, struct states *to)
{
    const struct literal *l = m->g->literal;
    int child = grammar_literal_child(m->g, s->literal, (char)byte);
    if (!child) return;
    if (l[child].final && !l[child].child) {
        machine_value_done(m, s->frame, m->at + 1, to);
        return;
    }
    struct machine_state next = *s;
    next.kind = STATE_LITERAL;
    next.literal = child;
    add_state(m, to, &next);
}

static void number_step(struct machine *m, const struct machine_state *s,
                        unsigned char byte, struct states *to)
{
    struct machine_state next = *s;
    next.kind = STATE_NUMBER;
    if (!decimal_step(&s->way->number, &next.number, (char)byte)) return;
    add_state(m, to, &next);
}

static void open_frame(struct machine *m, const struct machine_state *s,
                       const struct way *way, struct states *to)
{
    if (!fits_depth(m, way->height, s->frame)) return;
    int depth = s->frame ? m->frame[s->frame].depth : 0;
    struct machine_state next = {
        .kind = way->kind == WAY_LIST ? STATE_LIST_FIRST : STATE_OBJECT_FIRST};
    next.frame = frame_new(
        m, (struct frame){.way = way, .parent = s->frame, .depth = depth + 1});
    if (next.frame) add_state(m, to, &next);
}

static void value_step(struct machine *m, const struct machine_state *at,
                       unsigned char byte, struct states *to)
{
    const struct rule *rule = &m->g->rule[at->rule];
    struct machine_state s = {.frame = at->frame};
    if (in_unique(m, s.frame)) {
        struct frame f = m->frame[s.frame];
        f.start = m->at;
        s.frame = frame_new(m, f);
        if (!s.frame) return;
    }
    for (int i = 0; i < rule->n_way; i++) {
        const struct way *way = &rule->way[i];
        struct machine_state next = s;
        next.way = way;
        switch (way->kind) {
        case WAY_LITERAL:
            next.literal = way->literal;
            literal_step(m, &next, byte, to);
            break;
        case WAY_NUMBER:
            next.number = (struct decimal_state){0};
            number_step(m, &next, byte, to);
            break;
        case WAY_TEXT:
            if (byte != '"') break;
            next.kind = STATE_TEXT;
            string_state_start(&way->text, &next.chars);
            add_state(m, to, &next);
            break;
        case WAY_LIST:
            if (byte == '[') open_frame(m, &s, way, to);
            break;
        case WAY_OBJECT:
            if (byte == '{') open_frame(m, &s, way, to);
            break;
        }
    }
}

/* Steps through a key; after its colon the value begins. */
static void key_step(struct machine *m, const struct machine_state *s,
                     unsigned char byte, struct states *to)
{
    const struct literal *l = m->g->literal;
    int child = grammar_literal_child(m->g, s->literal, (char)byte);
    if (!child || !fits_depth(m, l[child].height, s->frame)) return;
    struct machine_state next = {.kind = STATE_KEY, .frame = s->frame};
    next.literal = child;
    if (l[child].final) {
        struct frame f = m->frame[s->frame];
        f.member = l[child].value;
        next.kind = STATE_VALUE;
        next.rule = f.way->object.member[f.member].rule;
        next.frame = frame_new(m, f);
        if (!next.frame) return;
    }
    add_state(m, to, &next);
}

/* The rule of the next item, or -1 if there can be none. */
static int next_item(const struct machine *m, int frame)
{
    const struct frame *f = &m->frame[frame];
    const struct list_rule *l = &f->way->list;
    assert(f->way->kind == WAY_LIST && f->n_done <= l->n_max);
    if (f->n_done >= l->n_max) return -1;
    int rule = grammar_item(l, f->n_done);
    return rule >= 0 && fits_depth(m, m->g->rule[rule].height, frame) ? rule
                                                                      : -1;
}

static void list_step(struct machine *m, const struct machine_state *s,
                      unsigned char byte, struct states *to)
{
    const struct frame *f = &m->frame[s->frame];
    if (byte == ']') {
        if (f->n_done >= f->way->list.n_min)
            machine_value_done(m, f->parent, m->at + 1, to);
        return;
    }
    struct machine_state value = {.kind = STATE_VALUE, .frame = s->frame};
    value.rule = next_item(m, s->frame);
    if (value.rule < 0) return;
    if (s->kind == STATE_LIST_FIRST)
        value_step(m, &value, byte, to);
    else if (byte == ',')
        add_state(m, to, &value);
}

/* Can a member of name rule i come next? */
static bool can_add_name(const struct machine *m, int frame, int i)
{
    const struct frame *f = &m->frame[frame];
    const struct object_rule *o = &f->way->object;
    return i < o->n_name && o->may_close[f->n_done] &&
           f->n_member < o->n_most &&
           fits_depth(m, m->g->rule[o->name[i].rule].height, frame) &&
           member_names_can_begin(m, frame, i);
}

/* Steps over the opening quote of a free name. */
static void open_names(struct machine *m, const struct machine_state *s,
                       struct states *to)
{
    struct frame f = m->frame[s->frame];
    const struct object_rule *o = &f.way->object;
    f.start = m->at;
    for (int i = 0; i < o->n_name; i++) {
        if (!can_add_name(m, s->frame, i)) continue;
        struct machine_state next = {.kind = STATE_NAME, .name = i};
        next.clear = !f.used && !o->name[i].taken;
        f.member = o->n_member + i;
        next.frame = frame_new(m, f);
        string_state_start(&o->name[i].text, &next.chars);
        if (next.frame) add_state(m, to, &next);
    }
}

void machine_name_done(struct machine *m, const struct machine_state *s,
                       struct states *to)
{
    struct frame f = m->frame[s->frame];
    if (!member_names_add(m, &f, s->name, m->at + 1)) return;
    struct machine_state next = {.kind = STATE_NAME_END, .name = s->name};
    next.frame = frame_new(m, f);
    if (next.frame) add_state(m, to, &next);
}

/* Steps through a name; after its colon the value begins. */
static void name_step(struct machine *m, const struct machine_state *s,
                      unsigned char byte, struct states *to)
{
    struct machine_state next = *s;
    const struct name_rule *r = member_names_rule(m, s->frame, s->name);
    if (s->kind == STATE_NAME_END) {
        next = (struct machine_state){
            .kind = STATE_VALUE, .frame = s->frame, .rule = r->rule};
        if (byte == ':') add_state(m, to, &next);
    } else if (byte != '"' || s->chars.part != STRING_STATE_WHOLE) {
        if (string_state_step(&r->text, &next.chars, byte) &&
            member_names_can_continue(m, &next))
            add_state(m, to, &next);
    } else if (!m->sealed && string_state_may_close(&r->text, &s->chars))
        machine_name_done(m, s, to);
}

static bool may_close(const struct frame *f)
{
    const struct object_rule *o = &f->way->object;
    return o->may_close[f->n_done] &&
           (o->n_name == 0 || f->n_member >= o->n_least);
}

static void object_step(struct machine *m, const struct machine_state *s,
                        unsigned char byte, struct states *to)
{
    const struct frame *f = &m->frame[s->frame];
    const struct object_rule *o = &f->way->object;
    assert(f->way->kind == WAY_OBJECT && f->n_done <= o->n_member);
    if (byte == '}') {
        if (s->kind != STATE_OBJECT_KEY && may_close(f))
            machine_value_done(m, f->parent, m->at + 1, to);
        return;
    }
    int keys = o->keys[f->n_done];
    if (keys && !fits_depth(m, m->g->literal[keys].height, s->frame)) keys = 0;
    struct machine_state next = {.kind = STATE_OBJECT_KEY, .frame = s->frame};
    if (s->kind == STATE_OBJECT_NEXT) {
        int i = 0;
        while (byte == ',' && !keys && i < o->n_name &&
               !can_add_name(m, s->frame, i))
            i++;
        if (byte == ',' && (keys || i < o->n_name)) add_state(m, to, &next);
        return;
    }
    next.literal = keys;
    if (keys) key_step(m, &next, byte, to);
    if (byte == '"') open_names(m, s, to);
}

static bool literal_may_end(const struct machine *m,
                            const struct machine_state *s)
{
    return s->kind == STATE_LITERAL && m->g->literal[s->literal].final;
}

static bool number_may_end(const struct machine_state *s)
{
    return s->kind == STATE_NUMBER &&
           decimal_may_end(&s->way->number, &s->number);
}

static void step_state(struct machine *m, const struct machine_state *s,
                       unsigned char byte, struct states *to)
{
    switch (s->kind) {
    case STATE_VALUE: value_step(m, s, byte, to); break;
    case STATE_LIST_FIRST:
    case STATE_LIST_NEXT: list_step(m, s, byte, to); break;
    case STATE_OBJECT_FIRST:
    case STATE_OBJECT_NEXT:
    case STATE_OBJECT_KEY: object_step(m, s, byte, to); break;
    case STATE_KEY: key_step(m, s, byte, to); break;
    case STATE_NAME:
    case STATE_NAME_END: name_step(m, s, byte, to); break;
    case STATE_LITERAL: literal_step(m, s, byte, to); break;
    case STATE_NUMBER: number_step(m, s, byte, to); break;
    case STATE_END: break;
    case STATE_TEXT: {
        if (byte == '"' && s->chars.part == STRING_STATE_WHOLE) {
            if (string_state_may_close(&s->way->text, &s->chars))
                machine_value_done(m, s->frame, m->at + 1, to);
            break;
        }
        struct machine_state next = *s;
        if (string_state_step(&s->way->text, &next.chars, byte))
            add_state(m, to, &next);
        break;
    }
    }
    /* a number ends with the byte after it */
    if (!s->frame || !(literal_may_end(m, s) || number_may_end(s))) return;
    struct states after; /* not zeroed: this is the innermost loop */
    after.n = 0;
    machine_value_done(m, s->frame, m->at, &after);
    for (int i = 0; i < after.n; i++)
        step_state(m, &after.state[i], byte, to);
}

void machine_step(struct machine *m, const struct states *from,
                  unsigned char byte, struct states *to)
{
    assert(from != to && from->n >= 0 && from->n <= MACHINE_STATE_MAX);
    assert(m->n_frame >= 1 && m->n_frame <= MACHINE_FRAME_MAX);
    assert(m->at >= 0 && (!m->g->unique || m->text));
    to->n = 0;
    if (m->text) {
        if (m->at + 1 >= m->capacity) {
            m->capacity *= 2;
            m->text = mem_grow(m->text, (size_t)m->capacity, 1);
        }
        m->text[m->at] = (char)byte;
    }
    for (int i = 0; i < from->n; i++)
        step_state(m, &from->state[i], byte, to);
    m->at++;
}

bool machine_may_end(const struct machine *m, const struct states *s)
{
    for (int i = 0; i < s->n; i++) {
        const struct machine_state *at = &s->state[i];
        if (at->kind == STATE_END) return true;
        if (at->frame == 0 && (literal_may_end(m, at) || number_may_end(at)))
            return true;
    }
    return false;
}

bool machine_must_end(const struct states *s)
{
    for (int i = 0; i < s->n; i++) {
        const struct machine_state *at = &s->state[i];
        if (at->kind == STATE_END) continue;
        if (at->frame != 0 || at->kind != STATE_NUMBER ||
            !decimal_must_end(&at->way->number, &at->number))
            return false;
    }
    return s->n > 0;
}

/* Copies the chain of `frame` to the end of m->frame, outermost first. */
static int copy_chain(struct machine *m, int frame)
{
    if (!frame) return 0;
    struct frame f = m->frame[frame];
    f.parent = copy_chain(m, f.parent);
    return frame_new(m, f);
}

void machine_compact(struct machine *m, struct states *s)
{
    int kept = m->n_frame;
    if (kept < MACHINE_FRAME_MAX / 4) return;
    for (int i = 0; i < s->n; i++)
        s->state[i].frame = copy_chain(m, s->state[i].frame);
    int n = m->n_frame - kept;
    for (int i = 0; i < n; i++) {
        m->frame[1 + i] = m->frame[kept + i];
        if (m->frame[1 + i].parent) m->frame[1 + i].parent -= kept - 1;
    }
    for (int i = 0; i < s->n; i++)
        if (s->state[i].frame) s->state[i].frame -= kept - 1;
    m->n_frame = 1 + n;
}
