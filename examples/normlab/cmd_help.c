/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "arguments.h"
#include "say.h"

void command_print_help(const struct command *command)
{
    printf("normlab %s %s\n\n%s\n", command->name, command->arguments, command->help);
}

static void print_all(void)
{
    printf("normlab COMMAND [ARGUMENTS]\n\n"
           "What turns attention scores into weights, on rows of numbers and inside GPT-2.\n\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n'normlab help COMMAND' tells more. Exit code: 0 fine, 1 failed, 2 wrong usage.\n"
           "LIBNORM_CPU=best|scalar|baseline|neon|avx2|avx512 caps the instruction set.\n");
}

static int run(const struct command *self, const struct program *program, int argc, char **argv)
{
    struct arguments a = {.words_high = 1, .words_name = "a command"};
    int code;
    (void)program;
    if (!arguments_read(&a, self, argc, argv, &code))
        return code;
    if (a.words.count == 0) {
        print_all();
        return EXIT_FINE;
    }
    const struct command *command = command_find(a.words.item[0]);
    if (command == NULL)
        return say_usage("unknown command %s; 'normlab help' lists them", a.words.item[0]);
    command_print_help(command);
    return EXIT_FINE;
}

const struct command command_help = {
    "help",
    "[COMMAND]",
    "what there is, and what a command does",
    "Prints the list of commands, or what one command does.\n",
    run,
};
