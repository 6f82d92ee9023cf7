/* tiff_pages.c - see tiff_pages.h. */
#include "stages/children/raster/picture/tiff_pages.h"

#include "vlm/base/arena.h"

/* A directory that can be a page. */
struct tiff_directory {
    toff_t offset;
    uint32_t width, height;
    bool reduced; /* according to its tag */
};

/* Reads a directory; false for a mask. */
static bool read_directory(TIFF *tiff, struct tiff_directory *c)
{
    uint32_t kind = 0;
    *c = (struct tiff_directory){.offset = TIFFCurrentDirOffset(tiff)};
    TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &c->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &c->height);
    c->reduced = kind & FILETYPE_REDUCEDIMAGE;
    return !(kind & FILETYPE_MASK);
}

/* A reduced image is a thumbnail only if the file has a larger one; otherwise
 * it is a page. */
static bool is_thumbnail(const struct tiff_directory *c,
                         const struct tiff_directory *all, int n)
{
    for (int i = 0; i < n && c->reduced; i++)
        if (!all[i].reduced && all[i].width > c->width &&
            all[i].height > c->height)
            return true;
    return false;
}

void tiff_pages_find(TIFF *tiff, struct tiff_pages *out)
{
    struct tiff_directory *all = mem_alloc(TIFF_PAGES_MAX, sizeof *all);
    int n_directory = 0, n = 0;
    bool last; /* read first: after a read error it would always be true */
    *out = (struct tiff_pages){.n = 0};
    do {
        if (++n_directory > TIFF_PAGES_MAX) {
            out->too_many = true;
            break;
        }
        n += read_directory(tiff, &all[n]);
        last = TIFFLastDirectory(tiff);
    } while (!last && TIFFReadDirectory(tiff));
    out->broken = !out->too_many && !last;
    for (int i = 0; i < n; i++)
        if (!is_thumbnail(&all[i], all, n))
            out->offset[out->n++] = all[i].offset;
    mem_free(all);
}
