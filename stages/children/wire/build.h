/* build.h - the build a program belongs to. The protocols between platen and
 * its children have no versions: all must be of one build (`platen doctor`). */
#ifndef STAGES_CHILDREN_WIRE_BUILD_H
#define STAGES_CHILDREN_WIRE_BUILD_H

#include <stdbool.h>

enum { BUILD_ID_SIZE = 16 }; /* letters, without the NUL */

/* The hash of the sources of the children (Makefile). */
const char *build_id(void);

/* For a child: returns true if "--build" is its only argument, after writing
 * the build ID to the descriptor for frames. */
bool build_asked(int argc, char **argv);

#endif
