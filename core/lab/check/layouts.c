/* SPDX-License-Identifier: MIT */
/* The table of layouts, and a lattice in each of them. */
#include "core/lab/check/layouts.h"

#include <string.h>

#include "core/model/model.h"

/* --- axes ------------------------------------------------------------------------------------- */

struct place {
    int64_t p, x, y, z;
};

static struct place place_of(const struct ca_lattice *lattice, int64_t at)
{
    const struct ca_size size = lattice->size;

    return (struct place){at / ca_cells(size), at % size.w, at / size.w % size.h,
                          at / size.w / size.h % size.d};
}

static int64_t place_at(const struct ca_lattice *lattice, struct place place)
{
    const struct ca_size size = lattice->size;

    return ((place.p * size.d + place.z) * size.h + place.y) * size.w + place.x;
}

#define ZERO (-2) /* what fills up a row's last byte */
#define FROM(name)                                                                                 \
    static int64_t name(const struct lab_layout *layout, const struct ca_lattice *lattice,         \
                        int64_t at)

/* The axes of a layer, or of all, have other sides where they are exchanged: the place is counted
 * along them in the order in which they are written. */
FROM(transposed)
{
    const struct ca_size size = lattice->size;
    struct place place = place_of(lattice, at);
    const int64_t i = at % (size.w * size.h);

    (void)layout;
    place.x = i / size.h;
    place.y = i % size.h;
    return place_at(lattice, place);
}

FROM(z_fastest)
{
    const struct ca_size size = lattice->size;
    struct place place = place_of(lattice, at);
    const int64_t i = at % ca_cells(size);

    (void)layout;
    place.z = i % size.d;
    place.y = i / size.d % size.h;
    place.x = i / size.d / size.h;
    return place_at(lattice, place);
}

FROM(y_slowest)
{
    const struct ca_size size = lattice->size;
    struct place place = place_of(lattice, at);
    const int64_t i = at % ca_cells(size);

    (void)layout;
    place.x = i % size.w;
    place.z = i / size.w % size.d;
    place.y = i / size.w / size.d;
    return place_at(lattice, place);
}

FROM(upside_down)
{
    struct place place = place_of(lattice, at);

    (void)layout;
    place.y = lattice->size.h - 1 - place.y;
    return place_at(lattice, place);
}

FROM(mirrored)
{
    struct place place = place_of(lattice, at);

    (void)layout;
    place.x = lattice->size.w - 1 - place.x;
    return place_at(lattice, place);
}

FROM(turned)
{
    struct place place = place_of(lattice, at);

    (void)layout;
    place.x = lattice->size.w - 1 - place.x;
    place.y = lattice->size.h - 1 - place.y;
    return place_at(lattice, place);
}

FROM(planes_fastest)
{
    (void)layout;
    return at % lattice->planes * ca_cells(lattice->size) + at / lattice->planes;
}

FROM(moved)
{
    const int64_t from = at - layout->cells - layout->rows * lattice->size.w;

    return from < 0 || from >= lattice->planes * ca_cells(lattice->size) ? -1 : from;
}

/* The bits of a row end in a byte that is filled up; the first cell has the highest one. */
FROM(bits_reversed)
{
    struct place place = place_of(lattice, at);

    (void)layout;
    place.x = place.x / 8 * 8 + 7 - place.x % 8;
    return place.x < lattice->size.w ? place_at(lattice, place) : ZERO;
}

FROM(byte_moved)
{
    const int64_t row = (lattice->size.w + 7) / 8 * 8;
    struct place place = place_of(lattice, at);
    const int64_t bit = place.y * row + place.x - layout->cells;

    place.y = bit / row;
    place.x = bit % row;
    if (bit < 0 || place.y >= lattice->size.h)
        return -1;
    return place.x < lattice->size.w ? place_at(lattice, place) : ZERO;
}

/* --- values ----------------------------------------------------------------------------------- */

static void exchange_states(const struct ca_model *model, uint8_t *value)
{
    (void)model;
    *value = !*value;
}

static void reverse_bits(const struct ca_model *model, uint8_t *value)
{
    uint8_t from = *value, to = 0;

    (void)model;
    for (int b = 0; b < 8; b++)
        to |= (uint8_t)((from >> b & 1) << (7 - b));
    *value = to;
}

static void reverse_bytes(const struct ca_model *model, uint8_t *value)
{
    const uint8_t from[4] = {value[3], value[2], value[1], value[0]};

    (void)model;
    memcpy(value, from, 4);
}

/* --- the table -------------------------------------------------------------------------------- */

#define MOVED(name, ...)                                                                           \
    {                                                                                              \
        .cause = CA_CAUSE_SHIFTED, .what = name, .from = moved, __VA_ARGS__                        \
    }
#define TOO_MUCH(what)                                                                             \
    .written = "behind one " what " too many", .read = "from one " what " too early"
#define TOO_LITTLE(what) .written = "without its first " what, .read = "from one " what " too late"

static const struct lab_layout layouts[] = {
    {CA_CAUSE_AXES, "x and y exchanged", "with y as the fastest", .from = transposed,
     .permutes = true},
    {CA_CAUSE_AXES, "x and z exchanged", "with z as the fastest", .from = z_fastest,
     .permutes = true, .deep = true},
    {CA_CAUSE_AXES, "y and z exchanged", "with y as the slowest", .from = y_slowest,
     .permutes = true, .deep = true},
    {CA_CAUSE_AXES, "its rows upside down", "from row h-1 on, where row 0 comes first",
     .from = upside_down},
    {CA_CAUSE_AXES, "its rows mirrored", "from column w-1 on, where column 0 comes first",
     .from = mirrored},
    {CA_CAUSE_AXES, "its cells turned by 180 degrees",
     "from cell (w-1, h-1) on, where (0, 0) comes first", .from = turned},
    {CA_CAUSE_AXES, "its planes as the fastest axis", "cell by cell, where plane follows plane",
     .from = planes_fastest, .permutes = true, .planes = true},
    {CA_CAUSE_RANGE, "dead and live exchanged", "with 0 for live, which is 1, black in a picture",
     .change = exchange_states, .two_states = true},
    {CA_CAUSE_RANGE, "the bits of each byte in the other order",
     "with the first of eight cells in the lowest bit, where it is in the highest",
     .from = bits_reversed, .packed = true},
    {CA_CAUSE_RANGE, "the bits of each value in the other order",
     "with bit 0 in the place of bit 7", .change = reverse_bits, .bits = true},
    {CA_CAUSE_RANGE, "the bytes of each value in the other order",
     "in another byte order than the file's header says", .change = reverse_bytes, .floats = true},
    MOVED("its values moved on by one", .cells = 1, TOO_MUCH("value")),
    MOVED("its values moved back by one", .cells = -1, TOO_LITTLE("value")),
    MOVED("its values moved on by a row", .rows = 1, TOO_MUCH("row")),
    MOVED("its values moved back by a row", .rows = -1, TOO_LITTLE("row")),
    {CA_CAUSE_SHIFTED, "its bits moved on by a byte", TOO_MUCH("byte"), .from = byte_moved,
     .cells = 8, .packed = true},
    {CA_CAUSE_SHIFTED, "its bits moved back by a byte", TOO_LITTLE("byte"), .from = byte_moved,
     .cells = -8, .packed = true},
    {CA_CAUSE_SHIFTED, "its bytes moved on by one", TOO_MUCH("byte"), .bytes = 1, .floats = true},
    {CA_CAUSE_SHIFTED, "its bytes moved back by one", TOO_LITTLE("byte"), .bytes = -1,
     .floats = true},
};

const struct lab_layout *lab_layout_number(int i)
{
    return i < (int)(sizeof layouts / sizeof *layouts) ? &layouts[i] : NULL;
}

bool lab_layout_fits(const struct lab_layout *layout, const struct ca_model *model,
                     const char *ending)
{
    const bool packed = strcmp(ending, ".pbm") == 0, u8 = model->type == CA_U8;

    return (!layout->two_states || (u8 && model->max_value == 1)) &&
           (!layout->bits || (u8 && model->max_value == 255)) && (!layout->floats || !u8) &&
           (!layout->deep || model->dimensions == 3) && (!layout->planes || model->planes > 1) &&
           (!layout->packed || packed) && !(packed && layout->from == moved && layout->cells);
}

static uint8_t *value_at(const struct ca_lattice *lattice, int64_t at)
{
    const int64_t cells = ca_cells(lattice->size);

    return (uint8_t *)lattice->plane[at / cells] +
           (size_t)(at % cells) * ca_type_bytes(lattice->type);
}

/* Moves all bytes of floats. */
static void move_bytes(int by, const struct ca_lattice *from, uint8_t fill, struct ca_lattice *to)
{
    const int64_t bytes = (int64_t)ca_type_bytes(from->type);
    const int64_t all = from->planes * ca_cells(from->size) * bytes;

    for (int64_t at = 0; at < all; at++) {
        const int64_t source = at - by;

        value_at(to, at / bytes)[at % bytes] =
            source < 0 || source >= all ? fill : value_at(from, source / bytes)[source % bytes];
    }
}

void lab_layout_apply(const struct lab_layout *layout, const struct ca_model *model, bool reads,
                      const struct ca_lattice *from, uint8_t fill, struct ca_lattice *to)
{
    const size_t bytes = ca_type_bytes(from->type);
    const int64_t all = from->planes * ca_cells(from->size);

    if (layout->bytes)
        move_bytes(layout->bytes, from, fill, to);
    for (int64_t at = 0; at < all && !layout->bytes; at++) {
        const int64_t source = layout->from ? layout->from(layout, from, at) : at;
        const bool back = reads && layout->permutes; /* what is read so was written otherwise */
        uint8_t *value = value_at(to, back ? source : at);

        if (source < 0)
            memset(value, source == ZERO ? 0 : fill, bytes);
        else
            memcpy(value, value_at(from, back ? at : source), bytes);
        if (source >= 0 && layout->change)
            layout->change(model, value);
    }
}
