/* SPDX-License-Identifier: MIT */
/* normlab: libnorm on the command line. Every command is one file and one entry in the table below. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "say.h"

const struct command *const commands[] = {
    &command_list,
    &command_apply,
    &command_vjp,
    &command_jacobian,
    &command_tokenize,
    &command_detokenize,
    &command_logits,
    &command_perplexity,
    &command_swap,
    &command_report,
    &command_bench,
    &command_help,
    &command_version,
    NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

norm_exec program_exec(const struct program *program, long threads)
{
    norm_exec exec = {.struct_size = sizeof exec, .cpu_level = program->cpu_level};
    if (threads == 0) {
        threads = sysconf(_SC_NPROCESSORS_ONLN);
        threads = threads < 1 ? 1 : threads > 1024 ? 1024 : threads;
    }
    exec.threads = (int32_t)threads;
    return exec;
}

/* The library reads no environment, so its variable is read here. */
static int read_cpu_level(struct program *program)
{
    const char *word = getenv("LIBNORM_CPU");
    norm_error error = ERROR_INIT;
    if (word == NULL || word[0] == '\0')
        return EXIT_FINE;
    if (norm_cpu_level_parse(word, &program->cpu_level, &error) != LIBNORM_OK)
        return say_usage("LIBNORM_CPU: %s", error.text);
    return EXIT_FINE;
}

static int run(struct program *program)
{
    if (program->argc < 2)
        return say_usage("a command is missing; 'normlab help' lists them");
    const char *name = program->argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (command == NULL)
        return say_usage("unknown command %s; 'normlab help' lists them", name);
    if (command != &command_help) {
        int code = read_cpu_level(program);
        if (code != EXIT_FINE)
            return code;
    }
    return command->run(command, program, program->argc - 1, program->argv + 1);
}

int main(int argc, char **argv)
{
    struct program program = {.argc = argc, .argv = argv};
    /* A thread's own locale stands above setlocale(): whatever a preloaded library does, a point stays a point. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain != (locale_t)0)
        uselocale(plain);
    /* A file that grows too large is an error to report, not a reason to die. */
    signal(SIGXFSZ, SIG_IGN);

    int code = run(&program);

    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_FINE)
        code = say("cannot write to standard output");
    if (plain != (locale_t)0) {
        uselocale(LC_GLOBAL_LOCALE);
        freelocale(plain);
    }
    return code;
}
