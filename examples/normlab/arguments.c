/* SPDX-License-Identifier: MIT */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#include "number.h"
#include "say.h"

static const struct option *find_option(const struct arguments *a, const char *word, size_t length)
{
    for (size_t i = 0; i < a->option_count; i++)
        if (strlen(a->options[i].name) == length && memcmp(a->options[i].name, word, length) == 0)
            return &a->options[i];
    return NULL;
}

static bool add_text(struct texts *texts, const char *word)
{
    if (texts->count == TEXTS_MAX)
        return false;
    texts->item[texts->count++] = word;
    return true;
}

/* Takes the option's values from argv[at ...]; returns the index behind them, or 0 after saying what is wrong. */
static int take_value(const struct option *option, const char *command, const char *joined, int at, int argc,
                      char **argv)
{
    if (option->kind == OPTION_FLAG) {
        if (joined != NULL) {
            say_usage("%s: %s takes no value", command, option->name);
            return 0;
        }
        *(bool *)option->value = true;
        return at;
    }
    const char *word = joined != NULL ? joined : at < argc ? argv[at++] : NULL;
    if (word == NULL || word[0] == '\0') {
        say_usage("%s: %s needs a value", command, option->name);
        return 0;
    }
    if (option->kind == OPTION_TEXT)
        *(const char **)option->value = word;
    if (option->kind == OPTION_WHOLE) {
        int64_t whole;
        if (!number_read_whole(word, strlen(word), option->low, option->high, &whole)) {
            say_usage("%s: %s %s: expected a whole number from %ld to %ld", command, option->name, word, option->low,
                      option->high);
            return 0;
        }
        *(long *)option->value = (long)whole;
    }
    if (option->kind == OPTION_LIST) {
        bool room = add_text(option->value, word);
        while (room && joined == NULL && at < argc && argv[at][0] != '-')
            room = add_text(option->value, argv[at++]);
        if (!room) {
            say_usage("%s: %s takes at most %d values", command, option->name, TEXTS_MAX);
            return 0;
        }
    }
    return at;
}

static bool check_words(const struct arguments *a, const char *command)
{
    if (a->words.count > a->words_high)
        say_usage("%s: what is '%s' for? see 'normlab help %s'", command, a->words.item[a->words_high], command);
    else if (a->words.count < a->words_low)
        say_usage("%s: %s is missing; see 'normlab help %s'", command, a->words_name, command);
    else
        return true;
    return false;
}

bool arguments_read(struct arguments *a, const struct command *command, int argc, char **argv, int *ret_exit)
{
    bool options = true;
    *ret_exit = EXIT_USAGE;
    for (int at = 1; at < argc;) {
        const char *word = argv[at++];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            command_print_help(command);
            *ret_exit = EXIT_FINE;
            return false;
        } else if (options && word[0] == '-' && word[1] != '\0') {
            const char *equals = strchr(word, '=');
            const struct option *option = find_option(a, word, equals ? (size_t)(equals - word) : strlen(word));
            if (option == NULL) {
                say_usage("%s: unknown option %s; see 'normlab help %s'", command->name, word, command->name);
                return false;
            }
            at = take_value(option, command->name, equals ? equals + 1 : NULL, at, argc, argv);
            if (at == 0)
                return false;
        } else if (!add_text(&a->words, word)) {
            say_usage("%s: too many words", command->name);
            return false;
        }
    }
    return check_words(a, command->name);
}
