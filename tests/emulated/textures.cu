/* SPDX-License-Identifier: MIT */
/* Right: texture objects of linear memory and arrays, with their filters, and surfaces. */
#include <stdio.h>

#define W 8
#define H 4

__global__ void fetch(cudaTextureObject_t line, cudaTextureObject_t plane,
                      cudaTextureObject_t bytes, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, i = y * W + x;

    out[i] = tex1Dfetch<float>(line, i);
    out[W * H + i] = tex2D<float>(plane, (x + 0.75f) / W, (y + 0.5f) / H);
    out[2 * W * H + i] = tex2D<uchar4>(bytes, x - 2, y).y;
}

__global__ void mirror(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = threadIdx.y;
    float value = surf2Dread<float>(surface, x * sizeof(float), y);

    __syncthreads();
    surf2Dwrite(value, surface, (W - 1 - x) * sizeof(float), y);
}

int main()
{
    float host[W * H], *line, *out, result[3 * W * H], back[W * H];
    uchar4 quads[W * H], *pitched;
    size_t pitch;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaTextureObject_t textures[3];
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    int wrong = 0;

    for (int i = 0; i < W * H; i++) {
        host[i] = i;
        quads[i] = make_uchar4(0, 100 + i, 0, 0);
    }
    cudaMalloc(&line, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(line, host, sizeof host, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = line;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = sizeof host;
    cudaCreateTextureObject(&textures[0], &resource, &how, NULL);

    cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, host, W * sizeof(float), W * sizeof(float), H,
                        cudaMemcpyHostToDevice);
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    cudaCreateTextureObject(&textures[1], &resource, &how, NULL);

    cudaMallocPitch(&pitched, &pitch, W * sizeof(uchar4), H);
    cudaMemcpy2D(pitched, pitch, quads, W * sizeof(uchar4), W * sizeof(uchar4), H,
                 cudaMemcpyHostToDevice);
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    how = {};
    how.addressMode[0] = cudaAddressModeBorder;
    cudaCreateTextureObject(&textures[2], &resource, &how, NULL);

    fetch<<<1, dim3(W, H)>>>(textures[0], textures[1], textures[2], out);
    mirror<<<1, dim3(W, H)>>>(surface);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy2DFromArray(back, W * sizeof(float), array, 0, 0, W * sizeof(float), H,
                          cudaMemcpyDeviceToHost);
    for (int i = 0; i < W * H; i++) {
        int x = i % W, row = i - x;
        float next = row + (x + 1) % W; /* a quarter of it: the coordinate is 1/4 behind i */

        wrong += result[i] != i;
        wrong += result[W * H + i] != 0.75f * i + 0.25f * next;
        wrong += result[2 * W * H + i] != (x < 2 ? 0 : 100 + i - 2);
        wrong += back[i] != row + W - 1 - x;
    }
    for (int i = 0; i < 3; i++)
        cudaDestroyTextureObject(textures[i]);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(line);
    cudaFree(out);
    cudaFree(pitched);
    return wrong;
}
