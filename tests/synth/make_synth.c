/* make_synth.c - writes a model file with random weights.
 *
 *     make synth && build/release/make-synth 0.8b Q8_0 model.gguf
 *     build/release/make-synth 0.8b BF16 mmproj.gguf vision
 *     build/release/make-synth 35b-a3b Q4_K_M moe.gguf layers=4 mtp fused
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/synth/synth.h"

static const char usage[] =
    "make-synth PRESET TYPE FILE [vision] [mtp] [fused] [hollow] [variant] "
    "[layers=N] [vocab=N] [seed=N]\nPRESET: %s\nTYPE: F32 F16 BF16 Q8_0 Q4_K "
    "..., or the "
    "mixes Q4_K_M and Q5_K_M\n";

static bool read_word(struct synth_options *o, const char *word)
{
    int used = 0, n = (int)strlen(word);
    unsigned long long seed;
    if (!strcmp(word, "vision")) return o->vision = true;
    if (!strcmp(word, "mtp")) return o->mtp = true;
    if (!strcmp(word, "fused")) return o->fused = true;
    if (!strcmp(word, "hollow")) return o->hollow = true;
    if (!strcmp(word, "variant")) return o->variant = true;
    if (sscanf(word, "layers=%d%n", &o->n_layer, &used) == 1)
        return used == n && o->n_layer > 0;
    used = 0;
    if (sscanf(word, "vocab=%d%n", &o->n_vocab, &used) == 1)
        return used == n && o->n_vocab >= 512;
    used = 0;
    if (sscanf(word, "seed=%llu%n", &seed, &used) == 1) {
        o->seed = seed;
        return used == n;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct synth_options o = {.seed = 1};
    bool fine = argc >= 4;
    for (int i = 4; i < argc && fine; i++)
        fine = read_word(&o, argv[i]);
    if (!fine) {
        fprintf(stderr, usage, synth_presets);
        return 2;
    }
    o.preset = argv[1];
    o.type = argv[2];
    struct err err = {0};
    FILE *out = fopen(argv[3], "wb");
    if (!out)
        err_errno(&err, "%s", argv[3]);
    else
        synth_write(&o, out, &err);
    if (out && fclose(out)) err_errno(&err, "%s", argv[3]);
    if (err_failed(&err)) fprintf(stderr, "%s: %s\n", argv[3], err.text);
    return err_failed(&err);
}
