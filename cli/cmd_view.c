/* cmd_view.c - `holonom view`: a run that is shown and changed in browsers while it continues. */
#include "cli/commands.h"
#include "cli/view/view.h"

static int run_command(const cli_options *options, hn_error *error)
{
  if (options->solver && options->solvers)
    return hn_fail(error, "view: --solver and --solvers cannot be given both");
  if (options->fast && options->speed > 0.0)
    return hn_fail(error, "view: --speed and --fast cannot be given both");
  return cli_view_serve(options->word[0], options, error) < 0 ? -1 : CLI_DONE;
}

const cli_command cli_command_view = {
  .name = "view",
  .arguments = "SCENE",
  .summary = "show a run in the browser, where it can be changed while it continues",
  .details = "Prints the address of a page and serves it until Ctrl-C: bodies, joints, forces\n"
             "and contacts as they move, tools to pull and push bodies, to pause and to change\n"
             "parameters, and solvers side by side. --session FILE records all commands, one\n"
             "per line, each with the step before which it took effect; holonom replay FILE\n"
             "repeats the run to the bit. With --solvers, the session of the second solver is\n"
             "in FILE.2 and so on. The server listens on this machine alone, unless --listen\n"
             "gives another address; the address of the page has a random part as a secret.\n",
  .examples = "view double_pendulum\n"
              "view chain8 --solvers impulse-sle,xpbd --paused --session chain.session\n",
  .options = { CLI_SET, CLI_CONSISTENT, CLI_SOLVER, CLI_SOLVERS, CLI_STEP, CLI_PORT, CLI_LISTEN, CLI_PAUSED,
               CLI_SPEED, CLI_FAST, CLI_SESSION, CLI_QUIET, CLI_PLUGIN, CLI_SOLVER_FILE, CLI_LIMIT_OPTIONS,
               CLI_HELP },
  .run = run_command,
};
