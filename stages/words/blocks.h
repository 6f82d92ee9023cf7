/* blocks.h - what the files that read names and addresses share: the lines of a block
 * (block.c), and the names that the schema asks for (party_slots.c).
 */
#ifndef STAGES_WORDS_BLOCKS_H
#define STAGES_WORDS_BLOCKS_H

#include "stages/words/words_inside.h"

/* Reads the block that begins with the cell at `first`: up to a label, or a gap, but
 * for one above the address. "Attn: Jane Roe" and "Herrn" are left out. */
void block_read(const struct words_reading *r, int first,
                struct print_block *b);

/* The text of a line of the block, without a comma at its end. */
const char *block_line_text(const struct words_reading *r,
                            const struct print_block *b, int line);

/* The name: the first line, or both that are above a gap. */
const char *block_name(const struct words_reading *r,
                       const struct print_block *b);

/* The lines of the block from `from` on as an address, "Mill Lane 4, Bath". */
const char *block_address(const struct words_reading *r,
                          const struct print_block *b, int from);

/* Whether a line after the first has words and a number, but no date or amount. */
bool block_has_address(const struct words_reading *r,
                       const struct print_block *b);

/* The number of words with a digit after the first line: a house's, a postcode. */
int block_n_numbers(const struct words_reading *r, const struct print_block *b);

/* Whether an address with two such words is on the lines after the first. */
bool block_has_whole_address(const struct words_reading *r,
                             const struct print_block *b);

/* Whether the name, or the same words elsewhere, are above or before an address. */
bool block_is_before_address(const struct words_reading *r,
                             const struct print_block *b);

/* Drops a heading that no word is known of: above a company, or in capitals. False: the
 * first line may be a heading or the name, since the second is no address. */
bool block_settle_name(const struct words_reading *r, struct print_block *b);

/* The cell whose first token is below the cell at `first`, in line with it, at most
 * `most` heights below; -1: none. */
int block_next_line(const struct words_reading *r, int first, double most);

/* The last token of the part of the line that begins at token t: up to a sign; a name
 * before an address also up to its comma. */
int block_part_end(const struct words_reading *r, int t, int end, bool name);

/* Whether a token has a colon that is none of a house's number. */
bool block_has_colon(const struct words_reading *r, int first, int last);

/* Whether all words are of labels. */
bool block_is_label_only(const struct words_reading *r, int first, int last);

/* The domain of an e-mail address or a web page; NULL: the word is none. */
const char *block_domain(const char *text);

/* Whether the line is a way to write or call: an e-mail address, a web page. */
bool block_is_contact(const struct words_reading *r, int first, int last);

/* Whether the tokens are no part of a name or an address, but a label or a way to
 * call. */
bool block_ends(const struct words_reading *r, int first, int last);

/* Whether a word after the first is a form of companies, or ends with one. */
bool block_is_company(const struct words_reading *r, int first, int last);

/* Where the words of tokens first..last are printed elsewhere, from token `from` on;
 * -1: nowhere. */
int block_find_again(const struct words_reading *r, int first, int last,
                     int from);

/* Whether the slot is a text outside of arrays, and no part of an address. */
bool party_slots_is_text(const struct leaf_slot *s);

/* The first text of an object is its name, if none is called so. */
bool party_slots_is_first(const struct words_reading *r,
                          const struct leaf_slot *s);

/* Whether the slot, or its object, has one of two meanings: "seller", "sender". */
bool party_slots_is_of(const struct leaf_slot *s, const char *one,
                       const char *two);

/* Whether the slot's object is a seller, a customer or the like. */
bool party_slots_is_of_party(const struct leaf_slot *s);

/* Whether the slot is the name of a party that nothing was found for. */
bool party_slots_is_name(const struct words_reading *r,
                         const struct leaf_slot *s);

/* The address of the name: of an object, in it; else with a word of the name's key
 * ("customer", "customer_address"), else the next slot. NULL: none, or the slot is
 * no name. */
struct leaf_slot *party_slots_address(const struct words_reading *r,
                                      const struct leaf_slot *name);

/* Whether the schema asks for the address of the name, or for parts of it. */
bool party_slots_has_address(const struct words_reading *r,
                             const struct leaf_slot *name);

/* Sets the name to the block's first line, and the address, which can be NULL, to the
 * others. */
void party_slots_take(struct words_reading *r, struct leaf_slot *name,
                      struct leaf_slot *address, const struct print_block *b,
                      enum words_reason by);

/* Finds sender and recipient by where their blocks are. The sender's block is not the
 * recipient's, even if nobody asks for the sender. */
void letterhead_read(struct words_reading *r);

#endif
