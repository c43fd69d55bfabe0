/* lanes.c - the runs of a view. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/view/lanes.h"

/* Every line is in the file at once: whatever ends the program leaves a session that can be repeated as far
 * as it goes. */
static void note(void *user, const char *line)
{
  const cli_lane *lane = user;
  cli_exchange_note(lane->exchange, lane->number, line);
  if (lane->file.stream) fprintf(lane->file.stream, "%s\n", line), fflush(lane->file.stream);
}

void cli_course_measure(cli_course *c, const hn_measure *m)
{
  c->energy = m->kinetic + m->potential, c->drift = m->position_error, c->velocity_drift = m->velocity_error;
  c->worst = m->worst_joint, c->measured = true;
}

static bool observe(void *user, const hn_frame *frame)
{
  cli_course *c = &((cli_lane *)user)->course;
  c->measured = false;
  if (frame->measure) cli_course_measure(c, frame->measure);
  c->penetration = frame->contact ? frame->contact->penetration : NAN;
  if (!frame->before) return true;
  c->impulses += (double)frame->impulses, c->operations += (double)frame->operations;
  c->seconds += frame->seconds, c->steps++;
  return true;
}

/* With the file of its session. */
static int prepare(cli_lane *lane, const char *file, hn_error *error)
{
  lane->reason = HN_CONVERGED;
  lane->course = (cli_course){ .penetration = NAN, .worst = -1 };
  lane->models = 0;
  return file ? cli_file_open(&lane->file, file, error) : 0;
}

static cli_session_plan plan_of(cli_lane *lane, const char *scene, const cli_options *options)
{
  return (cli_session_plan){ .scene = scene,
                             .options = options,
                             .step = options->step,
                             .setting = options->setting,
                             .nsetting = options->nsetting,
                             .observe = observe,
                             .note = note,
                             .user = lane };
}

static void give_up(cli_lane *lane)
{
  cli_file_abandon(&lane->file);
  cli_exchange_hide(lane->exchange, lane->number);
}

int cli_lane_open(cli_lane *lane, const char *scene, const cli_options *options, const char *spec,
                  const char *file, hn_error *error)
{
  cli_session_plan plan = plan_of(lane, scene, options);
  plan.solver = spec;
  if (prepare(lane, file, error) == 0 && (lane->session = cli_session_create(&plan, error))) return 0;
  give_up(lane);
  return -1;
}

int cli_lane_fork(cli_lane *lane, const cli_lane *from, const char *scene, const cli_options *options,
                  const char *file, hn_error *error)
{
  const cli_session_plan plan = plan_of(lane, scene, options);
  if (prepare(lane, file, error) == 0 && (lane->session = cli_session_copy(from->session, &plan, error))) {
    char *rest = cli_exchange_session(lane->exchange, from->number, false), *text = rest;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) note(lane, line);
    free(text);
    lane->course = from->course;
    return 0;
  }
  give_up(lane);
  return -1;
}

int cli_lane_close(cli_lane *lane, hn_error *error)
{
  if (!lane->session) return 0;
  cli_session_end(lane->session);
  cli_session_free(lane->session);
  lane->session = NULL;
  free(lane->model);
  lane->model = NULL;
  cli_exchange_hide(lane->exchange, lane->number);
  return lane->file.stream ? cli_file_close(&lane->file, error) : 0;
}

/* What has ended begins again with another world. */
int cli_lane_do(cli_lane *lane, const json_t *command, hn_error *error)
{
  const uint64_t before = cli_session_models(lane->session);
  if (cli_session_do(lane->session, command, error) < 0) return -1;
  if (cli_session_models(lane->session) != before) {
    lane->reason = HN_CONVERGED;
    lane->course.measured = false, lane->course.penetration = NAN;
  }
  return 0;
}

void cli_lane_step(cli_lane *lane)
{
  lane->reason = cli_session_step(lane->session);
}

bool cli_lane_runs(const cli_lane *lane)
{
  return lane->session && lane->reason == HN_CONVERGED;
}

double cli_lane_time(const cli_lane *lane)
{
  return cli_session_state(lane->session)->time;
}
