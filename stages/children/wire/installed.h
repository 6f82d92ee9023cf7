/* installed.h - files installed with the program in PREFIX/share/platen. A
 * bundle (make bundle) has poppler's tables, fonts and Tesseract's data there;
 * a distribution's package leaves them to the system. */
#ifndef STAGES_CHILDREN_WIRE_INSTALLED_H
#define STAGES_CHILDREN_WIRE_INSTALLED_H

#include <stdbool.h>

enum { INSTALLED_PATH = 4096 };

/* Writes the path of share/platen/NAME; false, and "", if it does not exist.
 * The folder is the same for bin/platen and libexec/platen/platen-raster. */
bool installed_path(const char *name, char path[INSTALLED_PATH]);

/* Writes the path of poppler's tables of East Asian encodings: the installed
 * ones, or else the system's. */
void installed_tables(char path[INSTALLED_PATH]);

/* Makes fontconfig use the installed fonts.conf, if any. Call before the first
 * use of fontconfig, while the process has one thread. */
void installed_fonts(void);

#endif
