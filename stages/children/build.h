/* build.h - of which sources a program was made: platen and its children speak
 * protocols without versions, so they must be of one build (`platen doctor`). */
#ifndef STAGES_CHILDREN_BUILD_H
#define STAGES_CHILDREN_BUILD_H

#include <stdbool.h>

enum { BUILD_ID_SIZE = 16 }; /* letters, a NUL behind them */

/* The hash of the sources that the children are made of (Makefile). */
const char *build_id(void);

/* In a child: whether nothing was asked but of which build it is ("--build");
 * the answer is out then, on the descriptor of frames. */
bool build_asked(int argc, char **argv);

#endif
