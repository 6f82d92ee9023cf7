/* file_name.h - file names from outside: any bytes but '/' and NUL.
 *
 * Inside the spool a document is named by its id only. Its original name is
 * data: it is shown, stored and used in out/ in the escaped form made here.
 */
#ifndef PIPELINE_SPOOL_FILE_NAME_H
#define PIPELINE_SPOOL_FILE_NAME_H

#include <stdbool.h>

#include "vlm/base/buf.h"

/* FILE_NAME_PATH_MAX: of a folder below in/, "NAME/a/b", not escaped. */
enum { FILE_NAME_BYTES_MAX = 255, FILE_NAME_PATH_MAX = 1023 };

/* Printable UTF-8 stays; '%', control characters and bytes that are not UTF-8
 * become %XX. Equal results mean equal names. */
void file_name_escape(const char *name, struct buf *out);

/* The inverse. False for a text that is not a result of file_name_escape. */
bool file_name_unescape(const char *text,
                        char out[static FILE_NAME_BYTES_MAX + 1]);

/* The same for the path of a folder, "a/b". False also if one of its names is
 * hidden, so that it cannot lead upwards, or if it is too long. */
bool file_name_unescape_path(const char *text,
                             char out[static FILE_NAME_PATH_MAX + 1]);

/* Is it a temporary file of an editor, browser or transfer, a recycle bin, or
 * another file or folder that is not the user's? `more`: patterns (fnmatch) of
 * names that are not either, with commas between; or NULL. */
bool file_name_ignored(const char *name, const char *more);

/* Does it have the extension of a known document type (.pdf, .png, ...)? Not
 * with .xml (records are XML, too) or .eml. */
bool file_name_is_document(const char *name);

/* The name of a record in out/: escaped, without the extension of a known
 * document type, cut to 150 bytes, never hidden and never like a flag. */
void file_name_stem(const char *name, struct buf *out);
/* The same with its extension: for a failure note. */
void file_name_of_note(const char *name, struct buf *out);

#endif
