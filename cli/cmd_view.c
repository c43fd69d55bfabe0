/* cmd_view.c - `holonom view`: a run that is shown, and changed, in browsers while it goes on. */
#include "cli/base/complain.h"
#include "cli/commands.h"
#include "cli/view/view.h"

static int run_command(const cli_options *options)
{
  hn_error error;
  if (options->solver && options->solvers)
    return cli_complain("view: --solver and --solvers cannot be given both");
  if (options->fast && options->speed > 0.0)
    return cli_complain("view: --speed and --fast cannot be given both");
  return cli_view_run(options->word[0], options, &error) < 0 ? cli_complain("%s", error.text) : CLI_DONE;
}

const cli_command cli_command_view = {
  .name = "view",
  .arguments = "SCENE",
  .summary = "a run in the browser, to be touched and changed while it goes on",
  .details =
    "Prints the address of a page and serves it until Ctrl-C: bodies, joints, forces and contacts as they\n"
    "move, what can be pulled, struck, paused and set, and solvers side by side. --session FILE keeps what\n"
    "was done, line by line, each with the step before which it took effect: holonom replay FILE repeats it\n"
    "to the bit. With --solvers the second solver's session is in FILE.2 and so on. It listens on this\n"
    "machine alone, unless --listen says otherwise; the address has a random part that nobody else knows.\n",
  .examples = "view double_pendulum\n"
              "view chain8 --solvers impulse-sle,xpbd --paused --session chain.session\n",
  .takes = { CLI_SET, CLI_CONSISTENT, CLI_SOLVER, CLI_SOLVERS, CLI_STEP, CLI_PORT, CLI_LISTEN, CLI_PAUSED,
             CLI_SPEED, CLI_FAST, CLI_SESSION, CLI_QUIET, CLI_PLUGIN, CLI_SOLVER_FILE, CLI_LIMITS, CLI_HELP },
  .least = 1,
  .most = 1,
  .run = run_command,
};
