/* jpeg_read.c - see jpeg_read.h. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */

#include "stages/children/raster/picture/jpeg_read.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

/* Overriding functions have no argument in which to pass this. */
static struct {
    int (*header)(j_decompress_ptr, boolean);
    JDIMENSION (*rows)(j_decompress_ptr, JSAMPARRAY, JDIMENSION);
    bool on, inside; /* watching; inside a call, or left it by longjmp */
    const char *loss;
} watch;

static void find_next(const char *name, void *function)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) abort(); /* no libjpeg: platen-raster would not have started */
    memcpy(function, &next, sizeof next);
}

void jpeg_read_prepare(void)
{
    find_next("jpeg_read_header", &watch.header);
    find_next("jpeg_read_scanlines", &watch.rows);
}

void jpeg_read_watch(bool on)
{
    watch.on = on;
    watch.inside = false;
    watch.loss = NULL;
}

const char *jpeg_read_result(void)
{
    if (watch.inside && !watch.loss) watch.loss = "a JPEG cannot be decoded";
    return watch.loss;
}

static void record_loss(const char *why)
{
    if (watch.on && !watch.loss) watch.loss = why;
}

static void begin_call(void)
{
    if (watch.inside) record_loss("a JPEG cannot be decoded");
    watch.inside = watch.on;
}

/* Extra bytes before a marker, and versions and colours in headers, do not
 * affect pixels. */
static bool is_harmless(int code)
{
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
           code == JWRN_ADOBE_XFORM;
}

int jpeg_read_header(j_decompress_ptr cinfo, boolean require_image)
{
    begin_call();
    int result = watch.header(cinfo, require_image);
    watch.inside = false;
    if (result == JPEG_SUSPENDED) record_loss("a JPEG ends within its header");
    return result;
}

JDIMENSION jpeg_read_scanlines(j_decompress_ptr cinfo, JSAMPARRAY rows,
                               JDIMENSION n_row_max)
{
    long before = cinfo->err->num_warnings;
    begin_call();
    JDIMENSION n = watch.rows(cinfo, rows, n_row_max);
    watch.inside = false;
    if (n == 0)
        record_loss("a JPEG ends early");
    else if (cinfo->err->num_warnings > before &&
             !is_harmless(cinfo->err->msg_code))
        record_loss("a JPEG is damaged");
    if (watch.on && cinfo->output_scanline == cinfo->output_height) {
        const char *missing = jpeg_read_missing(cinfo);
        if (missing) record_loss(missing);
    }
    return n;
}

const char *jpeg_read_missing(const struct jpeg_decompress_struct *cinfo)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        /* set at the start of the component's first scan */
        if (!cinfo->comp_info[i].quant_table)
            return "a JPEG lacks the scan of a colour component";
        for (int k = 0; k < DCTSIZE2 && cinfo->coef_bits; k++)
            if (cinfo->coef_bits[i][k] != 0)
                return "a progressive JPEG lacks some of its scans";
    }
    return NULL;
}
