/* format_text.h - the formats of JSON Schema as patterns for generating.
 *
 * Each admits only texts that the format's own check admits, and of those the
 * ones people write: no leap seconds, no quoted mailbox names, no address
 * literals.
 */
#ifndef VLM_GRAMMAR_FORMAT_TEXT_H
#define VLM_GRAMMAR_FORMAT_TEXT_H

struct format_text {
    const char *name;
    const char *pattern; /* NULL: cannot be kept while generating */
    int length_max;      /* characters; 0: any */
};

/* NULL for a name that is no format. */
const struct format_text *format_text_find(const char *name);

#endif
