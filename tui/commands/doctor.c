/* SPDX-License-Identifier: MIT */
/* calab doctor: a report on the machine and on what calab decides because of it. Never fails. */
#include <jansson.h>
#include <curses.h>
#include <fcntl.h>
#include <hdf5.h>
#include <libconfig.h>
#include <locale.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/base/text.h"
#include "core/files/compiler.h"
#include "core/files/nvrtc.h"
#include "core/machine/device.h"
#include "core/machine/driver_compiler.h"
#include "core/probe/probe.h"
#include "tui/commands/commands.h"
#include "tui/locale.h"
#include "tui/terminfo.h"

#include <term.h> /* last, because it defines macros such as lines and columns */

static void doctor_row(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void doctor_row(const char *name, const char *format, ...)
{
    va_list list;

    printf("%-12s ", name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

static const char *or_unset(const char *variable)
{
    const char *text = getenv(variable);

    return text ? text : "(not set)";
}

/* Rows and columns of the controlling terminal; false without one. */
static bool terminal_size(struct size *size, bool *told)
{
    int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return false;
    *told = size_told(fd, size);
    *size = size_of(fd);
    close(fd);
    return true;
}

static void terminal(void)
{
    const char *name = getenv("TERM");
    struct size size = {0};
    int found = 0;
    bool told = true, tty = terminal_size(&size, &told), usable = false;

    doctor_row("TERM", "%s", or_unset("TERM"));
    if (name && terminfo_setup(name, STDOUT_FILENO, &found) == OK) {
        char *cup = tigetstr("cup");

        usable = cup && (intptr_t)cup != -1 /* not a string */;
        doctor_row("terminfo", "found; %d colours; cursor addressing: %s", tigetnum("colors"),
                   usable ? "yes" : "no");
    } else {
        doctor_row("terminfo", "%s",
                   !name ? "none, because TERM is not set"
                   : found == -1
                       ? "there is no terminfo database"
                       : "unknown name; export TERM=xterm-256color, or install ncurses-term");
    }
    if (tty)
        doctor_row("screen", "%dx%d characters%s", size.width, size.height,
                   told ? "" : ", assumed or from COLUMNS and LINES: the terminal tells no size");
    else
        doctor_row("screen", "no terminal");
    doctor_row("NO_COLOR", "%s", or_unset("NO_COLOR"));
    if (!tty)
        doctor_row("workbench", "unusable: there is no terminal; calab run needs none");
    else if (!usable)
        doctor_row("workbench",
                   "unusable: the terminal cannot move the cursor; calab run needs none");
    else if (size.width < 40 || size.height < 12)
        doctor_row("workbench", "unusable: the screen is smaller than 40x12");
    else
        doctor_row("workbench", "usable");
}

static void locale_facts(void)
{
    struct locale locale;

    locale_open(&locale);
    doctor_row("locale", "%s", locale.name);
    if (locale.notice[0])
        doctor_row("", "%s", locale.notice);
    doctor_row("characters", "%s; borders: %s", locale.codeset,
               locale.utf8 ? "lines" : "lines if the terminal has them, else ASCII");
    setlocale(LC_ALL, "C");
}

static void libraries(void)
{
    doctor_row("calab", "%s", CALAB_VERSION);
    doctor_row("ncurses", "%s", curses_version());
    doctor_row("libconfig", "%d.%d.%d", LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR,
               LIBCONFIG_VER_REVISION);
    doctor_row("jansson", "%s", jansson_version_str());
    doctor_row("HDF5", "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
    doctor_row("libpng", "%s", png_get_header_ver(NULL));
}

static void machine(void)
{
    struct ca_device cpu;

    ca_device_cpu(&cpu);
    doctor_row("CPU", "%s", cpu.name);
    doctor_row("cores", "%d available to this process", cpu.cores);
    if (cpu.clock_mhz.known)
        doctor_row("clock", "%.0f MHz%s%s", cpu.clock_mhz.value,
                   cpu.governor[0] ? ", governor " : "", cpu.governor);
    else
        doctor_row("clock", "unknown");
    if (cpu.memory_bytes.known && cpu.memory_free_bytes.known)
        doctor_row("memory", "%.1f GiB, %.1f GiB free", cpu.memory_bytes.value / 0x1p30,
                   cpu.memory_free_bytes.value / 0x1p30);
    else
        doctor_row("memory", "unknown");
    doctor_row("power", "%s",
               cpu.energy_j.known ? "measured by RAPL" : "unknown: RAPL cannot be read");
}

static void append_fact(char *text, size_t size, const char *format, struct ca_fact fact)
{
    if (!fact.known)
        return;
    ca_text_add(text, size, "%s", text[0] ? ", " : "");
    ca_text_add(text, size, format, fact.value);
}

static void gpu(int index)
{
    char name[16], text[192] = "";
    struct ca_device device;
    struct ca_error error;

    snprintf(name, sizeof name, "GPU %d", index);
    if (ca_device_gpu(index, &device, &error) != CA_OK) {
        doctor_row(name, "unusable: %s", error.text);
        return;
    }
    doctor_row(name, "%s, compute %d.%d, %d multiprocessors", device.name, device.compute_major,
               device.compute_minor, device.cores);
    device.memory_bytes.value /= 0x1p30;
    device.memory_free_bytes.value /= 0x1p30;
    append_fact(text, sizeof text, "%.1f GiB", device.memory_bytes);
    append_fact(text, sizeof text, "%.1f free", device.memory_free_bytes);
    doctor_row("", "memory: %s%s", text[0] ? text : "unknown", ca_device_ecc(&device));
    text[0] = '\0';
    append_fact(text, sizeof text, "%.0f MHz", device.clock_mhz);
    append_fact(text, sizeof text, "memory %.0f MHz", device.memory_clock_mhz);
    append_fact(text, sizeof text, "%.0f W", device.power_w);
    append_fact(text, sizeof text, "limit %.0f W", device.power_limit_w);
    append_fact(text, sizeof text, "%.0f C", device.temperature_c);
    doctor_row("", "now: %s", text[0] ? text : "unknown: NVML does not report it");
    doctor_row("", "clocks limited by: %s", device.held_by[0] ? device.held_by : "unknown");
    doctor_row("", "energy: %s", device.energy_j.known ? "measured by NVML" : "not measured");
}

static void doctor_gpus(void)
{
    char driver[16], runtime[16];
    struct ca_error error;
    enum ca_status status = ca_needs_cuda(&error);
    char version[96] = "";

    if (ca_nvml_driver()[0])
        snprintf(version, sizeof version, " %s", ca_nvml_driver());
    if (ca_cuda_runtime() && ca_cuda_driver())
        doctor_row("CUDA", "built with CUDA %s; the driver%s supports %s",
                   ca_cuda_version(runtime, ca_cuda_runtime()), version,
                   ca_cuda_version(driver, ca_cuda_driver()));
    else if (ca_cuda_runtime())
        doctor_row("CUDA", "built with CUDA %s", ca_cuda_version(runtime, ca_cuda_runtime()));
    if (status != CA_OK)
        doctor_row(ca_cuda_runtime() ? "" : "CUDA", "%s", error.text);
    for (int i = 0; i < ca_cuda_devices(); i++)
        gpu(i);
}

/* The first that is there, of those that the backends of life take. */
static const char *rule_compiler(void)
{
    struct ca_error error;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];
    int version;

    if (ca_nvrtc_find(&nvrtc, &error) == CA_OK)
        return "NVRTC";
    if (ca_nvcc_find(path))
        return "nvcc";
    return ca_driver_compiler_find(&version, &error) == CA_OK ? "the driver" : "none, by a table";
}

/* The compilers of models in files; for a GPU either will do, and calab-emulated has its own. */
static void compilers(void)
{
    const char *nvcc = ca_compiler_named("NVCC", "nvcc");
    struct ca_error error;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    doctor_row("cc", "%s", ca_compiler_named("CC", "cc"));
    if (ca_nvrtc_find(&nvrtc, &error) == CA_OK)
        doctor_row("NVRTC", "%d.%d, %s", nvrtc.major, nvrtc.minor, nvrtc.path);
    else
        doctor_row("NVRTC", "none: %s", error.text);
    if (ca_nvcc_find(path))
        doctor_row("nvcc", "%s%s", path, nvcc + strcspn(nvcc, " \t"));
    else
        doctor_row("nvcc", "none: neither in NVCC, on PATH, in CUDA_HOME nor in /usr/local/cuda");
    if (ca_cuda_runtime() && !ca_cuda_emulated())
        doctor_row("", "rules of life for a GPU: by %s", rule_compiler());
}

static void ceilings(void)
{
    struct ca_probe probe;
    struct ca_error error;

    doctor_row("vectors", "%s", ca_isa_names[ca_cpu_isa()]);
    if (ca_probe_read(&probe, ca_probe_path(), &error) != CA_OK) {
        doctor_row("ceilings", "%s", error.text);
        return;
    }
    doctor_row("ceilings", "measured %s by calab probe%s%s", probe.date,
               probe.others[0] ? " while " : "", probe.others);
    for (int i = 0; i < CA_LEVELS; i++)
        doctor_row("", "%s: copies %.1f GB/s by 1 thread, %.1f by %d", ca_level_names[i],
                   probe.level[i].copy_gb[0], probe.level[i].copy_gb[1], probe.threads);
    doctor_row("", "logic: %.1f 10^9 operations on 64 bits per second by 1 thread, %.1f by %d",
               probe.logic_gops[0], probe.logic_gops[1], probe.threads);
    for (int i = 0; i < probe.gpus; i++) {
        if (probe.gpu[i].emulated) {
            doctor_row("", "%s: " CA_NOT_A_SPEED, probe.gpu[i].name);
            continue;
        }
        doctor_row(
            "",
            "%s: copies %.0f GB/s, %.0f in L2; logic %.0f 10^9 operations on 32 bits per second",
            probe.gpu[i].name, probe.gpu[i].rate[CA_GPU_COPY], probe.gpu[i].rate[CA_GPU_L2_COPY],
            probe.gpu[i].rate[CA_GPU_LOGIC]);
    }
}

static void settings(void)
{
    struct ca_error error;
    const char *path = ca_settings_path();
    struct ca_settings *opened;
    const struct ca_model *model;
    enum ca_status status;

    doctor_row("settings", "%s",
               path[0] ? path : "no file: neither XDG_CONFIG_HOME nor HOME is set");
    status = ca_settings_open(&opened, path, &error);
    if (status == CA_SETTINGS || status == CA_IO)
        doctor_row("", "%s; %s, and nothing is saved", error.text, ca_settings_instead(opened));
    else if (status != CA_OK)
        doctor_row("", "%s", error.text);
    else if (path[0])
        doctor_row("", "%s", access(path, F_OK) == 0 ? "correct" : "the file does not exist yet");
    model = opened ? ca_settings_model(opened) : NULL;
    model = model ? model : ca_models[0];
    doctor_row("state", "%s", ca_state_folder()[0] ? ca_state_folder() : "no folder");
    doctor_row("model", "%s", model->name);
    ca_settings_close(opened);
}

static void backends(void)
{
    for (int i = 0; ca_models[i]; i++) {
        struct ca_error error;
        int count = 0, runs = 0;

        for (const struct ca_backend *b = ca_models[i]->backends; b;
             b = ca_backend_next(ca_models[i], b), count++)
            runs += ca_backend_available(b, &error) == CA_OK;
        doctor_row(ca_models[i]->name, "%d of %d backends are available", runs, count);
    }
}

int command_doctor(const struct options *options, struct ca_error *error)
{
    (void)options, (void)error;
    terminal();
    locale_facts();
    libraries();
    machine();
    doctor_gpus();
    compilers();
    ceilings();
    settings();
    backends();
    return CA_OK;
}
