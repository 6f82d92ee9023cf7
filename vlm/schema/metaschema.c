/* metaschema.c - the metaschemas of JSON Schema, built in so that a reference to
 * them needs no file; see node.h. The assembler includes the files of
 * metaschemas/; dialect.c translates those before 2020-12 when they are loaded.
 *
 * SOURCE  https://json-schema.org, BSD licence of the JSON Schema specification
 * authors.
 */
#include <string.h>

#include "vlm/base/embed.h"
#include "vlm/schema/node.h"

/* clang-format off */
#define METASCHEMAS(X) \
    X(draft_04, "draft-04", "http://json-schema.org/draft-04/schema") \
    X(draft_06, "draft-06", "http://json-schema.org/draft-06/schema") \
    X(draft_07, "draft-07", "http://json-schema.org/draft-07/schema") \
    X(draft_2019_09_schema, "2019-09-schema", "https://json-schema.org/draft/2019-09/schema") \
    X(draft_2019_09_core, "2019-09-core", "https://json-schema.org/draft/2019-09/meta/core") \
    X(draft_2019_09_applicator, "2019-09-applicator", "https://json-schema.org/draft/2019-09/meta/applicator") \
    X(draft_2019_09_validation, "2019-09-validation", "https://json-schema.org/draft/2019-09/meta/validation") \
    X(draft_2019_09_meta_data, "2019-09-meta-data", "https://json-schema.org/draft/2019-09/meta/meta-data") \
    X(draft_2019_09_format, "2019-09-format", "https://json-schema.org/draft/2019-09/meta/format") \
    X(draft_2019_09_content, "2019-09-content", "https://json-schema.org/draft/2019-09/meta/content") \
    X(draft_2020_12_schema, "2020-12-schema", "https://json-schema.org/draft/2020-12/schema") \
    X(draft_2020_12_core, "2020-12-core", "https://json-schema.org/draft/2020-12/meta/core") \
    X(draft_2020_12_applicator, "2020-12-applicator", "https://json-schema.org/draft/2020-12/meta/applicator") \
    X(draft_2020_12_unevaluated, "2020-12-unevaluated", "https://json-schema.org/draft/2020-12/meta/unevaluated") \
    X(draft_2020_12_validation, "2020-12-validation", "https://json-schema.org/draft/2020-12/meta/validation") \
    X(draft_2020_12_meta_data, "2020-12-meta-data", "https://json-schema.org/draft/2020-12/meta/meta-data") \
    X(draft_2020_12_format_annotation, "2020-12-format-annotation", "https://json-schema.org/draft/2020-12/meta/format-annotation") \
    X(draft_2020_12_content, "2020-12-content", "https://json-schema.org/draft/2020-12/meta/content") \
    X(draft_2020_12_format_assertion, "2020-12-format-assertion", "https://json-schema.org/draft/2020-12/meta/format-assertion")
/* clang-format on */

#define TAKE(name, file, uri) \
    EMBED(metaschema_##name, "vlm/schema/metaschemas/" file ".json")

METASCHEMAS(TAKE)

#define ROW(name, file, uri) {uri, metaschema_##name},
static const struct {
    const char *uri, *text;
} rows[] = {METASCHEMAS(ROW)};

const char *metaschema_find(const char *uri)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].uri, uri)) return rows[i].text;
    return NULL;
}
