/* checks_inside.h - what the files of checks.h share. */
#ifndef STAGES_CONFIDENCE_CHECKS_INSIDE_H
#define STAGES_CONFIDENCE_CHECKS_INSIDE_H

#include "stages/confidence/checks.h"
#include "vlm/base/exact_sum.h"

enum { TERM_MAX = 16, CHECK_MAX = 64, BROKEN_MAX = 32 };

enum check_kind { CHECK_SUM, CHECK_PRODUCT, CHECK_RUNNING };

/* A pointer in which a token may be a star. */
struct term {
    const char *pointer;
    const char *name;  /* its last token, for people */
    size_t array_size; /* bytes before its first star; 0: it has none */
    bool minus, optional;
};

/* A sum that may have become unknown. */
struct tally {
    struct exact_sum sum;
    bool unknown;
    long long n_added;
};

/* Places where a check is broken, and how often it could be asked. */
struct broken_list {
    struct checks_broken at[BROKEN_MAX];
    long long n_broken, n_asked, n_unknown;
};

/* Balances: what was added since the last one that is known, with the row of
 * that balance and without the last row (the oldest stands last), or without it
 * and with the last (the oldest stands first). */
struct running {
    struct exact_sum balance;
    bool is_known, is_begun;
    struct tally first, last, row;
    const char *place; /* of that balance */
    const char *other; /* the balance that one is held against, or NULL */
    struct broken_list when_last;
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
    struct arena *arena, *texts; /* texts: of one run */
    struct sum_check check[CHECK_MAX];
    int n_check;
    const cJSON *value; /* of the run */
};

/* Bytes of the pointer before its first star, and one; 0: it has none. */
size_t checks_inside_star(const char *pointer);

/* Do the two stand in rows of the same array, or both in none? */
bool checks_inside_same_array(const struct term *a, const struct term *b);

#endif
