/* lines.c - what a confined process writes to its standard error: its parent
 * shows whole lines with the process's name, without control characters, and not
 * without end. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/messages/play.h"
#include "vlm/base/utf8.h"

enum { TIMES = 40, SHOWN_MOST = 4 * PROCESS_LOG_MOST };

/* Writes what is left of the input, again and again. */
static void write_lines(struct play *p, struct process *process)
{
    int pipe_end[2], times = play_byte(p) % TIMES;
    size_t size = (size_t)(p->end - p->at);
    int made = pipe2(pipe_end, O_CLOEXEC | O_NONBLOCK);
    assert(!made);
    process->log = pipe_end[0];
    for (int i = 0; i <= times; i++) {
        ssize_t put = write(pipe_end[1], p->at, size);
        if (i % 8 == 7 || put < 0) process_print(process);
    }
    close(pipe_end[1]);
    process_print(process);
    assert(process->log == -1);
    process_end(process);
}

static void check_shown(char *text)
{
    static const char start[] = "platen: ";
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        assert(!strncmp(line, start, sizeof start - 1));
        assert(strstr(line, "platen-reader: "));
        play_check_text(line, (size_t)(end - line) + 1);
    }
}

void messages_lines(struct play *p)
{
    static char text[SHOWN_MOST];
    struct process process = PROCESS_NONE;
    process.pid = INT_MAX;
    process.name = "platen-reader";
    int shown = memfd_create("stderr", MFD_CLOEXEC), own = dup(STDERR_FILENO);
    assert(shown >= 0 && own >= 0);
    fflush(stderr);
    dup2(shown, STDERR_FILENO);
    write_lines(p, &process);
    fflush(stderr);
    dup2(own, STDERR_FILENO);
    close(own);
    ssize_t n = pread(shown, text, sizeof text - 1, 0);
    close(shown);
    assert(n >= 0 && n < (ssize_t)sizeof text - 1);
    text[n] = '\0';
    assert(strlen(text) == (size_t)n);
    check_shown(text);
}
