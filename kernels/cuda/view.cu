/* SPDX-License-Identifier: MIT */
/*
 * Owns pictures of what an instance holds: scattered cells, and sums of blocks of them, so that a
 * frame costs no more transfer than it has characters.
 */
#include "core/model/view_bins.h"
#include "kernels/cuda/stepper.cuh"

#define PIECE 256 /* pieces of a picture's memory start at multiples of this many bytes */

/*
 * Memory on the device for one picture: that of transfers, which are over by then, so that a
 * lattice that just fits can be seen; or what a small lattice has too little of, for this picture.
 */
struct picture {
    char *memory;
    size_t used;
    void *own; /* NULL: it is that of transfers */
};

struct picture_planes {
    const uint8_t *plane[CA_PLANES_MAX];
};

static size_t rounded(size_t bytes) { return (bytes + PIECE - 1) / PIECE * PIECE; }

static enum ca_status begin(struct cuda *cuda, struct picture *picture, size_t bytes,
                            struct ca_error *error)
{
    *picture = {(char *)cuda->staging, 0, NULL};
    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    if (bytes > cuda->staging_bytes) {
        CUDA_TRY(cuda, cudaMalloc(&picture->own, bytes), error);
        picture->memory = (char *)picture->own;
    }
    return CA_OK;
}

static void *take(struct picture *picture, size_t bytes)
{
    void *at = picture->memory + picture->used;

    picture->used += rounded(bytes);
    return at;
}

/* What gather_cells takes. */
static size_t gather_bytes(const struct cuda *cuda, const struct ca_gather_points *places)
{
    const struct ca_model *model = cuda->setup.model;
    size_t cells = (size_t)(places->columns * places->count) * ca_type_bytes(model->type);

    return rounded((size_t)places->columns * sizeof(int64_t)) +
           rounded((size_t)places->count * sizeof(int64_t)) + rounded(cells) * model->planes;
}

/* A copy of something on the device. */
template <class T>
static enum ca_status send(struct cuda *cuda, struct picture *picture, const T **there,
                           const T *here, int64_t count, struct ca_error *error)
{
    T *to = (T *)take(picture, (size_t)count * sizeof(T));

    *there = to;
    CUDA_TRY(
        cuda,
        cudaMemcpyAsync(to, here, (size_t)count * sizeof(T), cudaMemcpyHostToDevice, cuda->stream),
        error);
    return CA_OK;
}

/* The cells, in planes on the device. */
static enum ca_status gather_cells(struct cuda *cuda, struct picture *picture,
                                   const struct ca_gather_points *places, void *at[CA_PLANES_MAX],
                                   struct ca_error *error)
{
    const struct ca_model *model = cuda->setup.model;
    struct ca_gather_points there = *places;

    CA_TRY(send(cuda, picture, &there.x, places->x, places->columns, error));
    CA_TRY(send(cuda, picture, &there.row, places->row, places->count, error));
    for (int p = 0; p < model->planes; p++)
        at[p] =
            take(picture, (size_t)(places->columns * places->count) * ca_type_bytes(model->type));
    return cuda->ops->gather(cuda, &there, at, error);
}

static enum ca_status fetch(struct cuda *cuda, void *here, const void *there, size_t bytes,
                            struct ca_error *error)
{
    CUDA_TRY(cuda, cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, cuda->stream),
             error);
    return cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "gather", error);
}

static enum ca_status gather(struct cuda *cuda, struct picture *picture,
                             const struct ca_gather_points *places, void *const planes[],
                             struct ca_error *error)
{
    const struct ca_model *model = cuda->setup.model;
    size_t bytes = (size_t)(places->columns * places->count) * ca_type_bytes(model->type);
    void *at[CA_PLANES_MAX];

    CA_TRY(gather_cells(cuda, picture, places, at, error));
    for (int p = 0; p < model->planes; p++)
        CA_TRY(fetch(cuda, planes[p], at[p], bytes, error));
    return CA_OK;
}

enum ca_status cuda_gather(void *self, const struct ca_gather_points *places, void *const planes[],
                           struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct picture picture;
    enum ca_status status;

    CA_TRY(begin(cuda, &picture, gather_bytes(cuda, places), error));
    status = gather(cuda, &picture, places, planes, error);
    cudaFree(picture.own);
    return status;
}

/* --- sums ------------------------------------------------------------------------------------ */

/* A thread a block: at most 256 cells, in the order in which the CPU adds them up. */
__global__ void view_sum_blocks(struct ca_appearances looks, struct ca_view_bins blocks,
                                struct picture_planes planes, struct ca_bin_sum *sums)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < blocks.columns * blocks.lines)
        sums[i] = ca_bin_sum_of(&blocks, &looks, planes.plane, i);
}

static enum ca_status reduce(struct cuda *cuda, struct picture *picture,
                             const struct ca_gather_points *places,
                             const struct ca_view_bins *blocks, const struct ca_appearances *looks,
                             struct ca_bin_sum *sums, struct ca_error *error)
{
    int64_t count = (int64_t)blocks->columns * blocks->lines;
    struct ca_view_bins there = *blocks;
    struct picture_planes planes = {};
    void *at[CA_PLANES_MAX];
    struct ca_bin_sum *made;

    CA_TRY(gather_cells(cuda, picture, places, at, error));
    for (int p = 0; p < cuda->setup.model->planes; p++)
        planes.plane[p] = (const uint8_t *)at[p];
    CA_TRY(send(cuda, picture, &there.across, blocks->across, blocks->columns + 1, error));
    CA_TRY(send(cuda, picture, &there.down, blocks->down, blocks->lines + 1, error));
    made = (struct ca_bin_sum *)take(picture, (size_t)count * sizeof *made);
    CA_TRY(cuda_launch(cuda, "view_sum_blocks", view_sum_blocks, cuda_line(count), dim3(256), 0,
                       error, *looks, there, planes, made));
    return fetch(cuda, sums, made, (size_t)count * sizeof *sums, error);
}

enum ca_status cuda_reduce(void *self, const struct ca_gather_points *places,
                           const struct ca_view_bins *blocks, const struct ca_appearances *looks,
                           struct ca_bin_sum *sums, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    size_t count = (size_t)blocks->columns * blocks->lines;
    size_t bytes = gather_bytes(cuda, places) + rounded(count * sizeof(struct ca_bin_sum)) +
                   rounded((size_t)(blocks->columns + 1) * sizeof(int)) +
                   rounded((size_t)(blocks->lines + 1) * sizeof(int));
    struct picture picture;
    enum ca_status status;

    CA_TRY(begin(cuda, &picture, bytes, error));
    status = reduce(cuda, &picture, places, blocks, looks, sums, error);
    cudaFree(picture.own);
    return status;
}
