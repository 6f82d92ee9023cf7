/* service.h - what a supervisor of services says to us by the environment
 * (sd_notify(3), sd_watchdog_enabled(3), systemd.exec(5)), and a terminal. */
#ifndef PIPELINE_PROCESS_SERVICE_H
#define PIPELINE_PROCESS_SERVICE_H

#include <stdbool.h>

struct service {
    const char *notify_socket; /* "" without */
    double watchdog_s;         /* a sign of life is wanted so often; 0: none */
    bool journal;              /* stderr goes to the journal */
    bool wipes;                /* the terminal, where there is one, can wipe a
                                * line (TERM) */
};

/* As the environment is now. */
struct service service_read(void);

#endif
