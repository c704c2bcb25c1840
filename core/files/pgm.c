/* SPDX-License-Identifier: MIT */
/* This file writes portable greymaps: P5, a byte a pixel, or two, the high one first. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/files/file.h"
#include "core/files/formats.h"

static enum ca_status pgm_write_rows(FILE *stream, const struct ca_pixels *pixels,
                                     struct ca_error *error)
{
    size_t bytes = (size_t)(pixels->w * ca_pixel_bytes(pixels->pixel));
    uint8_t *row = malloc(bytes);
    enum ca_status status = row ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a row");
    char start[80];

    snprintf(start, sizeof start, "P5\n%" PRId64 " %" PRId64 "\n%d\n", pixels->w, pixels->h,
             pixels->pixel == CA_GREY16 ? 65535 : 255);
    fputs(start, stream);
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
