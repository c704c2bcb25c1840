/* SPDX-License-Identifier: MIT */
/* This file writes PNG pictures by libpng, and portable greymaps. */
#include <png.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "core/files/file.h"
#include "core/files/formats.h"

#define SIDE_MAX 1000000 /* libpng's own limit, which other programs have too */

static void png_failed(png_structp png, png_const_charp text)
{
    ca_error_set(png_get_error_ptr(png), CA_IO, "libpng: %s", text);
    png_longjmp(png, 1);
}

static void warned(png_structp png, png_const_charp text) { (void)png, (void)text; }

struct picture {
    const struct ca_pixels *pixels;
    png_structp png;
    png_infop info;
    uint8_t *row;
};

/* libpng comes back to setjmp where it fails; what is read there, `error`, does not change between
 * the two. */
static enum ca_status write_all(const struct picture *picture, FILE *stream, struct ca_error *error)
{
    const struct ca_pixels *pixels = picture->pixels;

    if (setjmp(png_jmpbuf(picture->png)))
        return error->status;
    png_init_io(picture->png, stream);
    png_set_IHDR(picture->png, picture->info, (png_uint_32)pixels->w, (png_uint_32)pixels->h,
                 pixels->pixel == CA_GREY16 ? 16 : 8,
                 pixels->pixel == CA_RGB ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(picture->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE); /* there are few colours */
    png_write_info(picture->png, picture->info);
    for (int64_t y = 0; y < pixels->h; y++) {
        CA_TRY(pixels->row(pixels->context, y, picture->row, error));
        png_write_row(picture->png, picture->row);
    }
    png_write_end(picture->png, NULL);
    return ca_file_check(stream, error);
}

static enum ca_status write_stream(const struct ca_pixels *pixels, FILE *stream,
                                   struct ca_error *error)
{
    struct picture picture = {
        pixels, .png = png_create_write_struct(PNG_LIBPNG_VER_STRING, error, png_failed, warned)};
    enum ca_status status;

    if (picture.png)
        picture.info = png_create_info_struct(picture.png);
    picture.row = malloc((size_t)(pixels->w * ca_pixel_bytes(pixels->pixel)));
    status = picture.info && picture.row ? write_all(&picture, stream, error)
                                         : ca_fail(error, CA_NO_MEMORY, "no memory for a row");
    free(picture.row);
    png_destroy_write_struct(&picture.png, &picture.info);
    return status;
}

enum ca_status ca_png_write(const char *path, const struct ca_pixels *pixels,
                            struct ca_error *error)
{
    struct ca_file_writer writer;

    if (pixels->w > SIDE_MAX || pixels->h > SIDE_MAX)
        return ca_fail(error, CA_USAGE,
                       "%.300s: a PNG picture has at most %d pixels along a side, but this one has "
                       "%" PRId64 "x%" PRId64,
                       path, SIDE_MAX, pixels->w, pixels->h);
    CA_TRY(ca_file_begin(&writer, path, error));
    return ca_file_end(&writer, write_stream(pixels, writer.stream, error), error);
}

/* --- portable greymaps: P5, a byte a pixel, or two, the high one first ------------------------ */

static enum ca_status pgm_write_rows(FILE *stream, const struct ca_pixels *pixels,
                                     struct ca_error *error)
{
    size_t bytes = (size_t)(pixels->w * ca_pixel_bytes(pixels->pixel));
    uint8_t *row = malloc(bytes);
    enum ca_status status = row ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a row");

    ca_file_put(stream, "P5\n%" PRId64 " %" PRId64 "\n%d\n", pixels->w, pixels->h,
                pixels->pixel == CA_GREY16 ? 65535 : 255);
    for (int64_t y = 0; y < pixels->h && status == CA_OK; y++) {
        status = pixels->row(pixels->context, y, row, error);
        fwrite(row, 1, status == CA_OK ? bytes : 0, stream);
        if (status == CA_OK)
            status = ca_file_check(stream, error);
    }
    free(row);
    return status;
}

enum ca_status ca_pgm_write(const char *path, const struct ca_pixels *pixels,
                            struct ca_error *error)
{
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, error));
    return ca_file_end(&writer, pgm_write_rows(writer.stream, pixels, error), error);
}
