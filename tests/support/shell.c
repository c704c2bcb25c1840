/* SPDX-License-Identifier: MIT */
#include "tests/support/shell.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"

int shell_with_job(int (*job)(const void *data), const void *data)
{
    int status;
    int stops = 0;
    char line[64];
    pid_t pid = fork();

    signal(SIGTTOU, SIG_IGN);
    if (pid == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        signal(SIGTTOU, SIG_DFL);
        test_exit(job(data));
    }
    setpgid(pid, pid);
    tcsetpgrp(0, pid);
    while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
        tcsetpgrp(0, getpid());
        printf("%s %d\n", WSTOPSIG(status) == SIGTSTP ? "STOPPED" : "STOPPED OTHERWISE", ++stops);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return 1;
        tcsetpgrp(0, pid);
        kill(-pid, SIGCONT);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
