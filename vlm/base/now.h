/* now.h - the only reader of the clocks. */
#ifndef VLM_BASE_NOW_H
#define VLM_BASE_NOW_H

double now_seconds(void);     /* monotonic, from an arbitrary start */
double now_cpu_seconds(void); /* CPU time of this process, all threads */

/* UTC seconds since 1970, and the same as "2026-11-21T02:14:00Z". */
long long now_utc(void);
double now_utc_fine(void); /* with fractions, to compare with a file's ctime */
void now_utc_text(char text[static 21]);
/* Another moment; "" where its year has not four digits. */
void now_utc_print(long long utc, char text[static 21]);

#endif
