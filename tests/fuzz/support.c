/* SPDX-License-Identifier: MIT */
/* Owns the table of fuzz targets and what they share. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine/device.h"
#include "tests/fuzz/fuzz.h"

const struct fuzz_target fuzz_targets[] = {
    {"cuda", fuzz_cuda},
    {"experiments", fuzz_experiments},
    {"hdf5", fuzz_hdf5},
    {"lab", fuzz_lab},
    {"options", fuzz_options},
    {"replies", fuzz_replies},
    {"requests", fuzz_requests},
    {"results", fuzz_results},
    {"rules", fuzz_rules},
    {"settings", fuzz_settings},
    {"states", fuzz_states},
    {"terminal", fuzz_terminal},
    {NULL},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (name && strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

#define FILES_MAX 24

static struct {
    pid_t owner;
    struct {
        char path[128];
        int fd; /* -1: it is not there */
    } file[FILES_MAX];
    int count;
} files;
static char home[64];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    if (files.owner == getpid())
        nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void)
{
    static const char *const variables[] = {"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
                                            "XDG_STATE_HOME"};
    bool memory = access("/dev/shm", W_OK) == 0;

    files.owner = getpid();
    files.count = 0;
    snprintf(home, sizeof home, "%s/calab-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (!mkdtemp(home) || chdir(home) != 0)
        fuzz_fails(__FILE__, __LINE__, home);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], home, 1);
    setenv("CALAB_TUNED", "off", 1);
    atexit(remove_folder);
}

const char *fuzz_folder(void)
{
    if (files.owner != getpid())
        make_folder();
    return home;
}

static int find(const char *name)
{
    const char *folder = fuzz_folder();
    size_t length = strlen(folder) + 1;
    int i = 0;

    while (i < files.count && strcmp(files.file[i].path + length, name) != 0)
        i++;
    if (i < files.count)
        return i;
    if (i == FILES_MAX)
        fuzz_fails(__FILE__, __LINE__, name);
    files.file[i].fd = -1;
    snprintf(files.file[i].path, sizeof files.file[i].path, "%s/%s", folder, name);
    files.count++;
    return i;
}

/* A file is written in place, which is quicker than to make one. */
const char *fuzz_file(const char *name, const void *data, size_t size)
{
    int i = find(name), fd = files.file[i].fd;

    if (fd < 0)
        fd = files.file[i].fd = open(files.file[i].path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size) != 0)
        fuzz_fails(__FILE__, __LINE__, files.file[i].path);
    return files.file[i].path;
}

const char *fuzz_absent(const char *name)
{
    int i = find(name);

    if (files.file[i].fd >= 0)
        close(files.file[i].fd);
    files.file[i].fd = -1;
    unlink(files.file[i].path);
    return files.file[i].path;
}

/* --- sanitizers ------------------------------------------------------------------------------- */

const char *__lsan_default_suppressions(void), *__asan_default_options(void);

/* libconfig loses the text at which a file is wrong, and HDF5 what it has read of an object that is
 * damaged: some bytes a file, of which nothing comes. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\nleak:strbuf_append\nleak:H5FL_\nleak:libhdf5\n";
}

const char *__asan_default_options(void) { return "print_suppressions=0"; }

/* --- this machine ------------------------------------------------------------------------------
 */

/* In place of core/machine/cgroup.c, which reads a dozen files wherever memory is asked for: what a
 * target may take is the same everywhere. */
struct ca_cgroup_memory ca_cgroup_memory(const char *membership, const char *mount)
{
    (void)membership, (void)mount;
    return (struct ca_cgroup_memory){.limit = {true, 1 << 30}, .available = {true, 1 << 30}};
}

/* --- models ----------------------------------------------------------------------------------- */

uint8_t fuzz_byte(const uint8_t **data, size_t *size)
{
    if (*size == 0)
        return 0;
    --*size;
    return *(*data)++;
}

const struct ca_model *fuzz_model(unsigned i)
{
    int count = 0;

    while (ca_models[count])
        count++;
    return ca_models[i % (unsigned)count];
}

struct ca_setup fuzz_setup(const struct ca_model *model)
{
    struct ca_setup setup = {.model = model,
                             .backend = model->backends,
                             .size = model->dimensions == 3 ? (struct ca_size){6, 5, 4}
                                                            : (struct ca_size){12, 8, 1},
                             .seed = 1};

    setup.slab.extent = model->dimensions == 3 ? setup.size.d : setup.size.h;
    ca_values_default(&setup.params, model->params);
    ca_values_default(&setup.options, setup.backend->options);
    return setup;
}

/* --- reports ---------------------------------------------------------------------------------- */

static FILE *aloud;

void fuzz_fails(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

void fuzz_quiet(void)
{
    static FILE *nowhere;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    aloud = stdout;
    if (nowhere)
        stdout = nowhere;
}

void fuzz_aloud(void) { stdout = aloud; }
