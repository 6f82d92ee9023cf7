/* spool_upload.h - documents that arrive in pieces, by HTTP.
 *
 *   uploads/<id>/ name.json, doc  ──one rename──▶ work/<id>/
 *   uploads/<key>.key             the id that a client's key stands for
 *
 * The folder is from the start what it will be in work/, so one rename makes it a
 * document, complete and durable, under the id that the client knows. Before it
 * nobody else sees it. What was acknowledged is on disk: a piece, the document.
 */
#ifndef PIPELINE_SPOOL_SPOOL_UPLOAD_H
#define PIPELINE_SPOOL_SPOOL_UPLOAD_H

#include "pipeline/spool/spool.h"

struct spool_upload {
    char id[SPOOL_ID_SIZE];
    char name[FILE_NAME_BYTES_MAX + 1], folder[FILE_NAME_BYTES_MAX + 1];
    char who[80];     /* only they may go on */
    long long bytes;  /* in all; -1: unknown */
    long long offset; /* on disk */
    bool complete;    /* it is a document */
};

enum spool_upload_end {
    SPOOL_UPLOAD_OK,
    SPOOL_UPLOAD_MISSING, /* there is none with this id, of this user */
    SPOOL_UPLOAD_BUSY,    /* another process changes it */
    SPOOL_UPLOAD_OFFSET,  /* the piece does not begin where the last one ended;
                           * *u tells where that is */
    SPOOL_UPLOAD_REUSED   /* the key stands for another document */
};

/* Begins an upload with the name, folder, user and size of *u, whose id is made,
 * unless `key` ("": none) began one before: *u is then that one. *fresh: it is
 * new. FAIL: "disk". */
enum spool_upload_end spool_upload_begin(struct spool *s,
                                         struct spool_upload *u,
                                         const char *key, bool *fresh,
                                         struct err *err);

/* Fills *u for u->id and u->who. */
enum spool_upload_end spool_upload_find(struct spool *s,
                                        struct spool_upload *u);

/* Adds a piece that begins at `offset`, durably or not yet. anew: what there is
 * was not acknowledged, and goes first. FAIL: "disk". */
enum spool_upload_end spool_upload_add(struct spool *s, struct spool_upload *u,
                                       long long offset, struct span piece,
                                       bool durably, bool anew,
                                       struct err *err);

/* Makes a document of it, durably. FAIL: "disk". */
enum spool_upload_end spool_upload_finish(struct spool *s,
                                          struct spool_upload *u,
                                          struct err *err);

/* Removes an upload that is not complete. */
enum spool_upload_end spool_upload_drop(struct spool *s,
                                        struct spool_upload *u);

/* Removes uploads and keys that nobody has touched since `before` (UTC
 * seconds). */
void spool_upload_sweep(struct spool *s, long long before);

#endif
