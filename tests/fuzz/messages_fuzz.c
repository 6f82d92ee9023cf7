/* messages_fuzz.c - any messages, sent by processes of platen that handle what
 * is hostile, to the real code of those that receive them. The first byte says
 * who sends; that of the model server's clients is model_server_fuzz.c. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <unistd.h>

#include "tests/fuzz/messages/play.h"

int messages_fuzz(const uint8_t *data, size_t size)
{
    static void (*const side[])(struct play * p) = {
        messages_reader, messages_checker, messages_work,  messages_sender,
        messages_fetch,  messages_spawner, messages_lines, messages_archive};
    struct play p = {.at = data, .end = data + size};
    int free_fd = dup(0);
    close(free_fd);
    int who = play_byte(&p);
    play_begin(&p);
    side[(size_t)who % (sizeof side / sizeof *side)](&p);
    play_end(&p);
    int now = dup(0); /* a descriptor that leaks is the lowest that was free */
    close(now);
    assert(now == free_fd);
    return 0;
}
