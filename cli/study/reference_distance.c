/* reference_distance.c - distances of runs and references from a reference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/study/reference_distance.h"
#include "elementary.h"

cli_times cli_times_of(cli_norm norm, double step, double duration)
{
  const long steps = hn_step_count(step, duration), every = (long)cli_motion_stride((double)steps);
  if (norm == CLI_END) return (cli_times){ 1, steps, duration };
  const cli_times t = { (steps + every - 1) / every, every, step * (double)every };
  return t;
}

static const double same_step = 1e-9; /* relative difference of steps that are equal but for rounding */

/* True if the motion M has the times T, up to rounding of the step. */
static bool has_times(const cli_motion *m, const cli_times *t)
{
  return m->count == t->count && (t->count == 1 || fabs(m->time[0] - t->apart) <= same_step * t->apart);
}

const cli_motion *cli_reference_motion(const cli_reference *r, double step, double duration)
{
  const cli_times times = cli_times_of(r->norm, step, duration);
  if (!r->name) return NULL;
  if (r->norm == CLI_END) return r->end;
  for (size_t i = 0; i < r->nmotion; i++)
    if (has_times(r->motion[i], &times)) return r->motion[i];
  return NULL;
}

void cli_reference_errors(const cli_reference *r, const cli_motion *against, const cli_motion *run,
                          bool has_forces, double error[CLI_QUANTITIES])
{
  for (int q = 0; q < CLI_QUANTITIES; q++)
    error[q] = q != CLI_FORCE || has_forces ? cli_motion_distance(r->norm, q, against->has[q], against, run)
                                            : NAN;
}

static double distance(const double a[3], const double b[3])
{
  return hn_hypot(hn_hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

bool cli_reference_hides(const cli_reference *r, double error)
{
  return r->ground && isfinite(error) && error <= r->uncertainty;
}

double cli_pose_distance(const cli_reference *r, const hn_pose *a, const hn_pose *b)
{
  double largest = 0.0;
  for (int i = 0; i < r->end->nbody; i++)
    if (r->end->has[CLI_POSITION][i]) largest = fmax(largest, distance(a[i].x, b[i].x));
  return largest;
}

void cli_reference_free(cli_reference *reference)
{
  free(reference->name);
  free(reference->key);
  free(reference->solver);
  free(reference->why_missing);
  cli_motion_free(reference->end);
  for (size_t i = 0; i < reference->nmotion; i++) cli_motion_free(reference->motion[i]);
  free(reference->motion);
  free(reference->known);
  cli_track_free(reference->track);
  memset(reference, 0, sizeof *reference);
}
