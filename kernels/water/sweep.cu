/* SPDX-License-Identifier: MIT */
/*
 * Owns the planes of water's sweeps on a GPU: cells in and out, which rows have sources, how the
 * lattice is cut to pieces for warps, and the passes of a step.
 */
#include "kernels/water/sweep.cuh"

/* --- cells in and out ------------------------------------------------------------------------ */

struct sweep_cells {
    typedef float value;

    float *plane[WATER_PLANES];
    int64_t pitch;

    static sweep_cells of(const struct cuda *cuda)
    {
        const struct water_sweeps *own = (const struct water_sweeps *)cuda->own;
        sweep_cells cells;

        for (int p = 0; p < WATER_PLANES; p++)
            cells.plane[p] = (float *)own->plane[p];
        cells.pitch = (int64_t)own->lattice.pitch * SWEEP_COLUMNS;
        return cells;
    }
    __device__ value get(int p, int64_t x, int64_t row) const { return plane[p][row * pitch + x]; }
    __device__ void put(int p, int64_t x, int64_t row, value v) const
    {
        plane[p][row * pitch + x] = v;
    }
};

static __device__ __forceinline__ bool overlarge(float v) { return !(fabsf(v) < WATER_HUGE); }

/* A warp a row of a strip, whose lanes see the cells that they do in a sweep. */
__global__ static void look_through(struct water_sweep lattice, struct sweep_cells cells,
                                    uint8_t *sourced, unsigned *has_overlarge, int64_t first,
                                    int64_t rows)
{
    const struct row_partition &cut = lattice.cut;
    int lane = (int)(threadIdx.x % WARP_LANES);
    int64_t warps = (int64_t)gridDim.x * blockDim.x / WARP_LANES;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;
         i < rows * cut.whole; i += warps) {
        int64_t y = first + i / cut.whole, strip = i % cut.whole;
        int64_t x = (strip * SWEEP_KEEPS + lane - SWEEP_HALO) * SWEEP_COLUMNS;
        bool some = false;

        for (int64_t end = x + SWEEP_COLUMNS; x < end; x++) {
            if (x < 0 || x >= lattice.w)
                continue;
            some = some || cells.get(WATER_SOURCE, x, y) != 0;
            for (int p = 0; p < WATER_PLANES; p++)
                if (overlarge(cells.get(p, x, y)))
                    *has_overlarge = 1;
        }
        some = __any_sync(0xffffffff, some);
        if (lane == 0)
            sourced[strip * cut.h + y] = some;
    }
}

enum ca_status water_sweep_load(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
{
    const struct water_sweeps *own = (const struct water_sweeps *)cuda->own;

    CA_TRY(cuda_cells<sweep_cells>::load(cuda, planes, first, rows, error));
    return cuda_launch(cuda, "sources", look_through,
                       cuda_line(rows * own->lattice.cut.whole * WARP_LANES), dim3(256), 0, error,
                       own->lattice, sweep_cells::of(cuda), own->sourced, own->overlarge, first,
                       rows);
}

enum ca_status water_sweep_store(struct cuda *cuda, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error)
{
    return cuda_cells<sweep_cells>::store(cuda, planes, first, rows, error);
}

enum ca_status water_sweep_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                  void *const planes[], struct ca_error *error)
{
    return cuda_cells<sweep_cells>::gather(cuda, places, planes, error);
}

/* --- how the lattice is cut ------------------------------------------------------------------ */

/* Cycles of a launch; of a row of a warp, and of each generation in it, to issue and to wait for.
 */
#define PASS_CYCLES 4000.0
#define ROW_CYCLES 90.0
#define GENERATION_CYCLES 265.0
#define ROW_WAIT_CYCLES 700.0
#define GENERATION_WAIT_CYCLES 500.0

double water_sweep_memory(const struct water_sweep *lattice, const struct ca_cuda_device *device)
{
    double bytes = 12.0 * lattice->cut.h * lattice->cut.groups * SWEEP_COLUMNS;

    return bytes * 4 / 3 < (double)device->l2_bytes ? 0 : bytes / (0.9 * device->bytes_a_clock);
}

/* Cycles of a generation, n a pass, if no scheduler of a multiprocessor gets more than `share`
 * warps and it has room for `resident` of them. */
static double cycles(const struct row_partition *cut, int n, int64_t share, int resident,
                     double memory)
{
    double logic = logic_cycles_of_rows(cut->rows + 4.0 * n, (double)share, resident,
                                        ROW_CYCLES + GENERATION_CYCLES * n,
                                        ROW_WAIT_CYCLES + GENERATION_WAIT_CYCLES * n);

    return pass_cycles(PASS_CYCLES, logic, memory) / n;
}

/* The number of rows with which n generations a pass cost least. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *least, struct ca_error *error)
{
    struct water_sweeps *own = (struct water_sweeps *)cuda->own;
    struct ca_cuda_device device;
    int warps = 0; /* blocks */
    double memory;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    memory = water_sweep_memory(&own->lattice, &device);
    CUDA_TRY(cuda,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&warps, own->kernel[n], WARP_LANES, 0),
             error);
    *least = partition_choose_rows(own->lattice.cut, warps / SEGMENT_WARPS, device.multiprocessors,
                                   1, &own->rows[n],
                                   [&](const struct row_partition &cut, int64_t share, int room) {
                                       return cycles(&cut, n, share, room, memory);
                                   });
    return CA_OK;
}

static void lay_out(struct water_sweep *lattice, struct ca_size size)
{
    int64_t groups = (size.w + SWEEP_COLUMNS - 1) / SWEEP_COLUMNS;
    int64_t whole = (groups + SWEEP_KEEPS - 1) / SWEEP_KEEPS * SWEEP_KEEPS;

    /* The last strip is as wide as the others; what is not there is known by its column. */
    partition_columns(&lattice->cut, whole, size.h, SWEEP_HALO);
    lattice->w = size.w;
    lattice->pitch = (uint32_t)(groups < WARP_LANES ? groups : (groups + 7) / 8 * 8);
}

enum ca_status water_sweep_plan(struct cuda *cuda, water_sweep_kernel *const *kernel, int most,
                                int generations, int64_t rows, struct ca_error *error)
{
    struct water_sweeps *own = (struct water_sweeps *)cuda->own;

    lay_out(&own->lattice, cuda->size);
    own->lattice.mode = (enum water_mode)ca_choice(&cuda->setup.params, "source_mode");
    own->kernel = kernel;
    for (int n = 1; n <= most; n++) {
        double cost = 0;

        CA_TRY(choose_rows(cuda, n, &cost, error));
        if (rows)
            own->rows[n] = (int)rows;
        if (generations ? n == generations : n == 1 || cost < own->cycles) {
            own->generations = n;
            own->cycles = cost;
        }
    }
    for (int p = 0; p < WATER_PLANES; p++)
        cuda_want(cuda, &own->plane[p], cuda->size.h * own->lattice.pitch);
    cuda_want(cuda, &own->next, cuda->size.h * own->lattice.pitch);
    cuda_want(cuda, &own->sourced, cuda->size.h * own->lattice.cut.whole);
    cuda_want(cuda, &own->overlarge, 1);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

struct water_sweep water_sweep_now(const struct water_sweeps *own)
{
    struct water_sweep lattice = own->lattice;

    lattice.terrain = own->plane[WATER_TERRAIN];
    lattice.level = own->plane[WATER_LEVEL];
    lattice.source = own->plane[WATER_SOURCE];
    lattice.next = own->next;
    lattice.sourced = own->sourced;
    lattice.overlarge = own->overlarge;
    return lattice;
}

void water_sweep_turn(struct water_sweeps *own)
{
    float4 *done = own->plane[WATER_LEVEL];

    own->plane[WATER_LEVEL] = own->next;
    own->next = done;
}

enum ca_status water_sweep_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct water_sweeps *own = (struct water_sweeps *)cuda->own;

    (void)t; /* the same rule in every generation */
    while (n > 0) {
        int some = n < (uint64_t)own->generations ? (int)n : own->generations;

        partition_rows(&own->lattice.cut, own->rows[some]);
        CA_TRY(cuda_launch(cuda, "step", own->kernel[some], dim3(own->lattice.cut.warps),
                           dim3(WARP_LANES), 0, error, water_sweep_now(own)));
        water_sweep_turn(own);
        n -= (uint64_t)some;
    }
    return CA_OK;
}
