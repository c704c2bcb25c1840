/* SPDX-License-Identifier: MIT */
/* Collects the requests of the warps that run, and counts them for each kernel. */
#include "core/emulator/runtime/count.h"

#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/occupancy.h"
#include "core/emulator/runtime/place.h"

#define SECTOR 32
#define BANKS 32
#define BANK_BYTES 4

bool count_on;

static const struct occupancy_limits *limits;

enum space { GLOBAL, SHARED, SPACES };

/* Counts the requests of one kind of access to one kind of memory. */
struct tally {
    uint64_t requests, lanes;
    uint64_t units;     /* sectors, or passes through the banks */
    uint64_t conflicts; /* passes that there would not be without bank conflicts */
};

/* What is counted of a kernel, and of each instruction and basic block of it. */
struct counts {
    struct tally tally[SPACES][3]; /* of enum watch_access */
    uint64_t steps, divergent;     /* of warps from one basic block to the next */
};

struct kernel {
    std::string name;
    uint64_t launches, blocks;
    dim3 block;
    size_t shared_bytes;
    struct counts all;
    std::unordered_map<uint32_t, struct counts> of; /* by code */
};

/* The addresses that the lanes of a warp access by one execution of an instruction. */
struct request {
    uint32_t lanes;
    enum space space;
    enum watch_access how;
    uint32_t bytes; /* of a lane */
    uint64_t at[EMULATED_WARP];
};

/* The basic blocks to which the lanes of a warp went from one execution of another. */
struct branch {
    uint32_t to;
    bool divergent;
};

/* An instruction, or a basic block that a branch ends, in a warp. */
struct occurrences {
    uint32_t count[EMULATED_WARP]; /* of each lane */
    std::vector<struct request> requests;
    std::vector<struct branch> branches;
};

struct counted_warp {
    std::unordered_map<uint32_t, struct occurrences> of; /* by code */
    uint32_t last[EMULATED_WARP];                        /* basic block of each lane, 0: none */
};

/* Never destroyed, since it is told at the process's end. */
static std::map<const void *, struct kernel> *kernels;
static struct kernel *running;
static std::vector<struct counted_warp> warps;
static int block_warps; /* of a block of the launch that runs */

void count_begin()
{
    const char *capability = getenv("CALAB_EMULATED_COUNT");

    if (!capability || !*capability)
        return;
    limits = occupancy_limits(capability);
    if (!limits) {
        fprintf(stderr, "calab: compute capability '%s' is not known: allowed are %s\n", capability,
                occupancy_known());
        _Exit(2);
    }
    kernels = new std::map<const void *, struct kernel>;
    count_on = true;
}

void count_launch(const struct emulated_launch *launch)
{
    const void *code = launch->kernel;
    int threads = (int)(launch->block.x * launch->block.y * launch->block.z);

    running = &(*kernels)[code];
    if (running->name.empty())
        running->name = place_of((uint32_t)(uintptr_t)code + 1)->function;
    running->launches++;
    running->blocks += (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    running->block = launch->block;
    count_shared(launch->dynamic_bytes);
    block_warps = (threads + EMULATED_WARP - 1) / EMULATED_WARP;
    warps.assign((size_t)(block_warps * launch->cluster), {});
}

static struct counted_warp *warp_of(int rank, int thread)
{
    return &warps[(size_t)(rank * block_warps + thread / EMULATED_WARP)];
}

/* --- requests --------------------------------------------------------------------------------- */

static uint64_t distinct(std::vector<uint64_t> *values)
{
    std::sort(values->begin(), values->end());
    return (uint64_t)(std::unique(values->begin(), values->end()) - values->begin());
}

static uint64_t sectors_of(const struct request *request)
{
    std::vector<uint64_t> sectors;

    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (request->lanes >> lane & 1)
            for (uint64_t at = request->at[lane] / SECTOR;
                 at <= (request->at[lane] + request->bytes - 1) / SECTOR; at++)
                sectors.push_back(at);
    return distinct(&sectors);
}

/* How often the banks are passed for some of the lanes: each gives a word at a time, to whoever
 * asks for it. */
static uint64_t passes_of(const struct request *request, int first, int count)
{
    std::vector<uint64_t> words;
    uint64_t of_bank[BANKS] = {}, most = 0;

    for (int lane = first; lane < first + count; lane++)
        if (request->lanes >> lane & 1)
            for (uint64_t at = request->at[lane] / BANK_BYTES;
                 at <= (request->at[lane] + request->bytes - 1) / BANK_BYTES; at++)
                words.push_back(at);
    words.resize(distinct(&words));
    for (uint64_t word : words)
        most = std::max(most, ++of_bank[word % BANKS]);
    return most;
}

static struct tally tally_of(const struct request *request)
{
    struct tally tally = {.requests = 1, .lanes = (uint64_t)__builtin_popcount(request->lanes)};

    if (request->space == GLOBAL) {
        tally.units = sectors_of(request);
    } else { /* wide words go in halves or quarters of the warp */
        int parts = request->bytes > 8 ? 4 : request->bytes > 4 ? 2 : 1;

        for (int i = 0; i < parts; i++) {
            uint64_t passes = passes_of(request, i * EMULATED_WARP / parts, EMULATED_WARP / parts);

            tally.units += passes;
            tally.conflicts += passes > 1 ? passes - 1 : 0;
        }
    }
    return tally;
}

static void add(struct tally *to, const struct tally *more)
{
    to->requests += more->requests;
    to->lanes += more->lanes;
    to->units += more->units;
    to->conflicts += more->conflicts;
}

static void add(struct counts *to, const struct counts *more)
{
    for (int space = 0; space < SPACES; space++)
        for (int how = 0; how < 3; how++)
            add(&to->tally[space][how], &more->tally[space][how]);
    to->steps += more->steps;
    to->divergent += more->divergent;
}

static void complete(struct counted_warp *warp)
{
    for (auto &one : warp->of) {
        struct counts counts = {};

        for (const struct request &request : one.second.requests) {
            struct tally tally = tally_of(&request);

            add(&counts.tally[request.space][request.how], &tally);
        }
        counts.steps = one.second.branches.size();
        for (const struct branch &branch : one.second.branches)
            counts.divergent += branch.divergent;
        add(&running->of[one.first], &counts);
        add(&running->all, &counts);
    }
    warp->of.clear();
}

void count_access(enum watch_kind kind, int rank, int thread, uint64_t at, size_t bytes,
                  enum watch_access how, uint32_t code)
{
    int lane = thread % EMULATED_WARP;
    struct occurrences *own;
    struct request *request;
    uint32_t time;

    if (kind == WATCH_CONSTANT)
        return;
    own = &warp_of(rank, thread)->of[code];
    time = own->count[lane]++;
    if (time >= own->requests.size())
        own->requests.resize(time + 1);
    request = &own->requests[time];
    request->space = kind == WATCH_SHARED ? SHARED : GLOBAL;
    request->how = how;
    request->bytes = (uint32_t)bytes;
    request->lanes |= 1u << lane;
    request->at[lane] = at;
}

void count_step(int rank, int thread, uint32_t code)
{
    int lane = thread % EMULATED_WARP;
    struct counted_warp *warp = warp_of(rank, thread);
    uint32_t from = warp->last[lane];
    struct occurrences *own;
    uint32_t time;

    warp->last[lane] = code;
    if (from == 0)
        return;
    own = &warp->of[from];
    time = own->count[lane]++;
    if (time >= own->branches.size())
        own->branches.resize(time + 1);
    if (own->branches[time].to == 0)
        own->branches[time].to = code;
    else if (own->branches[time].to != code)
        own->branches[time].divergent = true;
}

void count_warp(int rank, int warp, uint32_t lanes)
{
    int left = (int)(running->block.x * running->block.y * running->block.z) - warp * EMULATED_WARP;
    uint32_t all = left >= EMULATED_WARP ? UINT32_MAX : (1u << left) - 1;

    if ((lanes & all) == all)
        complete(warp_of(rank, warp * EMULATED_WARP));
}

void count_block(int rank)
{
    for (int i = 0; i < block_warps; i++)
        complete(&warps[(size_t)(rank * block_warps + i)]);
}

void count_shared(size_t bytes) { running->shared_bytes = std::max(running->shared_bytes, bytes); }

void count_together()
{
    for (struct counted_warp &warp : warps)
        complete(&warp);
}

void count_group()
{
    count_together();
    for (struct counted_warp &warp : warps)
        std::fill(warp.last, warp.last + EMULATED_WARP, 0);
}

void count_launched()
{
    count_group();
    running = NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

static void report_row(const char *what, const struct tally *tally, uint64_t blocks,
                       const char *unit, bool banks)
{
    if (tally->requests == 0)
        return;
    fprintf(stderr, "    %-16s %14llu %12.2f %14llu %12.2f %-7s", what,
            (unsigned long long)tally->requests, (double)tally->requests / (double)blocks,
            (unsigned long long)tally->units, (double)tally->units / (double)blocks, unit);
    if (banks)
        fprintf(stderr, " %12llu", (unsigned long long)tally->conflicts);
    fprintf(stderr, "\n");
}

static void print_counts(const struct kernel *kernel)
{
    static const char *const names[SPACES][3] = {
        {"global loads", "global stores", "global atomics"},
        {"shared loads", "shared stores", "shared atomics"}};
    int threads = (int)(kernel->block.x * kernel->block.y * kernel->block.z);
    struct occupancy occupancy = occupancy_of(limits, threads, kernel->shared_bytes, 0);

    fprintf(stderr, "kernel %s: %llu launch%s, %llu blocks of %ux%ux%u threads\n",
            kernel->name.c_str(), (unsigned long long)kernel->launches,
            kernel->launches == 1 ? "" : "es", (unsigned long long)kernel->blocks, kernel->block.x,
            kernel->block.y, kernel->block.z);
    fprintf(stderr, "    %-16s %14s %12s %14s %12s %-7s %12s\n", "", "requests", "a block", "",
            "a block", "", "conflicts");
    for (int space = 0; space < SPACES; space++)
        for (int how = 0; how < 3; how++)
            report_row(names[space][how], &kernel->all.tally[space][how], kernel->blocks,
                       space == GLOBAL ? "sectors" : "passes", space == SHARED);
    if (kernel->all.steps > 0)
        fprintf(
            stderr,
            "    divergent branches: %llu (%.2f a block), of %llu steps of a warp from one basic "
            "block to the next\n",
            (unsigned long long)kernel->all.divergent,
            (double)kernel->all.divergent / (double)kernel->blocks,
            (unsigned long long)kernel->all.steps);
    fprintf(stderr,
            "    occupancy at compute capability %d.%d: %d %% (%d blocks, %d of %d warps), bound "
            "by %s,\n    where a thread has at most %d registers; %zu bytes of shared memory\n",
            limits->major, limits->minor, occupancy.percent, occupancy.blocks, occupancy.warps,
            limits->warps, occupancy.bound_by, occupancy.registers, kernel->shared_bytes);
}

static std::string json(const struct counts *counts)
{
    static const char *const spaces[] = {"global", "shared"};
    static const char *const accesses[] = {"loads", "stores", "atomics"};
    std::string line;

    for (int space = 0; space < SPACES; space++)
        for (int how = 0; how < 3; how++) {
            const struct tally *tally = &counts->tally[space][how];
            std::string name = std::string(spaces[space]) + "_" + accesses[how];

            line += ",\"" + name + "\":" + std::to_string(tally->requests) + ",\"" + name +
                    "_lanes\":" + std::to_string(tally->lanes) + ",\"" + name +
                    (space == GLOBAL ? "_sectors" : "_passes") +
                    "\":" + std::to_string(tally->units);
            if (space == SHARED)
                line += ",\"" + name + "_conflicts\":" + std::to_string(tally->conflicts);
        }
    return line + ",\"steps\":" + std::to_string(counts->steps) +
           ",\"divergent_branches\":" + std::to_string(counts->divergent);
}

/* The counts of each line of the source. */
static std::string json_lines(const struct kernel *kernel)
{
    std::map<std::pair<std::string, int>, struct counts> lines;
    std::string text;

    for (const auto &one : kernel->of) {
        const struct place *place = place_of(one.first);

        add(&lines[{place->file, place->line}], &one.second);
    }
    for (const auto &one : lines)
        text += (text.empty() ? "{\"file\":" : ",{\"file\":") +
                finding_quoted(one.first.first.c_str()) +
                ",\"line\":" + std::to_string(one.first.second) + json(&one.second) + "}";
    return "[" + text + "]";
}

static std::string json(const struct kernel *kernel)
{
    int threads = (int)(kernel->block.x * kernel->block.y * kernel->block.z);
    struct occupancy occupancy = occupancy_of(limits, threads, kernel->shared_bytes, 0);

    return "{\"kernel\":\"" + kernel->name + "\",\"launches\":" + std::to_string(kernel->launches) +
           ",\"blocks\":" + std::to_string(kernel->blocks) +
           ",\"threads\":" + std::to_string(threads) +
           ",\"shared_bytes\":" + std::to_string(kernel->shared_bytes) + json(&kernel->all) +
           ",\"cc\":\"" + std::to_string(limits->major) + "." + std::to_string(limits->minor) +
           "\",\"occupancy\":" + std::to_string(occupancy.percent) +
           ",\"lines\":" + json_lines(kernel) + "}";
}

void count_report()
{
    if (!count_on)
        return;
    for (const auto &one : *kernels) {
        print_counts(&one.second);
        finding_add_line(json(&one.second));
    }
}
