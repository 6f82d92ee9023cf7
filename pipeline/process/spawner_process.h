/* spawner_process.h - runs the spawner (stages/children/spawner.h). */
#ifndef PIPELINE_PROCESS_SPAWNER_PROCESS_H
#define PIPELINE_PROCESS_SPAWNER_PROCESS_H

#include "stages/settings.h"
#include "vlm/base/err.h"

struct spawner_process;

/* Starts it. The settings must outlive it. FAIL: ERR_SYSTEM. */
struct spawner_process *spawner_process_start(const struct settings *settings,
                                              struct err *err);

/* For settings.spawner_door; 0: p is NULL. */
int spawner_process_door(const struct spawner_process *p);

/* Has it ended? True for NULL. */
bool spawner_process_ended(struct spawner_process *p);

/* It ends when no other process has its door or a connection. */
void spawner_process_retire(struct spawner_process *p);

/* Ends it, and all children that it started. NULL: does nothing. */
void spawner_process_free(struct spawner_process *p);

#endif
