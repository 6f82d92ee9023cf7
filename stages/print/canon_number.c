/* canon_number.c - see canon_number.h. */
#include "stages/print/canon_number.h"

#include <string.h>

#include "vlm/base/number.h"
#include "vlm/base/utf8.h"

enum {
    DIGITS_MAX = CANON_DECIMAL_SIZE - 4,
    GROUPS_MAX = 12,
    AFFIX_LETTERS_MAX = 3,
    MONTH_BYTES = 36 /* of a name */
};

/* Digits in groups, separated by . , or '. */
struct figure {
    char digit[DIGITS_MAX + 1];
    int n_digit;
    int size[GROUPS_MAX];  /* digits of each group */
    char mark[GROUPS_MAX]; /* mark[i]: the separator before group i */
    int n_group;
    bool money, percent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || c >= 0x250;
}

static bool is_currency(uint32_t c)
{
    return c == '$' || c == 0xA3 || c == 0xA5 || (c >= 0x20A0 && c <= 0x20CF);
}

/* Whether c can precede or follow the digits; counts letters in *n_letter. */
static bool read_affix(struct figure *f, uint32_t c, int *n_letter)
{
    if (is_currency(c)) {
        f->money = true;
        return true;
    }
    if (c == '%') f->percent = true;
    if (c == '/' || c == '#' || c == ':' || c == '@' || c == '_') return false;
    /* dashes and minus signs are within is_letter's range */
    bool dash = c >= 0x2010 && c <= 0x2212;
    return !is_letter(c) || dash || ++*n_letter <= AFFIX_LETTERS_MAX;
}

static char mark_at(const char **at)
{
    static const char apostrophe[] = "\u2019";
    char c = **at;
    if (!strncmp(*at, apostrophe, 3) && is_digit((*at)[3])) {
        *at += 3;
        return '\'';
    }
    if ((c == '.' || c == ',' || c == '\'') && is_digit((*at)[1])) {
        ++*at;
        return c;
    }
    return 0;
}

static bool split_groups(const char **at, struct figure *f)
{
    f->n_group = 1;
    for (;;) {
        char mark = 0;
        if (is_digit(**at)) {
            if (f->n_digit == DIGITS_MAX) return false;
            f->digit[f->n_digit++] = *(*at)++;
            f->size[f->n_group - 1]++;
        } else if ((mark = mark_at(at))) {
            if (f->n_group == GROUPS_MAX) return false;
            f->mark[f->n_group++] = mark;
        } else {
            return true;
        }
    }
}

static bool read_figure(const char *word, struct figure *f)
{
    const char *at = word;
    int n_letter = 0;
    while (*at && !is_digit(*at))
        if (!read_affix(f, utf8_take(&at), &n_letter)) return false;
    if (!*at || !split_groups(&at, f)) return false;
    for (n_letter = 0; *at;)
        if (is_digit(*at) || !read_affix(f, utf8_take(&at), &n_letter))
            return false;
    return true;
}

/* Whether groups 1 to `to` are thousands: of three digits each, or of two
 * except for the last (Indian grouping). Not of 0.125. */
static bool are_thousands(const struct figure *f, int to)
{
    if (f->digit[0] == '0') return false;
    for (int i = 1; i <= to; i++) {
        bool fits = f->size[i] == 3 || (f->size[i] == 2 && i < to);
        if (!fits || f->mark[i] != f->mark[1]) return false;
    }
    return f->size[0] >= 1 && f->size[0] <= 3;
}

/* The value if n_decimal of its digits are decimals. */
static struct number figure_value(const struct figure *f, int n_decimal)
{
    int first = 0, last = f->n_digit;
    while (first < last && f->digit[first] == '0')
        first++;
    while (last > first && f->digit[last - 1] == '0')
        last--;
    if (first == last) return (struct number){.digits = ""};
    return (struct number){.digits = f->digit + first,
                           .n_digit = last - first,
                           .power = f->n_digit - n_decimal - first - 1};
}

static uint64_t key_of(const struct figure *f, int n_decimal)
{
    struct number value = figure_value(f, n_decimal);
    return number_key(&value);
}

/* *n_decimal: of the first reading. */
static bool read_number(const char *word, struct figure *f, int *n_decimal,
                        struct canon *out)
{
    if (!read_figure(word, f)) return false;
    int last = f->n_group - 1, decimals = f->size[last];
    bool amount = f->money, thousands = last == 0 || are_thousands(f, last);
    *out = (struct canon){.key = key_of(f, 0), .mark = f->mark[last]};
    *n_decimal = 0;
    if (last > 0 && !thousands) {
        bool once = last < 2 || f->mark[last] != f->mark[last - 1];
        if (!once || (last > 1 && !are_thousands(f, last - 1))) return false;
        out->key = key_of(f, *n_decimal = decimals);
        out->form = FORM_DECIMALS;
        amount |= decimals == 2 || last > 1;
    } else if (last > 0) {
        out->form = last > 1 ? FORM_THOUSANDS : FORM_NONE;
        if (last == 1 && f->mark[last] != '\'') {
            out->other = key_of(f, 3);
            out->form = FORM_EITHER;
        }
        amount = true;
    }
    out->kind = amount && !f->percent ? CANON_AMOUNT : CANON_NUMBER;
    return true;
}

bool canon_number(const char *word, struct canon *out)
{
    struct figure f = {.n_digit = 0};
    int n_decimal;
    return read_number(word, &f, &n_decimal, out);
}

bool canon_decimal(const char *word, char text[CANON_DECIMAL_SIZE])
{
    struct figure f = {.n_digit = 0};
    struct canon ignored;
    int n_decimal;
    if (!read_number(word, &f, &n_decimal, &ignored)) return false;
    struct number value = figure_value(&f, n_decimal);
    return number_print(&value, DIGITS_MAX + 1, text);
}

/* --- dates --- */

struct day {
    int year, month, day; /* 0: unknown; year: modulo 100, plus 1 */
    int century;          /* 0: unknown */
    enum canon_form form;
    char mark; /* between its figures */
};

/* In English, German, French, Spanish, Italian, Portuguese and Dutch; in
 * Cyrillic; in Thai. Folded. */
static const char *const month_names[12] = {
    " january januar janvier enero gennaio janeiro januari "
    "январь января январ јануар січня січень студзеня มกราคม ",
    " february februar fevrier febrero febbraio fevereiro februari "
    "февраль февраля февруари фебруар лютого лютии лютага กมภาพนธ ",
    " march marz mars marzo marco maart mrz "
    "март марта березня березень сакавіка มนาคม ",
    " april avril abril aprile "
    "апрель апреля април квітня квітень красавіка เมษายน ",
    " may mai mayo maggio maio mei "
    "маи мая мај травня травень พฤษภาคม ",
    " june juni juin junio giugno junho "
    "июнь июня юни јун червня червень чэрвеня มถนายน ",
    " july juli juillet julio luglio julho "
    "июль июля юли јул липня липень ліпеня กรกฎาคม ",
    " august aout agosto augustus "
    "август августа серпня серпень жніуня สงหาคม ",
    " september septembre septiembre settembre setembro "
    "сентябрь сентября септември септембар вересня вересень верасня กนยายน ",
    " october oktober octobre octubre ottobre outubro "
    "октябрь октября октомври октобар жовтня жовтень кастрычніка ตลาคม ",
    " november novembre noviembre novembro "
    "ноябрь ноября ноември новембар листопада листопад лістапада พฤศจกายน ",
    " december dezember decembre diciembre dicembre dezembro "
    "декабрь декабря декември децембар грудня грудень снежня ธนวาคม "};

/* In Swedish, Danish, Norwegian, Finnish, Polish, Czech, Hungarian, Romanian and
 * Turkish: whole words only, since "list" begins November. */
static const char *const month_words[12] = {
    " stycznia styczen ledna leden tammikuuta tammikuu ocak ianuarie ",
    " lutego luty unora unor helmikuuta helmikuu subat februarie ",
    " marca marzec brezna brezen maaliskuuta maaliskuu marts mart marcius "
    "martie ",
    " kwietnia kwiecien dubna duben huhtikuuta huhtikuu nisan aprilis "
    "aprilie ",
    " maja maj kvetna kveten toukokuuta toukokuu may\u0131s majus ",
    " czerwca czerwiec cervna cerven kesakuuta kesakuu haziran junius iunie ",
    " lipca lipiec cervence cervenec heinakuuta heinakuu temmuz julius iulie ",
    " sierpnia sierpien srpna srpen elokuuta elokuu agustos augusti "
    "augusztus ",
    " wrzesnia wrzesien zari syyskuuta syyskuu eylul szeptember septembrie ",
    " pazdziernika pazdziernik rijna rijen lokakuuta lokakuu ekim octombrie ",
    " listopada listopad listopadu marraskuuta marraskuu kas\u0131m "
    "noiembrie ",
    " grudnia grudzien prosince prosinec joulukuuta joulukuu aral\u0131k "
    "desember decembrie "};

/* The number of bytes of letters at the start of a folded text. */
static size_t letters_of(const char *text)
{
    size_t n = 0;
    while ((text[n] >= 'a' && text[n] <= 'z') || text[n] & 0x80)
        n++;
    return n;
}

/* The month whose name is, or in the usual languages starts with, these n bytes of
 * letters; 0: none. */
static int month_of(const char *word, size_t n)
{
    char part[MONTH_BYTES + 3] = " ";
    size_t letters = 0;
    for (size_t i = 0; i < n; i++)
        letters += (word[i] & 0xC0) != 0x80;
    if (letters < 3 || n > MONTH_BYTES) return 0;
    memcpy(part + 1, word, n);
    part[n + 1] = '\0';
    for (int i = 0; i < 12; i++)
        if (strstr(month_names[i], part)) return i + 1;
    memcpy(part + n + 1, " ", 2);
    for (int i = 0; i < 12; i++)
        if (strstr(month_words[i], part)) return i + 1;
    return 0;
}

/* Reads a number of a date and counts its digits; advances *at. */
static int read_digits(const char **at, int *n_digit)
{
    int value = 0;
    for (*n_digit = 0; is_digit(**at) && *n_digit < 5; ++*n_digit)
        value = value * 10 + (*(*at)++ - '0');
    return value;
}

static bool set_year(struct day *d, int value, int n_digit)
{
    if (n_digit != 2 && (n_digit != 4 || value < 1800 || value > 2200))
        return false;
    d->year = value % 100 + 1;
    d->century = value / 100;
    return true;
}

/* A year printed after the day; the Buddhist calendar is 543 years ahead. */
static bool set_last_year(struct day *d, int value, int n_digit)
{
    bool buddhist = n_digit == 4 && value >= 2400 && value < 2700;
    return set_year(d, buddhist ? value - 543 : value, n_digit);
}

/* Sets day and month from two numbers in either order. */
static bool set_day_month(struct day *d, int a, int b)
{
    if (a < 1 || b < 1 || a > 31 || b > 31 || (a > 12 && b > 12)) return false;
    d->form = a > 12   ? FORM_DAY_FIRST
              : b > 12 ? FORM_MONTH_FIRST
              : a != b ? FORM_EITHER
                       : FORM_NONE;
    d->day = b > 12 ? b : a;
    d->month = b > 12 ? a : b;
    return true;
}

static bool set_date(const struct day *d, struct canon *out)
{
    if (d->month < 1 || d->month > 12 || d->day < 1 || d->day > 31)
        return false;
    *out = (struct canon){.kind = CANON_DATE,
                          .year = d->year,
                          .century = d->century,
                          .form = d->form,
                          .mark = d->mark};
    out->key = (uint64_t)(d->month * 32 + d->day);
    if (d->form == FORM_EITHER) out->other = (uint64_t)(d->day * 32 + d->month);
    return true;
}

/* Reads - / . or a character of a Chinese date; advances *at. 0: none. */
static char read_mark(const char **at)
{
    static const char *const sign[] = {"\u5E74", "\u6708", "\u65E5"};
    if (**at == '-' || **at == '/' || **at == '.') return *(*at)++;
    for (int i = 0; i < 3; i++)
        if (!strncmp(*at, sign[i], 3)) {
            *at += 3;
            return '-';
        }
    return 0;
}

/* Whether the rest of a date's word is empty, punctuation or a time. */
static bool is_end(const char *at)
{
    static const char year[] = "\u0433"; /* Cyrillic, of a year */
    if (*at == 't' && is_digit(at[1])) return true;
    if (!strncmp(at, year, 2)) at += 2;
    return at[strspn(at, ".,;:)")] == '\0';
}

/* A day and month only: 03/01, 03.01., 03.01; but not 3.50 or 1/2. */
static bool is_short_date(const char *word, char mark, const char *at,
                          int n_first, int n_second)
{
    if (n_first != 2 || n_second != 2 || mark == '-') return false;
    if (mark == '/') return is_end(at);
    return !strcmp(at, ".") || (*word == '0' && !*at);
}

/* 2024-01-03, 03.01.24, 01/03/2024, 03/01. */
static bool read_figures(const char *word, struct day *d)
{
    const char *at = word;
    int n[3] = {0}, value[3] = {0};
    value[0] = read_digits(&at, &n[0]);
    char mark = read_mark(&at);
    if (!mark || n[0] < 1) return false;
    value[1] = read_digits(&at, &n[1]);
    if (n[1] < 1 || n[1] > 2) return false;
    d->mark = mark;
    const char *behind = at;
    char second = read_mark(&at);
    value[2] = read_digits(&at, &n[2]);
    if (second != mark || n[2] < 1)
        return is_short_date(word, mark, behind, n[0], n[1]) &&
               set_day_month(d, value[0], value[1]);
    if (n[0] <= 2)
        return is_end(at) && set_last_year(d, value[2], n[2]) &&
               set_day_month(d, value[0], value[1]);
    read_mark(&at);
    d->month = value[1];
    d->day = value[2];
    return n[2] <= 2 && is_end(at) && set_year(d, value[0], n[0]);
}

/* 3-jan-24, 03jan2024, 3.jan. */
static bool read_named(const char *word, struct day *d)
{
    const char *at = word;
    int n;
    d->day = read_digits(&at, &n);
    if (n < 1 || n > 2) return false;
    read_mark(&at);
    size_t letters = letters_of(at);
    d->month = month_of(at, letters);
    at += letters;
    read_mark(&at);
    if (!*at) return d->month > 0;
    int year = read_digits(&at, &n);
    return d->month > 0 && is_end(at) && set_last_year(d, year, n);
}

/* The size of the ending of an ordinal: "3rd", "1er", "2eme", "1.o", "3e". */
static size_t ordinal_size(const char *text)
{
    static const char *const ending[] = {"st", "nd", "rd",  "th",  "er",
                                         "re", "me", "eme", "ste", "de",
                                         "e",  "o",  "a",   ".o",  "\u00B0"};
    size_t n = strcspn(text, ",");
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (strlen(ending[i]) == n && !strncmp(text, ending[i], n)) return n;
    return 0;
}

/* A word that is a day of the month, "3", "3.", "3rd,"; 0: not a day. */
static int day_of(const char *word)
{
    int n;
    int value = read_digits(&word, &n);
    word += ordinal_size(word);
    word += strspn(word, ".,");
    return n >= 1 && n <= 2 && !*word && value <= 31 ? value : 0;
}

static int month_word(const char *word)
{
    size_t n = letters_of(word);
    return word[n + strspn(word + n, ".,")] ? 0 : month_of(word, n);
}

/* Of four digits; behind a day and the name of a month also of two. */
static bool read_year(const char *word, bool short_too, struct day *d)
{
    int n;
    int value = read_digits(&word, &n);
    return (n == 4 || short_too) && is_end(word) && set_last_year(d, value, n);
}

/* The index after a word between day, month and year, if there is one. */
static int skip_of(const char *const *word, int n, int i)
{
    static const char *const of[] = {"de", "del", "of", ",",
                                     "\u0E1E.\u0E28." /* Buddhist era */};
    for (size_t k = 0; i < n && k < sizeof of / sizeof *of; k++)
        if (!strcmp(word[i], of[k])) return i + 1;
    return i;
}

/* 3 January 2024, 3 Jan 24, Jan 3, 2024, 3 de enero de 2024; returns the word count. */
static int read_words(const char *const *word, int n, struct day *d)
{
    if (n < 2) return 0;
    int i = 1;
    d->day = day_of(word[0]);
    if (d->day) {
        i = skip_of(word, n, 1);
        d->month = i < n ? month_word(word[i]) : 0;
    } else {
        d->month = month_word(word[0]);
        d->day = d->month ? day_of(word[1]) : 0;
    }
    if (!d->day || !d->month) return 0;
    int year = skip_of(word, n, i + 1);
    return year < n && read_year(word[year], day_of(word[0]) > 0, d) ? year + 1
                                                                     : i + 1;
}

/* A number of one to four digits, with a point behind it or, if not `point`, with the end
 * of a date; 0: none. */
static int read_pointed(const char *word, bool point, int *n_digit)
{
    int value = read_digits(&word, n_digit);
    bool ends = point ? !strcmp(word, ".") : is_end(word);
    return *n_digit > 0 && *n_digit <= 4 && ends ? value : 0;
}

/* 3. 10. 2025, 2025. 10. 3., as in Czech and Hungarian. */
static bool read_spaced(const char *const *word, int n, struct day *d)
{
    int value[3], digits[3];
    if (n < 3) return false;
    for (int i = 0; i < 3; i++) {
        value[i] = read_pointed(word[i], i < 2, &digits[i]);
        if (!value[i]) return false;
    }
    d->mark = '.';
    if (digits[0] <= 2)
        return digits[1] <= 2 && digits[2] == 4 &&
               set_last_year(d, value[2], digits[2]) &&
               set_day_month(d, value[0], value[1]);
    d->month = value[1];
    d->day = value[2];
    return digits[1] <= 2 && digits[2] <= 2 && set_year(d, value[0], digits[0]);
}

/* The year before an era's first one; advances *at. 0: none. */
static int era_of(const char **at)
{
    static const struct {
        const char *name;
        int before;
    } era[] = {{"\u4EE4\u548C", 2018},
               {"\u5E73\u6210", 1988},
               {"\u662D\u548C", 1925},
               {"r", 2018},
               {"h", 1988},
               {"s", 1925}};
    for (size_t i = 0; i < sizeof era / sizeof *era; i++) {
        size_t n = strlen(era[i].name);
        if (strncmp(*at, era[i].name, n) != 0) continue;
        *at += n;
        return era[i].before;
    }
    return 0;
}

/* A Japanese date: r6.3.1, or an era's name, its year and the characters for
 * year, month and day; the first year can be a character, too. */
static bool read_era(const char *word, struct day *d)
{
    static const char first[] = "\u5143";
    const char *at = word;
    int before = era_of(&at), n[3] = {1}, value[3] = {1};
    if (!before) return false;
    if (!strncmp(at, first, 3))
        at += 3;
    else
        value[0] = read_digits(&at, &n[0]);
    for (int i = 1; i < 3; i++) {
        char mark = read_mark(&at);
        value[i] = read_digits(&at, &n[i]);
        bool code = mark == '-' && letters_of(word) == 1; /* S1-2-3 */
        if (!mark || code || n[i] < 1 || n[i] > 2) return false;
    }
    read_mark(&at);
    d->month = value[1];
    d->day = value[2];
    return n[0] >= 1 && n[0] <= 2 && value[0] && is_end(at) &&
           set_year(d, before + value[0], 4);
}

int canon_date(const char *const *word, int n, struct canon *out)
{
    struct day d = {0};
    if (n < 1) return 0;
    if (read_era(word[0], &d)) return set_date(&d, out);
    d = (struct day){0};
    if (read_figures(word[0], &d)) return set_date(&d, out);
    d = (struct day){0};
    if (read_named(word[0], &d)) return set_date(&d, out);
    d = (struct day){0};
    if (read_spaced(word, n, &d) && set_date(&d, out)) return 3;
    d = (struct day){0};
    int taken = read_words(word, n, &d);
    return taken && set_date(&d, out) ? taken : 0;
}
