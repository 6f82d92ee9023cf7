/* table_columns.h - a table that was found, and the keys of its columns
 * (words_inside.h).
 */
#ifndef STAGES_WORDS_TABLE_COLUMNS_H
#define STAGES_WORDS_TABLE_COLUMNS_H

#include "stages/words/words_inside.h"

enum { HEADS_MOST = 24, MORE_LINES = 2 };

struct table_head {
    double left, right;
    double from,
        to; /* edges of its cells; those of the head if nothing tells */
    struct label_words words;
    struct label_words line[2]; /* of a heading in two languages: of each */
    int slot;                   /* that its column is, or -1 */
    int also;             /* a second one: the unit in "Quantity UoM"; or -1 */
    enum words_reason by; /* head, order or shape */
    bool debit;           /* its numbers are negative: what is paid out */
    int first;            /* its first token; -1: a column without a head */
    struct folded text;   /* of the cell that begins there */
    bool stopped;         /* that ends with a full stop: "Amt." */
    int class;        /* of most cells on the lines below; 0: there are none */
    bool has_amounts; /* most cells on the lines below are */
    bool has_units;   /* most are a number and a word behind it */
    bool
        has_rates; /* most have percent signs, or the head and they are numbers */
    int n_date;    /* rows with a date and its year in the column */
};

struct table_cell {
    int first, last;  /* its tokens; first -1: empty */
    const char *more; /* text of the lines that continue it, or NULL */
};

struct table_row {
    struct table_cell cell[HEADS_MOST];
    int line;
    struct table_cell more[MORE_LINES]; /* the first lines that continue it */
};

struct found_table {
    struct table_head head[HEADS_MOST];
    int n_head, first, last; /* first, last: lines of the heading */
    double fit;
    struct table_row *row;
    int n_row;
};

/* The head of the slot, or -1. */
int table_columns_head_of(const struct found_table *f, int slot);

/* Classes of cells and slots. */
enum { CLASS_TEXT = 1, CLASS_NUMBER, CLASS_DATE };
int table_columns_class_of_slot(const struct leaf_slot *s);

/* The class of most cells of the column; 0: it is empty. */
int table_columns_class(const struct words_reading *r,
                        const struct found_table *f, int head);

/* Whether most of its cells are amounts. */
bool table_columns_has_amounts(const struct words_reading *r,
                               const struct found_table *f, int head);

/* Whether most cells of the column have percent signs, or are numbers below one. */
bool table_columns_has_rates(const struct words_reading *r,
                             const struct found_table *f, int head);

/* Whether most cells of the column are a number and a word behind it: "50 pcs". */
bool table_columns_has_units(const struct words_reading *r,
                             const struct found_table *f, int head);

/* Gives columns without a known head the keys that are left, by the classes of their
 * cells and the order of the schema; takes keys from columns of another class. */
void table_columns_assign(const struct words_reading *r,
                          const struct slot_array *a, struct found_table *f);

#endif
