/* command_eval.c - platen eval: compares records with expected values. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/command/commands.h"
#include "pipeline/eval/compare.h"
#include "pipeline/eval/eval_crops.h"
#include "pipeline/eval/eval_fit.h"
#include "pipeline/eval/eval_run.h"
#include "pipeline/eval/gates.h"
#include "pipeline/eval/report_html.h"
#include "pipeline/eval/report_text.h"
#include "pipeline/process/signals.h"
#include "stages/document/reason.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { TEXT_BYTES_MOST = 1 << 28, EXIT_WORSE = 1 };

/* --- one ------------------------------------------------------------------------ */

static void print_failed_gate(const char *line)
{
    log_note("%s", line);
}

static void print_result(const struct result *r, bool json, struct err *err)
{
    struct buf text = buf_limit(TEXT_BYTES_MOST);
    if (err_failed(err)) return;
    if (json)
        report_text_json(r, &text);
    else
        report_text_print(r, &text);
    command_write(NULL, buf_span(&text), err);
    buf_free(&text);
}

static void write_report(const struct result *r, const char *path,
                         const struct settings *settings, struct err *err)
{
    int worst[REPORT_WORST];
    char *picture[REPORT_WORST] = {NULL};
    struct buf page = buf_limit(TEXT_BYTES_MOST);
    if (!path || err_failed(err)) return;
    int n = report_html_worst(r, worst);
    eval_crops_draw(r, worst, n, settings, picture, err);
    report_html_print(r, worst, picture, n, &page);
    if (page.full && !err_failed(err))
        err_reason(err, ERR_LIMIT, "too-large", "the report is too long");
    if (!err_failed(err)) atomic_file_write(path, buf_span(&page), err);
    for (int i = 0; i < n; i++)
        mem_free(picture[i]);
    buf_free(&page);
}

/* Follows the tables on stdout; with --json it goes to stderr, so that stdout
 * is one JSON value. */
static void print_confidence(const struct command_line *line,
                             const struct eval_fit *wanted,
                             const struct result *r, struct err *err)
{
    struct buf text = buf_limit(TEXT_BYTES_MOST);
    struct err own = {0};
    if (err_failed(err)) return;
    eval_fit_run(wanted, r, &text, &own);
    if (command_value(line, "json"))
        fwrite(buf_span(&text).data, 1, text.size, stderr);
    else
        command_write(NULL, buf_span(&text), err);
    if (err_failed(&own)) *err = own;
    buf_free(&text);
}

static int eval_one(const struct command_line *line, struct err *err)
{
    const char *path = command_value(line, "gates");
    struct arena *arena = arena_new();
    struct gates gates = {0};
    struct config config = *line->config;
    struct eval_fit fit = {
        .learn = command_value(line, "fit") != NULL,
        .cache = config.stage.cache,
        .precision = eval_fit_precision(command_value(line, "precision"), err)};
    struct eval_wanted wanted = {.config = &config,
                                 .folder = line->operand[0],
                                 .schema = command_value(line, "schema"),
                                 .records = command_value(line, "records")};
    int n_failed = 0, n_gate = 0;
    config.stage.plain_confidence = fit.learn;
    if (path) gates = gates_read(path, arena, err);
    struct result *r = eval_run(&wanted, &n_failed, err);
    print_result(r, command_value(line, "json") != NULL, err);
    print_confidence(line, &fit, r, err);
    write_report(r, command_value(line, "output"), &config.stage, err);
    if (!err_failed(err)) n_gate = gates_check(&gates, r, print_failed_gate);
    if (path && !n_gate && !err_failed(err))
        log_note("%d of %d gates passed", gates.n, gates.n);
    result_free(r);
    arena_free(arena);
    return n_gate ? EXIT_OUTPUT : n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

/* --- two ------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The same as --json prints. */
static cJSON *run_as_json(const struct eval_wanted *wanted, int *n_failed,
                          struct err *err)
{
    struct buf text = buf_limit(TEXT_BYTES_MOST);
    struct result *r = eval_run(wanted, n_failed, err);
    if (!err_failed(err)) report_text_json(r, &text);
    cJSON *result = err_failed(err) ? NULL : json_parse(buf_span(&text), err);
    result_free(r);
    buf_free(&text);
    return result;
}

/* One side of --compare: the output of --json, or the same made from a folder
 * of records. */
static cJSON *read_side(const struct command_line *line, const char *path,
                        int *n_failed, struct err *err)
{
    struct eval_wanted wanted = {.config = line->config,
                                 .folder = line->operand[0],
                                 .schema = command_value(line, "schema"),
                                 .records = path};
    if (err_failed(err)) return NULL;
    if (!is_folder(path)) return eval_run_json(line->config, path, err);
    if (line->n_operand < 3) {
        err_set(err, ERR_ARGS,
                "%s is a folder of records: name the folder of expected values "
                "first, platen eval FOLDER --compare A B",
                path);
        return NULL;
    }
    return run_as_json(&wanted, n_failed, err);
}

/* Prints it, and frees both. */
static int print_comparison(const struct command_line *line, cJSON *a, cJSON *b,
                            int n_failed, struct err *err)
{
    struct buf text = buf_limit(TEXT_BYTES_MOST);
    struct compare c = compare_results(a, b, err);
    if (!err_failed(err) && command_value(line, "json"))
        compare_json(&c, &text);
    else if (!err_failed(err))
        compare_print(&c, &text);
    command_write(NULL, buf_span(&text), err);
    buf_free(&text);
    cJSON_Delete(a);
    cJSON_Delete(b);
    if (c.verdict == COMPARE_WORSE) return EXIT_WORSE;
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

static int eval_two(const struct command_line *line, struct err *err)
{
    char **last = line->operand + line->n_operand;
    int n_failed = 0;
    if (line->n_operand < 2)
        err_set(err, ERR_ARGS,
                "--compare needs two results: platen eval --compare A B");
    cJSON *a =
        err_failed(err) ? NULL : read_side(line, last[-2], &n_failed, err);
    cJSON *b =
        err_failed(err) ? NULL : read_side(line, last[-1], &n_failed, err);
    return print_comparison(line, a, b, n_failed, err);
}

/* --- without examples, and with them -------------------------------------------- */

static int eval_examples(const struct command_line *line, struct err *err)
{
    int n_failed = 0, n_again = 0;
    struct eval_examples *examples = eval_examples_new(line->config);
    struct eval_wanted wanted = {.config = line->config,
                                 .folder = line->operand[0],
                                 .schema = command_value(line, "schema"),
                                 .examples = examples};
    cJSON *a = run_as_json(&wanted, &n_failed, err);
    eval_examples_tell(examples);
    cJSON *b = run_as_json(&wanted, &n_again, err);
    if (!err_failed(err))
        log_note("A is without examples, B is with them; %d documents have any",
                 eval_examples_count(examples));
    eval_examples_free(examples);
    return print_comparison(line, a, b, n_failed + n_again, err);
}

static void check_flags(const struct command_line *line, struct err *err)
{
    static const char *const of_one[] = {"records", "output", "fit",
                                         "precision", "gates"};
    bool compare = command_value(line, "compare"),
         examples = command_value(line, "examples");
    if (!compare && line->n_operand > 1)
        err_set(err, ERR_ARGS,
                "one folder at a time (two result sets: --compare A B)");
    if (compare && examples && !err_failed(err))
        err_set(err, ERR_ARGS, "either --examples or --compare");
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if ((compare || examples) && command_value(line, of_one[i]) &&
            !err_failed(err))
            err_set(err, ERR_ARGS, "--%s cannot be used with --%s", of_one[i],
                    compare ? "compare" : "examples");
}

static int eval_command(const struct command_line *line, struct err *err)
{
    check_flags(line, err);
    signals_open();
    int code = EXIT_OTHER;
    if (!err_failed(err))
        code = command_value(line, "compare")    ? eval_two(line, err)
               : command_value(line, "examples") ? eval_examples(line, err)
                                                 : eval_one(line, err);
    return err_failed(err) ? EXIT_OTHER : code;
}

static const struct command_flag flags[] = {
    {"schema", "NAME|FILE", "the schema of the documents", 's'},
    {"records", "DIR", "use these records, DIR/<name>.json; read nothing", 0},
    {"output", "FILE", "an HTML report with plots and the worst values", 'o'},
    {"json", NULL, "print figures as JSON", 0},
    {"fit", NULL, "calibrate the confidence on these documents", 0},
    {"precision", "PERCENT", "print the review_threshold for this precision",
     0},
    {"gates", "FILE", "thresholds that the figures must meet", 0},
    {"compare", NULL, "A B: two results for the same documents", 0},
    {"examples", NULL, "read them without examples and with them, and compare",
     0},
    {0},
};

const struct command command_eval_row = {
    .name = "eval",
    .usage = "FOLDER [--schema NAME] [--records DIR] [--gates FILE] [-o "
             "report.html] "
             "[--json] "
             "| FOLDER --examples | [FOLDER] --compare A B",
    .summary = "measure accuracy on your own documents",
    .help =
        "Reads the documents of a folder (x.pdf, x.png, ...) as platen extract "
        "does and compares the records with the expected values (x.json beside "
        "them: the data, or a whole record). A sub-folder names the schema of "
        "its documents. With --records the records of an earlier run are used "
        "instead.\n"
        "\n"
        "In a spool, the completely reviewed documents are used (platen "
        "review), with the corrected record as the expected value. --records "
        "SPOOL compares its own records with that.\n"
        "\n"
        "Printed by schema and field: the number of values; how many are right "
        "exactly (texts byte for byte, numbers as decimals) and tolerantly "
        "(texts ignoring case and white space, dates as days, amounts as "
        "decimals in any notation); precision, recall and F1 of values that "
        "are not null; nulls that are right, and wrong where a value was "
        "expected; the F1 of boxes, if the expected record has any (a box "
        "counts if its value is right and the intersection over union is at "
        "least one half). Rows of arrays are matched for the best result; the "
        "share with rows in order is printed, too. Below: the expected "
        "calibration error of the confidence (ten bins), accuracy of the most "
        "confident 80, 90 and 95 % of values, seconds and tokens per page.\n"
        "\n"
        "A document that cannot be read counts with all its values missing; "
        "the exit status is then 16.\n"
        "\n"
        "-o report.html: the same with reliability and coverage plots, and the "
        "20 worst values (wrong but most confident) with their places on the "
        "page. One file, without external resources.\n"
        "\n"
        "--fit calibrates the confidence on these documents, for their model "
        "and schema, and stores the result in the cache folder, where "
        "extraction finds it. It needs 200 values, and stores nothing that "
        "does not predict better in cross-validation. --precision 99.5 prints "
        "the review_threshold above which that percentage is right.\n"
        "\n"
        "--gates FILE: thresholds for all documents, a schema or a field, in "
        "the units of --json. Failed gates are named on stderr, and the exit "
        "status is 4:\n"
        "  {\"totals\": {\"field\": \"/total\", \"measure\": \"exact\", "
        "\"least\": 0.98},\n"
        "   \"calibrated\": {\"measure\": \"ece\", \"most\": 0.05}}\n"
        "\n"
        "--compare A B: two outputs of --json or, after FOLDER, two folders of "
        "records. Documents are paired by name; the interval is a bootstrap "
        "over documents with a fixed seed. The exit status is 1 if B is "
        "significantly worse in exact accuracy (95 %, at least five "
        "documents).\n"
        "\n"
        "--examples reads the documents twice, first without examples and then "
        "with the expected values of the others of the same sender as examples "
        "(examples in platen.conf(5); off counts as auto), and compares as "
        "--compare does: A is without, B is with. No document is its own "
        "example.\n"
        "\n"
        "  platen eval samples-of-ours --schema invoice\n"
        "  platen eval samples-of-ours --records records --json > today.json\n"
        "  platen eval --compare yesterday.json today.json",
    .flag = flags,
    .least = 1,
    .most = 3,
    .run = eval_command,
};
