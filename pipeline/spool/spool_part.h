/* spool_part.h - a stack and the documents that it was split into.
 *
 *   work/<id>/parts.tmp/<part>/  being made
 *   work/<id>/parts/<part>/      all are complete: name.json, part.json,
 *                                doc (a hard link: the bytes exist once; an
 *                                attached file has its own bytes)
 *   done/<id>/parts/             the stack has its record and is committed
 *   work/<part>/                 one rename each: a document like any other
 *
 * A part has exactly one name at any time, so splitting can be interrupted
 * anywhere: before the stack's commit all parts are deleted and made again,
 * after it each rename happens once. The empty folder parts/ stays; it marks a
 * stack, which has no record to link into out/.
 */
#ifndef PIPELINE_SPOOL_SPOOL_PART_H
#define PIPELINE_SPOOL_SPOOL_PART_H

#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "stages/document/document.h"

enum {
    SPOOL_PART_PAGES = 8192,
    SPOOL_PART_TEXT = 512,
    SPOOL_PART_MAIL = 256,
    SPOOL_PART_UNREAD = 1024
};

/* part.json. */
struct spool_part {
    char stack[SPOOL_ID_SIZE];
    char sha256[65]; /* of its bytes: the stack's, or those of the attachment */
    int number, count;
    char pages[SPOOL_PART_PAGES];  /* of the stack, "4-6"; "": all */
    char schema[SPOOL_PART_TEXT];  /* named by a separator, or "" */
    char archive_number[128];      /* or "" */
    char warning[SPOOL_PART_TEXT]; /* for its record, or "" */
    bool is_attachment;            /* an attached file, and not pages */
    int64_t bytes;                 /* of an attached file, while it is made */
    char ending[8];                /* of its name, "pdf"; likewise */
    char attachment[SPOOL_PART_MAIL]; /* its name in the stack, or "" */
    char unread[SPOOL_PART_UNREAD];   /* attachments of the stack that were not
                                     * read, as text for its record; or "" */
    bool attachments_read;            /* those of the stack are other parts */
    bool is_mail;                     /* the stack is an e-mail: */
    char mail_from[SPOOL_PART_MAIL], mail_date[SPOOL_PART_MAIL];
    char mail_id[SPOOL_PART_MAIL], mail_subject[SPOOL_PART_MAIL];
    char mail_attachments[SPOOL_PART_PAGES]; /* names in JSON (document.h) */
};

/* Sets what the record of a part says of its stack: doc->part, mail,
 * attachments_read. `part` must outlive the document. */
void spool_part_describe(const struct spool_part *part, struct document *doc);

/* The id of part `number` of a stack; always the same. */
void spool_part_id(const char *stack, int number,
                   char id[static SPOOL_ID_SIZE]);

/* Makes parts/ in the locked folder of work/ of a sealed stack; deletes what a
 * crash left. `fill` fills in part `number` (1 to count), its name and its
 * folder of in/, all empty before; after it `print` adds the bytes of an
 * attached file. Its sub-folder is the stack's. FAIL: "disk"; as print. */
struct spool_part_name {
    char name[FILE_NAME_BYTES_MAX + 1], folder[FILE_NAME_BYTES_MAX + 1];
};
void spool_part_make(struct folder *f, int count,
                     void (*fill)(void *arg, int number,
                                  struct spool_part *part,
                                  struct spool_part_name *name),
                     void (*print)(void *arg, struct buf *out, struct err *err),
                     void *arg, struct err *err);

/* Deletes parts/ and parts.tmp/, if any; their bytes are those of doc. Only
 * before the stack's commit. FAIL: "disk". */
void spool_part_clear(struct folder *f, struct err *err);

/* Moves the remaining parts of a committed stack to work/. FAIL: "disk"; other
 * parts are moved all the same. */
void spool_part_release(struct folder *f, struct err *err);

/* Is it the folder of a stack whose parts were made? */
bool spool_part_is_stack(int folder_fd);
/* Is it the folder of a part? Fills *part; damaged text counts as absent. */
bool spool_part_read(int folder_fd, struct spool_part *part);

#endif
