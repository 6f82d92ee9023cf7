/* tiff_shape.c - see tiff_shape.h. */
#include "stages/children/raster/tiff_shape.h"

#include <math.h>

#include "stages/children/raster/tiff_samples.h"

enum {
    SAMPLE_MAX = 16,
    STRETCH_MAX = 4 /* a larger ratio of the two resolutions is an error */
};

void tiff_shape_read(TIFF *tiff, struct tiff_shape *s)
{
    *s = (struct tiff_shape){0};
    uint16_t bits = 1, n_sample = 1, format = SAMPLEFORMAT_UINT, value = 0;
    uint16_t n_extra = 0, *extra = NULL;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &s->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &s->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &n_sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &value);
    s->compression = value;
    value = PLANARCONFIG_CONTIG;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &value);
    s->planar = value;
    value = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &value);
    s->orientation = value;
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &value))
        s->photometric = value;
    else /* fax writers omit the tag */
        s->photometric = n_sample >= 3 ? PHOTOMETRIC_RGB
                         : bits == 1   ? PHOTOMETRIC_MINISWHITE
                                       : PHOTOMETRIC_MINISBLACK;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    s->bits = bits;
    s->n_sample = n_sample;
    s->format = format;
    s->separate = s->planar == PLANARCONFIG_SEPARATE && n_sample > 1;
    s->alpha = n_extra > 0 && extra[0] != EXTRASAMPLE_UNSPECIFIED;
    s->associated = s->alpha && extra[0] == EXTRASAMPLE_ASSOCALPHA;
}

bool tiff_shape_plan_rows(TIFF *tiff, struct tiff_shape *s)
{
    int n_ink = 1;
    s->n_colour = 1;
    switch (s->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE: break;
    case PHOTOMETRIC_PALETTE:
        if (s->bits > 8 || !TIFFGetField(tiff, TIFFTAG_COLORMAP, &s->map[0],
                                         &s->map[1], &s->map[2]))
            return false;
        s->n_colour = 3;
        s->alpha = false;
        break;
    case PHOTOMETRIC_YCBCR:
        if (s->compression != COMPRESSION_JPEG || s->separate) return false;
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        s->n_colour = n_ink = 3;
        break;
    case PHOTOMETRIC_RGB: s->n_colour = n_ink = 3; break;
    case PHOTOMETRIC_SEPARATED: {
        uint16_t inks = INKSET_CMYK;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &inks);
        if (inks != INKSET_CMYK) return false;
        s->n_colour = 3;
        n_ink = 4;
        s->alpha = false;
        break;
    }
    default: return false;
    }
    s->alpha &= s->n_sample > n_ink;
    s->n_used = n_ink + s->alpha;
    return s->n_sample >= n_ink && s->n_sample <= SAMPLE_MAX &&
           tiff_samples_known(s->bits) && s->compression != COMPRESSION_OJPEG &&
           (s->format == SAMPLEFORMAT_UINT || s->format == SAMPLEFORMAT_VOID);
}

void tiff_shape_narrow_map(struct tiff_shape *s)
{
    int n = 1 << s->bits;
    bool wide = false;
    for (int i = 0; i < 3 * n; i++)
        wide |= s->map[i / n][i % n] > 255;
    for (int i = 0; wide && i < 3 * n; i++)
        s->map[i / n][i % n] = (uint16_t)(s->map[i / n][i % n] >> 8);
}

double tiff_shape_dpi(TIFF *tiff)
{
    float resolution = 0;
    uint16_t unit = RESUNIT_INCH;
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution)) return 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!(resolution > 10) || unit == RESUNIT_NONE) return 0;
    return unit == RESUNIT_CENTIMETER ? resolution * 2.54 : resolution;
}

int tiff_shape_square_up(TIFF *tiff, struct tiff_shape *s)
{
    float across = 0, down = 0;
    s->repeat = 1;
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) ||
        !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down) || !(across > 0) ||
        !(down > 0))
        return (int)s->height;
    double ratio = (double)across / (double)down;
    bool square = fabs(ratio - 1) < 0.02;
    if (square || !(ratio > 1.0 / STRETCH_MAX && ratio < STRETCH_MAX))
        return (int)s->height;
    s->repeat = (int)ceil(ratio);
    int height = (int)lrint(s->height * ratio);
    return height < 1 ? 1 : height;
}
