/* command_ask.c - platen ask: a question about a picture, to try a model. */
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/models/image_file.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"
#include "vlm/text/chat.h"
#include "vlm/vlm.h"

/* Prints the answer on stdout, and timings or why it was cut on stderr. */
static int print_answer(const struct vlm_answer *a)
{
    fwrite(a->text.data, 1, a->text.size, stdout);
    putchar('\n');
    log_note("prompt: %d tokens in %.2f s; answer: %d tokens in %.2f s",
             a->n_prompt, a->prompt_s, a->n_sampled, a->sample_s);
    if (a->finish == VLM_FINISH_STOP) return EXIT_OK;
    log_warn(a->finish == VLM_FINISH_LENGTH
                 ? "the answer was cut at max_tokens"
                 : "the answer repeats itself and was cut");
    return EXIT_OUTPUT;
}

static int ask_command(const struct command_line *line, struct err *err)
{
    const struct settings *set = &line->config->stage;
    const char *picture = command_value(line, "image");
    if (!picture) {
        err_set(err, ERR_ARGS, "--image FILE is needed");
        return EXIT_ARGS;
    }
    struct vlm_options o = {.model = line->operand[0],
                            .mmproj = set->mmproj,
                            .n_ctx = set->n_ctx,
                            .yarn_factor = (float)set->yarn,
                            .n_thread = set->n_thread,
                            .device = set->device,
                            .timings = set->cache,
                            .max_pixels = settings_page_pixels(set)};
    struct vlm *v = vlm_open(&o, err);
    struct vlm_session *s = err_failed(err) ? NULL : vlm_session_open(v, err);
    struct image image = {0};
    if (!err_failed(err))
        image = image_file_read(picture, set, vlm_info(v), err);
    struct arena *arena = arena_new();
    struct vlm_answer answer = {0};
    if (!err_failed(err)) {
        struct vlm_request r = {
            .max_tokens = set->max_tokens,
            .sampling = {.temperature = (float)set->temperature,
                         .top_k = 20,
                         .top_p = 0.95f,
                         .seed = (uint64_t)set->seed}};
        vlm_feed_text(s, span_of(CHAT_USER_BEGINS), true, err);
        vlm_feed_image(s, &image, err);
        vlm_feed_text(s, span_of(line->operand[1]), false, err);
        vlm_feed_text(s, span_of(CHAT_ANSWER_BEGINS), true, err);
        vlm_generate(s, &r, arena, &answer, err);
    }
    int code = err_failed(err) ? EXIT_OTHER : print_answer(&answer);
    arena_free(arena);
    image_free(&image);
    vlm_session_close(s);
    vlm_close(v);
    return code;
}

static const struct command_flag flags[] = {
    {"image", "FILE", "an image, or a PDF (its first page)", 0},
    {0},
};

const struct command command_ask_row = {
    .name = "ask",
    .usage = "MODEL --mmproj FILE --image FILE QUESTION",
    .summary = "ask a model about an image",
    .help =
        "The answer is free text on stdout, without a schema; timings go to "
        "stderr. The question is plain text: chat markup in it has no effect.\n"
        "\n"
        "  platen ask model.gguf --mmproj mmproj.gguf --image scan.png \"What "
        "is the total?\"",
    .flag = flags,
    .least = 2,
    .most = 2,
    .run = ask_command,
};
