/* extract_files.h - reads files of the command line, without a spool. */
#ifndef PIPELINE_LOCAL_EXTRACT_FILES_H
#define PIPELINE_LOCAL_EXTRACT_FILES_H

#include "pipeline/config/config.h"
#include "stages/engine/engine.h"
#include "stages/stage.h"

struct extract_files;

/* Loads the schema (name or file); the engine is opened with the first file.
 * `formats` are the formats to be written (settings.h), 0 for none. FAIL: as
 * stage_load_schema; as record_check_xml if XML is among them. */
struct extract_files *extract_files_open(const struct config *config,
                                         const char *schema, unsigned formats,
                                         struct err *err);
void extract_files_close(struct extract_files *o); /* NULL is fine */

/* Opens a file for reading; the caller closes it. "-" is stdin, read up to
 * about `most` bytes. -1 on failure. FAIL: [unreadable], [not-regular]. */
int extract_files_open_file(const char *path, int64_t most, struct err *err);

/* The name of a document for people; of a part of a stack: "x.tif, part 2 (page
 * 4-6)". */
enum { EXTRACT_FILES_PLACE_SIZE = 4400 };
struct document_part;
void extract_files_place(const char *path, const struct document_part *part,
                         char place[static EXTRACT_FILES_PLACE_SIZE]);

/* Sets the number of files to be read, for the progress line. */
void extract_files_expect(struct extract_files *o,
                          size_t n_file); /* NULL is fine */

/* Reads one file; "-" is stdin. Free the document with document_free. NULL on
 * failure. FAIL: as stage_run; ERR_INPUT [unreadable]. */
struct document *extract_files_read(struct extract_files *o, const char *path,
                                    struct err *err);

/* The same for a file that can be a stack (split = barcode). Calls `take` for
 * each document in it, with `number` from 1 (0: the file is one document); if
 * it could not be read, doc is NULL and err has the reason. `take` returns
 * whether to go on. A schema named on a separator is loaded as in
 * extract_files_open. FAIL, before the first call: as extract_files_read and
 * split_find. */
void extract_files_read_each(struct extract_files *o, const char *path,
                             bool (*take)(void *arg, struct document *doc,
                                          int number, struct err *err),
                             void *arg, struct err *err);
const struct engine_facts *extract_files_facts(const struct extract_files *o);

/* Would the failure happen with every file? Then the remaining files need not
 * be tried. */
bool extract_files_hopeless(const struct err *err);

#endif
