/* sweep.h - for the program of tests/eval/sweep.py, included before every file: the
 * thresholds (stages/print/thresholds.h) are variables, which sweep.c sets. */
#ifndef TESTS_EVAL_SWEEP_H
#define TESTS_EVAL_SWEEP_H

#ifndef THRESHOLD
#    define THRESHOLD(name, value)       extern double name
#    define THRESHOLD_COUNT(name, value) extern int name
#endif

#endif
