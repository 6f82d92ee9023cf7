/* sandbox_pipe.c - complete reads and writes on a child's descriptors; see
 * sandbox.h. */
#include "stages/children/sandbox/sandbox.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void sandbox_write(const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(SANDBOX_FD_OUT, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(1);
        at += n;
        size -= (size_t)n;
    }
}

bool sandbox_read(void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = read(SANDBOX_FD_IN, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void sandbox_send(struct child_frame frame)
{
    frame.magic = FRAME_MAGIC;
    sandbox_write(&frame, sizeof frame);
}

void sandbox_send_text(struct child_frame frame, const char *text, size_t most)
{
    frame.size = strnlen(text, most);
    sandbox_send(frame);
    sandbox_write(text, frame.size);
}

bool sandbox_greet(const struct sandbox_layers *walls, bool allow_unsandboxed)
{
    sandbox_send((struct child_frame){.type = FRAME_HELLO,
                                      .a = walls->layers,
                                      .b = (uint32_t)walls->landlock_abi});
    return allow_unsandboxed ||
           walls->layers & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP);
}

bool sandbox_receive(struct child_frame *frame, uint32_t type)
{
    return sandbox_read(frame, sizeof *frame) && frame->magic == FRAME_MAGIC &&
           frame->type == type;
}
