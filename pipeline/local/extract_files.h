/* extract_files.h - files of the command line through the stages, without a spool. */
#ifndef PIPELINE_LOCAL_EXTRACT_FILES_H
#define PIPELINE_LOCAL_EXTRACT_FILES_H

#include "pipeline/config/config.h"
#include "stages/engine/engine.h"
#include "stages/stage.h"

struct extract_files;

/* Loads the schema (name or file); the engine is opened with the first file.
 * `formats` are those that will be written (settings.h), 0 for none.
 * FAIL: as stage_load_schema; as record_check_xml where XML is among them. */
struct extract_files *extract_files_open(const struct config *config,
                                         const char *schema, unsigned formats,
                                         struct err *err);
void extract_files_close(struct extract_files *o); /* NULL is fine */

/* The file, open for reading, for the caller to close; "-" is stdin, of which at
 * most `most` bytes are taken. FAIL: [unreadable], [not-regular]; -1 then. */
int extract_files_open_file(const char *path, int64_t most, struct err *err);

/* How a person is told of a document, or of a part of a stack: "x.tif, part 2
 * (page 4-6)". */
enum { EXTRACT_FILES_PLACE_SIZE = 4400 };
struct document_part;
void extract_files_place(const char *path, const struct document_part *part,
                         char place[static EXTRACT_FILES_PLACE_SIZE]);

/* So many files will be read, for the line that shows how far it is. */
void extract_files_expect(struct extract_files *o,
                          size_t n_file); /* NULL is fine */

/* The document with its data, to be freed by document_free; "-" is stdin.
 * NULL after a failure: as stage_run; ERR_INPUT "unreadable". */
struct document *extract_files_read(struct extract_files *o, const char *path,
                                    struct err *err);

/* The same for a file that may be a stack (split = barcode): each document in
 * it is read and handed to `take`, with `number` from 1, 0 where the file is one
 * document, or with the error for which it could not be read (doc is NULL
 * then). A schema that a separator names is loaded as that of extract_files_open.
 * `take` says whether the next one is wanted.
 * FAIL, before any is taken: as extract_files_read and split_find. */
void extract_files_read_each(struct extract_files *o, const char *path,
                             bool (*take)(void *arg, struct document *doc,
                                          int number, struct err *err),
                             void *arg, struct err *err);
const struct engine_facts *extract_files_facts(const struct extract_files *o);

/* Is this failure about everything rather than about one file? Then the files
 * that follow need not be tried. */
bool extract_files_hopeless(const struct err *err);

#endif
