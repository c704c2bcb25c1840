/* SPDX-License-Identifier: MIT */
/*
 * Runs the kernel of this folder, and is no part of the task. By itself it steps a random lattice
 * and prints what came of it; under `calab lab check` it does what it is asked over a socket. In
 * CUDA this file is lab_runner.cu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "calab_lab.h"
#include "lab_wire.h"

#if LAB_VERSION != LAB_FOLDER_VERSION
#error "calab_lab.h and lab_model.h are of two versions of calab"
#endif

struct run {
    struct lab lab;
    struct lab_shared *shared;
    lab_cell *set[LAB_SETS][LAB_PLANES]; /* of the form "step": where step finds them */
    char *block[LAB_SETS][LAB_PLANES];   /* in CUDA: what is allocated for them */
    enum lab_set now;
    void *self; /* of the form "own" */
    char text[sizeof((struct lab_reply *)0)->text];
};

/* --- what step gets --------------------------------------------------------------------------- */

static const struct lab_parameter *find(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->parameters; i++)
        if (strcmp(lab->parameter[i].name, name) == 0)
            return &lab->parameter[i];
    return NULL;
}

double lab_number(const struct lab *lab, const char *name)
{
    const struct lab_parameter *parameter = find(lab, name);

    return parameter ? parameter->number : 0;
}

const char *lab_text(const struct lab *lab, const char *name)
{
    const struct lab_parameter *parameter = find(lab, name);

    return parameter ? parameter->text : "";
}

static lab_cell *plane_of(const struct run *run, enum lab_set set, int p)
{
    return (lab_cell *)((char *)run->shared + run->shared->at[set][p]);
}

static int is_constant(const struct run *run, int p) { return run->shared->constant >> p & 1; }

/* --- memory ----------------------------------------------------------------------------------- */

#ifdef __CUDACC__

static int failed(struct run *run, const char *what, cudaError_t code)
{
    if (code == cudaSuccess)
        return 0;
    snprintf(run->text, sizeof run->text, "%s: %s", what, cudaGetErrorString(code));
    return 1;
}

#define TRY(call)                                                                                  \
    if (failed(run, #call, call))                                                                  \
    return 1

/* The emulator sees by itself what is written outside of a plane, and what nobody wrote. */
#ifdef CALAB_REWRITTEN
#define DEVICE_GUARD(run) ((size_t)0)
#else
#define DEVICE_GUARD(run) ((size_t)(run)->shared->guard_bytes)
#endif

#if !LAB_OWN
/* Copies a plane with its guards from or to the memory that is shared with calab. */
static int copy(struct run *run, enum lab_set set, int p, enum lab_set shared, cudaMemcpyKind kind)
{
    size_t guard = DEVICE_GUARD(run);
    char *host = (char *)plane_of(run, shared, p) - guard;
    size_t bytes = (size_t)run->shared->plane_bytes + 2 * guard;

    if (kind == cudaMemcpyHostToDevice) {
        TRY(cudaMemcpy(run->block[set][p], host, bytes, kind));
    } else {
        TRY(cudaMemcpy(host, run->block[set][p], bytes, kind));
    }
    return 0;
}

static int fill_device(struct run *run)
{
    size_t guard = DEVICE_GUARD(run), bytes = (size_t)run->shared->plane_bytes + 2 * guard;

    for (int set = LAB_IN; set <= LAB_B; set++)
        for (int p = 0; p < LAB_PLANES; p++) {
            if (set != LAB_IN && is_constant(run, p))
                continue;
#ifdef CALAB_REWRITTEN
            cudaFree(run->block[set][p]);
            run->block[set][p] = NULL;
#endif
            if (!run->block[set][p])
                TRY(cudaMalloc((void **)&run->block[set][p], bytes));
            run->set[set][p] = (lab_cell *)(run->block[set][p] + guard);
            if (copy(run, (enum lab_set)set, p, (enum lab_set)set, cudaMemcpyHostToDevice))
                return 1;
        }
    return 0;
}
#endif

static int allocate(struct run *run)
{
    uint8_t *table = NULL;

    if (run->shared->table_bytes) {
        TRY(cudaMalloc((void **)&table, run->shared->table_bytes));
        TRY(cudaMemcpy(table, run->shared->table, run->shared->table_bytes,
                       cudaMemcpyHostToDevice));
    }
    run->lab.table = table;
    TRY(cudaMalloc(&run->lab.scratch, run->lab.scratch_bytes));
    return 0;
}

static int wait_for_device(struct run *run)
{
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    return 0;
}

static void free_all(struct run *run)
{
    for (int set = 0; set < LAB_SETS; set++)
        for (int p = 0; p < LAB_PLANES; p++)
            cudaFree(run->block[set][p]);
    cudaFree((void *)run->lab.table);
    cudaFree(run->lab.scratch);
}

#else /* C */

/* Under AddressSanitizer whoever touches a guard is told at once. */
#ifdef __SANITIZE_ADDRESS__
void __asan_poison_memory_region(void const volatile *, size_t);
void __asan_unpoison_memory_region(void const volatile *, size_t);
static void guard(const struct run *run, int set)
{
    const struct lab_shared *s = run->shared;

    for (int p = 0; p < LAB_PLANES; p++) {
        char *plane = (char *)plane_of(run, (enum lab_set)set, p);

        __asan_poison_memory_region(plane - s->guard_bytes, s->guard_bytes);
        __asan_unpoison_memory_region(plane, s->plane_bytes);
        __asan_poison_memory_region(plane + s->plane_bytes, s->guard_bytes);
    }
}
#else
static void guard(const struct run *run, int set) { (void)run, (void)set; }
#endif

static int allocate(struct run *run)
{
    run->lab.table = run->shared->table;
    run->lab.scratch = malloc(run->lab.scratch_bytes);
    for (int set = 0; set < LAB_SETS; set++) {
        guard(run, set);
        for (int p = 0; p < LAB_PLANES; p++)
            run->set[set][p] = plane_of(run, (enum lab_set)set, p);
    }
    if (!run->lab.scratch)
        snprintf(run->text, sizeof run->text, "no memory for lab->scratch");
    return !run->lab.scratch;
}

static int wait_for_device(struct run *run)
{
    (void)run;
    return 0;
}

static void free_all(struct run *run) { free(run->lab.scratch); }

#endif

/* --- who asks for which cell, where that is noted --------------------------------------------- */

#ifdef LAB_WHO
#define WHO_COUNTS (64u << 20) /* of all workers, at most */

#ifdef __CUDACC__
#define WHO_ALLOCATE(to, bytes) (cudaMalloc((void **)&(to), bytes) == cudaSuccess)
#define WHO_COPY(to, from, bytes) cudaMemcpy(to, from, bytes, cudaMemcpyDefault)
#define WHO_CLEAR(to, bytes) cudaMemset(to, 0, bytes)
#ifdef CALAB_REWRITTEN
#define WHO_KIND LAB_WHO_BLOCK
#else
#define WHO_KIND LAB_WHO_SM
#endif
#else
#define WHO_ALLOCATE(to, bytes) (((to) = malloc(bytes)) != NULL)
#define WHO_COPY(to, from, bytes) memcpy(to, from, bytes)
#define WHO_CLEAR(to, bytes) memset(to, 0, bytes)
#define WHO_KIND LAB_WHO_THREAD
#endif

static struct lab_who who; /* with memory of the device in CUDA */

/* Notes begin anew. Without memory for them there are none. */
static void who_begin(struct run *run)
{
    struct lab_who_span *spans;

    if (!run->lab.who) {
        who.kind = WHO_KIND;
        who.cells = run->lab.scratch_bytes / 8;
        who.blocks = LAB_WHO_BLOCKS;
        who.workers = WHO_COUNTS / who.cells < LAB_WHO_THREADS ? (uint32_t)(WHO_COUNTS / who.cells)
                                                               : LAB_WHO_THREADS;
        if (who.workers == 0 || !WHO_ALLOCATE(who.worker, who.workers * sizeof *who.worker) ||
            !WHO_ALLOCATE(who.block, who.blocks * sizeof *who.block) ||
            !WHO_ALLOCATE(who.count, who.workers * who.cells * sizeof *who.count) ||
            !WHO_ALLOCATE(run->lab.who, sizeof who)) {
            run->lab.who = NULL;
            return;
        }
    }
    WHO_CLEAR(who.count, who.workers * who.cells * sizeof *who.count);
    WHO_CLEAR(who.worker, who.workers * sizeof *who.worker);
    spans = (struct lab_who_span *)calloc(who.blocks, sizeof *spans);
    if (!spans)
        return;
    for (uint32_t i = 0; i < who.blocks; i++)
        spans[i].first = UINT64_MAX;
    WHO_COPY(who.block, spans, who.blocks * sizeof *spans);
    free(spans);
    WHO_COPY(run->lab.who, &who, sizeof who);
}

/* The worker that asked most often for a cell, 1 and more; 0: nobody did. */
static uint16_t who_most(const uint32_t *count, uint64_t cell)
{
    uint32_t most = 0;
    uint16_t worker = 0;

    for (uint32_t i = 0; i < who.workers; i++)
        if (count[i * who.cells + cell] > most) {
            most = count[i * who.cells + cell];
            worker = (uint16_t)(i + 1);
        }
    return worker;
}

/* Writes what was noted to the file `who` of the folder that it runs in. */
static void who_write(const struct run *run)
{
    size_t workers = who.workers * sizeof *who.worker, blocks = who.blocks * sizeof *who.block;
    struct lab_who_file head = {
        LAB_WHO_MAGIC, WHO_KIND, who.workers, who.blocks, 0, who.cells, 0, 0};
    struct lab_who_span *spans;
    uint32_t *count;
    FILE *file;

    if (!run->lab.who || !(file = fopen("who", "wb")))
        return;
    spans = (struct lab_who_span *)malloc(workers + blocks);
    count = (uint32_t *)malloc(who.workers * who.cells * sizeof *count);
    if (spans && count) {
        WHO_COPY(spans, who.worker, workers);
        WHO_COPY(spans + who.workers, who.block, blocks);
        WHO_COPY(count, who.count, who.workers * who.cells * sizeof *count);
        fwrite(&head, sizeof head, 1, file);
        fwrite(spans, 1, workers + blocks, file);
        for (uint64_t i = 0; i < who.cells; i++) {
            uint16_t worker = who_most(count, i);

            fwrite(&worker, sizeof worker, 1, file);
        }
    }
    free(spans);
    free(count);
    fclose(file);
}
#else
static void who_begin(struct run *run) { (void)run; }
static void who_write(const struct run *run) { (void)run; }
#endif

/* --- the requests ----------------------------------------------------------------------------- */

static void close_lab(struct run *run)
{
#if LAB_OWN
    if (run->self)
        lab_close(run->self);
    run->self = NULL;
#endif
    free_all(run);
    memset(&run->lab, 0, sizeof run->lab);
    memset(run->block, 0, sizeof run->block);
}

static int open_lab(struct run *run)
{
    const struct lab_shared *s = run->shared;

    if (s->version != LAB_WIRE_VERSION || s->planes != LAB_PLANES ||
        s->cell_bytes != sizeof(lab_cell) || s->dimensions != LAB_DIMENSIONS ||
        s->ghosts != LAB_GHOSTS) {
        snprintf(run->text, sizeof run->text, "lab_model.h of this folder is of another lab");
        return 1;
    }
    run->lab.w = s->w;
    run->lab.h = s->h;
    run->lab.d = s->d;
    run->lab.seed = s->seed;
    run->lab.scratch_bytes = (size_t)(lab_across(s) * lab_down(s) * lab_deep(s)) * 8;
    run->lab.parameter = s->parameter;
    run->lab.parameters = (int)s->parameters;
    if (allocate(run))
        return 1;
    who_begin(run);
#if LAB_OWN
    run->self = lab_open(&run->lab);
    if (!run->self) {
        snprintf(run->text, sizeof run->text, "lab_open has returned NULL");
        return 1;
    }
#endif
    return wait_for_device(run);
}

static int load(struct run *run, uint64_t t)
{
    run->now = LAB_IN;
    run->lab.t = t;
#if LAB_OWN
    const lab_cell *planes[LAB_PLANES];

    for (int p = 0; p < LAB_PLANES; p++)
        planes[p] = plane_of(run, LAB_IN, p);
    lab_load(run->self, t, planes);
#elif defined __CUDACC__
    if (fill_device(run))
        return 1;
#endif
    return wait_for_device(run);
}

static int step_n(struct run *run, uint64_t t, uint64_t n)
{
    who_begin(run);
#if LAB_OWN
    lab_step(run->self, t, n);
#else
    for (uint64_t i = 0; i < n; i++) {
        enum lab_set next = run->now == LAB_A ? LAB_B : LAB_A;
        lab_input *in[LAB_PLANES];
        lab_cell *out[LAB_PLANES];

        for (int p = 0; p < LAB_PLANES; p++) {
            in[p] = run->set[is_constant(run, p) ? LAB_IN : run->now][p];
            out[p] = is_constant(run, p) ? NULL : run->set[next][p];
        }
        run->lab.t = t + i;
        step(&run->lab, in, out);
        run->now = next;
    }
#endif
    return wait_for_device(run);
}

static int store(struct run *run)
{
    who_write(run);
#if LAB_OWN
    lab_cell *planes[LAB_PLANES];

    for (int p = 0; p < LAB_PLANES; p++)
        planes[p] = is_constant(run, p) ? NULL : plane_of(run, LAB_OUT, p);
    lab_store(run->self, planes);
    return wait_for_device(run);
#else
    for (int p = 0; p < LAB_PLANES; p++) {
        if (is_constant(run, p))
            continue;
#ifdef __CUDACC__
        if (copy(run, run->now, p, LAB_OUT, cudaMemcpyDeviceToHost))
            return 1;
#else
        memcpy(plane_of(run, LAB_OUT, p), run->set[run->now][p], run->shared->plane_bytes);
#endif
    }
#ifdef __CUDACC__
    for (int p = 0; p < LAB_PLANES; p++)
        if (copy(run, LAB_IN, p, LAB_IN, cudaMemcpyDeviceToHost))
            return 1;
#endif
    return 0;
#endif
}

static int answer(struct run *run, const struct lab_request *request)
{
    switch (request->op) {
    case LAB_OPEN:
        return open_lab(run);
    case LAB_LOAD:
        return load(run, request->t);
    case LAB_STEP:
        return step_n(run, request->t, request->n);
    case LAB_STORE:
        return store(run);
    default:
        close_lab(run);
        return 0;
    }
}

/* Serves calab's requests until it is done. */
static int serve(const char *how)
{
    static struct run run;
    struct lab_request request;
    struct lab_reply reply;
    int socket, memory;
    unsigned long bytes;
    void *shared;

    if (sscanf(how, "%d %d %lu", &socket, &memory, &bytes) != 3)
        return 2;
    shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (shared == MAP_FAILED)
        return 2;
    run.shared = (struct lab_shared *)shared;
    while (read(socket, &request, sizeof request) == (ssize_t)sizeof request) {
        memset(&reply, 0, sizeof reply);
        reply.version = LAB_WIRE_VERSION;
        reply.op = request.op;
        reply.failed = answer(&run, &request);
        memcpy(reply.text, run.text, sizeof reply.text);
        fflush(stdout);
        if (write(socket, &reply, sizeof reply) != (ssize_t)sizeof reply)
            return 0;
    }
    return 0;
}

/* --- by itself -------------------------------------------------------------------------------- */

/* A random state: 0 or 1, or heights where cells are floats. */
static void fill(struct run *run)
{
    const struct lab_shared *s = run->shared;
    uint64_t random = 1;

    for (int p = 0; p < LAB_PLANES; p++)
        for (uint64_t i = 0; i < s->plane_bytes / sizeof(lab_cell); i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            plane_of(run, LAB_IN, p)[i] = (lab_cell)(random >> 63);
        }
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void report(const struct run *run, uint64_t n, double s)
{
    const struct lab_shared *shared = run->shared;

    printf("%ld x %ld x %ld cells, %lu generations in %.3g s\n", (long)shared->w, (long)shared->h,
           (long)shared->d, (unsigned long)n, s);
    for (int p = 0; p < LAB_PLANES; p++) {
        double sum = 0;

        if (is_constant(run, p))
            continue;
        for (int64_t z = 0; z < shared->d; z++)
            for (int64_t y = 0; y < shared->h; y++)
                for (int64_t x = 0; x < shared->w; x++)
                    sum += (double)plane_of(run, LAB_OUT, p)[LAB_AT(&run->lab, x, y, z)];
        printf("plane %d: the sum of all cells is %.9g\n", p, sum);
    }
}

static int alone(int argc, char **argv)
{
    static const struct lab_parameter parameters[] = LAB_PARAMETERS;
    static const uint8_t table[] = LAB_TABLE;
    static struct run run;
    struct lab_shared size, *shared;
    uint64_t n = argc > 4 ? strtoull(argv[4], NULL, 0) : 10;
    double start;

    memset(&size, 0, sizeof size);
    size.version = LAB_WIRE_VERSION;
    size.planes = LAB_PLANES;
    size.cell_bytes = sizeof(lab_cell);
    size.constant = LAB_CONSTANT;
    size.dimensions = LAB_DIMENSIONS;
    size.ghosts = LAB_GHOSTS;
    size.w = argc > 1 ? atol(argv[1]) : 64;
    size.h = argc > 2 ? atol(argv[2]) : 48;
    size.d = LAB_DIMENSIONS == 2 ? 1 : argc > 3 ? atol(argv[3]) : 16;
    size.seed = 1;
    if (size.w < 1 || size.h < 1 || size.d < 1 || n < 1 || argc > 5) {
        fprintf(stderr, "usage: %s [WIDTH [HEIGHT [DEPTH [GENERATIONS]]]]\n", argv[0]);
        return 2;
    }
    size.parameters = sizeof parameters / sizeof *parameters - 1;
    memcpy(size.parameter, parameters, sizeof parameters);
    size.table_bytes = sizeof table - 1;
    memcpy(size.table, table, sizeof table);
    lab_layout(&size);
    shared = (struct lab_shared *)calloc(1, size.bytes);
    if (!shared) {
        fprintf(stderr, "no memory\n");
        return 9;
    }
    *shared = size;
    run.shared = shared;
    fill(&run);
    if (open_lab(&run) || load(&run, 0)) {
        fprintf(stderr, "%s\n", run.text);
        return 1;
    }
    start = seconds();
    if (step_n(&run, 0, n)) {
        fprintf(stderr, "%s\n", run.text);
        return 1;
    }
    start = seconds() - start;
    if (store(&run)) {
        fprintf(stderr, "%s\n", run.text);
        return 1;
    }
    report(&run, n, start);
    close_lab(&run);
    free(shared);
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = getenv(LAB_WIRE_VARIABLE);

    return how ? serve(how) : alone(argc, argv);
}
