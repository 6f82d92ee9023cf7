/* ocr_scripts.c - see ocr_scripts.h. */
#include "stages/children/wire/ocr_scripts.h"

#include <stddef.h>
#include <string.h>

/* Latin is the first. Names between spaces, so that one can be found. */
static const struct script_row {
    const char *name, *letter, *languages;
} rows[] = {
    {"Latin", "a", " Latin Fraktur "},
    {"Cyrillic", "ж",
     " bel bul kaz kir mkd mon rus srp tat tgk ukr aze_cyrl uzb_cyrl "
     "Cyrillic "},
    {"Greek", "ώ", " ell grc Greek "},
    {"Arabic", "ع", " ara fas pus snd uig urd Arabic "},
    {"Hebrew", "ש", " heb yid Hebrew "},
    {"Han", "国", " chi_sim chi_sim_vert chi_tra chi_tra_vert HanS HanT "},
    {"Japanese", "の", " jpn jpn_vert Japanese "},
    {"Hangul", "한", " kor kor_vert Hangul "},
    {"Korean", "한", ""},
    {"Devanagari", "क", " hin mar nep san Devanagari "},
    {"Bengali", "ক", " asm ben Bengali "},
    {"Gurmukhi", "ਕ", " pan Gurmukhi "},
    {"Gujarati", "ક", " guj Gujarati "},
    {"Oriya", "କ", " ori Oriya "},
    {"Tamil", "க", " tam Tamil "},
    {"Telugu", "క", " tel Telugu "},
    {"Kannada", "ಕ", " kan Kannada "},
    {"Malayalam", "ക", " mal Malayalam "},
    {"Sinhala", "ක", " sin Sinhala "},
    {"Thai", "ก", " tha Thai "},
    {"Lao", "ກ", " lao Lao "},
    {"Tibetan", "ཀ", " bod dzo Tibetan "},
    {"Myanmar", "က", " mya Myanmar "},
    {"Khmer", "ក", " khm Khmer "},
    {"Ethiopic", "አ", " amh tir Ethiopic "},
    {"Armenian", "ա", " hye Armenian "},
    {"Georgian", "ა", " kat kat_old Georgian "},
    {"Syriac", "ܐ", " syr Syriac "},
    {"Cherokee", "Ꭰ", " chr Cherokee "},
    {"Thaana", "ހ", " div Thaana "},
};

enum { N_ROW = sizeof rows / sizeof rows[0] };

_Static_assert(N_ROW <= 32, "a bit for each script");

const char *ocr_scripts_name(int i)
{
    return i < N_ROW ? rows[i].name : NULL;
}

const char *ocr_scripts_letter(int i)
{
    return rows[i].letter;
}

static uint32_t script_of(const char *language, size_t n)
{
    for (int i = 0; i < N_ROW; i++)
        for (const char *at = rows[i].languages; *at; at++)
            if (*at == ' ' && !strncmp(at + 1, language, n) && at[n + 1] == ' ')
                return 1U << i;
    return 1;
}

uint32_t ocr_scripts_of(const char *languages)
{
    uint32_t scripts = 0;
    while (*languages) {
        size_t n = strcspn(languages, "+");
        scripts |= script_of(languages, n);
        languages += n + (languages[n] == '+');
    }
    return scripts;
}

bool ocr_scripts_has(uint32_t scripts, const char *name)
{
    for (int i = 0; i < N_ROW; i++)
        if (!strcmp(rows[i].name, name)) return scripts >> i & 1;
    return true;
}
