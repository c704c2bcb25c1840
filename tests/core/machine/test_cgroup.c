/* SPDX-License-Identifier: MIT */
/* Limits of memory that control groups set, of both versions, in copies of what Linux shows. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/machine/device.h"
#include "tests/support/support.h"

static void cgroup_put(const char *path, const char *text)
{
    char folder[200];

    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(test_path(folder), 0777);
        *slash = '/';
    }
    test_put(path, text);
}

static struct ca_cgroup_memory read_groups(const char *membership)
{
    const char *mount;

    cgroup_put("membership", membership);
    mount = test_path("mount");
    return ca_cgroup_memory(test_path("membership"), mount);
}

START_TEST(version_2)
{
    struct ca_cgroup_memory memory;

    cgroup_put("mount/job/step/memory.max", "max\n");
    cgroup_put("mount/job/step/memory.current", "500\n");
    cgroup_put("mount/job/memory.max", "4096\n");
    cgroup_put("mount/job/memory.current", "3000\n");
    cgroup_put("mount/job/memory.stat", "anon 900\nactive_file 800\ninactive_file 1000\n");
    memory = read_groups("0::/job/step\n");
    ck_assert(memory.limit.known && memory.available.known);
    ck_assert_double_eq(memory.limit.value, 4096);
    ck_assert_double_eq(memory.available.value, 4096 - (3000 - 1000));

    cgroup_put("mount/job/step/memory.max", "600\n"); /* tighter than the one above */
    memory = read_groups("0::/job/step\n");
    ck_assert_double_eq(memory.limit.value, 600);
    ck_assert_double_eq(memory.available.value, 100);
}
END_TEST

START_TEST(version_1)
{
    static const char membership[] = "3:cpuset:/\n4:cpu,memory:/a\n1:name=systemd:/x\n";
    struct ca_cgroup_memory memory;

    cgroup_put("mount/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    cgroup_put("mount/memory/a/memory.usage_in_bytes", "10\n");
    memory = read_groups(membership);
    ck_assert(!memory.limit.known && !memory.available.known);

    cgroup_put("mount/memory/memory.limit_in_bytes", "1000\n");
    cgroup_put("mount/memory/memory.usage_in_bytes", "1200\n"); /* over it for a moment */
    memory = read_groups(membership);
    ck_assert_double_eq(memory.limit.value, 1000);
    ck_assert_double_eq(memory.available.value, 0);

    memory = read_groups("4:memory_of_another_kind:/a\n");
    ck_assert(!memory.limit.known);
    memory = read_groups("4:cpu,another_memory:/a\n");
    ck_assert(!memory.limit.known);
}
END_TEST

/* A container sees its own group as the mount, whatever its path is on the host. */
START_TEST(path_of_the_host)
{
    struct ca_cgroup_memory memory;

    cgroup_put("mount/memory.max", "777\n");
    cgroup_put("mount/memory.current", "77\n");
    memory = read_groups("0::/system.slice/docker-4711.scope\n");
    ck_assert_double_eq(memory.limit.value, 777);
    ck_assert_double_eq(memory.available.value, 700);
}
END_TEST

START_TEST(nothing_to_read)
{
    struct ca_cgroup_memory memory = ca_cgroup_memory("/no/such", "/no/such");

    ck_assert(!memory.limit.known && !memory.available.known);
    memory = read_groups("no colons\n0:\n0::\n");
    ck_assert(!memory.limit.known && !memory.available.known);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {version_2, version_1, path_of_the_host, nothing_to_read});
}
