/* script.c - see script.h. */
#include "stages/print/script.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "stages/print/thresholds.h"
#include "vlm/base/utf8.h"

const char script_qwen[] = "Latin Cyrillic Greek Han Hangul Korean Hiragana "
                           "Katakana Japanese Arabic Hebrew Thai Vietnamese";

/* Blocks of letters, ascending, without digits and common marks. */
static const struct block {
    uint32_t first, last;
    const char *name;
} blocks[] = {
    {'A', 'Z', "Latin"},          {'a', 'z', "Latin"},
    {0xC0, 0x24F, "Latin"},       {0x370, 0x3FF, "Greek"},
    {0x400, 0x52F, "Cyrillic"},   {0x531, 0x58F, "Armenian"},
    {0x590, 0x5FF, "Hebrew"},     {0x600, 0x6FF, "Arabic"},
    {0x700, 0x74F, "Syriac"},     {0x750, 0x77F, "Arabic"},
    {0x780, 0x7BF, "Thaana"},     {0x900, 0x97F, "Devanagari"},
    {0x980, 0x9FF, "Bengali"},    {0xA00, 0xA7F, "Gurmukhi"},
    {0xA80, 0xAFF, "Gujarati"},   {0xB00, 0xB7F, "Oriya"},
    {0xB80, 0xBFF, "Tamil"},      {0xC00, 0xC7F, "Telugu"},
    {0xC80, 0xCFF, "Kannada"},    {0xD00, 0xD7F, "Malayalam"},
    {0xD80, 0xDFF, "Sinhala"},    {0xE00, 0xE7F, "Thai"},
    {0xE80, 0xEFF, "Lao"},        {0xF00, 0xFFF, "Tibetan"},
    {0x1000, 0x109F, "Myanmar"},  {0x10A0, 0x10FF, "Georgian"},
    {0x1100, 0x11FF, "Hangul"},   {0x1200, 0x139F, "Ethiopic"},
    {0x13A0, 0x13FF, "Cherokee"}, {0x1400, 0x167F, "Canadian_Aboriginal"},
    {0x1780, 0x17FF, "Khmer"},    {0x1800, 0x18AF, "Mongolian"},
    {0x1E00, 0x1EFF, "Latin"},    {0x1F00, 0x1FFF, "Greek"},
    {0x3040, 0x30FF, "Japanese"}, {0x3130, 0x318F, "Hangul"},
    {0x3400, 0x4DBF, "Han"},      {0x4E00, 0x9FFF, "Han"},
    {0xAC00, 0xD7AF, "Hangul"},   {0xF900, 0xFAFF, "Han"},
    {0xFB50, 0xFDFF, "Arabic"},   {0xFE70, 0xFEFC, "Arabic"},
    {0x20000, 0x323AF, "Han"},
};

enum { N_BLOCK = sizeof blocks / sizeof blocks[0] };

static int block_of(uint32_t c)
{
    for (int i = 0; i < N_BLOCK && blocks[i].first <= c; i++)
        if (c <= blocks[i].last) return i;
    return -1;
}

void script_of_words(const struct words *words, struct script *out)
{
    int count[N_BLOCK] = {0}, all = 0;
    *out = (struct script){.confidence = 0};
    for (int i = 0; i < words->n_word; i++) {
        for (const char *at = words->word[i].text; *at;) {
            int b = block_of(utf8_take(&at));
            if (b < 0) continue;
            count[b]++;
            all++;
        }
    }
    if (all < LETTERS_LEAST) return;
    int most = 0;
    for (int i = 0; i < N_BLOCK; i++) {
        int sum = 0;
        for (int k = 0; k < N_BLOCK; k++)
            if (!strcmp(blocks[k].name, blocks[i].name)) sum += count[k];
        if (sum <= most) continue;
        most = sum;
        snprintf(out->name, sizeof out->name, "%s", blocks[i].name);
    }
    out->confidence = (double)most / all;
}

static bool is_among(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && !strncmp(at, name, n)) return true;
    return false;
}

bool script_is_read(const struct script *script, const char *known)
{
    return !known || !*script->name || script->confidence < script_sure_least ||
           is_among(known, script->name);
}
