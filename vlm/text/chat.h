/* chat.h - turns to pieces that are fed to the model one after the other.
 *
 * ChatML with thinking off, without a template engine and without the file's
 * template. Tokens of the pieces in order are the tokens of the whole text.
 * SOURCE  MODEL.md, "Turns".
 */
#ifndef VLM_TEXT_CHAT_H
#define VLM_TEXT_CHAT_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum chat_role { CHAT_SYSTEM, CHAT_USER, CHAT_ASSISTANT };

/* One part of a turn: text from anywhere, or the picture of this number. */
struct chat_part {
    bool is_image;
    int image;
    struct span text; /* UTF-8; never read for added tokens */
};

struct chat_turn {
    enum chat_role role;
    const struct chat_part *part;
    int n_part;
};

enum chat_kind {
    CHAT_MARKUP, /* text whose added tokens count: vlm_feed_text special */
    CHAT_PLAIN,  /* text from outside: never special */
    CHAT_IMAGE   /* vlm_feed_image, which adds vision_start and _end */
};

struct chat_piece {
    enum chat_kind kind;
    struct span text;
    int image;
};

struct chat_pieces {
    struct chat_piece *piece;
    int n_piece;
};

/* All turns, then the opening of the answer with its empty think block. White
 * space around a turn is dropped, as in the reference. Texts stay borrowed.
 * FAIL: ERR_ARGS for a system turn that is not first or holds a picture, and
 * for no user turn at all. */
struct chat_pieces chat_assemble(const struct chat_turn *turn, int n_turn,
                                 struct arena *arena, struct err *err);

#endif
