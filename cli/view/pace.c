/* pace.c - paces the runs of a view by the clock.
 *
 * Simulated time is due as the clock advances, times the speed. A run takes a step that ends before the due
 * time or before the time of the leading run. A machine that is too slow makes up at most 0.1 s; the rest is
 * given up and reported as lag. */
#include <math.h>
#include "cli/base/interrupt.h"
#include "cli/base/progress.h"
#include "cli/view/pace.h"

static const double max_lag = 0.1;      /* s of the clock that can be made up */
static const double max_sleep = 0.1;    /* s of sleep, so that Ctrl-C is noticed */
static const double max_turn = 0.02;    /* s of steps for a trailing run until commands are processed */
static const double speed_window = 0.5; /* s over which the speed is averaged */

/* Returns the time of the leading run; -INFINITY if none runs. */
static double leading_time(const cli_live_run run[CLI_MAX_RUNS])
{
  double front = -INFINITY;
  for (int k = 0; k < CLI_MAX_RUNS; k++)
    if (cli_live_run_is_active(&run[k])) front = fmax(front, cli_live_run_time(&run[k]));
  return front;
}

/* Returns the run whose next step ends first, at *END; NULL if none runs. */
static cli_live_run *next_run(cli_live_run run[CLI_MAX_RUNS], double *end)
{
  cli_live_run *next = NULL;
  *end = INFINITY;
  for (int k = 0; k < CLI_MAX_RUNS; k++) {
    if (!cli_live_run_is_active(&run[k])) continue;
    const double h = cli_session_world(run[k].session)->setup.step,
                 then = cli_live_run_time(&run[k]) + h * (1.0 - 1e-6);
    if (then < *end) next = &run[k], *end = then;
  }
  return next;
}

void cli_pace_begin(cli_pace *p, const cli_live_run run[CLI_MAX_RUNS], double now)
{
  const double front = leading_time(run);
  p->due = isfinite(front) ? front : 0.0;
  p->clock = p->since = now;
  p->moved = p->lag = 0.0;
  p->factor = NAN;
}

static void follow(cli_pace *p, double front, double now)
{
  const double most = front + max_lag * p->speed;
  if (!p->paused) p->due += p->speed * (now - p->clock);
  p->clock = now;
  if (p->due <= most) return;
  if (p->speed > 0.0) p->lag += p->due - most;
  p->due = most;
}

static void count(cli_pace *p, double moved, double now)
{
  p->moved += moved;
  if (now - p->since < speed_window) return;
  p->factor = p->moved / (now - p->since);
  p->since = now, p->moved = 0.0;
}

/* Steps the runs in order of time until each is within a step of the leading one. */
static void step_all(cli_live_run run[CLI_MAX_RUNS], double now)
{
  double end;
  cli_live_run *next = next_run(run, &end);
  do next->reason = cli_session_step(next->session);
  while (!*cli_stop() && (next = next_run(run, &end)) && end <= leading_time(run) &&
         cli_clock() < now + max_turn);
}

double cli_pace_step(cli_pace *p, cli_live_run run[CLI_MAX_RUNS], double now, bool once)
{
  double end, front = leading_time(run);
  const cli_live_run *next = next_run(run, &end);
  if (!next) {
    p->clock = now;
    count(p, 0.0, now);
    return max_sleep;
  }
  follow(p, front, now);
  const bool free = once || (!p->paused && p->speed == 0.0);
  if (!free && p->paused) return max_sleep;
  if (!free && end > fmax(p->due, front)) {
    count(p, 0.0, now);
    return fmin((end - p->due) / p->speed, max_sleep);
  }
  step_all(run, now);
  count(p, fmax(0.0, leading_time(run) - front), now);
  return 0.0;
}
