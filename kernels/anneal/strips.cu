/* SPDX-License-Identifier: MIT */
/*
 * Owns the memory of anneal's bit groups on a GPU: cells in and out, the groups beyond the ends of
 * ragged rows, how the lattice is cut to pieces for warps, and the passes of a step.
 */
#include "kernels/anneal/strips.cuh"
#include "kernels/cuda/bit_groups.cuh"

/* --- cells in and out ------------------------------------------------------------------------ */

struct strips_put {
    uint4 *to; /* of the first row */
    int64_t pitch;

    __device__ void operator()(int64_t row, int64_t group, const struct cuda_group &bits) const
    {
        to[row * pitch + group] = cuda_group_words(bits);
    }
};

struct strips_get {
    const uint4 *from;
    int64_t pitch;

    __device__ struct cuda_group operator()(int64_t row, int64_t group) const
    {
        return cuda_group_of(from[row * pitch + group]);
    }
};

enum ca_status anneal_strips_load(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    const struct anneal_strips_cut *cut = &own->cut;
    struct strips_put put = {own->now + first * cut->pitch + cut->first, cut->pitch};

    return cuda_launch(cuda, "load", cuda_put_groups<strips_put>,
                       cuda_groups_grid(cuda->size.w, rows), dim3(256), 0, error, put,
                       (const uint8_t *)planes[0], cuda->size.w, rows);
}

enum ca_status anneal_strips_store(struct cuda *cuda, void *const planes[], int64_t first,
                                   int64_t rows, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    const struct anneal_strips_cut *cut = &own->cut;
    struct strips_get get = {own->now + first * cut->pitch + cut->first, cut->pitch};

    return cuda_launch(cuda, "store", cuda_get_groups<strips_get>,
                       cuda_groups_grid(cuda->size.w, rows), dim3(256), 0, error, get,
                       (uint8_t *)planes[0], cuda->size.w, rows);
}

/* What gathering asks of a layout. */
struct strips_cells {
    typedef uint8_t value;

    const uint32_t *words; /* of cell 0 of row 0 */
    int64_t pitch;         /* words */

    static strips_cells of(const struct cuda *cuda)
    {
        const struct anneal_strips *own = (const struct anneal_strips *)cuda->own;

        return {(const uint32_t *)(own->now + own->cut.first), 4 * own->cut.pitch};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        (void)plane;
        return words[row * pitch + x / GROUP_CELLS * 4 + x % 4] >> (x % GROUP_CELLS / 4) & 1;
    }
};

enum ca_status anneal_strips_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                    void *const planes[], struct ca_error *error)
{
    return cuda_cells<strips_cells>::gather(cuda, places, planes, error);
}

/* --- ghosts of ragged rows ------------------------------------------------------------------- */

/*
 * The word of the cells x, x + 4, ..., x + 124 of a row that repeats itself for ever: by as many
 * bits at a time as one word has before the group or the row ends. 0 <= x < w.
 */
static __device__ uint32_t word_from(const uint32_t *row, int64_t w, int64_t x)
{
    uint32_t word = 0;

    for (int done = 0; done < 32;) {
        int bit = (int)(x % GROUP_CELLS / 4);
        int64_t in_row = (w - x + 3) / 4;
        int bits = in_row < 32 - bit ? (int)in_row : 32 - bit;

        word |= (row[x / GROUP_CELLS * 4 + x % 4] >> bit & 0xffffffffu >> (32 - bits)) << done;
        done += bits;
        for (x += 4 * bits; x >= w;) /* by three cells at most */
            x -= w;
    }
    return word;
}

#define CLOSE_LANES 16 /* of a row, which has 12 words to write */

/* Half a warp a row, a lane a word: the group before the first, what is behind cell W - 1 in the
 * last, and a group behind it. */
__global__ static void close_rows(uint4 *groups, struct anneal_strips_cut cut, int64_t w)
{
    int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = (int)(thread % CLOSE_LANES), group = lane / 4, word = lane % 4;
    int64_t at = group == 0 ? -1 : cut.groups - 2 + group;
    int64_t x = (at * GROUP_CELLS + word) % w;
    uint32_t half = 0xffffu << thread % WARP_LANES / CLOSE_LANES * CLOSE_LANES;

    x += x < 0 ? w : 0;
    for (int64_t y = thread / CLOSE_LANES; y < cut.h;
         y += (int64_t)gridDim.x * blockDim.x / CLOSE_LANES) {
        uint32_t *row = (uint32_t *)(groups + y * cut.pitch + cut.first);
        uint32_t cells = word_from(row, w, x);

        __syncwarp(half); /* others have read what is written now */
        if (group < 3)
            row[at * 4 + word] = cells;
    }
}

static enum ca_status pass(struct cuda *cuda, int n, struct ca_error *error);

/* --- how the lattice is cut ------------------------------------------------------------------ */

/* Where groups stand in a row's memory: at sectors of 32 bytes if rows are long. */
static void lay_out(struct anneal_strips_cut *cut, struct ca_size size)
{
    bool ragged = size.w % GROUP_CELLS != 0;
    int64_t groups = (size.w + GROUP_CELLS - 1) / GROUP_CELLS;

    partition_columns(cut, groups, size.h, ragged || groups > WARP_LANES);
    cut->first = !ragged ? 0 : cut->groups < WARP_LANES ? 1 : 8;
    cut->pitch = cut->first + cut->groups + ragged;
    if (cut->groups >= WARP_LANES)
        cut->pitch = (cut->pitch + 7) / 8 * 8;
}

/* Cycles in which memory moves a lattice both ways, none where the second cache holds it. */
double anneal_strips_memory(const struct anneal_strips_cut *cut,
                            const struct ca_cuda_device *device)
{
    double bytes = 2.0 * (double)(cut->h * cut->pitch) * sizeof(uint4);

    return bytes < (double)device->l2_bytes ? 0 : bytes / device->bytes_a_clock;
}

/* Of a row's generation in a warp, to issue and to wait for beyond that. */
#define ROW_CYCLES 66.0
#define ROW_WAIT_CYCLES 8.0

/* The number of rows with which n generations cost least. */
static enum ca_status choose_rows(struct cuda *cuda, const struct ca_cuda_device *device, int n,
                                  struct anneal_choice *least, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    double start = anneal_strips_start(&own->cut);
    double memory = anneal_strips_memory(&own->cut, device), cost;
    int resident = 0;

    CUDA_TRY(cuda,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, own->kernel[n],
                                                           SEGMENT_THREADS, 0),
             error);
    cost = partition_choose_rows(
        own->cut, resident, device->multiprocessors, STRIPS_ROWS, &own->rows[n],
        [&](const struct row_partition &cut, int64_t share, int room) {
            double warps = (double)(share < room ? share : room);
            double rows = n * (cut.rows + (double)anneal_strips_lead(n));
            double logic =
                logic_cycles_of_rows(rows, (double)share, room, ROW_CYCLES, ROW_WAIT_CYCLES);

            /* It takes many warps to keep memory busy. */
            return pass_cycles(start, logic, memory * (1 + 1 / warps));
        });
    *least = {n, 0, cost / n};
    return CA_OK;
}

enum ca_status anneal_strips_choose(struct cuda *cuda, anneal_strips_kernel *const *kernel,
                                    int generations, int64_t rows, struct anneal_choice *choice,
                                    struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    own->kernel = kernel;
    own->pass = pass;
    anneal_rows_choose(cuda, &device, rows, choice);
    for (int n = 2; n <= STRIPS_GENERATIONS_MAX; n++) {
        struct anneal_choice least;

        CA_TRY(choose_rows(cuda, &device, n, &least, error));
        if (rows)
            own->rows[n] = (int)rows;
        if (generations ? n == generations : least.cycles < choice->cycles)
            *choice = least;
    }
    return CA_OK;
}

enum ca_status anneal_strips_plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;

    (void)error;
    lay_out(&own->cut, cuda->size);
    cuda_want(cuda, &own->now, own->cut.h * own->cut.pitch);
    cuda_want(cuda, &own->next, own->cut.h * own->cut.pitch);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static enum ca_status pass(struct cuda *cuda, int n, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;

    if (n == 1)
        return anneal_rows_pass(cuda, error);
    partition_rows(&own->cut, own->rows[n]);
    return cuda_launch(cuda, "step", own->kernel[n], dim3((unsigned)partition_blocks(&own->cut)),
                       dim3(SEGMENT_THREADS), 0, error, own->now, own->next, own->cut);
}

enum ca_status anneal_strips_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    uint64_t passes = (n + own->generations - 1) / own->generations;

    (void)t; /* the same rule in every generation */
    for (; passes > 0; passes--) {
        uint64_t some = (n + passes - 1) / passes; /* all passes nearly alike */
        uint4 *done = own->now;

        if (own->cut.first)
            CA_TRY(cuda_launch(cuda, "close", close_rows, cuda_line(own->cut.h * CLOSE_LANES),
                               dim3(256), 0, error, own->now, own->cut, cuda->size.w));
        CA_TRY(own->pass(cuda, (int)some, error));
        own->now = own->next;
        own->next = done;
        n -= some;
    }
    return CA_OK;
}
