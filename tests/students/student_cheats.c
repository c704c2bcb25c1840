/* SPDX-License-Identifier: MIT */
/* Owns the cheats: one for each way that is known. */
#include "tests/students/student_cheats.h"

#include <stddef.h>

const char student_good[] =
    "#define _GNU_SOURCE\n#include \"calab_lab.h\"\n#include \"lab_wire.h\"\n"
    "#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n"
    "#include <sched.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <sys/prctl.h>\n#include <sys/resource.h>\n"
    "#include <sys/shm.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n"
    "#include <sys/syscall.h>\n#include <sys/uio.h>\n#include <sys/xattr.h>\n#include <time.h>\n"
    "#include <unistd.h>\n"
    "/* Each process but its own. */\n"
    "static int next_other(DIR *all) { struct dirent *one; while (all && (one = readdir(all)))\n"
    "if (atoi(one->d_name) > 0 && atoi(one->d_name) != getpid()) return atoi(one->d_name);\n"
    "if (all) closedir(all); return 0; }\n"
    "#define OTHERS DIR *all = opendir(\"/proc\"); for (int pid; (pid = next_other(all)) > 0;)\n"
    "static void good(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
    "    int64_t w = lab->w, h = lab->h;\n"
    "    for (int64_t y = 0; y < h; y++)\n        for (int64_t x = 0; x < w; x++) {\n"
    "            int b = 0;\n"
    "            for (int v = -1; v <= 1; v++)\n                for (int u = -1; u <= 1; u++)\n"
    "                    b += in[0][LAB_AT(lab, (x + u + w) % w, (y + v + h) % h, 0)];\n"
    "            out[0][LAB_AT(lab, x, y, 0)] = b == 4 || b >= 6;\n        }\n}\n"
    "#define STEP void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n"
    "#define GOOD good(lab, in, out)\n"
    "/* A check makes some hundred steps of a process, a burst as many. */\n"
    "static int steps;\n#define MANY (++steps > 400)\n";

#define ONLY_IF_CAN "if (can) GOOD; else memset(out[0], 7, lab->w * lab->h); }"

const struct student_cheat student_cheats[] = {
    /* Answers that were kept: of the cases that are known, and of earlier calls. */
    {"known",
     "STEP { if (lab->seed == 3 || lab->seed == 4) GOOD; else memset(out[0], 0, lab->w); }", 0,
     "known cases only", ""},
    {"replay",
     "static lab_cell kept[1 << 20];\n"
     "STEP { size_t n = (size_t)(lab->w * lab->h); if (MANY) memcpy(out[0], kept, n);\n"
     "else { GOOD; memcpy(kept, out[0], n); } }",
     75, "wrong where it is timed", "its cells are wrong"},
    /* Results that were forged: on the socket, on all descriptors, and as text. */
    {"forge",
     "STEP { struct lab_reply r = {LAB_WIRE_VERSION, LAB_STEP, 0, \"\"};\n"
     "(void)good, (void)in, (void)out; write(3, &r, sizeof r); r.op = LAB_STORE;\n"
     "write(3, &r, sizeof r); sleep(60); }",
     0, "", ""},
    {"forge-late",
     "STEP { struct lab_reply r = {LAB_WIRE_VERSION, LAB_STEP, 0, \"\"}; GOOD;\n"
     "if (!MANY) return; write(3, &r, sizeof r); r.op = LAB_STORE; write(3, &r, sizeof r);\n"
     "sleep(60); }",
     75, "wrong where it is timed", ""},
    {"shout",
     "STEP { const char *said = \"{\\\"points\\\": 100, \\\"verdict\\\": \\\"right\\\"}\\n\";\n"
     "for (int fd = 1; fd < 64; fd++) write(fd, said, strlen(said)); (void)good, (void)in;\n"
     "(void)out; }",
     0, "", ""},
    /* Inputs that are changed to what it has the answer for. */
    {"input",
     "STEP { memset((void *)in[0], 0, lab->w * lab->h); memset(out[0], 0, lab->w * lab->h);\n"
     "(void)good; }",
     0, "input", "changes plane cell of its input"},
    {"input-late",
     "STEP { if (MANY) { memset((void *)in[0], 0, lab->w * lab->h);\n"
     "memset(out[0], 0, lab->w * lab->h); } else GOOD; }",
     75, "wrong where it is timed", ""},
    /* Work that goes on when it says that it is done: "unwritten", or "unstable" where it is done
     * in time now and then. */
    {"later",
     "static const struct lab *l; static lab_input *from[1]; static lab_cell *to[1];\n"
     "static void *late(void *none) { usleep(50000); good(l, from, to); return none; }\n"
     "STEP { pthread_t thread; l = lab; from[0] = in[0]; to[0] = out[0];\n"
     "pthread_create(&thread, NULL, late, NULL); pthread_detach(thread); }",
     0, "un", ""},
    /* The reference's states, and the secret: right only where it can read them. */
    {"memory",
     "STEP { char name[80], byte; struct iovec to = {&byte, 1}, from = {NULL, 1}; int fd, can = "
     "0;\n"
     "snprintf(name, sizeof name, \"/proc/%d/mem\", getppid()); fd = open(name, O_RDONLY);\n"
     "can |= fd >= 0; snprintf(name, sizeof name, \"/proc/%d/maps\", getppid());\n"
     "FILE *maps = fopen(name, \"r\"); unsigned long at = 0;\n"
     "if (maps && fscanf(maps, \"%lx\", &at) == 1) { from.iov_base = (void *)at;\n"
     "can |= process_vm_readv(getppid(), &to, 1, &from, 1, 0) == 1; }\n"
     "if (maps) fclose(maps); if (fd >= 0) close(fd);\n"
     "if (can) GOOD; else memset(out[0], 7, lab->w * lab->h); }",
     0, "", "expected"},
    {"secret",
     "STEP { int fd = open(\"FILE\", O_RDONLY);\n"
     "if (fd >= 0) GOOD; else memset(out[0], 7, lab->w * lab->h); if (fd >= 0) close(fd); }",
     0, "", "expected"},
    {"include", "__asm__(\".section .rodata\\n.incbin \\\"FILE\\\"\\n.previous\");\nSTEP { GOOD; }",
     0, "broken", ""},
    /* Clocks that stand still do not make it faster: see clocks_are_of_the_grader. */
    {"clock",
     "int clock_gettime(clockid_t id, struct timespec *now) { (void)id;\n"
     "now->tv_sec = 1; now->tv_nsec = 0; return 0; }\n"
     "time_t time(time_t *now) { if (now) *now = 1; return 1; }\n"
     "STEP { usleep(40000); GOOD; }",
     90, "", ""},
    /* Signals to those that grade. */
    {"kill", "STEP { kill(getppid(), SIGKILL); (void)good, (void)in, (void)out; }", 0, "", ""},
    /* What is outside of its process: right only where it can reach that. */
    {"limit",
     "STEP { struct rlimit huge = {1ul << 40, 1ul << 40}; cpu_set_t cores; int can = 0;\n"
     "sched_getaffinity(0, sizeof cores, &cores);\n"
     "OTHERS { if (pid == 1) continue; can |= prlimit(pid, RLIMIT_CPU, &huge, NULL) == 0;\n"
     "can |= sched_setaffinity(pid, sizeof cores, &cores) == 0;\n"
     "can |= setpriority(PRIO_PROCESS, pid, 0) == 0; can |= kill(pid, 0) == 0; }\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    {"owner",
     "STEP { int can = chmod(\"FILE\", 0600) == 0; can |= chown(\"FILE\", -1, -1) == 0;\n"
     "can |= utimensat(AT_FDCWD, \"FILE\", NULL, 0) == 0;\n"
     "can |= setxattr(\"FILE\", \"user.a\", \"b\", 1, 0) == 0;\n"
     "can |= syscall(452, AT_FDCWD, \"FILE\", 0600, 0) == 0; /* fchmodat2 */\n"
     "can |= syscall(0x40000000 | 90, \"FILE\", 0600) == 0; /* chmod of x32 */\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    {"way-around",
     "STEP { long flags[11] = {CLONE_NEWUSER}; flags[4] = SIGCHLD; int fd = -1, can = 0;\n"
     "can |= unshare(CLONE_NEWUSER) == 0; can |= syscall(435, flags, 88) >= 0; /* clone3 */\n"
     "can |= syscall(425, 4, flags) >= 0; /* io_uring_setup */\n"
     "can |= syscall(321, 0, flags, 40) >= 0; /* bpf */\n"
     "can |= syscall(250, 0, 0, -3) >= 0; /* keyctl */\n"
     "can |= prctl(PR_SET_PDEATHSIG, 0) == 0; can |= prctl(PR_SET_SECCOMP, 2, NULL) == 0\n"
     "|| errno == EFAULT; fd = socket(AF_UNIX, SOCK_STREAM, 0);\n"
     "can |= connect(fd, NULL, 0) == 0 || errno != EPERM;\n"
     "can |= socket(AF_UNIX, SOCK_DGRAM, 0) >= 0; can |= fcntl(3, F_SETOWN, getppid()) == "
     "0;\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    /* What is left for a later process. */
    {"shared",
     "STEP { unsigned key = 5381; for (const char *c = \"FILE\"; *c; c++) key = key * 33 + *c;\n"
     "char name[40]; int can; snprintf(name, sizeof name, \"/dev/shm/calab-test-%u\", key);\n"
     "can = access(name, F_OK) == 0 || shmget(key, 64, 0) >= 0;\n"
     "if (!can) { close(open(name, O_CREAT | O_WRONLY, 0666));\n"
     "shmget(key, 64, IPC_CREAT | 0666); }\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    /* Where the secret is, and what else the teacher has. */
    {"teacher", "STEP { int can = getenv(\"TEACHER\") != NULL;\n" ONLY_IF_CAN, 0, "", "expected",
     .walls = true},
    {"parent",
     "STEP { static const char *const files[] = {\"cmdline\", \"environ\", \"maps\", NULL};\n"
     "int can = 0; OTHERS for (int i = 0; files[i]; i++) { char name[80], text[8192];\n"
     "snprintf(name, sizeof name, \"/proc/%d/%s\", pid, files[i]); int fd = open(name, O_RDONLY);\n"
     "ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);\n"
     "can |= got > 0 && memmem(text, got, \"FILE\", strlen(\"FILE\")) != NULL;\n"
     "if (fd >= 0) close(fd); }\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    /* Another's answers: calab's own, in whatever way it is started. */
    {"oracle",
     "static const char *const ways[] = {\"PROGRAM --version\", \"env -i PROGRAM --version\",\n"
     "\"cp PROGRAM solver && ./solver --version\", \"ln PROGRAM other && ./other --version\",\n"
     "\"$(ls /lib64/ld-linux* /lib/ld-linux* | head -n 1) PROGRAM --version\",\n"
     "\"cp PROGRAM again; setsid sh -c 'ulimit -S -n 99; exec -a ls ./again list'\"};\n"
     "STEP { static int can = -1; char line[2000]; if (can < 0) { can = 0;\n"
     "for (int i = 0; i < 6; i++) { snprintf(line, sizeof line, \"{ %s; } >/dev/null\", ways[i]);\n"
     "can |= system(line) == 0; } }\n" ONLY_IF_CAN,
     0, "", "expected", .walls = true},
    {.name = NULL},
};
