/* SPDX-License-Identifier: MIT */
/*
 * Runs the kernel of fast-game-of-life on a state in a P4 bitmap: fast_life.py compiles this file
 * beside the kernel's source, gol.cu, and its constants.h.
 *
 *     fast_life WIDTH HEIGHT STEPS ROUNDS FROM.pbm TO.pbm
 *
 * Prints the seconds of each of ROUNDS calls of STEPS generations from the same state, by events;
 * TO.pbm is the last state. The lattice lies in columns of 32 cells, the first of a word its
 * highest bit, with an empty column on either side and STEP_SIZE empty rows above and below.
 */
#include "gol.cu"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define ROWS_OF_GROUP (32 * WORK_PER_THREAD - 2 * STEP_SIZE)

static void check(cudaError_t result, const char *what)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

struct lattice {
    size_t w, h, height;
    std::vector<unsigned> words;

    unsigned *at(size_t column, size_t y) { return &words[(column + 1) * height + STEP_SIZE + y]; }
};

static void read_bitmap(struct lattice *lattice, const char *path)
{
    std::vector<unsigned char> row(lattice->w / 8);
    FILE *file = fopen(path, "rb");
    unsigned long w, h;

    if (!file || fscanf(file, "P4 %lu %lu", &w, &h) != 2 || w != lattice->w || h != lattice->h) {
        fprintf(stderr, "%s: no bitmap of this size\n", path);
        exit(1);
    }
    fgetc(file);
    for (size_t y = 0; y < h; y++) {
        if (fread(row.data(), 1, row.size(), file) != row.size())
            exit(1);
        for (size_t k = 0; k < w / 32; k++)
            *lattice->at(k, y) = (unsigned)row[4 * k] << 24 | row[4 * k + 1] << 16 |
                                 row[4 * k + 2] << 8 | row[4 * k + 3];
    }
    fclose(file);
}

static void write_bitmap(struct lattice *lattice, const char *path)
{
    std::vector<unsigned char> row(lattice->w / 8);
    FILE *file = fopen(path, "wb");

    if (!file)
        exit(1);
    fprintf(file, "P4\n%zu %zu\n", lattice->w, lattice->h);
    for (size_t y = 0; y < lattice->h; y++) {
        for (size_t i = 0; i < row.size(); i++)
            row[i] = (unsigned char)(*lattice->at(i / 4, y) >> (24 - i % 4 * 8));
        fwrite(row.data(), 1, row.size(), file);
    }
    if (fclose(file))
        exit(1);
}

int main(int argc, char **argv)
{
    struct lattice lattice = {};
    unsigned *now, *next, *other;
    cudaEvent_t begun, done;
    size_t bytes;

    if (argc != 7)
        return 2;
    lattice.w = strtoul(argv[1], NULL, 10), lattice.h = strtoul(argv[2], NULL, 10);
    unsigned steps = (unsigned)atoi(argv[3]);
    int rounds = atoi(argv[4]);
    if (lattice.w % 32 || lattice.h % ROWS_OF_GROUP || steps % STEP_SIZE) {
        fprintf(stderr, "columns of 32 cells, %d rows and %d generations are whole\n",
                ROWS_OF_GROUP, STEP_SIZE);
        return 2;
    }
    lattice.height = lattice.h + 2 * STEP_SIZE;
    lattice.words.resize((lattice.w / 32 + 2) * lattice.height);
    read_bitmap(&lattice, argv[5]);
    bytes = lattice.words.size() * sizeof(unsigned);
    CHECK(cudaMalloc(&now, bytes));
    CHECK(cudaMalloc(&next, bytes));
    CHECK(cudaEventCreate(&begun));
    CHECK(cudaEventCreate(&done));
    for (int round = 0; round < rounds; round++) {
        float ms;

        CHECK(cudaMemset(next, 0, bytes));
        CHECK(cudaMemcpy(now, lattice.words.data(), bytes, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(begun));
        for (unsigned t = 0; t < steps; t += STEP_SIZE) {
            dim3 grid((unsigned)(lattice.w / 32), (unsigned)(lattice.h / ROWS_OF_GROUP));

            step<<<grid, dim3(1, 32)>>>(now, next, STEP_SIZE);
            other = now, now = next, next = other;
        }
        CHECK(cudaEventRecord(done));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaEventElapsedTime(&ms, begun, done));
        printf("%.9f\n", ms * 1e-3);
    }
    CHECK(cudaMemcpy(lattice.words.data(), now, bytes, cudaMemcpyDeviceToHost));
    write_bitmap(&lattice, argv[6]);
    return 0;
}
