/* pdf_file.h - the objects of a PDF, for what poppler does not tell; the only
 * user of libqpdf.
 *
 * A file is read whole and closed again after some pages: libqpdf keeps every
 * object that it has seen, but for pages (pdf_file_visit). Nothing here fails loudly: what is missing or of
 * another type is PDF_NONE, 0 or false.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_FILE_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pdf_file;

/* An object, until the file is closed. */
typedef unsigned pdf_object;
enum { PDF_NONE = 0 };

/* The document on fd, of `size` bytes. NULL where it cannot be read: for want of
 * memory, or because libqpdf makes nothing of it. The caller closes it. */
struct pdf_file *pdf_file_open(int fd, size_t size);
void pdf_file_close(struct pdf_file *file); /* NULL is fine */

/* Calls fn for the pages of the page tree, whatever /Count says, until it returns
 * false. A page lasts as long as the call, and is PDF_NONE where it came before;
 * there is one visit to a file. How many pages were visited. */
typedef bool pdf_page_fn(void *arg, int number, pdf_object page);
int pdf_file_visit(struct pdf_file *file, pdf_page_fn *fn, void *arg);

/* The catalogue. */
pdf_object pdf_file_root(struct pdf_file *file);

/* The value of a key (without its slash) of a dictionary or of a stream's. */
pdf_object pdf_file_get(struct pdf_file *file, pdf_object from,
                        const char *key);

/* The same of a page, or what it inherits. */
pdf_object pdf_file_inherited(struct pdf_file *file, pdf_object page,
                              const char *key);

/* What an object is; PDF_NONE is null, and nothing else. */
bool pdf_file_is_stream(struct pdf_file *file, pdf_object o);
/* ... and no stream. */
bool pdf_file_is_dictionary(struct pdf_file *file, pdf_object o);
/* ... an array. */
bool pdf_file_is_array(struct pdf_file *file, pdf_object o);
/* ... null, or not there. */
bool pdf_file_is_null(struct pdf_file *file, pdf_object o);
/* ... this name. */
bool pdf_file_is_name(struct pdf_file *file, pdf_object o, const char *name);
/* ... the boolean true. */
bool pdf_file_is_true(struct pdf_file *file, pdf_object o);

/* "" for what is no name; the file's until the next call of any function. */
const char *pdf_file_name(struct pdf_file *file, pdf_object o);

/* A text string as printable ASCII, cut; "" for what is none. */
void pdf_file_text(struct pdf_file *file, pdf_object o, char *out, size_t size);

/* A number without its fraction; `otherwise` for what is none. */
long long pdf_file_integer(struct pdf_file *file, pdf_object o,
                           long long otherwise);

/* Elements of an array; 0 for what is none. */
int pdf_file_array_size(struct pdf_file *file, pdf_object array);
/* Element i, from 0; PDF_NONE where there is none. */
pdf_object pdf_file_array_at(struct pdf_file *file, pdf_object array, int i);

/* The number of an indirect object; 0 for a direct one. */
int pdf_file_id(struct pdf_file *file, pdf_object o);

/* Bytes of a stream as they stand in the file, decrypted. NULL where they cannot
 * be had; else the caller frees them (free). */
uint8_t *pdf_file_stream(struct pdf_file *file, pdf_object stream,
                         size_t *size);

#endif
