/* spool_part.h - a stack and the documents that were cut out of it.
 *
 *   work/<id>/parts.tmp/<part>/  being made
 *   work/<id>/parts/<part>/      all of them are there: name.json, part.json,
 *                                doc (a hard link: the bytes are kept once)
 *   done/<id>/parts/             the stack has its record and is committed
 *   work/<part>/                 one rename each: a document like any other
 *
 * A part is under one name at any time, so that cutting may be cut off anywhere
 * and begun anew: before the stack's commit everything is thrown away and made
 * again, behind it each rename happens once. The folder parts/ stays, empty: it
 * says that this is a stack, which has nothing to be linked into out/.
 */
#ifndef PIPELINE_SPOOL_SPOOL_PART_H
#define PIPELINE_SPOOL_SPOOL_PART_H

#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"

enum { SPOOL_PART_PAGES = 8192, SPOOL_PART_TEXT = 512 };

/* part.json. */
struct spool_part {
    char stack[SPOOL_ID_SIZE];
    char sha256[65]; /* of the stack's bytes */
    int number, count;
    char pages[SPOOL_PART_PAGES];  /* of the stack, "4-6" */
    char schema[SPOOL_PART_TEXT];  /* asked for by a separator, or "" */
    char archive_number[128];      /* or "" */
    char warning[SPOOL_PART_TEXT]; /* for its record, or "" */
};

/* The id of a stack's part `number`, always the same. */
void spool_part_id(const char *stack, int number,
                   char id[static SPOOL_ID_SIZE]);

/* Makes parts/ in the locked folder of work/ whose doc is sealed, anew where a
 * crash left some. `fill` gives part `number` (from 1 to count), its name and
 * its sub-folder of in/, all empty before. FAIL: "disk". */
struct spool_part_name {
    char name[FILE_NAME_BYTES_MAX + 1], folder[FILE_NAME_BYTES_MAX + 1];
};
void spool_part_make(struct folder *f, int count,
                     void (*fill)(void *arg, int number,
                                  struct spool_part *part,
                                  struct spool_part_name *name),
                     void *arg, struct err *err);

/* Throws parts/ and parts.tmp/ away; their bytes are those of doc. Only before
 * the stack is committed. Nothing where there are none. FAIL: "disk". */
void spool_part_clear(struct folder *f, struct err *err);

/* The parts of a committed stack move to work/, those that did not before.
 * FAIL: "disk"; the others moved all the same. */
void spool_part_release(struct folder *f, struct err *err);

/* Does the folder say that it is a stack, with its parts made? */
bool spool_part_is_stack(int folder_fd);
/* Is it a part? Then *part is filled; damaged text counts as absent. */
bool spool_part_read(int folder_fd, struct spool_part *part);

#endif
