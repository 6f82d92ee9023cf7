/* pdf_file.h - access to the objects of a PDF that poppler does not expose; the
 * only user of libqpdf.
 *
 * A file is read whole and closed again after some pages: libqpdf keeps every
 * object that it has read, except pages (pdf_file_visit). Functions do not
 * fail: what is missing or of another type is PDF_NONE, 0 or false.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_FILE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/span.h"

struct pdf_file;

/* An object; valid until the file is closed. */
typedef unsigned pdf_object;
enum { PDF_NONE = 0 };

/* The `size` bytes of the file on fd; the caller frees them (mem_free). NULL for
 * lack of memory, or if there are fewer. */
char *pdf_file_read(int fd, size_t size);

/* Opens the document on fd, of `size` bytes; password: as UTF-8, or NULL. NULL
 * for lack of memory, or if libqpdf cannot read it. The caller closes it. */
struct pdf_file *pdf_file_open(int fd, size_t size, const char *password);
void pdf_file_close(struct pdf_file *file); /* NULL is fine */

/* The document written anew without encryption, valid until it is closed; empty if
 * that fails, or for NULL. */
struct span pdf_file_unlocked(struct pdf_file *file);

/* Calls fn for the pages of the page tree, whatever /Count says, until it
 * returns false. A page is valid during the call, and PDF_NONE if it is a
 * repetition. One visit per file. Returns the number of pages visited. */
typedef bool pdf_page_fn(void *arg, int number, pdf_object page);
int pdf_file_visit(struct pdf_file *file, pdf_page_fn *fn, void *arg);

/* The document catalogue. */
pdf_object pdf_file_root(struct pdf_file *file);

/* The value of a key (without its slash) of a dictionary or a stream. */
pdf_object pdf_file_get(struct pdf_file *file, pdf_object from,
                        const char *key);

/* The same for a page, including inherited values. */
pdf_object pdf_file_inherited(struct pdf_file *file, pdf_object page,
                              const char *key);

/* The type of an object; PDF_NONE is null, and nothing else. */
bool pdf_file_is_stream(struct pdf_file *file, pdf_object o);
/* A dictionary that is not a stream's. */
bool pdf_file_is_dictionary(struct pdf_file *file, pdf_object o);
/* An array. */
bool pdf_file_is_array(struct pdf_file *file, pdf_object o);
/* Null or missing. */
bool pdf_file_is_null(struct pdf_file *file, pdf_object o);
/* This name. */
bool pdf_file_is_name(struct pdf_file *file, pdf_object o, const char *name);
/* The boolean true. */
bool pdf_file_is_true(struct pdf_file *file, pdf_object o);

/* A name; "" for other types. Valid until the next call of any function. */
const char *pdf_file_name(struct pdf_file *file, pdf_object o);

/* A text string as printable ASCII, cut to `size`; "" for other types. */
void pdf_file_text(struct pdf_file *file, pdf_object o, char *out, size_t size);

/* A number without its fraction; `otherwise` for other types. */
long long pdf_file_integer(struct pdf_file *file, pdf_object o,
                           long long otherwise);

/* The number of elements of an array; 0 for other types. */
int pdf_file_array_size(struct pdf_file *file, pdf_object array);
/* Element i, from 0; PDF_NONE if there is none. */
pdf_object pdf_file_array_at(struct pdf_file *file, pdf_object array, int i);

/* The number of an indirect object; 0 for a direct one. */
int pdf_file_id(struct pdf_file *file, pdf_object o);

/* The raw bytes of a stream, decrypted but not decoded; the caller frees them
 * (free). NULL if they cannot be read. */
uint8_t *pdf_file_stream(struct pdf_file *file, pdf_object stream,
                         size_t *size);

#endif
