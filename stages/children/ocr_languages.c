/* ocr_languages.c - see ocr_languages.h. */
#include "stages/children/ocr_languages.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENDING ".traineddata"

enum { NAME_MAX_BYTES = 40, LIST_MAX = 256, PATH_MAX_BYTES = 4096 };

const char *ocr_languages_folder(const struct settings *settings)
{
    static const char *const usual[] = {
        "/usr/share/tesseract-ocr/5/tessdata", /* Debian 12 */
        "/usr/share/tesseract/tessdata", "/usr/share/tessdata",
        "/usr/local/share/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata"};
    if (*settings->ocr_data) return settings->ocr_data;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (!access(usual[i], R_OK | X_OK)) return usual[i];
    return "";
}

/* Tesseract's names of languages by those of locales. */
static const char *language_of(const char *locale)
{
    static const char *const known[][2] = {
        {"zh_TW", "chi_tra"}, {"zh_HK", "chi_tra"}, {"zh", "chi_sim"},
        {"af", "afr"},        {"ar", "ara"},        {"be", "bel"},
        {"bg", "bul"},        {"bn", "ben"},        {"bs", "bos"},
        {"ca", "cat"},        {"cs", "ces"},        {"cy", "cym"},
        {"da", "dan"},        {"de", "deu"},        {"el", "ell"},
        {"es", "spa"},        {"et", "est"},        {"eu", "eus"},
        {"fa", "fas"},        {"fi", "fin"},        {"fr", "fra"},
        {"ga", "gle"},        {"gl", "glg"},        {"gu", "guj"},
        {"he", "heb"},        {"hi", "hin"},        {"hr", "hrv"},
        {"hu", "hun"},        {"id", "ind"},        {"is", "isl"},
        {"it", "ita"},        {"ja", "jpn"},        {"kn", "kan"},
        {"ko", "kor"},        {"lt", "lit"},        {"lv", "lav"},
        {"mk", "mkd"},        {"ml", "mal"},        {"mr", "mar"},
        {"ms", "msa"},        {"mt", "mlt"},        {"nb", "nor"},
        {"nl", "nld"},        {"nn", "nor"},        {"no", "nor"},
        {"pa", "pan"},        {"pl", "pol"},        {"pt", "por"},
        {"ro", "ron"},        {"ru", "rus"},        {"sk", "slk"},
        {"sl", "slv"},        {"sq", "sqi"},        {"sr", "srp"},
        {"sv", "swe"},        {"ta", "tam"},        {"te", "tel"},
        {"th", "tha"},        {"tr", "tur"},        {"uk", "ukr"},
        {"ur", "urd"},        {"vi", "vie"},
    };
    for (size_t i = 0; locale && i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i][0]);
        if (!strncmp(locale, known[i][0], n) &&
            !isalpha((unsigned char)locale[n]))
            return known[i][1];
    }
    return NULL;
}

const char *ocr_languages_of_locale(const struct settings *settings,
                                    const char *locale, struct arena *arena)
{
    const char *own = language_of(locale);
    const char *folder = ocr_languages_folder(settings);
    if (!own || !*folder ||
        access(arena_text(arena, "%s/%s" ENDING, folder, own), R_OK) != 0)
        return "eng";
    return arena_text(arena, "%s+eng", own);
}

/* Debian's package for chi_sim is tesseract-ocr-chi-sim. Data for a whole
 * script, whose name begins with a capital, is in a package named by the
 * script's code. */
static void package_of(const char *language, char *out, size_t size)
{
    if (isupper((unsigned char)*language)) {
        snprintf(out, size, "one of tesseract-ocr-script-*");
        return;
    }
    snprintf(out, size, "tesseract-ocr-%s", language);
    for (char *at = out; *at; at++)
        if (*at == '_') *at = '-';
}

static void check_one(const char *folder, const char *language, struct err *err)
{
    char path[PATH_MAX_BYTES], package[80];
    if (err_failed(err)) return;
    snprintf(path, sizeof path, "%s/%s" ENDING, folder, language);
    if (*folder && !access(path, R_OK)) return;
    package_of(language, package, sizeof package);
    err_set(err, ERR_CONFIG,
            "ocr_languages: the data of %s is not in %s; install %s (Debian), "
            "or set ocr_data to its folder",
            language, *folder ? folder : "any known folder", package);
}

void ocr_languages_check(const struct settings *settings, struct err *err)
{
    if (err_failed(err)) return;
    const char *folder = ocr_languages_folder(settings);
    const char *at = settings->ocr_languages;
    bool by_model =
        !strcmp(settings->ocr_engine, "onnx") ||
        (!strcmp(settings->ocr_engine, "auto") && *settings->ocr_models &&
         !access(settings->ocr_models, R_OK));
    do {
        char name[NAME_MAX_BYTES] = "";
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (n == 0 || n >= sizeof name || (at[n] && at[n] != '+')) {
            err_set(err, ERR_CONFIG,
                    "ocr_languages: expected languages joined by +, such as "
                    "eng+kan, not \"%s\"",
                    settings->ocr_languages);
            return;
        }
        memcpy(name, at, n);
        if (!by_model) check_one(folder, name, err);
        at += n;
    } while (*at++ == '+' && !err_failed(err));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

void ocr_languages_list(const struct settings *settings, struct buf *out)
{
    char name[LIST_MAX][NAME_MAX_BYTES];
    size_t n_name = 0;
    const char *folder = ocr_languages_folder(settings);
    DIR *d = *folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && n_name < LIST_MAX && (e = readdir(d));) {
        size_t n = strlen(e->d_name), ending = strlen(ENDING);
        if (n <= ending || n - ending >= NAME_MAX_BYTES) continue;
        if (strcmp(e->d_name + n - ending, ENDING) != 0) continue;
        memset(name[n_name], 0, NAME_MAX_BYTES);
        memcpy(name[n_name++], e->d_name, n - ending);
    }
    if (d) closedir(d);
    qsort(name, n_name, sizeof name[0], compare_names);
    for (size_t i = 0; i < n_name; i++)
        buf_print(out, "%s%s", i ? ", " : "", name[i]);
}
