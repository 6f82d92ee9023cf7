/* play.h - a process of platen played by a fuzz input: messages as it would send
 * them, with any of their bytes changed, to the real other side.
 *
 * Sources of the product are compiled once more into the files of this folder,
 * under other names, so that process_start starts nothing: `play` has the other
 * end of the socket.
 */
#ifndef TESTS_FUZZ_MESSAGES_PLAY_H
#define TESTS_FUZZ_MESSAGES_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/process/process.h"

/* An honest message of one type, and where it is worth changing. */
struct play_type {
    uint32_t type;
    const void *body;
    size_t size;
    const uint16_t *at;
    size_t n_at;
};

struct play {
    const uint8_t *at, *end; /* the input */
    const struct play_type *type;
    size_t n_type;
    int peer;     /* its end of the socket; -1: it has gone */
    bool stopped; /* the parent was asked to stop */
    bool at_once; /* all is sent when it starts: nobody asks for more */
    int status;   /* of the process, as from waitpid */
    int n_words;  /* how often a reader asked for examples */
};

int play_byte(struct play *p); /* 0 at the end of the input */

/* Sends one message at `fd` without waiting. False: the input is at its end. */
bool play_send(struct play *p, int fd);
bool play_more(
    struct play *p); /* the same at `peer`, which closes at the end */

/* The stop function of a wait: sends a message each time; true when the input
 * says so, or long after its end. */
bool play_stop(void *play);

/* What process_start does for the present input. */
void play_begin(struct play *p);
void play_end(struct play *p);
void played_start(struct process *p, const struct process_options *o,
                  struct err *err);

/* Asserts. One line of UTF-8 that ends. */
void play_check_text(const char *text, size_t size);
#define PLAY_TEXT(text) play_check_text(text, sizeof(text))
void play_check_bool(const bool *flag);
/* A reason of the table, and none that only a parent knows. */
void play_check_err(const struct play *p, const struct err *err);

/* The sides. */
void messages_reader(struct play *p);
void messages_archive(struct play *p);
void messages_checker(struct play *p);
void messages_work(struct play *p);
void messages_sender(struct play *p);
void messages_fetch(struct play *p);
void messages_spawner(struct play *p);
void messages_lines(struct play *p);

#endif
