/* qpdf_objects.h - objects of a PDF that is written, with libqpdf, without
 * warnings where they are of another type. */
#ifndef STAGES_CHILDREN_RASTER_PDF_QPDF_OBJECTS_H
#define STAGES_CHILDREN_RASTER_PDF_QPDF_OBJECTS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <qpdf/qpdf-c.h>

/* The number of elements of an array; 0 for other types. */
static inline int qpdf_objects_in(qpdf_data qpdf, qpdf_oh array)
{
    return qpdf_oh_is_array(qpdf, array)
               ? qpdf_oh_get_array_n_items(qpdf, array)
               : 0;
}

/* An integer; `otherwise` for other types. */
static inline int qpdf_objects_integer(qpdf_data qpdf, qpdf_oh value,
                                       int otherwise)
{
    return qpdf_oh_is_integer(qpdf, value)
               ? qpdf_oh_get_int_value_as_int(qpdf, value)
               : otherwise;
}

/* A name with its slash; "" for other types. Valid until the next call. */
static inline const char *qpdf_objects_name(qpdf_data qpdf, qpdf_oh value)
{
    return qpdf_oh_is_name(qpdf, value) ? qpdf_oh_get_name(qpdf, value) : "";
}

/* Is it this name, with its slash? */
static inline bool qpdf_objects_is(qpdf_data qpdf, qpdf_oh value,
                                   const char *name)
{
    return !strcmp(qpdf_objects_name(qpdf, value), name);
}

/* Sets the keys of `from`, if that is a dictionary, in another one. */
static inline void qpdf_objects_copy_keys(qpdf_data qpdf, qpdf_oh from,
                                          qpdf_oh to)
{
    if (!qpdf_oh_is_dictionary(qpdf, from)) return;
    qpdf_oh_begin_dict_key_iter(qpdf, from);
    while (qpdf_oh_dict_more_keys(qpdf)) {
        const char *key = qpdf_oh_dict_next_key(qpdf);
        qpdf_oh_replace_key(qpdf, to, key, qpdf_oh_get_key(qpdf, from, key));
    }
}

/* Gives a stream these bytes, which are copied, without a filter. */
static inline void qpdf_objects_set_bytes(qpdf_data qpdf, qpdf_oh stream,
                                          const void *bytes, size_t size)
{
    qpdf_oh none = qpdf_oh_new_null(qpdf);
    qpdf_oh_replace_stream_data(qpdf, stream, bytes, size, none, none);
}

/* A new stream with them. */
static inline qpdf_oh qpdf_objects_stream(qpdf_data qpdf, const void *bytes,
                                          size_t size)
{
    qpdf_oh stream = qpdf_oh_new_stream(qpdf);
    qpdf_objects_set_bytes(qpdf, stream, bytes, size);
    return stream;
}

/* The bytes of a stream, which the caller frees (free); NULL: they cannot be
 * read. */
static inline unsigned char *qpdf_objects_bytes(
    qpdf_data qpdf, qpdf_oh stream, enum qpdf_stream_decode_level_e level,
    size_t *size)
{
    unsigned char *bytes = NULL;
    QPDF_BOOL decoded = QPDF_FALSE;
    QPDF_ERROR_CODE code =
        qpdf_oh_get_stream_data(qpdf, stream, level, &decoded, &bytes, size);
    if (!(code & QPDF_ERRORS) && (decoded || level == qpdf_dl_none))
        return bytes;
    free(bytes);
    return NULL;
}

#endif
