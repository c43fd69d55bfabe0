/* pace.c - the clock of a view.
 *
 * Motion is due as the clock goes, times the speed. A lane takes a step that ends before what is due, or
 * before the lane that is ahead of all. What the machine cannot keep up with is given up beyond a tenth of a
 * second, and told. */
#include <math.h>
#include <time.h>
#include "cli/base/interrupt.h"
#include "cli/view/pace.h"

static const double slack = 0.1;   /* s of the clock that may be made up for */
static const double longest = 0.1; /* s of sleep: then somebody may have pressed Ctrl-C */
static const double turn = 0.02;   /* s, for a lane that is behind, until commands are looked for */
static const double window = 0.5;  /* s, for the factor */

double cli_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time of the lane that is ahead of all; -INFINITY: none runs. */
static double front_of(const cli_lane lane[CLI_MOST_LANES])
{
  double front = -INFINITY;
  for (int k = 0; k < CLI_MOST_LANES; k++)
    if (cli_lane_runs(&lane[k])) front = fmax(front, cli_lane_time(&lane[k]));
  return front;
}

/* The lane whose next step ends first, at *END; NULL: none runs. */
static cli_lane *next_of(cli_lane lane[CLI_MOST_LANES], double *end)
{
  cli_lane *next = NULL;
  *end = INFINITY;
  for (int k = 0; k < CLI_MOST_LANES; k++) {
    if (!cli_lane_runs(&lane[k])) continue;
    const double h = cli_session_step_size(lane[k].session),
                 then = cli_lane_time(&lane[k]) + h * (1.0 - 1e-6);
    if (then < *end) next = &lane[k], *end = then;
  }
  return next;
}

void cli_pace_begin(cli_pace *p, const cli_lane lane[CLI_MOST_LANES], double now)
{
  const double front = front_of(lane);
  p->due = isfinite(front) ? front : 0.0;
  p->clock = p->since = now;
  p->moved = p->lag = 0.0;
  p->factor = NAN;
}

static void follow(cli_pace *p, double front, double now)
{
  const double most = front + slack * p->speed;
  if (!p->paused) p->due += p->speed * (now - p->clock);
  p->clock = now;
  if (p->due <= most) return;
  if (p->speed > 0.0) p->lag += p->due - most;
  p->due = most;
}

static void count(cli_pace *p, double moved, double now)
{
  p->moved += moved;
  if (now - p->since < window) return;
  p->factor = p->moved / (now - p->since);
  p->since = now, p->moved = 0.0;
}

/* Lanes go on together: then each is within a step of the one ahead. */
static void step_all(cli_lane lane[CLI_MOST_LANES], double now)
{
  double end;
  cli_lane *next = next_of(lane, &end);
  do cli_lane_step(next);
  while (!*cli_stop() && (next = next_of(lane, &end)) && end <= front_of(lane) && cli_clock() < now + turn);
}

double cli_pace_step(cli_pace *p, cli_lane lane[CLI_MOST_LANES], double now, bool once)
{
  double end, front = front_of(lane);
  const cli_lane *next = next_of(lane, &end);
  if (!next) {
    p->clock = now;
    count(p, 0.0, now);
    return longest;
  }
  follow(p, front, now);
  const bool free = once || (!p->paused && p->speed == 0.0);
  if (!free && p->paused) return longest;
  if (!free && end > fmax(p->due, front)) {
    count(p, 0.0, now);
    return fmin((end - p->due) / p->speed, longest);
  }
  step_all(lane, now);
  count(p, fmax(0.0, front_of(lane) - front), now);
  return 0.0;
}
