/* clock.h - access to the system's clocks. */
#ifndef VLM_BASE_CLOCK_H
#define VLM_BASE_CLOCK_H

double clock_seconds(void);     /* monotonic, from an arbitrary start */
double clock_cpu_seconds(void); /* CPU time of this process, all threads */

/* The next wait in a row of failures, after one of `wait` (0: none yet): the first,
 * then twice as long each time, at most `most`. */
double clock_wait_longer(double wait, double first, double most);

/* UTC seconds since 1970, and the same as "2026-11-21T02:14:00Z". */
long long clock_utc(void);
double clock_utc_fine(
    void); /* with fractions, to compare with a file's ctime */
void clock_utc_text(char text[static 21]);
/* Formats a given time; "" if the year does not have four digits. */
void clock_utc_print(long long utc, char text[static 21]);

#endif
