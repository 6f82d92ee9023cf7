/* document_sandbox.h - the sandbox of a process that handles the content of a
 * document (stages/process/process.h, confined). */
#ifndef PIPELINE_PROCESS_DOCUMENT_SANDBOX_H
#define PIPELINE_PROCESS_DOCUMENT_SANDBOX_H

#include "stages/document/document.h"
#include "stages/document/settings.h"

struct engine;

/* For a process that reads `doc`: connects to the spawner, gives the engine (or
 * NULL) a connection of its own, and enters the sandbox. Afterwards the process
 * has its standard error, the document's descriptor, `fd` and these connections,
 * and opens no file. A missing layer is a warning of the document.
 * FAIL: [no-sandbox] with neither Landlock nor seccomp, unless the settings
 * accept it; as engine_renew; ERR_SYSTEM. */
void document_sandbox_enter(struct document *doc, struct engine *engine,
                            struct settings *settings, int fd, struct err *err);

/* For a process that only computes, and writes to `fd`. FAIL: [no-sandbox]. */
void document_sandbox_enter_alone(const struct settings *settings, int fd,
                                  struct err *err);

/* For platen doctor: starts a process of each kind that platen forks, and prints a
 * line with the active layers of its sandbox. The fetch process keeps the
 * network. Returns false if a layer is missing. */
bool document_sandbox_doctor(const struct settings *settings, struct buf *out);

#endif
