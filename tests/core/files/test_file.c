/* SPDX-License-Identifier: MIT */
/* core/file and core/state: writing that never leaves half a file, and where it is refused. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/files/lock.h"
#include "tests/support/support.h"

static struct ca_error error;

/* --- what the library asks of the system, in order ---------------------------------------------
 */

static struct {
    enum { NOTHING, FILE_SYNCED, FOLDER_SYNCED, RENAMED, MODE_GIVEN } what;
    ino_t file;  /* of what is synced */
    mode_t mode; /* before it is given another */
} done[16];
static int done_count;

static void note(int what, int fd)
{
    struct stat status = {0};

    if (fd >= 0)
        ck_assert_int_eq(fstat(fd, &status), 0);
    ck_assert_int_lt(done_count, (int)COUNT(done));
    done[done_count].what = what == FILE_SYNCED && S_ISDIR(status.st_mode) ? FOLDER_SYNCED : what;
    done[done_count].file = status.st_ino;
    done[done_count++].mode = status.st_mode & 07777;
}

int fsync(int fd)
{
    note(FILE_SYNCED, fd);
    return (int)syscall(SYS_fsync, fd);
}

int fchmod(int fd, mode_t mode)
{
    note(MODE_GIVEN, fd);
    return (int)syscall(SYS_fchmod, fd, mode);
}

int rename(const char *from, const char *to)
{
    note(RENAMED, -1);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

/* Files in the test's folder whose names end in .tmp. */
static int temporaries(void)
{
    DIR *folder = opendir(test_folder());
    struct dirent *entry;
    int count = 0;

    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL)
        count += strstr(entry->d_name, ".tmp") != NULL;
    closedir(folder);
    return count;
}

START_TEST(what_is_no_regular_file)
{
    struct ca_lattice lattice;
    char *bytes;
    size_t count;

    ck_assert_int_eq(test_npy_read(test_folder(), test_model("anneal"), &lattice, &error), CA_IO);
    ck_assert_contains(error.text, "not a regular file");
    ck_assert_int_eq(mkfifo(test_path("fifo"), 0600), 0);
    ck_assert_int_eq(test_npy_read(test_path("fifo"), test_model("anneal"), &lattice, &error),
                     CA_IO);
    ck_assert_contains(error.text, "not a regular file");
    ck_assert_int_eq(test_npy_read(test_path("none"), test_model("anneal"), &lattice, &error),
                     CA_IO);
    ck_assert_contains(error.text, "none: No such file");
    test_put("ten", "0123456789");
    ck_assert_int_eq(ca_file_read(test_path("ten"), 9, &bytes, &count, &error), CA_IO);
    ck_assert_contains(error.text, "10 bytes, at most 9");
    ck_assert_ok(ca_file_read(test_path("ten"), 10, &bytes, &count, &error));
    ck_assert_uint_eq(count, 10);
    free(bytes);
    test_put("marked", "\xef\xbb\xbftext");
    ck_assert_ok(ca_file_read_text(test_path("marked"), 7, &bytes, &count, &error));
    ck_assert_uint_eq(count, 4);
    ck_assert_str_eq(bytes, "text");
    free(bytes);
    ck_assert_ok(ca_file_read_text(test_path("ten"), 10, &bytes, &count, &error));
    ck_assert_str_eq(bytes, "0123456789");
    free(bytes);
}
END_TEST

static enum ca_status write_text(const char *path, const char *text, struct ca_error *cause)
{
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, cause));
    fputs(text, writer.stream);
    return ca_file_commit(&writer, cause);
}

static void expect_text(const char *path, const char *text)
{
    char *bytes = test_read(path, NULL);

    ck_assert_str_eq(bytes, text);
}

static int mode_of(const char *path)
{
    struct stat status;

    ck_assert_int_eq(stat(path, &status), 0);
    return status.st_mode & 07777;
}

START_TEST(writing_keeps_mode_and_links)
{
    struct stat status;

    umask(027);
    ck_assert_ok(write_text(test_path("new"), "one", &error));
    ck_assert_int_eq(mode_of(test_path("new")), 0640);
    ck_assert_int_eq(chmod(test_path("new"), 0604), 0);
    ck_assert_ok(write_text(test_path("new"), "two", &error));
    ck_assert_int_eq(mode_of(test_path("new")), 0604);
    expect_text(test_path("new"), "two");

    ck_assert_int_eq(mkdir(test_path("sub"), 0700), 0);
    ck_assert_int_eq(symlink("../new", test_path("sub/link")), 0);
    ck_assert_int_eq(symlink("sub/link", test_path("link")), 0);
    ck_assert_ok(write_text(test_path("link"), "three", &error));
    expect_text(test_path("new"), "three");
    ck_assert_int_eq(lstat(test_path("link"), &status), 0);
    ck_assert(S_ISLNK(status.st_mode));

    ck_assert_int_eq(symlink("sub/made", test_path("dangling")), 0);
    ck_assert_ok(write_text(test_path("dangling"), "four", &error));
    expect_text(test_path("sub/made"), "four");
    ck_assert_int_eq(symlink("loop", test_path("loop")), 0);
    ck_assert_int_eq(write_text(test_path("loop"), "five", &error), CA_IO);
    ck_assert_contains(error.text, "symbolic links");
    ck_assert_int_eq(temporaries(), 0);
}
END_TEST

static ino_t inode_of(const char *path)
{
    struct stat status;

    ck_assert_int_eq(stat(path, &status), 0);
    return status.st_ino;
}

/* What survives a power failure: the bytes before the name, and the name. */
START_TEST(file_and_folder_are_synced)
{
    const char *path = test_path("sub/file");

    ck_assert_int_eq(mkdir(test_path("sub"), 0700), 0);
    done_count = 0;
    ck_assert_ok(write_text(path, "one", &error));
    ck_assert_int_eq(done_count, 3);
    ck_assert_int_eq(done[0].what, FILE_SYNCED);
    ck_assert_uint_eq(done[0].file, inode_of(test_path("sub/file")));
    ck_assert_int_eq(done[1].what, RENAMED);
    ck_assert_int_eq(done[2].what, FOLDER_SYNCED);
    ck_assert_uint_eq(done[2].file, inode_of(test_path("sub")));
}
END_TEST

/* A file that nobody else may read is at no time one that they may, and stays its owner's. */
START_TEST(an_old_file_is_private_at_all_times)
{
    const char *path = test_path("secret");
    struct stat status;

    umask(0);
    test_write(path, "old", 3);
    ck_assert_int_eq(chmod(path, 0600), 0);
    if (geteuid() == 0) /* who alone may give files away */
        ck_assert_int_eq(chown(path, 65534, 65533), 0);
    ck_assert_int_eq(stat(path, &status), 0);
    done_count = 0;
    ck_assert_ok(write_text(path, "new", &error));
    ck_assert_int_eq(done[0].what, MODE_GIVEN);
    ck_assert_uint_eq(done[0].mode, 0600);
    expect_text(path, "new");
    if (geteuid() == 0) {
        ck_assert_int_eq(stat(path, &status), 0);
        ck_assert_uint_eq(status.st_uid, 65534);
        ck_assert_uint_eq(status.st_gid, 65533);
    }
}
END_TEST

/* Where a name is taken the next one is: what stands there is not written to. */
START_TEST(a_temporary_file_is_a_new_one)
{
    char *first, *second, taken[320];
    int fd = ca_temporary_open(test_path("x"), 0600, &first), other, number;
    const char *end;

    ck_assert_int_ge(fd, 0);
    end = strrchr(first, '-');
    ck_assert_int_eq(sscanf(end, "-%d.tmp", &number), 1);
    snprintf(taken, sizeof taken, "%s-%d.tmp", test_text("%.*s", (int)(end - first), first),
             number + 1);
    test_write(taken, "theirs", 6);
    other = ca_temporary_open(test_path("x"), 0600, &second);
    ck_assert_int_ge(other, 0);
    ck_assert_str_ne(second, taken);
    expect_text(taken, "theirs");
    close(fd);
    close(other);
    free(first);
    free(second);
}
END_TEST

START_TEST(a_lock_is_held_by_one)
{
    int first, second;

    test_put("locked", "");
    first = open(test_path("locked"), O_RDWR);
    second = open(test_path("locked"), O_RDWR);
    ck_assert_int_eq(ca_lock_try(first), CA_LOCK_GOT);
    ck_assert_int_eq(ca_lock_try(second), CA_LOCK_HELD);
    close(first);
    ck_assert_int_eq(ca_lock_try(second), CA_LOCK_GOT);
    close(second);
}
END_TEST

/* There is nothing to end where another has the lock: a descriptor that is none of it stays open.
 */
START_TEST(a_lock_that_was_refused_is_none)
{
    int lock = -2, held;

    ck_assert_ok(ca_lock_begin(&held, test_path("x.cfg"), &error));
    ck_assert_int_ge(held, 0);
    ck_assert_int_eq(ca_lock_begin(&lock, test_path("x.cfg"), &error), CA_IO);
    ck_assert_contains(error.text, "x.cfg: another calab is writing it");
    ck_assert_int_eq(lock, -1);
    ca_lock_end(held);
    ck_assert_ok(ca_lock_begin(&lock, test_path("x.cfg"), &error));
    ck_assert_int_eq(lock, held); /* and no other was left open */
    ca_lock_end(lock);
    ck_assert_ok(ca_lock_begin(&lock, test_path("no/such/x.cfg"), &error));
    ck_assert_int_eq(lock, -1);
}
END_TEST

START_TEST(writing_where_it_cannot)
{
    ck_assert_int_eq(write_text(test_path("no/such/file"), "x", &error), CA_IO);
    ck_assert_contains(error.text, "No such file or directory (in folder", "no/such");
    ck_assert_int_eq(write_text(test_folder(), "x", &error), CA_IO);
    ck_assert_contains(error.text, "Is a directory");
    ck_assert_int_eq(write_text("", "x", &error), CA_IO);
    ck_assert_int_eq(write_text("/dev/full", "x", &error), CA_IO);
    ck_assert_contains(error.text, "cannot write /dev/full: No space left on device");
    ck_assert(exists("/dev/full"));
    ck_assert_int_eq(ca_file_writable(test_folder(), &error), CA_IO);
    ck_assert_contains(error.text, "Is a directory");
    ck_assert_int_eq(ca_file_writable("/dev/null/x.npy", &error), CA_IO);
    ck_assert_contains(error.text, "Not a directory");
    ck_assert_int_eq(ca_file_writable("/dev/fd/99", &error), CA_IO);
    ck_assert_contains(error.text, "Bad file descriptor");
    ck_assert_ok(write_text("/dev/null", "x", &error));
    ck_assert(exists("/dev/null"));
}
END_TEST

START_TEST(writing_without_permission)
{
    const char *file = test_path("shut/old");
    const char *folder = test_path("shut");

    ck_assert_int_eq(mkdir(folder, 0755), 0);
    test_write(file, "old", 3);
    test_put("fixed", "old");
    ck_assert_int_eq(chmod(test_path("fixed"), 0444), 0);
    ck_assert_int_eq(symlink("../open.npy", test_path("shut/out.npy")), 0);
    ck_assert_int_eq(symlink("shut/new.npy", test_path("in.npy")), 0);
    ck_assert_int_eq(chmod(folder, 0555), 0);
    ck_assert_int_eq(chmod(test_folder(), 0777), 0);
    if (geteuid() == 0) { /* whom nothing is refused */
        ck_assert_int_eq(setgid(65534), 0);
        ck_assert_int_eq(setuid(65534), 0);
    }
    ck_assert_int_eq(write_text(file, "new", &error), CA_IO);
    ck_assert_contains(error.text, "Permission denied");
    ck_assert_int_eq(write_text(test_path("shut/new"), "new", &error), CA_IO);
    ck_assert_contains(error.text, "Permission denied (in folder");
    ck_assert_int_eq(ca_state_writable(test_path("shut/new.npy"), test_model("anneal"), &error),
                     CA_IO);
    ck_assert_contains(error.text, "Permission denied (in folder");
    /* What is there is asked for itself, and its folder where a link leads to. */
    ck_assert_ok(ca_file_writable("/dev/null", &error));
    ck_assert_ok(ca_file_writable("/dev/stdout", &error));
    ck_assert_ok(ca_file_writable(test_path("shut/out.npy"), &error));
    ck_assert_ok(write_text(test_path("shut/out.npy"), "new", &error));
    expect_text(test_path("open.npy"), "new");
    ck_assert_int_eq(ca_file_writable(test_path("in.npy"), &error), CA_IO);
    ck_assert_contains(error.text, "in.npy: Permission denied (in folder", "shut)");
    ck_assert_int_eq(ca_file_writable(test_path("fixed"), &error), CA_IO);
    ck_assert_contains(error.text, "Permission denied");
    /* A file that is not to be written is not, though its folder would let a new one in. */
    ck_assert_int_eq(write_text(test_path("fixed"), "new", &error), CA_IO);
    expect_text(test_path("fixed"), "old");
    expect_text(file, "old");
}
END_TEST

/* A full disk, by the limit of a file's size. */
START_TEST(writing_that_is_cut_off)
{
    struct rlimit limit = {4096, 4096};
    struct ca_row_source source;
    struct ca_lattice lattice;

    test_put("state.npy", "old");
    ck_assert_ok(ca_lattice_alloc(&lattice, (struct ca_size){512, 512, 1}, CA_U8, 1, &error));
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(test_npy_write(test_path("state.npy"), &lattice, 2, &error), CA_IO);
    ck_assert_contains(error.text, "state.npy: File too large");
    ck_assert_int_eq(test_npy_write(test_path("other.npy"), &lattice, 2, &error), CA_IO);
    source = ca_lattice_source(&lattice);
    ck_assert_int_eq(ca_pbm_write(test_path("big.pbm"), &source, 1, false, &error), CA_IO);
    ca_lattice_free(&lattice);
    expect_text(test_path("state.npy"), "old");
    ck_assert(!exists(test_path("other.npy")) && !exists(test_path("big.pbm")));
    ck_assert_int_eq(temporaries(), 0);
}
END_TEST

START_TEST(a_crash_leaves_the_old_file)
{
    const char *path = test_path("kept");
    int status;
    pid_t child;

    test_write(path, "old", 3);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct ca_file_writer writer;

        if (ca_file_begin(&writer, path, &error) != CA_OK)
            _exit(1);
        fputs("half a fi", writer.stream);
        fflush(writer.stream);
        kill(getpid(), SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    expect_text(path, "old");
}
END_TEST

START_TEST(abandoning_leaves_nothing)
{
    struct ca_file_writer writer;

    test_put("kept", "old");
    ck_assert_ok(ca_file_begin(&writer, test_path("kept"), &error));
    ck_assert_int_eq(temporaries(), 1);
    fputs("new", writer.stream);
    ca_file_abandon(&writer);
    expect_text(test_path("kept"), "old");
    ck_assert_int_eq(temporaries(), 0);
}
END_TEST

START_TEST(pipes_and_standard_output)
{
    char text[16] = "";
    int ends[2], saved = dup(1);

    ck_assert_int_eq(pipe(ends), 0);
    fflush(stdout);
    dup2(ends[1], 1);
    ck_assert_ok(write_text("/dev/stdout", "piped", &error));
    dup2(saved, 1);
    ck_assert_int_eq(read(ends[0], text, sizeof text), 5);
    ck_assert_str_eq(text, "piped");

    /* Into a file that is open already: behind what is there, not instead of it. */
    test_put("out", "first ");
    dup2(open(test_path("out"), O_WRONLY | O_APPEND), 1);
    ck_assert_ok(write_text("/dev/stdout", "second", &error));
    dup2(saved, 1);
    expect_text(test_path("out"), "first second");
}
END_TEST

START_TEST(folders_above)
{
    ck_assert_ok(ca_file_parents(test_path("a/b/c/file"), &error));
    ck_assert_int_eq(mode_of(test_path("a/b/c")), 0700);
    ck_assert(!exists(test_path("a/b/c/file")));
    ck_assert_ok(ca_file_parents(test_path("a/b/c/file"), &error));
    test_put("plain", "x");
    ck_assert_int_eq(ca_file_parents(test_path("plain/b/file"), &error), CA_IO);
    ck_assert_contains(error.text, "plain/b: Not a directory");
}
END_TEST

START_TEST(states_by_ending)
{
    static const struct {
        const char *model, *file, *part; /* part NULL: fine */
    } rows[] = {
        {"anneal", "a.npy", NULL},
        {"anneal", "a.pbm", NULL},
        {"fhp", "a.pbm", NULL},
        {"water", "a.npy", NULL},
        {"water", "a.pbm", "ends in .npy"},
        {"life3d", "a.pbm", "ends in .npy, .h5 or .rle3"},
        {"anneal", "a.png", "ends in .npy, .h5, .plain.pbm, .pbm or .rle"},
        {"anneal", "npy", "ends in .npy, .h5, .plain.pbm, .pbm or .rle"},
        {"anneal", ".npy", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ca_model *model = test_model(rows[i].model);
        const char *path = test_path(rows[i].file);
        struct ca_row_source source;
        struct ca_lattice lattice;
        enum ca_status wanted = rows[i].part ? CA_USAGE : CA_OK;

        ck_assert_ok(ca_lattice_alloc(&lattice, (struct ca_size){9, 2, 1}, model->type,
                                      model->planes, &error));
        remove(path);
        source = ca_lattice_source(&lattice);
        ck_assert_int_eq(ca_state_writable(path, model, &error), wanted);
        ck_assert_int_eq(ca_state_write(path, model, &source, &error), wanted);
        if (rows[i].part)
            ck_assert_contains(error.text, rows[i].part);
        ck_assert_int_eq(exists(path), wanted == CA_OK);
        ca_lattice_free(&lattice);
    }
}
END_TEST

START_TEST(pictures_of_states)
{
    struct ca_row_source source;
    struct ca_lattice lattice;
    struct ca_size size;
    uint8_t *cells, *nodes;

    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){3, 1, 1}, CA_U8, 1, &error), 0);
    nodes = lattice.plane[0];
    nodes[0] = 0x7f;
    nodes[1] = 0x80;
    nodes[2] = 0x81;
    source = ca_lattice_source(&lattice);
    ck_assert_ok(ca_state_write(test_path("f.pbm"), test_model("fhp"), &source, &error));
    ck_assert_ok(test_pbm_read(test_path("f.pbm"), &cells, &size, &error));
    ck_assert(cells[0] == 0 && cells[1] == 1 && cells[2] == 1);
    free(cells);
    ca_lattice_free(&lattice);
    /* A device gets .npy whatever it is called, and says when it is full. */
    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){3, 1, 1}, CA_U8, 1, &error), 0);
    source = ca_lattice_source(&lattice);
    ck_assert_int_eq(ca_state_write("/dev/full", test_model("anneal"), &source, &error), CA_IO);
    ck_assert_contains(error.text, "No space left");
    ck_assert_ok(ca_state_write("/dev/null", test_model("anneal"), &source, &error));
    ca_lattice_free(&lattice);
    ck_assert_int_eq(ca_state_writable(test_path("no/folder/a.npy"), test_model("anneal"), &error),
                     CA_IO);
    ck_assert_contains(error.text, "No such file");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {what_is_no_regular_file, writing_keeps_mode_and_links,
                              file_and_folder_are_synced, an_old_file_is_private_at_all_times,
                              a_temporary_file_is_a_new_one, a_lock_is_held_by_one,
                              a_lock_that_was_refused_is_none, writing_where_it_cannot,
                              writing_without_permission, writing_that_is_cut_off,
                              a_crash_leaves_the_old_file, abandoning_leaves_nothing,
                              pipes_and_standard_output, folders_above, states_by_ending,
                              pictures_of_states});
}
