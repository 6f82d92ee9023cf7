/* installed.h - files that were installed with the program: PREFIX/share/platen,
 * wherever PREFIX lies. A bundle (make bundle) has poppler's tables, fonts and
 * Tesseract's data there; a package of a distribution leaves them to the system. */
#ifndef STAGES_CHILDREN_INSTALLED_H
#define STAGES_CHILDREN_INSTALLED_H

#include <stdbool.h>

enum { INSTALLED_PATH = 4096 };

/* Writes the path of share/platen/NAME; false: there is none, and `path` is "".
 * Of bin/platen and of libexec/platen/platen-raster it is the same folder. */
bool installed_path(const char *name, char path[INSTALLED_PATH]);

/* Poppler's tables of East Asian encodings: the installed ones, or the system's. */
void installed_tables(char path[INSTALLED_PATH]);

/* Has fontconfig use the installed fonts.conf, where there is one. Before the first
 * call of fontconfig, in a process of one thread. */
void installed_fonts(void);

#endif
