/* answers.h - answers that are kept, and given again to the very same questions: an
 * engine in front of another one.
 *
 * A question is the same where model, schema, instructions, words, picture and try
 * are, to the last bit. So what is read with answers of another machine's is what
 * would have been read without, as far as the model gives the same twice.
 * THREADS  As the engine behind it.
 */
#ifndef STAGES_ENGINE_ANSWERS_H
#define STAGES_ENGINE_ANSWERS_H

#include "stages/engine/engine.h"

/* An engine that gives what the file `from` holds (a line of JSON each), and asks
 * `inner` for the rest, whose answers it adds to the file `to`; -1: there is none. Of
 * the engine null nothing is given.
 * Close it before `inner`, which stays the caller's, and so do both files. FAIL:
 * ERR_SYSTEM. */
struct engine *answers_open(struct engine *inner,
                            const struct settings *settings, int from, int to,
                            struct err *err);

#endif
