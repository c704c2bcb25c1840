/* SPDX-License-Identifier: MIT */
/* This file makes and loads the shared objects of models. */
#include "kernels/file/object.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/embedded.h"
#include "core/files/file.h"
#include "kernels/file/symbols.h"

#define SOURCE_MAX (8 << 20)

/* The last one makes a table of a rule of nine cells; others it does not compile. */
enum { FAST, CHECKED, BITS, VARIANTS };
static const char *const variants[VARIANTS] = {"-O3", "-O1 -DCA_CHECKED", "-O1 -DCA_BITS"};

/* What models include. */
static const char *const headers[] = {FILE_HEADER,
                                      "calab_model_draws.h",
                                      "calab_model_rows.h",
                                      "calab_model_gpu.h",
                                      "calab_model_bits.h",
                                      "calab_model_areas.h",
                                      "calab_model_checks.h",
                                      "calab_model_planes.h",
                                      "calab_model_around.h",
                                      NULL};

static const char *header_text(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "kernels/file/%s", name);
    return ca_embedded_text(path);
}

struct compile_text file_object_text(const struct file_object *object)
{
    return (struct compile_text){.name = object->name,
                                 .text = object->source,
                                 .size = object->size,
                                 .headers = headers,
                                 .header = header_text,
                                 .define = "-DCA_GPU",
                                 .kept = "models"};
}

uint64_t file_object_digest(const char *text, size_t size)
{
    uint64_t u = compile_digest_bytes(COMPILE_DIGEST, text, size);

    return u ^ u >> 29;
}

bool file_object_is_inside(const char *path) { return ca_embedded_find(path) != NULL; }

enum ca_status file_object_read(const char *path, char **text, size_t *size, struct ca_error *error)
{
    return ca_file_read(path, SOURCE_MAX, text, size, error);
}

/* Objects hold instructions of the processor, and a home folder may be several machines'. */
static uint64_t add_processor(uint64_t digest)
{
    static char text[1 << 14];
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line;

    while (file && fgets(text, sizeof text, file)) {
        line = text;
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) {
            digest = compile_digest_text(digest, line);
            break;
        }
        if (strncmp(line, "model name", 10) == 0)
            digest = compile_digest_text(digest, line);
    }
    if (file)
        fclose(file);
    return digest;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* Starts the compiler of a variant in the temporary folder. */
static enum ca_status start_compiler(const struct compile_job *job, int variant, pid_t *pid,
                                     struct ca_error *error)
{
    char object[16], said[16];
    struct ca_command command = {.count = 0};

    snprintf(object, sizeof object, "%d.so", variant);
    snprintf(said, sizeof said, "said%d", variant);
    ca_command_add(&command, ca_compiler_named("CC", "cc"));
    ca_command_add(&command, FILE_OBJECT_FLAGS);
    ca_command_add(&command, variants[variant]);
    ca_command_word(&command, "-I.");
    ca_command_word(&command, "-o");
    ca_command_word(&command, object);
    ca_command_add(&command, "-xc - -lm");
    return compile_start(job, &command, said,
                         "; install the Debian package gcc, or name a compiler in CC", pid, error);
}

/* CA_COMPILE with what the source has not got, or the compiler's first error. */
static enum ca_status object_failed(const struct compile_job *job, const char *said,
                                    struct ca_error *error)
{
    if (!strstr(job->from->text, "CA_MODEL"))
        return ca_fail(error, CA_COMPILE,
                       "%s describes no model: CA_MODEL(name, \"title\") is missing, see "
                       "calab-model(7)",
                       job->from->name);
    if (!strstr(job->from->text, "CA_CELL"))
        return ca_fail(error, CA_COMPILE,
                       "%s has no rule: the function CA_CELL cell(CA_NB nb) is missing, see "
                       "calab-model(7)",
                       job->from->name);
    return compile_failed(job, said, error);
}

static enum ca_status compile(struct compile_job *job, struct ca_error *error)
{
    enum ca_status status = compile_open(job, "", error), ended;
    pid_t pid[VARIANTS] = {0};
    bool good[VARIANTS] = {false};

    for (int v = 0; v < VARIANTS && status == CA_OK; v++)
        status = start_compiler(job, v, &pid[v], error);
    for (int v = 0; v < VARIANTS; v++)
        if (pid[v]) {
            struct ca_error *own = status == CA_OK ? error : &(struct ca_error){.text = ""};

            ended = compile_await(job, pid[v], &good[v], own);
            status = status == CA_OK ? ended : status;
        }
    for (int v = 0; v < BITS && status == CA_OK; v++)
        if (!good[v])
            status = object_failed(job, v ? "said1" : "said0", error);
    if (status == CA_OK && good[BITS]) /* first: it is looked for where the others are kept */
        status = compile_keep(job, "2.so", "-2.so", error);
    for (int v = 0; v < BITS && status == CA_OK; v++)
        status = compile_keep(job, v ? "1.so" : "0.so", v ? "-1.so" : "-0.so", error);
    return status;
}

/* --- functions that are called ---------------------------------------------------------------- */

/* Whether a library's function has other last bits elsewhere. Others of <math.h> are exact, as
 * floor() and fmod() are, or rounded as the standard has it, as sqrt() and fma(). */
static bool is_inexact(const char *symbol)
{
    static const char *const names[] = {
        "acos",   "acosh", "asin",   "asinh", "atan",   "atan2", "atanh", "cbrt",  "cos",
        "cosh",   "erf",   "erfc",   "exp",   "exp10",  "exp2",  "expm1", "hypot", "j0",
        "j1",     "jn",    "lgamma", "log",   "log10",  "log1p", "log2",  "pow",   "sin",
        "sincos", "sinh",  "tan",    "tanh",  "tgamma", "y0",    "y1",    "yn"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);

        if (strncmp(symbol, names[i], length) == 0 &&
            (!symbol[length] || (strchr("fl", symbol[length]) && !symbol[length + 1])))
            return true;
    }
    return false;
}

/* The first such function that the object takes from a library: they come before those symbols that
 * its table of hashes holds. */
static const char *find_inexact(void *library)
{
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    const uint32_t *hashes = NULL;
    struct link_map *map;

    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)d->d_un.d_ptr;

        if (d->d_tag == DT_SYMTAB)
            symbols = at;
        else if (d->d_tag == DT_STRTAB)
            strings = at;
        else if (d->d_tag == DT_GNU_HASH)
            hashes = at;
    }
    for (uint32_t i = 1; symbols && strings && hashes && i < hashes[1]; i++)
        if (symbols[i].st_shndx == SHN_UNDEF && is_inexact(strings + symbols[i].st_name))
            return strings + symbols[i].st_name;
    return NULL;
}

/* --- loading ---------------------------------------------------------------------------------- */

static enum ca_status load(const char *path, struct file_object *object,
                           const struct ca_model_description **description, struct ca_error *error)
{
    const struct ca_model_description *(*describe)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;

    if (!library)
        return ca_fail(error, CA_COMPILE, "%s cannot be loaded: %.400s", object->name, dlerror());
    symbol = dlsym(library, "ca_describe_model");
    if (!symbol)
        return ca_fail(error, CA_COMPILE,
                       "%s describes no model: CA_MODEL(name, \"title\") is missing, see "
                       "calab-model(7)",
                       object->name);
    memcpy(&describe, &symbol, sizeof describe);
    if (!object->inexact)
        object->inexact = find_inexact(library);
    *description = describe();
    if ((*description)->abi != CA_MODEL_ABI || (*description)->bytes != sizeof **description)
        return ca_fail(error, CA_COMPILE,
                       "%s includes the " FILE_HEADER
                       " of another version of calab: include \"" FILE_HEADER
                       "\" without a folder, and this program's own is taken",
                       object->name);
    return CA_OK;
}

static void load_table(const char *path, struct file_object *object)
{
    void *library = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "ca_table_of_bits") : NULL;

    memcpy(&object->table_of_bits, &symbol, sizeof symbol);
}

static enum ca_status load_all(const char *stem, struct file_object *object, struct ca_error *error)
{
    char path[PATH_MAX + 16];

    snprintf(path, sizeof path, "%s0.so", stem);
    CA_TRY(load(path, object, &object->fast, error));
    snprintf(path, sizeof path, "%s2.so", stem);
    load_table(path, object);
    snprintf(path, sizeof path, "%s1.so", stem);
    return load(path, object, &object->checked, error);
}

static bool is_kept(const struct compile_job *job)
{
    char path[PATH_MAX + 16];
    bool both = job->kept[0];

    for (int v = 0; v < 2; v++) {
        snprintf(path, sizeof path, "%s-%d.so", job->kept, v);
        both = both && access(path, R_OK) == 0;
    }
    return both;
}

/* Names the objects by all that they depend on. */
static void name_objects(struct compile_job *job)
{
    uint64_t key = compile_digest_compiler(COMPILE_DIGEST, ca_compiler_named("CC", "cc"));

    compile_name(job, add_processor(compile_digest_text(key, FILE_OBJECT_FLAGS)));
}

static enum ca_status open_source(struct file_object *object, struct compile_job *job,
                                  struct ca_error *error)
{
    char stem[PATH_MAX + 8];
    enum ca_status status;

    name_objects(job);
    snprintf(stem, sizeof stem, "%s-", job->kept);
    if (is_kept(job) && load_all(stem, object, error) == CA_OK)
        return CA_OK;
    compile_turn(job);
    if (job->lock > 0 && is_kept(job) && load_all(stem, object, error) == CA_OK)
        return CA_OK;
    CA_TRY(compile(job, error));
    if (!job->keeps)
        snprintf(stem, sizeof stem, "%s/", job->work);
    status = load_all(stem, object, error);
    return status;
}

/* A model is one file: what another one has would be neither digested, kept in states, sent to
 * engines and ranks, nor watched. Headers of the system are the same for all texts. */
static enum ca_status check_includes(const struct file_object *object, struct ca_error *error)
{
    char name[CA_INCLUDE_NAME];
    int line = 0;

    while ((line = file_include_after(object->source, line, name)) > 0) {
        const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
        bool own = false;

        for (int i = 0; headers[i]; i++)
            own = own || strcmp(headers[i], base) == 0;
        if (!own)
            return ca_fail(error, CA_COMPILE,
                           "%s:%d: '%.100s' cannot be included: a model is one file, besides "
                           "\"" FILE_HEADER "\" and headers of the system in <>; put the text of "
                           "the other file in its place",
                           object->name, line, ca_plain(name));
    }
    return line == 0 ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for %s", object->name);
}

enum ca_status file_object_open(struct file_object *object, const char *path, const char *text,
                                size_t size, struct ca_error *error)
{
    struct compile_text from;
    struct compile_job job = {.from = &from};
    enum ca_status status;

    *object = (struct file_object){.digest = file_object_digest(text, size), .size = size};
    if ((path[0] != '/' && !file_object_is_inside(path)) || strlen(path) >= sizeof object->path)
        return ca_fail(error, CA_IO, "%.300s is not the path of a file from the root", path);
    snprintf(object->path, sizeof object->path, "%s", path);
    snprintf(object->name, sizeof object->name, "%s", strrchr(object->path, '/') + 1);
    ca_plain(object->name);
    object->source = malloc(size + 1);
    if (!object->source)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the text of %.300s", path);
    memcpy(object->source, text, size);
    object->source[size] = '\0';
    from = file_object_text(object);
    status = check_includes(object, error);
    if (status == CA_OK)
        status = open_source(object, &job, error);
    compile_close(&job);
    if (status != CA_OK)
        file_object_close(object);
    return status;
}

void file_object_close(struct file_object *object)
{
    free(object->source);
    object->source = NULL;
}
