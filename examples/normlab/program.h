/* SPDX-License-Identifier: MIT */
/* What every command is given, and how a command describes itself. */
#ifndef NORMLAB_PROGRAM_H
#define NORMLAB_PROGRAM_H

#include <stddef.h>

#include <libnorm/norm.h>

/* Exit codes: fine, failed, wrong usage. */
#define EXIT_FINE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

struct program {
    int argc;
    char **argv;       /* as main got them: to start again, and for the foot of a report */
    int32_t cpu_level; /* cap from LIBNORM_CPU */
};

struct command {
    const char *name;
    const char *arguments; /* one line, behind the name */
    const char *summary;   /* one phrase for the list of commands */
    const char *help;      /* the rest of `normlab help NAME`, whole lines */
    /* argv[0] is the command's name. Returns the exit code. */
    int (*run)(const struct command *self, const struct program *program, int argc, char **argv);
};

/* The table, ended by an entry without a name. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);
void command_print_help(const struct command *command);

#define COMMAND(name) extern const struct command name;
COMMAND(command_list)
COMMAND(command_apply)
COMMAND(command_vjp)
COMMAND(command_jacobian)
COMMAND(command_tokenize)
COMMAND(command_detokenize)
COMMAND(command_logits)
COMMAND(command_perplexity)
COMMAND(command_swap)
COMMAND(command_report)
COMMAND(command_bench)
COMMAND(command_help)
COMMAND(command_version)
#undef COMMAND

/* How to run a library call: threads 0 means one a processor. */
norm_exec program_exec(const struct program *program, long threads);

#endif
