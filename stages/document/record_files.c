/* record_files.c - see record_files.h. */
#include "stages/document/record_files.h"

#define ROW(format, key, ending)             \
    {                                        \
        format, key, "record" ending, ending \
    }

const struct record_file *record_files_at(size_t i)
{
    static const struct record_file table[] = {
        ROW(FORMAT_PDF, "pdf", ".searchable.pdf"),
        ROW(FORMAT_HOCR, "hocr", ".hocr"),
        ROW(FORMAT_ALTO, "alto", ".alto.xml"),
        ROW(FORMAT_XML, "xml", ".xml"),
        ROW(FORMAT_JSON, "json", ".json"),
    };
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const struct record_file *record_files_of(unsigned format)
{
    const struct record_file *file;
    for (size_t i = 0; (file = record_files_at(i)); i++)
        if (file->format == format) return file;
    return NULL;
}
