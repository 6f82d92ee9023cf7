/* version.h - the program's version, in one place. */
#ifndef STAGES_DOCUMENT_VERSION_H
#define STAGES_DOCUMENT_VERSION_H

#define PLATEN_VERSION "0.1.0"

#endif
