/* SPDX-License-Identifier: MIT */
/* Copies volumes, finds variables by their addresses, and launches kernels by pointer. */
#include "core/emulator/runtime/volumes.h"

#include <vector>

#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/language.h"

/* --- volumes ---------------------------------------------------------------------------------- */

static char *layer(const struct cudaPitchedPtr *memory, const struct cudaPos *from, size_t z)
{
    return (char *)memory->ptr + ((from->z + z) * memory->ysize + from->y) * memory->pitch +
           from->x;
}

static cudaError_t refuse_volume(const char *call, cudaError_t why)
{
    struct emulated_entry entry(call);

    return entry.refused() ? entry.fail() : entry.fail(why);
}

/* One copy where the rows lie without a gap, so that it is one call, else one for each layer. */
template <class Copy> static cudaError_t copy_volume(const struct cudaMemcpy3DParms *p, Copy copy)
{
    if (p->extent.height > p->srcPtr.ysize - p->srcPos.y ||
        p->extent.height > p->dstPtr.ysize - p->dstPos.y)
        return refuse_volume("cudaMemcpy3D", cudaErrorInvalidValue);
    for (size_t z = 0; z < p->extent.depth; z++) {
        cudaError_t error = copy(layer(&p->dstPtr, &p->dstPos, z), p->dstPtr.pitch,
                                 layer(&p->srcPtr, &p->srcPos, z), p->srcPtr.pitch, p->extent.width,
                                 p->extent.height, p->kind);

        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t emulated_copy_volume(const struct cudaMemcpy3DParms *p)
{
    return copy_volume(p, cudaMemcpy2D);
}

cudaError_t emulated_copy_volume_async(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_volume(p, [stream](auto... a) { return cudaMemcpy2DAsync(a..., stream); });
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int byte, struct cudaExtent extent)
{
    for (size_t z = 0; z < extent.depth; z++) {
        cudaError_t error = cudaMemset2D((char *)memory.ptr + z * memory.ysize * memory.pitch,
                                         memory.pitch, byte, extent.width, extent.height);

        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* --- variables -------------------------------------------------------------------------------- */

struct variable {
    const char *at;
    size_t bytes;
};

static std::vector<variable> &variables()
{
    static auto *all = new std::vector<variable>;

    return *all;
}

cudaError_t emulated_symbol_address(void **address, const void *symbol, size_t size)
{
    struct emulated_entry entry("cudaGetSymbolAddress");

    if (entry.refused())
        return entry.fail();
    if (!emulated_is_variable(symbol, size))
        variables().push_back({(const char *)symbol, size});
    *address = (void *)symbol;
    return cudaSuccess;
}

bool emulated_is_variable(const void *at, size_t bytes)
{
    for (const variable &one : variables())
        if ((const char *)at >= one.at && bytes <= one.bytes &&
            (size_t)((const char *)at - one.at) <= one.bytes - bytes)
            return true;
    return false;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static struct emulated_kernel *kernels;

void emulated_kernel_add(struct emulated_kernel *kernel)
{
    kernel->next = kernels;
    kernels = kernel;
}

cudaError_t emulated_kernel_launch(const struct cudaLaunchConfig_t *config, const void *kernel,
                                   void **arguments)
{
    for (const struct emulated_kernel *one = kernels; one; one = one->next)
        if (one->kernel == kernel)
            return one->launch(config, kernel, arguments);
    return refuse_volume("cudaLaunchKernel", cudaErrorInvalidDeviceFunction);
}
