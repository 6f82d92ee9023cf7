/* thresholds.h - every number chosen by hand that decides how print is read, where a
 * value stands and what is said about it: name, value, unit, and what chose it.
 *
 * "by reason", and nothing said, means that no set chose the number: it is what the
 * unit suggests. Behind each stands the percentage of records in which anything differs
 * with it 20 % lower, and 20 % higher (a count: by one at least): of 338 of the 85
 * known, strangers, newcomers and arrivals of tests/eval with text layers, read by the
 * words engine, and said by a reader, without and with an error (sweep.py, seed 77,
 * November 2026; "of scans": 33 of the known ones). What has 0, 0 can still stand for a
 * rule that matters: docs/notes/evidence.md, "Thresholds".
 *
 * sweep.py builds with -include tests/eval/sweep.h: THRESHOLD then declares variables
 * instead of constants. So no static initialiser, array size or case label may use one.
 *
 * Numbers elsewhere are limits of work and memory (what ends in MAX), sizes of paper
 * and pixels, costs that only order alternatives (find_figure.c), and fitted weights
 * (confidence/confidence.c, confidence_model.c).
 */
#ifndef STAGES_PRINT_THRESHOLDS_H
#define STAGES_PRINT_THRESHOLDS_H

#ifndef THRESHOLD
#    define THRESHOLD(name, value)       static const double name = value
#    define THRESHOLD_COUNT(name, value) enum { name = value }
#endif

/* --- geometry: shares of the page's width ----------------------------------- */

/* The same left or right edge; by reason: a letter of 10 points on A4. */
THRESHOLD(same_edge, 0.01); /* 0, 0 */
/* The same, for cells that a scan or a proportional font shifts; by reason. */
THRESHOLD(loose_edge, 0.02); /* 0.3, 0 */
/* Amounts of one column end here exactly, but for italics, and lines at the same place
 * on the next page (a share of the height, too) are headers and footers; by reason. */
THRESHOLD(figure_edge, 0.005); /* 0, 0 */
/* The nearest of several is that many times nearer than the next one. */
THRESHOLD(nearest_clearly, 2.5); /* 0, 0 */
/* Between a label and print at its right: another thing has begun. */
THRESHOLD(label_far, 0.4); /* 0, 1 */

/* --- geometry: heights of a line -------------------------------------------- */

/* Two lines, not two baselines of one. */
THRESHOLD(line_step, 0.2); /* 0, 0 */
/* From a label, or a part of a line, to what stands below it and goes with it. */
THRESHOLD(label_above_most, 3); /* 0, 0 */
/* Between lines of a text or a heading of two lines, and of an address. */
THRESHOLD(text_pitch, 1.5);  /* 0.9, 1 */
THRESHOLD(block_pitch, 1.9); /* 0, 0.3 */
/* A value that is printed taller than its equals is the one meant: a total. */
THRESHOLD(taller, 1.25); /* 10, 4 */

/* --- geometry: other units --------------------------------------------------- */

/* Of the narrower of two parts: one stands over the other; by reason. */
THRESHOLD(parts_overlap, 0.2); /* 0, 0 */
/* Of a letter's width: parts cells behind a number, whose unit may be near; behind
 * anything else a whole letter does. */
THRESHOLD(unit_gap, 0.8); /* 0, 0 */
/* Of a digit's width, between digits that belong together: a blank is half a digit
 * wide, plus the comma's side bearing; by reason. */
THRESHOLD(digit_gap_most, 0.25); /* 0, 0 of scans */
/* Distance of two rows of a table, in usual distances: nothing is between. */
THRESHOLD(rows_next_to, 1.6); /* 0.3, 0 */
/* Least distance of two rows, in least distances that are usual. */
THRESHOLD(rows_apart, 0.8); /* 0, 0 */

/* --- a text layer, measured on generated and hostile ones -------------------- */
/* (text_layer_check_test.c) */

/* Shares of its words: unassigned characters; no ink below; ink below; of the ink,
 * with words. */
THRESHOLD(layer_bad_most, 0.3);      /* 0, 0 */
THRESHOLD(layer_fit_least, 0.75);    /* 0, 0 of scans */
THRESHOLD(layer_covered_least, 0.5); /* 0, 0 of scans */
/* Words drawn as text that have this share of the page's ink under them need no
 * further check. */
THRESHOLD(layer_under_words, 0.6); /* 0, 0 of scans */
/* Overlap of two words, of the smaller box: closely set lines overlap by less. */
THRESHOLD(layer_shared_most, 0.3); /* 0, 0 of scans */
/* What OCR is this sure of; of a word it must read more than this share in another
 * way; and the share of the words that must have been compared. */
THRESHOLD(layer_ocr_sure, 0.7);       /* 0, 0 of scans */
THRESHOLD(layer_other_most, 0.4);     /* 0, 0 of scans */
THRESHOLD(layer_compared_least, 0.5); /* 0, 0 of scans */

/* --- OCR --------------------------------------------------------------------- */

/* Words below this confidence may be misread: that they differ does not count against
 * a value. Some hundred values of worn scans, read with another language's data: most
 * correct ones that differed in letters had less. */
THRESHOLD(ocr_sure_least, 0.8); /* 31, 12 of scans */
/* No warning about a script below this: for a short page of Latin letters Tesseract
 * detects other scripts with a measure of up to 1 (docs/notes/pages.md, "Script"). */
THRESHOLD(script_sure_least, 0.6); /* 0, 0 of scans */
/* Letters of a script, for a page to have it. */
THRESHOLD_COUNT(LETTERS_LEAST, 10); /* 0, 0 of scans */

/* --- words and figures --------------------------------------------------------- */

/* This many letters next to a digit are a word ("2400W" is a figure). */
THRESHOLD_COUNT(LETTERS_APART, 4); /* 1, 0 */
/* "1.00" and less are frequent on every page. */
THRESHOLD_COUNT(SHORT_FIGURE, 4); /* 0.3, 0 */
/* Letters of a text compared without separators, or with errors; for each error so
 * many letters, and so many errors. */
THRESHOLD_COUNT(LOOSE_LEAST, 6);   /* 0, 0 */
THRESHOLD_COUNT(SIMILAR_LEAST, 5); /* 0, 0 */
THRESHOLD_COUNT(PER_EDIT, 6);      /* 0, 0 */
THRESHOLD_COUNT(EDITS_MOST, 4);    /* 0, 0 */
/* Letters of a significant word of a description. */
THRESHOLD_COUNT(DESCRIPTION_LEAST, 5); /* 0, 0 */

/* --- labels ------------------------------------------------------------------ */

/* Fits (label_fit, label_head_fit: 1 is the value's own name): one that counts;
 * "Total amount" for "total"; the name of the value. The first is also what a place
 * among several needs in any measure. */
THRESHOLD(label_fit_least, 0.3);   /* 0, 0 */
THRESHOLD(label_named, 0.65);      /* 0, 5 */
THRESHOLD(label_named_fully, 0.9); /* 16, 28 */
/* The same for the head of a column, in the words reader too, and for a figure that no
 * value used. */
THRESHOLD(head_named, 0.45); /* 0, 0 */
/* The lead of a fit over another. */
THRESHOLD(clearly_better, 0.1); /* 0, 0 */
/* Weights: other values between; the label above; words of a description. */
THRESHOLD(label_across, 0.6);  /* 0, 0 */
THRESHOLD(label_over, 0.85);   /* 0, 4 */
THRESHOLD(label_loosely, 0.3); /* 0, 0 */
/* Words of a label at its left; digits of a box's number ("12b"). */
THRESHOLD_COUNT(LABEL_WORDS_MOST, 6); /* 0.6, 2 */
THRESHOLD_COUNT(BOX_DIGITS, 2);       /* 2, 0 */
/* Words of a label that is whole though not known: "IATA no."; by the visitors. */
THRESHOLD_COUNT(SHORT_LABEL, 2);
/* Lines above the first row in which a column's head is, and in which the heading
 * ends. */
THRESHOLD_COUNT(HEAD_UP, 12);   /* 0, 0 */
THRESHOLD_COUNT(HEADING_UP, 4); /* 0, 0 */
/* Words of a cell that is a sentence; letters of a code, and before a full stop that
 * ends no sentence. */
THRESHOLD_COUNT(PROSE_WORDS, 9);  /* 0, 0.9 */
THRESHOLD_COUNT(CODE_LETTERS, 3); /* 0.3, 2 */
THRESHOLD_COUNT(ABBREVIATION, 4); /* 0, 0 */

/* --- which of several places ---------------------------------------------------- */

/* Values of the same object are within so many lines; up to the second number they are
 * close, farther or in another order than their keys they count less, and so much more
 * at the same edge. */
THRESHOLD_COUNT(KIN_LINES, 5); /* 0.3, 0 */
THRESHOLD_COUNT(KIN_CLOSE, 3); /* 0.3, 0 */
THRESHOLD(kin_far, 0.6);       /* 0, 0.3 */
THRESHOLD(kin_backwards, 0.4); /* 0, 0 */
THRESHOLD(kin_aligned, 0.3);   /* 0, 0 */
/* The lead of a sum of them. */
THRESHOLD(kin_clearly, 0.35); /* 0, 0.3 */
/* At the end of its part of a line, of 1 for all of it. */
THRESHOLD(alone_at_end, 0.8); /* 0, 3 */

/* --- rows and their lines ---------------------------------------------------------- */

/* Lines of a row at most, except for blank space, and between two; of them above its
 * anchor. */
THRESHOLD_COUNT(ROW_SPAN, 5); /* 0, 0 */
THRESHOLD_COUNT(ROW_UP, 2);   /* 0, 0 */
/* Share of a row's weight that must be found: some may be misread or not printed. 144
 * documents with planted errors and 12 scans: 0.3 flagged seven more correct values of
 * 7,477. */
THRESHOLD(row_least, 0.15); /* 0, 0 */
/* Weights of what a row says, 1: a word. */
THRESHOLD(number_weight, 1.5); /* 0, 0 */
THRESHOLD(amount_weight, 3);   /* 0.9, 0 */
THRESHOLD(date_weight, 2);     /* 0, 0 */
/* A word on no line may be the model's own wording. */
THRESHOLD(unseen_word_weight, 0.3); /* 0, 0 */
/* For each doubling of the lines that say it. */
THRESHOLD(often_worth_less, 0.5); /* 0, 0 */
/* Per line of a row but the first; among equal alignments, prefer the one whose first
 * line has more items; least gain of an additional line. */
THRESHOLD(line_price, 0.02);      /* 0, 0 */
THRESHOLD(first_line_worth, 0.1); /* 0, 0 */
THRESHOLD(gain_least, 0.08);      /* 0, 0 */
/* Of the rows, at most one in so many that begins on a line of amounts alone begins there
 * by mistake. */
THRESHOLD_COUNT(ROWS_ODD_ONE_IN, 3); /* 0, 0 */

/* --- lines without a row ------------------------------------------------------------- */

/* Shares of a row's weight on its lines: found at all; well. The second also of the rows
 * found on lines: below it the text is not what is printed, but the bad OCR of a scan. */
THRESHOLD(coverage_least, 0.4); /* 0.9, 5 */
THRESHOLD(well_found, 0.7);     /* 0, 0 */
/* Shares of a table's rows in which a column's edge is: of plain cells, nearly all
 * (and of a row's weight that is surely found); of values, whose column can be empty in
 * some. */
THRESHOLD(nearly_all, 0.9);    /* 0, 0.3 */
THRESHOLD(column_values, 0.6); /* 0, 0 */
/* Share of a column's items that make it sure, of exact rows for a doubt by words alone
 * (words of OCR may be wrong), and of a line's words that are the heading's. */
THRESHOLD(clear_majority, 0.8); /* 0, 0.6 */
/* A row is doubtful if its share on its lines is smaller than the usual one by this. */
THRESHOLD(doubt_gap, 0.1); /* 0, 0 */
/* Rows that make a shape; that tell its columns, with so many cells; for which a share
 * of rows found means little. */
THRESHOLD_COUNT(ROWS_LEAST, 3);  /* 0, 0.3 */
THRESHOLD_COUNT(ROWS_TELL, 6);   /* 0, 0 */
THRESHOLD_COUNT(CELLS_TELL, 12); /* 0, 0 */
THRESHOLD_COUNT(FEW_ROWS, 8);    /* 0.3, 0 */
/* Lines of a table without a row that was given. */
THRESHOLD_COUNT(TABLE_LINES, 4); /* 0, 0.3 */
/* Columns of a table at least (a page's head has no more cells); of a line that is a
 * row, of few and of ten. */
THRESHOLD_COUNT(COLUMNS_LEAST, 2);  /* 0, 0 */
THRESHOLD_COUNT(FEW_COLUMNS, 3);    /* 0, 0.3 */
THRESHOLD_COUNT(COLUMNS_IN_TEN, 6); /* 0, 0 */
/* One row in so many has a value: the table has values. */
THRESHOLD_COUNT(VALUES_ONE_IN, 20); /* 0, 0 */
/* One item in so many is found by chance in the other half of a page. */
THRESHOLD_COUNT(STRAY_ONE_IN, 10); /* 0, 0 */
/* Lines beside one that are like it; beside one that OCR misread. */
THRESHOLD_COUNT(SHAPE_BESIDE, 2); /* 0, 0 */
THRESHOLD_COUNT(BESIDE_LINES, 3); /* 0, 0 */
/* Rows at the edge of a page, whose lines may be on another; lines that say a rare
 * word. */
THRESHOLD_COUNT(EDGE_ROWS, 2); /* 0.3, 0 */
THRESHOLD_COUNT(RARE_MOST, 2); /* 0, 0 */

/* --- pages and records ------------------------------------------------------------------ */

/* Of one label's words on a page: it is asked for the value. */
THRESHOLD(page_fit_least, 0.75); /* 0, 0 */
/* Highest confidence of values of an unread record, which are below the threshold,
 * too, whatever it is. */
THRESHOLD(unread_most, 0.45);     /* 0, 0 */
THRESHOLD(null_unread_most, 0.2); /* 0, 0 */
/* At least one value in a broken check is wrong, however sure each looks; and print
 * that says something else speaks as much against a value. */
THRESHOLD(broken_most, 0.5); /* 42, 5 */
/* Shares of the compared values that the page's words confirm (docs/notes/
 * confidence.md). */
THRESHOLD(agree_read, 0.8);     /* 0, 3 */
THRESHOLD(agree_doubtful, 0.5); /* 0, 0 */
THRESHOLD(agree_unread, 0.2);   /* 0, 0 */
/* Fewer values confirmed by the page's words can be a coincidence: invented values
 * are often short. */
THRESHOLD_COUNT(AGREE_LEAST, 4); /* 0, 0 */
/* Tokens of a text that count: long texts can be worded freely. */
THRESHOLD_COUNT(TOKEN_MOST, 32); /* 0, 0 */

/* --- the words reader (stages/words); fitted on the papers of seeds 7 to 9 ---------------- */

/* In page widths: a cell without a head above it belongs to the nearest one. */
THRESHOLD(near_head, 0.08); /* 0.3, 0 */
/* How much more a head of figures tells of a table than one of words. */
THRESHOLD(head_of_figures, 1.1); /* 0, 0 */
/* What is left of the fit of a heading without rows below it: another one is meant. */
THRESHOLD(without_rows, 0.3);
/* How far a tax that is printed may be from its rate of the base: a cent, rounded. */
THRESHOLD(tax_rounding, 0.0101); /* 0, 0 */
/* What a sum in cash is rounded by, to a whole number or to cents. */
THRESHOLD(rounding_most, 0.505);     /* 0.3, 0 */
THRESHOLD(rounding_of_cents, 0.051); /* 0, 0 */
/* Of the first lines' distance: what ends a block. */
THRESHOLD(block_gap, 1.4); /* 0, 0 */
/* In heights of a line: lines of one row; of a heading, by real papers; the end of a table; a gap that is
 * wider than a space; words above a figure; rows without a heading. */
THRESHOLD(row_pitch, 1.7); /* 2, 0.3 */
THRESHOLD(heading_pitch, 2);
/* Cells of a heading of three lines, of its heads; by real papers. */
THRESHOLD(most_cells, 1.7);
/* Above the title of a group of rows, of what is below it; by the callers. */
THRESHOLD(title_gap, 0.9);
THRESHOLD(table_gap, 4);          /* 5, 1 */
THRESHOLD(space_most, 0.6);       /* 3, 0.3 */
THRESHOLD(words_above_most, 2.2); /* 4, 0 */
THRESHOLD(bare_pitch, 2.6);       /* 0.3, 0 */
/* The same: lines of an address; the block of a party. */
THRESHOLD(address_pitch, 2.1); /* 2, 0 */
THRESHOLD(party_block, 12);    /* 2, 0.3 */
/* From a name, or a street, to the next line of its address: beyond a gap. */
THRESHOLD(address_gap, 6);
/* A heading of the width of the page: how far its left edge is at least, and its middle
 * at most from that of the page, of the page's width; by the visitors. */
THRESHOLD(middle_left, 0.2);
THRESHOLD(middle_most, 0.06);
/* The letterhead, of the first page's height. */
THRESHOLD(letterhead, 0.4); /* 0, 0 */
/* Where its foot begins. */
THRESHOLD(page_foot, 0.75);
/* The fit of a head by a description. */
THRESHOLD(description_fit, 0.2); /* 0, 0 */
/* More for a head that is the very word of the key. */
THRESHOLD(same_word, 0.05); /* 0, 0 */
/* Share of the columns that a row fills. */
THRESHOLD(rows_filled, 0.55); /* 0.6, 2 */
/* Fits: of a label; what words above, and a form or a name that is not the usual one,
 * leave of it; two that are alike. */
THRESHOLD(fit_least, 0.6);   /* 2, 28 */
THRESHOLD(by_above, 0.95);   /* 7, 3 */
THRESHOLD(less_usual, 0.9);  /* 7, 4 */
THRESHOLD(fits_alike, 0.02); /* 0, 0 */
/* The same: of a label that has all words of a name among others; the share that is
 * lost by other words; more in the block of the party. */
THRESHOLD(named_within, 0.64); /* 4, 2 */
THRESHOLD(by_exact, 0.15);     /* 0, 2 */
THRESHOLD(by_party, 0.2);      /* 0.3, 0 */
/* Lines below a heading that say how many columns a row fills; lines that are no rows,
 * after which a table ends; lines with its totals. */
THRESHOLD_COUNT(FIRST_ROWS, 6);   /* 0.3, 0 */
THRESHOLD_COUNT(SKIPPED_MOST, 3); /* 0.9, 0 */
THRESHOLD_COUNT(TOTALS_MOST, 4);  /* 0, 1 */
/* Lines below a table that can have a column's total; columns of one in words that nobody
 * knows; lines below a name that say how to reach it; numbers that show what a point is;
 * by the visitors. */
THRESHOLD_COUNT(TOTAL_LINES, 6);
THRESHOLD_COUNT(SHAPE_LEAST, 3);
THRESHOLD_COUNT(CONTACT_LINES, 6);
THRESHOLD_COUNT(THOUSANDS_TELL, 4);
/* Words of a name; of a description that is one; of a line of an address, and of a label
 * of it; of a town, and of a country; of a party's heading; letters and digits of a house's
 * number; lines with labels above a name; by the visitors. */
THRESHOLD_COUNT(NAME_WORDS, 9);
THRESHOLD_COUNT(NAMING_WORDS, 4);
THRESHOLD_COUNT(LINE_WORDS, 10);
THRESHOLD_COUNT(TOWN_WORDS, 5);
THRESHOLD_COUNT(COUNTRY_WORDS, 4);
/* % of a tax: of 100.00 any amount would be the tax. */
THRESHOLD_COUNT(RATE_MOST, 50);
THRESHOLD_COUNT(HEADING_WORDS, 4);
THRESHOLD_COUNT(HOUSE_LETTERS, 3);
THRESHOLD_COUNT(HOUSE_DIGITS, 4);
THRESHOLD_COUNT(LABELLED_LINES, 4);
/* Words between the dates of a period, a sign; behind a factor of a product: its unit and
 * the sign; by reason. */
THRESHOLD_COUNT(PERIOD_WORDS, 1);
THRESHOLD_COUNT(FACTOR_WORDS, 2);
/* How many signs of a sender one is worth that no recipient has, and a company in what OCR
 * reads; letters of a name that a domain has; by the visitors. */
THRESHOLD_COUNT(SENDER_SIGNS, 3);
THRESHOLD_COUNT(DOMAIN_LETTERS, 4);
/* The probability of a value that only the schema asks for; below any for review. */
THRESHOLD(demanded, 0.3);
/* Digits of a number, and of a line of an address; more are an identifier. */
THRESHOLD_COUNT(NUMBER_DIGITS, 7); /* 3, 0 */
/* Second opinions: the least probability of what contradicts a value, or a null, and of
 * what agrees with a doubtful value. */
THRESHOLD(second_opinion_least, 0.92); /* 9, 5 */
/* The first of a value that is said once: not by its position among addresses alone, which
 * is right for 12 of 16 visitors. The signs of a name (0.94) doubt 7 of 5,632 right values
 * and find 7 of 80 exchanged fields. */
THRESHOLD(second_opinion_of_one, 0.93);
THRESHOLD(agreement_least, 0.85); /* 0, 31 */
/* Rows that the answer has, and the words have not, before the words' next row; by
 * reason. */
THRESHOLD_COUNT(ROWS_AHEAD, 8);

#endif
