/* extract_files.h - reads files of the command line, without a spool.
 *
 * Each document is read and printed by a process of its own (reader.h).
 */
#ifndef PIPELINE_LOCAL_EXTRACT_FILES_H
#define PIPELINE_LOCAL_EXTRACT_FILES_H

#include "pipeline/config/config.h"
#include "pipeline/process/document_work.h"
#include "pipeline/reader/reader.h"

struct extract_files;

/* Loads the schema (name or file); the engine is opened with the first file.
 * `formats` are the formats to be written (settings.h), 0 for none. FAIL: as
 * stages_load_schema; as record_check_xml if XML is among them. */
struct extract_files *extract_files_open(const struct config *config,
                                         const char *schema, unsigned formats,
                                         struct err *err);
void extract_files_close(struct extract_files *o); /* NULL is fine */

/* Opens a file for reading; the caller closes it. "-" is stdin, read up to
 * about `most` bytes. -1 on failure. FAIL: [unreadable], [not-regular]. */
int extract_files_open_file(const char *path, int64_t most, struct err *err);

/* Runs the work (document_work.h) on a file: sets its name, fd and the file's
 * place in the error. FAIL: as extract_files_open_file, document_work_run. */
void extract_files_work(const char *path, struct document_work *work,
                        struct err *err);

/* Sets the number of files to be read, for the progress line. */
void extract_files_expect(struct extract_files *o,
                          size_t n_file); /* NULL is fine */

/* Reads one file; "-" is stdin. Calls take(arg, 0, err) once it is read, and can
 * be printed, or could not be: then err has the reason. FAIL: as stages_run;
 * ERR_INPUT [unreadable]; [internal] if the process died; as `take`. */
typedef bool extract_files_take(void *arg, int number, struct err *err);
void extract_files_read(struct extract_files *o, const char *path,
                        extract_files_take *take, void *arg);

/* The same for a file that can be a stack (split = barcode). Calls `take` for
 * each document in it, with `number` from 1 (0: the file is one document);
 * `take` returns whether to go on. A schema named on a separator is loaded as in
 * extract_files_open. FAIL also: as split_find. */
void extract_files_read_each(struct extract_files *o, const char *path,
                             extract_files_take *take, void *arg);

/* For `take`, if the document was read: has it printed (enum reader_print).
 * FAIL: as reader_print. */
void extract_files_print(struct extract_files *o, int what, struct buf *out,
                         struct err *err);

/* What a document's process prints from READER_CUSTOM on (reader_task.print). */
void extract_files_own(struct extract_files *o,
                       void (*print)(const struct document *doc, int what,
                                     struct buf *out));

/* Finds examples for each document (reader_task's find_examples), with `arg`. */
void extract_files_examples(struct extract_files *o,
                            int (*find)(void *arg, struct span words,
                                        bool whole),
                            void *arg);

/* For `take`: the document's name for people; of a part of a stack: "x.tif, part
 * 2 (page 4-6)". */
const char *extract_files_place(const struct extract_files *o);

/* Would the failure happen with every file? Then the remaining files need not
 * be tried. */
bool extract_files_hopeless(const struct err *err);

#endif
