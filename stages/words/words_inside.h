/* words_inside.h - what the files that implement words_reader.h share: the leaves of
 * the schema, and the print that was found for them.
 *
 * ORDER  slots.c reads the schema; tables.c fills in arrays; blocks.c finds names and
 *        addresses; scalars.c decides for the rest; words_reader.c drops what the
 *        alignment doubts and builds the value.
 */
#ifndef STAGES_WORDS_WORDS_INSIDE_H
#define STAGES_WORDS_WORDS_INSIDE_H

#include "stages/alignment/alignment_inside.h"
#include "stages/alignment/leaf_values.h"
#include "stages/alignment/meaning.h"
#include "stages/print/vocabulary.h"
#include "stages/words/words_reader.h"
#include "vlm/schema/schema.h"

enum slot_kind {
    SLOT_TEXT,
    SLOT_CODE, /* with a digit: a number of a document, an account */
    SLOT_DATE,
    SLOT_NUMBER,
    SLOT_PERCENT,
    SLOT_CURRENCY,
    SLOT_IBAN,
    SLOT_ADDRESS,
    SLOT_CHOICE, /* of an enumeration */
    SLOT_EMAIL,
    SLOT_BIC,
    SLOT_NONE /* true or false, or of no simple type */
};

/* What decided for a value. */
enum words_reason {
    BY_LABEL,         /* its label is its name */
    BY_PART_OF_LABEL, /* the label has other words, too, or not all */
    BY_WORD_OF_LABEL, /* hardly more than one word of it */
    BY_CHECK_DIGITS,  /* of an account */
    BY_SIGN,          /* the only currency of the pages */
    BY_BEING_ALONE,   /* the only date without a label */
    BY_HEADING,       /* of its block */
    BY_SIGNS,       /* at least two of a sender's: first, tall, a company, again
                        * elsewhere */
    BY_BEING_FIRST, /* without another sign of the sender's */
    BY_POSITION,    /* of its block on the page */
    BY_HEAD,        /* of its column */
    BY_ORDER,       /* its column is between known ones */
    BY_SUM,         /* of a row without a heading; the rows add up */
    BY_SHAPE /* of a table without a heading or with one in words that nobody
                        * knows */
};

/* A leaf of the schema. */
struct leaf_slot {
    cJSON *parent; /* the object that it is a member of */
    const char *key;
    struct folded word; /* the key */
    const cJSON *node;  /* its schema, null aside */
    const struct wanted_value *wanted;
    enum slot_kind kind;
    uint32_t told
        [MEANINGS_MAX]; /* meanings of its description, which may be what the
                                  * paper calls it */
    int n_told;
    bool is_street;    /* an address beside a city or a postal code */
    bool is_all_tax;   /* the only tax: the sum, if several are printed */
    bool required;     /* by its object */
    int array;         /* index of the array whose rows it is in, or -1 */
    const char *text;  /* what was found: text, ISO date or JSON number; NULL */
    const char *rival; /* what fits nearly as well; NULL: nothing */
    int first, last;   /* its tokens */
    enum words_reason by;
};

/* The head of a column, and its last row. */
struct table_column {
    double left, right; /* of the head and the cells */
    struct label_words words;
    int last; /* line of the last row */
};

/* An array of objects, and its table. */
struct slot_array {
    cJSON *array, *row; /* row: one with nulls */
    int from, to;       /* slots of its rows: from to before to */
    int n_row;
};

/* The label before a token on its line; scalar_labels.c finds it once. */
struct words_beside {
    struct label_words label;
    bool crossed; /* other values are between */
    bool known;
};

struct words_reading {
    const struct schema *schema;
    struct alignment l;
    struct leaf_values leaves;
    struct leaf_slot *slot;
    int n_slot;
    struct slot_array *array;
    int n_array;
    cJSON *lines; /* the only member, an array of strings: all lines; or NULL */
    struct table_column *column; /* of all tables that were read */
    int n_column;
    struct party_heading *heading;
    int n_heading;
    struct words_found *found; /* in rows; then all */
    int n_found, n_demanded;
    struct arena *kept; /* of the caller */
    bool *used;         /* of each token: it is part of a value or of a table */
    struct words_beside *beside;  /* of each token */
    int *figure_at, *figure_next; /* of each token: the first figure that begins
                                   * there; of each figure: the next one; or -1 */
    int newest; /* the latest day that is printed with its year; a day without one
                    * is before it */
    double *row_left, *row_right; /* of each line: the table's row on it */
    int *over;     /* of each figure: the amount over it in its column; or -1 */
    bool *inside;  /* of each token: it continues a figure */
    bool *is_part; /* of each figure: it is a part of a longer one */
    double usual_height; /* of a word */
    /* of letterhead.c, while it looks for a party: */
    int *domain; /* tokens with a domain that can be a sender's */
    int n_domain;
    signed char
        *addressed; /* of each token: is the block that it begins a name above
                             * an address? 0: not known yet, -1: no; NULL: do not keep it */
    struct arena *arena;
};

/* The parts of an address that are values of their own. */
enum address_part {
    ADDRESS_STREET,
    ADDRESS_POSTAL_CODE,
    ADDRESS_CITY,
    ADDRESS_STATE,
    ADDRESS_COUNTRY,
    N_ADDRESS_PART
};

/* Fills in r->slot and r->array, and returns the value with nulls only. */
cJSON *slots_of_schema(struct words_reading *r);

/* The value of a slot; a JSON null if it was not found. */
cJSON *slots_value(const struct leaf_slot *s);

/* Whether the values of the kind are figures. */
bool slots_is_figure(enum slot_kind kind);

/* The part of an address that the value is by its name, or N_ADDRESS_PART. */
enum address_part slots_address_part(const struct wanted_value *a);

/* Whether the label names that part, and nothing else: "Mill Street" is no label. */
bool slots_is_part_label(const struct wanted_value *a,
                         const struct label_words *p);

/* Whether the text is admitted by the slot's schema. */
bool slots_admit(const struct words_reading *r, const struct leaf_slot *s,
                 const char *text);

/* Finds the tables of the arrays, and fills in their rows. */
void tables_read(struct words_reading *r);

/* The same for a table without heading: texts with amounts above a sum. */
void bare_rows_read(struct words_reading *r, struct slot_array *a);

/* The same for rows of several lines with labels. */
void stacked_rows_read(struct words_reading *r, struct slot_array *a);

/* The same for taxes that are printed as lines with a rate and amounts. */
void tax_lines_read(struct words_reading *r, struct slot_array *a);

/* Finds the headings that name objects: "Seller", "1 Sender (name, address)". */
void party_headings_read(struct words_reading *r);

/* Adds the words of the heading in tokens first to before `end`, without a box's number
 * and without parentheses. */
void party_headings_label(const struct words_reading *r, int first, int end,
                          struct label_words *p);

/* Whether the tokens can be a label: "Kunden AG" is a name, "Kundenweg" a street. */
bool party_headings_are_words(const struct words_reading *r, int first,
                              int last);

/* What the heading over the token says of a slot: it is the slot's object, or another
 * one that has such a key, too. */
enum party_heading_says {
    PARTY_HEADING_NONE,
    PARTY_HEADING_OWN,
    PARTY_HEADING_OTHER
};
enum party_heading_says party_headings_say(const struct words_reading *r,
                                           const struct leaf_slot *s,
                                           int token);

/* Fills in the only date, amount and text below the heading of an object. */
void headed_values_read(struct words_reading *r);

/* Finds names and addresses in blocks of lines. */
void blocks_read(struct words_reading *r);

/* Lines below one another; the name of a party is the first one, or the first ones, if
 * a blank line divides them from the address. */
enum { ADDRESS_LINES = 6 };
struct print_block {
    int first[ADDRESS_LINES], last[ADDRESS_LINES]; /* tokens of its lines */
    int n, n_name;
};

/* Whether the schema asks for parts of the address of the name's party. */
bool address_parts_are_asked(const struct words_reading *r,
                             const struct leaf_slot *name);

/* Whether the line has a town's code: "50803 Köln", "Sheffield S7 2GH". */
bool address_parts_is_town(const struct words_reading *r, int first, int last);

/* Fills in streets, postal codes, cities and countries of the party from the lines below
 * its name. */
void address_parts_read(struct words_reading *r, const struct leaf_slot *name,
                        const struct print_block *b);

/* The name of the party that the slot belongs to, if it was found: in the same
 * object, or with a word of its key; NULL. */
const struct leaf_slot *blocks_name_of(const struct words_reading *r,
                                       const struct leaf_slot *s);

/* Finds the values that are known by their form: currencies, those of enumerations,
 * e-mail addresses, BICs. */
void signs_read(struct words_reading *r);

enum { IBAN_BYTES = 64 };

/* The last token of the account with right check digits that begins at the token; `out`:
 * the account without spaces. -1: there is none. */
int signs_account(const struct words_reading *r, int token,
                  char out[static IBAN_BYTES]);

/* Decides for the scalars by their labels. */
void scalars_read(struct words_reading *r);

/* Fills in the date of the document, if a single one in the head of its first page is
 * left without a label: "Truro, 3 April 2025". */
void scalars_read_plain_date(struct words_reading *r);

/* Fills in the total that is the first amount below one for rounding. */
void totals_read_rounded(struct words_reading *r);

/* Fills in totals that add up, and the only period that is printed. */
void totals_read(struct words_reading *r);
void totals_read_period(struct words_reading *r);

/* Gives values that must be there, and that nothing decided, the print that fits best,
 * or what the schema admits; they are doubtful. */
void required_fill_in(struct words_reading *r);

/* Fills in r->figure_at and r->figure_next. */
void words_print_index(struct words_reading *r);

/* A figure as an ISO date or a JSON number for the slot; NULL: it is none. */
const char *words_print_date(const struct words_reading *r,
                             const struct table_figure *f);
const char *words_print_number(const struct words_reading *r,
                               const struct leaf_slot *s,
                               const struct table_figure *f);

/* The tokens, whole, in reading order; in the arena. */
struct piece *words_print_pieces(const struct words_reading *r, int first,
                                 int last, struct arena *arena);

/* The text of the tokens as printed. */
const char *words_print_text(const struct words_reading *r, int first,
                             int last);

/* Whether the text of the tokens marks a line of this kind. */
bool words_print_says(const struct words_reading *r, int first, int last,
                      enum vocabulary_line what);

/* Marks the line as one of a table, and all of its tokens as used. */
void words_print_use_line(struct words_reading *r, int line);

/* Whether the token is a unit with a figure: "m²", "cm3". */
bool words_print_is_power(const struct words_reading *r, int t);

/* Whether letters in front, or capitals behind make the number a code: "EP-7898", "23K";
 * but not "EUR12". */
bool words_print_is_in_code(const struct words_reading *r,
                            const struct table_figure *number);

/* Whether one of the tokens has a digit. */
bool words_print_has_digit(const struct words_reading *r, int first, int last);

/* The figure whose first piece is in the tokens, the last of several; `kind`: as
 * in the slot. NULL: none. */
const struct table_figure *words_print_figure(const struct words_reading *r,
                                              int first, int last,
                                              enum slot_kind kind);

/* The meanings of the slot's own names, at most MEANINGS_MAX; of a rate without
 * "percent". Returns their number. */
int words_print_meanings(const struct leaf_slot *s, uint32_t *out);

/* How well the label names the slot, 0..1; 0 also if it is another value's. */
double words_print_fit(const struct leaf_slot *s, const struct label_words *p);

/* Whether none of the tokens is part of a value or of a table. */
bool words_print_is_free(const struct words_reading *r, int first, int last);

/* Whether the token is in a row of a table. */
bool words_print_is_of_row(const struct words_reading *r, int token);

/* Sets what was found, and marks its tokens as used. */
void words_print_take(struct words_reading *r, struct leaf_slot *s,
                      enum words_reason by, const char *text, int first,
                      int last);

/* Notes that the slot's value was found, in a row of its array (-1: it is in none). */
void words_print_note(struct words_reading *r, const struct leaf_slot *s,
                      int row, double p);

/* Sets the slot's member of the array's next row to the text in tokens first to last, if
 * the schema admits it, and notes that it was found. Nothing if slot is -1 or text
 * NULL. */
void words_print_set(struct words_reading *r, const struct slot_array *a,
                     cJSON *row, int slot, enum words_reason by,
                     const char *text, int first, int last);

/* The same for a date or a number; nothing if f is NULL. */
void words_print_set_figure(struct words_reading *r, const struct slot_array *a,
                            cJSON *row, int slot, enum words_reason by,
                            const struct table_figure *f);

/* The probability that a value which this decided, in tokens s->first to s->last, is
 * right: of words that OCR read, not above their own. */
double words_print_chance(const struct words_reading *r,
                          const struct leaf_slot *s, enum words_reason by);

#endif
