/* live_run.c - a run of a view. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/view/live_run.h"

/* Flushes every line: however the program ends, the session can be repeated as far as it went. */
static void write_line(void *user, const char *line)
{
  const cli_live_run *run = user;
  cli_exchange_append_line(run->exchange, run->number, line);
  if (run->file.stream) fprintf(run->file.stream, "%s\n", line), fflush(run->file.stream);
}

void cli_run_statistics_measure(cli_run_statistics *c, const hn_measure *m)
{
  c->energy = m->kinetic + m->potential, c->drift = m->position_error, c->velocity_drift = m->velocity_error;
  c->worst = m->worst_joint, c->measured = true;
}

static bool observe(void *user, const hn_frame *frame)
{
  cli_run_statistics *c = &((cli_live_run *)user)->statistics;
  c->measured = false;
  if (frame->measure) cli_run_statistics_measure(c, frame->measure);
  c->penetration = frame->contact ? frame->contact->penetration : NAN;
  if (!frame->before) return true;
  c->impulses += (double)frame->impulses, c->operations += (double)frame->operations;
  c->seconds += frame->seconds, c->steps++;
  return true;
}

/* Copies the session file of FROM so far. */
static void copy_lines(cli_live_run *run, const cli_live_run *from)
{
  char *text = cli_exchange_session(run->exchange, from->number, false), *rest = text;
  for (char *line; (line = strsep(&rest, "\n")) && *line;) write_line(run, line);
  free(text);
}

int cli_live_run_open(cli_live_run *run, const cli_live_run *from, const char *scene,
                      const cli_options *options, const char *spec, const char *file, hn_error *error)
{
  const cli_session_plan plan = { .scene = scene,
                                  .options = options,
                                  .solver = spec,
                                  .step = options->step,
                                  .setting = options->setting,
                                  .nsetting = options->nsetting,
                                  .observe = observe,
                                  .write_line = write_line,
                                  .user = run };
  run->reason = HN_CONVERGED;
  run->statistics = (cli_run_statistics){ .penetration = NAN, .worst = -1 };
  run->model_version = 0;
  if (!file || hn_pending_open(&run->file, file, error) == 0)
    run->session = from ? cli_session_copy(from->session, &plan, error) : cli_session_create(&plan, error);
  if (run->session && from) copy_lines(run, from), run->statistics = from->statistics;
  if (run->session) return 0;
  hn_pending_close(&run->file, HN_RECORD_DROP, NULL);
  cli_exchange_remove_run(run->exchange, run->number);
  return -1;
}

int cli_live_run_close(cli_live_run *run, hn_error *error)
{
  if (!run->session) return 0;
  cli_session_end(run->session);
  cli_session_free(run->session);
  run->session = NULL;
  free(run->model);
  run->model = NULL;
  cli_exchange_remove_run(run->exchange, run->number);
  return run->file.stream ? cli_file_close(&run->file, error) : 0;
}

/* Carries COMMAND out; an ended run starts again if the command changes the model. */
int cli_live_run_do(cli_live_run *run, const json_t *command, hn_error *error)
{
  const uint64_t before = cli_session_model_version(run->session);
  if (cli_session_do(run->session, command, error) < 0) return -1;
  if (cli_session_model_version(run->session) != before) {
    run->reason = HN_CONVERGED;
    run->statistics.measured = false, run->statistics.penetration = NAN;
  }
  return 0;
}

bool cli_live_run_is_active(const cli_live_run *run)
{
  return run->session && run->reason == HN_CONVERGED;
}

double cli_live_run_time(const cli_live_run *run)
{
  return cli_session_world(run->session)->state->time;
}
