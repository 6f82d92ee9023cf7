/* checks_inside.h - types shared by checks.c and checks_read.c. */
#ifndef STAGES_CONFIDENCE_CHECKS_INSIDE_H
#define STAGES_CONFIDENCE_CHECKS_INSIDE_H

#include "stages/confidence/checks.h"
#include "vlm/base/exact_sum.h"

enum { TERM_MAX = 16, CHECK_MAX = 64, BROKEN_MAX = 32 };

enum check_kind { CHECK_SUM, CHECK_PRODUCT, CHECK_RUNNING };

/* A pointer in which a token can be a star. */
struct term {
    const char *pointer;
    const char *name;  /* last token of the pointer, for people */
    size_t array_size; /* bytes before the first star; 0: no star */
    bool minus, optional;
};

/* A sum, or unknown because a value is missing or too large. */
struct tally {
    struct exact_sum sum;
    bool unknown;
    long long n_added;
};

/* Places where a check is broken, and how often it could be calculated. */
struct broken_list {
    struct checks_broken at[BROKEN_MAX];
    long long n_broken, n_asked, n_unknown;
};

/* State of a running balance. Both orders of the rows are followed. */
struct running {
    struct exact_sum balance; /* last known balance */
    bool is_known, is_begun;
    struct tally first; /* sum since that balance if the oldest row is first:
                         * without the balance's row, with the current one */
    struct tally last;  /* the same if the oldest row is last: with the
                         * balance's row, without the current one */
    struct tally row;   /* sum of the current row */
    const char *place;  /* pointer of that balance */
    const char *other;  /* pointer of the balance compared with it, or NULL */
    struct broken_list when_last; /* broken places if the oldest row is last */
};

struct sum_check {
    enum check_kind kind;
    struct term term[TERM_MAX], equals, from;
    int n_term;
    struct exact_sum tolerance;
    struct tally tally;
    struct running running;
    struct broken_list broken;
};

struct checks {
    const struct schema *schema;
    struct arena *arena;
    struct arena *texts; /* for one run */
    struct sum_check check[CHECK_MAX];
    int n_check;
    const cJSON *value; /* value of the current run */
};

/* Index of the pointer's first star; 0: it has none. */
size_t checks_inside_star(const char *pointer);

/* Are both in rows of the same array, or both in none? */
bool checks_inside_same_array(const struct term *a, const struct term *b);

#endif
