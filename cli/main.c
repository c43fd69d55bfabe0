/* main.c - the command `holonom`: finds the command, reads its options, runs it and returns its exit status.
 * The table at the end of cmd_NAME.c describes the options of a command.
 *
 * Exit status: 0 done, 1 a numerical outcome that is not success, 2 usage, scene or environment. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/base/text_table.h"
#include "cli/base/output_paths.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/completion/completion.h"
#include "cli/external/external.h"

#define COMMAND(name) &cli_command_##name,
static const cli_command *const commands[] = {
#include "cli/commands.def"
  NULL
};
#undef COMMAND
enum { NCOMMAND = sizeof commands / sizeof *commands - 1 };

static void print_help(void)
{
  puts("Usage: holonom COMMAND [ARGUMENTS] [OPTIONS]\n"
       "Accuracy and cost of constraint solvers on multibody scenes.\n");
  cli_table *table = cli_table_create("<|<|<");
  for (size_t i = 0; i < NCOMMAND; i++) {
    cli_cell(table, "  %s", commands[i]->name);
    cli_cell(table, "%s", commands[i]->arguments);
    cli_cell(table, "%s", commands[i]->summary);
  }
  cli_table_print(table, stdout);
  cli_print_lines("\n`holonom help COMMAND` shows the options of a command. SCENE is the path of a\n"
                  "Lua file or the name of an installed scene (holonom list scenes). Exit status:\n"
                  "0 done, 1 a numerical outcome that is not success, 2 usage, scene or environment.\n",
                  stdout);
}

static void print_command_help(const cli_command *command)
{
  printf("Usage: holonom %s %s [OPTIONS]\n%s.\n\n", command->name, command->arguments, command->summary);
  cli_print_lines(command->details, stdout);
  puts("\nOptions:");
  cli_options_help(command);
  puts("\nExamples:");
  for (const char *line = command->examples; *line; line = strchr(line, '\n') + 1)
    printf("  %s%.*s\n", strncmp(line, "mpirun ", 7) == 0 ? "" : "holonom ", (int)strcspn(line, "\n"), line);
}

/* Returns "run, compare, ... LAST check", to be freed. */
static char *command_names(const char *last)
{
  char *names = cli_text("%s", commands[0]->name);
  for (size_t i = 1; i < NCOMMAND; i++)
    cli_append(&names, "%s%s", i + 1 < NCOMMAND ? ", " : last, commands[i]->name);
  return names;
}

static const cli_command *find_command(const char *name)
{
  const char *names[NCOMMAND];
  for (size_t i = 0; i < NCOMMAND; i++) {
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
    names[i] = commands[i]->name;
  }
  char *hint = cli_hint(name, names, NCOMMAND), *all = command_names(" and ");
  cli_complain("no command \"%s\"%s (the commands are %s)", name, hint, all);
  free(hint);
  free(all);
  return NULL;
}

static int help(const char *name)
{
  const cli_command *command = name ? find_command(name) : NULL;
  if (command) print_command_help(command);
  else if (!name) print_help();
  return command || !name ? CLI_DONE : CLI_USAGE;
}

static int run_command(const cli_command *command, int argc, char **argv)
{
  cli_options options;
  hn_error error;
  int status = CLI_DONE;
  if (cli_external_offer(argc, argv, &error) < 0 ||
      cli_options_read(&options, command, argc, argv, &error) < 0)
    status = cli_complain("%s", error.text);
  else if (options.help) print_command_help(command);
  else {
    cli_progress_allow(!options.json && !options.quiet);
    cli_catch_interrupt();
    cli_watchdog_start();
    status = cli_check_output_paths(&options, &error);
    if (status == 0) status = command->run(&options, &error);
    if (status < 0) status = cli_complain("%s", error.text);
  }
  cli_options_free(&options);
  return status;
}

/* Opens /dev/null in place of closed standard streams: files opened later would receive their output. */
static void hold_standard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
      return; /* writing to the stream fails and is reported */
}

/* True if WORD is NAME, --NAME or BRIEF. */
static bool is_one_of(const char *word, const char *name, const char *brief)
{
  return strcmp(word, brief) == 0 || strcmp(word + (strncmp(word, "--", 2) == 0 ? 2 : 0), name) == 0;
}

int main(int argc, char **argv)
{
  hold_standard_streams();
  cli_json_begin();
  int status = CLI_DONE;
  unsetenv("POSIXLY_CORRECT"); /* options may follow the scene in any environment */
  if (argc < 2) {
    char *all = command_names(" or ");
    status = cli_complain("which command? %s (see holonom --help)", all);
    free(all);
  } else if (is_one_of(argv[1], "help", "-h")) status = help(argv[2]);
  else if (is_one_of(argv[1], "version", "-V")) printf("holonom %s\n", hn_version());
  else if (strcmp(argv[1], "complete") == 0)
    status = cli_complete(commands, cli_list_words(), argv + 2, argc - 2);
  else {
    const cli_command *command = find_command(argv[1]);
    status = command ? run_command(command, argc - 1, argv + 1) : CLI_USAGE;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) return cli_complain("cannot write to standard output");
  return status;
}
