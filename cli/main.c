/* main.c - the command `holonom`: finds the command, reads its options, runs it, and says how it ended.
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
#include "cli/base/table.h"
#include "cli/commands.h"
#include "cli/completion/completion.h"

#define SHOWN (CLI_JSON | CLI_QUIET | CLI_WIDE)
#define SCENE (CLI_SET | CLI_CONSISTENT | CLI_SOLVER | SHOWN | CLI_PLUGIN | CLI_LIMITS | CLI_HELP)
#define COMMON (SCENE | CLI_STEP | CLI_DURATION)

static const cli_command commands[] = {
  { "run", "SCENE", "one method on one scene",
    "With --output FILE.csv the trajectory is recorded, one line for the initial state and every step (--every N: for\n"
    "every N steps and the last one), with what the method reports of each; --output - is standard output.\n"
    "--record-rank adds the rank of the constraints and the singular values next to its gap.\n"
    "--record-joints adds coordinates and rates of joints, and the forces and torques in them where the method tells,\n"
    "--record-forces those of springs, motors and the like, and --times the machine's time for each step.\n"
    "FILE.h5 is the same in HDF5, with joints, forces, contacts and the model; FILE.glb an animation in glTF;\n"
    "FILE.html a page for a browser, with the motion.\n"
    "--model FILE.json writes the model: bodies, shapes, joints, forces.\n"
    "--budget WORK ends it with reason `budget` after the first step that brings the work to WORK joint operations.\n"
    "Exit status 1 when the run does not end with reason `converged`; what was recorded until then is kept.\n",
    "run pendulum\n"
    "run chain8 --solver lagrange:stepper=rk8pd --output chain8.csv\n"
    "run ball_tray --duration 0.5 --output tray.h5 --model tray.json\n"
    "run my.lua --set n=16 --step 1/500 --json\n",
    COMMON | CLI_BUDGET | CLI_METHOD | CLI_OUTPUT | CLI_RECORD | CLI_MODEL, 1, 1, cli_cmd_run },
  { "compare", "SCENE", "several methods on one scene, side by side",
    "--solvers a,b:key=value,key=value,c names the methods (default: all): a comma starts a new one unless the piece\n"
    "after it is key=value. Errors are measured against the scene's reference where it has one, else against a run\n"
    "of lagrange with rk8pd and projection (moreau where shapes collide), at a sixteenth of the step. --steps adds\n"
    "runs for error against work.\n"
    "With --output FILE.html a report is written as one page for a browser, with the motion of every method; with\n"
    "--output DIR as report.md, data, gnuplot scripts and SVG plots; without --steps it uses the step and its half,\n"
    "quarter and eighth. A run that fails is a row of the table. --budget WORK compares at\n"
    "equal cost: every method takes the smallest step with which it spends at most WORK joint operations.\n"
    "--solver NAME keeps to one method; --linear a,b,c compares linear back ends, each with that method, with those\n"
    "of --solvers, or with the scene's own; --contact a,b,c compares solvers of contact problems likewise, and shows\n"
    "the residuals of their iterations in the step that took them most, or in that which ends at --at T.\n",
    "compare double_pendulum --solvers impulse-gs,taylor --duration 1\n"
    "compare double_pendulum --duration 1 --output report.html\n"
    "compare ball_tray --duration 0.1 --contact pgs,admm,newton\n",
    COMMON | CLI_BUDGET | CLI_METHOD | CLI_SOLVERS | CLI_STEPS | CLI_NORM | CLI_REPEAT | CLI_OUTPUT | CLI_BACKENDS |
        CLI_AT,
    1, 1, cli_cmd_compare },
  { "converge", "SCENE", "error against step size, and the fitted order",
    "--steps defaults to six steps, each half the one before, from the scene's step or --step. --reference is `scene`\n"
    "(its own answer), `self` (the same method with an eighth of the smallest step), or a file with the JSON of\n"
    "`holonom run --json`; the default is `scene` where it has an answer at the final time, else `self`.\n"
    "--output FILE.csv writes the table. Exit status 1 when no order can be fitted, when the runs approach another\n"
    "motion than the reference, or when the order falls short of that of --expect; --exactly: or is better.\n"
    "--all does this for all methods and their variants: declared order, and those of positions, orientations,\n"
    "velocities and joint forces, each fitted over six or more steps in its asymptotic range. Exit status 1 when one\n"
    "is not as declared. --budget WORK ends the ladder of a method with its first run that costs more (2e5 joint\n"
    "operations a joint, 1e7 at least).\n",
    "converge pendulum --solver impulse-sle --expect declared\n"
    "converge --all double_pendulum --budget 1e5\n",
    COMMON | CLI_BUDGET | CLI_METHOD | CLI_ALL | CLI_SOLVERS | CLI_STEPS | CLI_REFERENCE | CLI_NORM | CLI_EXPECT |
        CLI_EXACTLY | CLI_OUTPUT,
    1, 1, cli_cmd_converge },
  { "sweep", "SCENE|STUDY.lua", "parameters x methods x steps: many runs, one table",
    "--set NAME=VALUES varies a parameter of the scene, --KEY VALUES one of the methods, and --steps the step: values\n"
    "are 1,2,5 or FROM:TO:COUNT or log:FROM:TO:COUNT. One row a run, as CSV; a run that fails is a row. Runs are made\n"
    "on all processors (--jobs), or on all ranks of mpirun; the table is the same on any number of them. What is done\n"
    "is kept beside FILE.csv, in FILE.csv.journal: --resume goes on with it. Errors are against the scene's "
    "reference,\n"
    "else against a run made once for each point; --reference scene or none makes none. A study is a file that "
    "returns\n"
    "study { ... } of the module holonom.study, or the name of an installed one (holonom list studies): what it\n"
    "says stands where an option is not given, and measures and results of its own are columns. --figure FILE draws "
    "the\n"
    "table as `plot` does: over the step, or the first of what varies, a curve for each method and all else that\n"
    "varies. Exit status 1 when it is interrupted.\n",
    "sweep cart_pole --set M=0.5,1,2 --steps 0.01,0.005 --output mass.csv\n"
    "mpirun -n 4 holonom sweep study.lua --output study.csv\n",
    CLI_SET | CLI_CONSISTENT | CLI_METHOD | CLI_SOLVER | CLI_SOLVERS | CLI_STEP | CLI_STEPS | CLI_DURATION |
        CLI_REFERENCE | CLI_NORM | CLI_DRAWN | CLI_FIGURE | CLI_OUTPUT | CLI_JOBS | CLI_RESUME | CLI_TIMES |
        CLI_REPEAT | CLI_VARY | CLI_QUIET | CLI_PLUGIN | CLI_LIMITS | CLI_HELP,
    1, 1, cli_cmd_sweep },
  { "plot", "TABLE.csv ...", "a figure of a table: of a sweep, a study of steps, a record",
    "--x COLUMN and --y COLUMN,COLUMN are its axes: step and error unless told otherwise. Several tables make curves "
    "of\n"
    "their own; - is standard input. Rows are joined to curves by the values of --by COLUMN,COLUMN (solver); --where\n"
    "COLUMN=VALUE keeps to some of them, and may be repeated. An axis is logarithmic where its numbers are positive "
    "and\n"
    "span a factor of 20; time never is. Over the step, triangles show the slopes that the curves have, or those of\n"
    "--slopes 2,4; --slopes none shows none. --name CURVE=TEXT writes TEXT for the curve that is called so, as --name\n"
    "impulse-sle=SLE. --output FILE.pdf, .svg or .png is as wide as --width, in mm (120), with letters of 8 points;\n"
    "FILE.gp is the script of gnuplot that draws it.\n",
    "plot mass.csv --by M --output errors.pdf --width 85\n"
    "plot chain8.csv --x time --y position_error --output drift.svg\n",
    CLI_OUTPUT | CLI_FIGURE | CLI_QUIET | CLI_HELP, 1, 40, cli_cmd_plot },
  { "draw", "SCENE", "a picture of a mechanism: shapes, joints and axes, and paths of bodies",
    "At the start, or with --at T after a run to T. --view xy, xz and yz look along an axis, iso from above and from "
    "the\n"
    "side. --trajectory BODY,BODY adds the paths of their centres of mass over the duration. Bodies without a shape "
    "are\n"
    "sketched by links to their joints, or as the box with their mass and moments of inertia. --output FILE.pdf, .svg\n"
    "or .png is as wide as --width, in mm (120); FILE.gp is the script of gnuplot. Exit status 1 when the run fails.\n",
    "draw walking_machine --output machine.pdf --width 85\n"
    "draw double_pendulum --view xy --trajectory lower --output path.svg\n",
    CLI_SET | CLI_CONSISTENT | CLI_SOLVER | CLI_STEP | CLI_DURATION | CLI_AT | CLI_OUTPUT | CLI_VIEW | CLI_TRAJECTORY |
        CLI_WIDTH | CLI_HEIGHT | CLI_QUIET | CLI_PLUGIN | CLI_LIMITS | CLI_HELP,
    1, 1, cli_cmd_draw },
  { "rank", "SCENE", "rank of the constraints, which are redundant, and which multipliers are unique",
    "At t = 0, or with --at T after a run by the method of --solver or of the scene to T. Rows are scaled to unit\n"
    "length in the metric of kinetic energy per mass, so that singular values have no unit; one up to 1e-6 counts as\n"
    "zero. The redundant rows are named joint, or joint[2] for the second row alone; late ones of the scene are\n"
    "preferred. --output FILE.pdf, .svg or .png draws which entries of G and of K = G W G' are not zero. Exit status "
    "1\n"
    "when the run does not reach T.\n",
    "rank four_bars\n"
    "rank cuboid28 --output topology.svg\n",
    SCENE | CLI_STEP | CLI_AT | CLI_OUTPUT | CLI_WIDTH, 1, 1, cli_cmd_rank },
  { "problem", "SCENE|FILE", "the contact problem of an instant: write it, read it, solve it",
    "Of SCENE, at t = 0 or after a run to --at T: the problem of the step of --step from there. Or of FILE.hdf5, in\n"
    "FCLIB's layout. --contact a,b,c solves it with these (default: all that there are), one row each; --output\n"
    "FILE.hdf5 writes it, with the first solution. Exit status 1 when one does not converge.\n",
    "problem sliding_cubes --at 0.1 --contact pgs,admm,newton\n"
    "problem sliding_cubes --output cubes.hdf5\n",
    SCENE | CLI_STEP | CLI_AT | CLI_BACKENDS | CLI_OUTPUT, 1, 1, cli_cmd_problem },
  { "list", "WHAT [NAME] [SCENE]", "what there is",
    "WHAT is solvers, joints, forces, scenes, studies, linear (back ends of the linear system), petsc (options that\n"
    "--petsc takes), contact (solvers of contact problems) or parameters.\n"
    "`list parameters NAME` lists the settings of a method or a force, or the parameters of a scene.\n"
    "`list solvers SCENE` and `list parameters NAME SCENE` know the methods that a scene declares too.\n",
    "list solvers\n"
    "list parameters impulse-sle\n"
    "list parameters chain8\n",
    CLI_JSON | CLI_WIDE | CLI_METHOD | CLI_PLUGIN | CLI_LIMITS | CLI_HELP, 1, 3, cli_cmd_list },
  { "check", "[SCENE]", "run the declared expectations of a scene, or of all installed ones",
    "--solver NAME keeps to the expectations of that method. Exit status 1 when one fails.\n"
    "--contract checks the joints of the scene instead: what they say in closed form, in power series and by values "
    "near\n"
    "by must be one thing, also where a scene writes its own.\n",
    "check\n"
    "check pendulum --solver taylor\n"
    "check chain8 --contract\n",
    SCENE | CLI_CONTRACT, 0, 1, cli_cmd_check },
  { .name = NULL },
};
enum { NCOMMAND = sizeof commands / sizeof *commands - 1 };

static void print_help(void)
{
  puts("Usage: holonom COMMAND [ARGUMENTS] [OPTIONS]\n"
       "What each constraint solver makes of a multibody scene, and what it costs.\n");
  cli_table *table = cli_table_create("<|<|<");
  for (size_t i = 0; i < NCOMMAND; i++) {
    cli_cell(table, "  %s", commands[i].name);
    cli_cell(table, "%s", commands[i].arguments);
    cli_cell(table, "%s", commands[i].summary);
  }
  cli_table_print(table, stdout);
  cli_table_free(table);
  cli_print_lines(
      "\n`holonom help COMMAND` tells the options of a command. SCENE is the path of a Lua file or the name\n"
      "of an installed scene (holonom list scenes). Exit status: 0 done, 1 a numerical outcome that is not\n"
      "success, 2 usage, scene or environment.\n",
      stdout);
}

static void print_command_help(const cli_command *command)
{
  printf("Usage: holonom %s %s [OPTIONS]\n%s.\n\n", command->name, command->arguments, command->summary);
  cli_print_lines(command->details, stdout);
  puts("\nOptions:");
  cli_options_help(command->takes);
  puts("\nExamples:");
  for (const char *line = command->examples; *line; line = strchr(line, '\n') + 1)
    printf("  %s%.*s\n", strncmp(line, "mpirun ", 7) == 0 ? "" : "holonom ", (int)strcspn(line, "\n"), line);
}

/* "run, compare, ... LAST check", to be freed. */
static char *command_names(const char *last)
{
  char *names = cli_text("%s", commands[0].name);
  for (size_t i = 1; i < NCOMMAND; i++) {
    char *longer = cli_text("%s%s%s", names, i + 1 < NCOMMAND ? ", " : last, commands[i].name);
    free(names);
    names = longer;
  }
  return names;
}

static const cli_command *find_command(const char *name)
{
  const char *names[NCOMMAND];
  for (size_t i = 0; i < NCOMMAND; i++) {
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
    names[i] = commands[i].name;
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
  if (cli_options_read(&options, command, argc, argv, &error) < 0)
    status = cli_complain("%s", error.text);
  else if (options.help)
    print_command_help(command);
  else {
    cli_progress_allow(!options.json && !options.quiet);
    cli_catch_interrupt();
    status = command->run(&options);
  }
  cli_options_free(&options);
  return status;
}

/* A standard stream that is closed would lend its number to the next file opened, and that file would get its text. */
static void hold_standard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) return; /* writing there fails, and is told */
}

int main(int argc, char **argv)
{
  hold_standard_streams();
  cli_json_begin();
  int status = CLI_DONE;
  unsetenv("POSIXLY_CORRECT"); /* options may follow the scene, whatever the environment */
  if (argc < 2) {
    char *all = command_names(" or ");
    status = cli_complain("which command? %s (see holonom --help)", all);
    free(all);
  } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    status = help(argv[2]);
  else if (strcmp(argv[1], "--version") == 0)
    printf("holonom %s\n", hn_version());
  else if (strcmp(argv[1], "complete") == 0)
    status = cli_complete(commands, cli_list_words(), argv + 2, argc - 2);
  else {
    const cli_command *command = find_command(argv[1]);
    status = command ? run_command(command, argc - 1, argv + 1) : CLI_USAGE;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) return cli_complain("cannot write to standard output");
  return status;
}
