/* service.h - settings of the service manager in the environment (sd_notify(3),
 * sd_watchdog_enabled(3), systemd.exec(5)), and of the terminal. */
#ifndef PIPELINE_PROCESS_SERVICE_H
#define PIPELINE_PROCESS_SERVICE_H

#include <stdbool.h>

struct service {
    const char *notify_socket; /* "": none */
    double watchdog_s;         /* interval of keep-alives; 0: none */
    bool journal;              /* stderr is the journal */
    bool wipes;                /* the terminal can wipe a line (TERM) */
};

/* Reads the environment. */
struct service service_read(void);

#endif
