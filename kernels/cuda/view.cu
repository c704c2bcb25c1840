/* SPDX-License-Identifier: MIT */
/*
 * This file serves the view of an instance: gathered cells, and sums over bins of cells. The device
 * adds up the bins, so that a frame transfers one sum for each character and not its cells.
 */
#include "core/model/view_bins.h"
#include "kernels/cuda/stepper.cuh"

#define ALIGNMENT 256 /* bytes, of every array in a view's memory */

/* Arrays of one view, one after the other in its memory. */
struct view {
    struct cuda_scratch scratch;
    size_t used;
};

struct view_planes {
    const uint8_t *plane[CA_PLANES_MAX];
};

static size_t aligned_bytes(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *suballocate(struct view *view, size_t bytes)
{
    void *at = view->scratch.memory + view->used;

    view->used += aligned_bytes(bytes);
    return at;
}

/* The bytes that gather_cells suballocates. */
static size_t gather_bytes(const struct cuda *cuda, const struct ca_gather_points *points)
{
    const struct ca_model *model = cuda->setup.model;
    size_t cells = (size_t)(points->columns * points->count) * ca_type_bytes(model->type);

    return aligned_bytes((size_t)points->columns * sizeof(int64_t)) +
           aligned_bytes((size_t)points->count * sizeof(int64_t)) +
           aligned_bytes(cells) * model->planes;
}

/* Copies an array to the device. */
template <class T>
static enum ca_status send(struct cuda *cuda, struct view *view, const T **on_device,
                           const T *on_host, int64_t count, struct ca_error *error)
{
    T *to = (T *)suballocate(view, (size_t)count * sizeof(T));

    *on_device = to;
    CUDA_TRY(cuda,
             cudaMemcpyAsync(to, on_host, (size_t)count * sizeof(T), cudaMemcpyHostToDevice,
                             cuda->stream),
             error);
    return CA_OK;
}

/* Gathers the cells to planes on the device. */
static enum ca_status gather_cells(struct cuda *cuda, struct view *view,
                                   const struct ca_gather_points *points, void *at[CA_PLANES_MAX],
                                   struct ca_error *error)
{
    const struct ca_model *model = cuda->setup.model;
    struct ca_gather_points on_device = *points;

    CA_TRY(send(cuda, view, &on_device.x, points->x, points->columns, error));
    CA_TRY(send(cuda, view, &on_device.row, points->row, points->count, error));
    for (int p = 0; p < model->planes; p++)
        at[p] = suballocate(view,
                            (size_t)(points->columns * points->count) * ca_type_bytes(model->type));
    return cuda->ops->access->gather(cuda, &on_device, at, error);
}

static enum ca_status fetch(struct cuda *cuda, void *on_host, const void *on_device, size_t bytes,
                            struct ca_error *error)
{
    CUDA_TRY(cuda, cudaMemcpyAsync(on_host, on_device, bytes, cudaMemcpyDeviceToHost, cuda->stream),
             error);
    return cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "gather", error);
}

static enum ca_status gather(struct cuda *cuda, struct view *view,
                             const struct ca_gather_points *points, void *const planes[],
                             struct ca_error *error)
{
    const struct ca_model *model = cuda->setup.model;
    size_t bytes = (size_t)(points->columns * points->count) * ca_type_bytes(model->type);
    void *at[CA_PLANES_MAX];

    CA_TRY(gather_cells(cuda, view, points, at, error));
    for (int p = 0; p < model->planes; p++)
        CA_TRY(fetch(cuda, planes[p], at[p], bytes, error));
    return CA_OK;
}

enum ca_status cuda_gather(void *self, const struct ca_gather_points *points, void *const planes[],
                           struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct view view = {};
    enum ca_status status;

    CA_TRY(cuda_scratch_begin(cuda, &view.scratch, gather_bytes(cuda, points), error));
    status = gather(cuda, &view, points, planes, error);
    cuda_scratch_end(&view.scratch);
    return status;
}

/* --- sums ------------------------------------------------------------------------------------ */

/* One thread adds up a bin, at most 256 cells, in the same order as the CPU. */
__global__ void view_sum_bins(struct ca_appearances appearances, struct ca_view_bins bins,
                              struct view_planes planes, struct ca_bin_sum *sums)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < bins.columns * bins.lines)
        sums[i] = ca_bin_sum_of(&bins, &appearances, planes.plane, i);
}

static enum ca_status reduce(struct cuda *cuda, struct view *view,
                             const struct ca_gather_points *points, const struct ca_view_bins *bins,
                             const struct ca_appearances *appearances, struct ca_bin_sum *sums,
                             struct ca_error *error)
{
    int64_t count = (int64_t)bins->columns * bins->lines;
    struct ca_view_bins on_device = *bins;
    struct view_planes planes = {};
    void *at[CA_PLANES_MAX];
    struct ca_bin_sum *device_sums;

    CA_TRY(gather_cells(cuda, view, points, at, error));
    for (int p = 0; p < cuda->setup.model->planes; p++)
        planes.plane[p] = (const uint8_t *)at[p];
    CA_TRY(send(cuda, view, &on_device.across, bins->across, bins->columns + 1, error));
    CA_TRY(send(cuda, view, &on_device.down, bins->down, bins->lines + 1, error));
    device_sums = (struct ca_bin_sum *)suballocate(view, (size_t)count * sizeof *device_sums);
    CA_TRY(cuda_launch(cuda, "view_sum_bins", view_sum_bins, cuda_line(count), dim3(256), 0, error,
                       *appearances, on_device, planes, device_sums));
    return fetch(cuda, sums, device_sums, (size_t)count * sizeof *sums, error);
}

enum ca_status cuda_reduce(void *self, const struct ca_gather_points *points,
                           const struct ca_view_bins *bins,
                           const struct ca_appearances *appearances, struct ca_bin_sum *sums,
                           struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    size_t count = (size_t)bins->columns * bins->lines;
    size_t bytes = gather_bytes(cuda, points) + aligned_bytes(count * sizeof(struct ca_bin_sum)) +
                   aligned_bytes((size_t)(bins->columns + 1) * sizeof(int)) +
                   aligned_bytes((size_t)(bins->lines + 1) * sizeof(int));
    struct view view = {};
    enum ca_status status;

    CA_TRY(cuda_scratch_begin(cuda, &view.scratch, bytes, error));
    status = reduce(cuda, &view, points, bins, appearances, sums, error);
    cuda_scratch_end(&view.scratch);
    return status;
}
