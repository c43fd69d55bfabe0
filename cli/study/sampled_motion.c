/* sampled_motion.c - a motion at some of its times, and distances between motions. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/study/sampled_motion.h"
#include "elementary.h"

const cli_quantity cli_quantities[CLI_QUANTITIES] = {
  [CLI_POSITION] = { "position", "m", "order", "error" },
  [CLI_ORIENTATION] = { "orientation", "rad", "orientation_order", "orientation_error" },
  [CLI_VELOCITY] = { "velocity", "m/s, rad/s", "velocity_order", "velocity_error" },
  [CLI_FORCE] = { "joint force", "N, N m", "force_order", "force_error" },
};

const cli_norm_text cli_norms[] = {
  [CLI_END] = { "end", "the largest of any body at the end" },
  [CLI_RMS] = { "rms", "root mean square over the motion" },
  [CLI_MAX] = { "max", "the largest of any body at any time" },
};

int cli_norm_read(const char *name, cli_norm *norm, hn_error *error)
{
  *norm = CLI_END;
  for (int i = 0; name && i <= CLI_MAX; i++) {
    *norm = (cli_norm)i;
    if (strcmp(name, cli_norms[i].name) == 0) return 0;
  }
  return name ? hn_fail(error, "--norm %s: a norm is end, rms or max", name) : 0;
}

/* ---- Motions ------------------------------------------------------------------------------------------- */

cli_motion *cli_motion_create(const hn_model *model, long count, long every)
{
  const size_t n = (size_t)count, bodies = n * (size_t)model->nbody;
  cli_motion *m = cli_alloc(1, sizeof *m);
  *m = (cli_motion){ .nbody = model->nbody,
                     .nrow = model->nrow,
                     .count = count,
                     .every = every,
                     .time = cli_alloc(n, sizeof *m->time),
                     .pose = cli_alloc(bodies, sizeof *m->pose),
                     .twist = cli_alloc(bodies, sizeof *m->twist),
                     .force = cli_alloc(n * (size_t)model->nrow + 1, sizeof *m->force) };
  for (int q = 0; q < CLI_QUANTITIES; q++) m->has[q] = cli_alloc((size_t)model->nbody, sizeof *m->has[q]);
  return m;
}

cli_motion *cli_motion_create_even(const hn_model *model, long count, double duration)
{
  cli_motion *m = cli_motion_create(model, count, 1);
  for (long k = 0; k < count; k++)
    m->time[k] = k + 1 == count ? duration : duration * (double)(k + 1) / (double)count;
  return m;
}

void cli_motion_free(cli_motion *m)
{
  if (!m) return;
  for (int q = 0; q < CLI_QUANTITIES; q++) free(m->has[q]);
  free(m->time), free(m->pose), free(m->twist), free(m->force);
  free(m);
}

void cli_mark_known(bool *const has[CLI_QUANTITIES], const hn_model *model, bool has_forces)
{
  for (int i = 0; i < model->nbody; i++) {
    has[CLI_POSITION][i] = has[CLI_VELOCITY][i] = model->body[i].kind != HN_FIXED;
    has[CLI_ORIENTATION][i] = model->body[i].kind == HN_RIGID;
  }
  has[CLI_FORCE][0] = has_forces && model->njoint > 0;
}

void cli_motion_put(cli_motion *m, long k, const hn_state *state, const double *force)
{
  const size_t body = (size_t)(k * m->nbody), row = (size_t)(k * m->nrow);
  m->time[k] = state->time;
  memcpy(m->pose + body, state->pose, sizeof *m->pose * (size_t)m->nbody);
  memcpy(m->twist + body, state->twist, sizeof *m->twist * (size_t)m->nbody);
  if (force) memcpy(m->force + row, force, sizeof *m->force * (size_t)m->nrow);
}

void cli_motion_keep(cli_motion *m, long index, long steps, const hn_state *state, const double *force)
{
  const long k = index / m->every - 1;
  if (index == steps) cli_motion_put(m, m->count - 1, state, force);
  else if (index > 0 && index % m->every == 0 && k + 1 < m->count) cli_motion_put(m, k, state, force);
}

double cli_motion_stride(double steps)
{
  double stride = 1.0;
  while (nearbyint(steps / stride) >= CLI_MOTION_TIMES) stride *= 2.0;
  return stride;
}

/* ---- Distances ----------------------------------------------------------------------------------------- */

static double square_of_difference(const double *a, const double *b, int n)
{
  double square = 0.0;
  for (int i = 0; i < n; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
  return square;
}

/* Returns the square of the angle between two orientations; q and -q are the same orientation. */
static double square_of_angle(const double a[4], const double b[4])
{
  double dot = 0.0;
  for (int i = 0; i < 4; i++) dot += a[i] * b[i];
  double sign = dot < 0.0 ? -1.0 : 1.0, square = 0.0;
  for (int i = 0; i < 4; i++) square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
  double quarter = hn_asin(fmin(1.0, 0.5 * sqrt(square)));
  return 16.0 * quarter * quarter;
}

double cli_motion_square(int q, int i, const cli_motion *a, const cli_motion *b, long k)
{
  const long at = k * a->nbody + i;
  const hn_twist *u = &a->twist[at], *v = &b->twist[at];
  switch (q) {
  case CLI_POSITION: return square_of_difference(a->pose[at].x, b->pose[at].x, 3);
  case CLI_ORIENTATION: return square_of_angle(a->pose[at].q, b->pose[at].q);
  case CLI_VELOCITY: return square_of_difference(u->v, v->v, 3) + square_of_difference(u->w, v->w, 3);
  default: return square_of_difference(a->force + k * a->nrow, b->force + k * b->nrow, a->nrow);
  }
}

/* Returns the weight of time K in the trapezoidal rule for 3 / T^3 times the integral of t^2. */
static double weight(const cli_motion *m, long k)
{
  const double end = m->time[m->count - 1], t = m->time[k] / end, before = k > 0 ? m->time[k - 1] : 0.0;
  const double after = k + 1 < m->count ? m->time[k + 1] : m->time[k];
  return 3.0 * t * t * 0.5 * (after - before) / end;
}

/* Returns the distance in quantity Q at the times from FIRST to before END, over the bodies marked in HAS. */
static double distance(cli_norm norm, int q, const bool *has, const cli_motion *a, const cli_motion *b,
                       long first, long end)
{
  double square = NAN;
  for (int i = 0; i < a->nbody; i++) {
    if (!has[i]) continue;
    if (isnan(square)) square = 0.0;
    for (long k = first; k < end; k++) {
      const double at = cli_motion_square(q, i, a, b, k);
      square = norm == CLI_RMS ? square + weight(a, k) * at : fmax(square, at);
    }
  }
  return sqrt(square);
}

double cli_motion_distance(cli_norm norm, int q, const bool *has, const cli_motion *a, const cli_motion *b)
{
  return distance(norm, q, has, a, b, norm == CLI_END ? a->count - 1 : 0, a->count);
}

/* ---- Over time ----------------------------------------------------------------------------------------- */

cli_error_curve *cli_error_curve_create(const cli_motion *a, const cli_motion *run, bool has_forces)
{
  const size_t count = (size_t)a->count;
  cli_error_curve *c = cli_alloc(1, sizeof *c);
  *c = (cli_error_curve){ .count = a->count, .time = cli_alloc(count, sizeof *c->time) };
  for (int q = 0; q < CLI_QUANTITIES; q++) c->error[q] = cli_alloc(count, sizeof *c->error[q]);
  for (long k = 0; k < a->count; k++) {
    c->time[k] = a->time[k];
    for (int q = 0; q < CLI_QUANTITIES; q++)
      c->error[q][k] = q != CLI_FORCE || has_forces ? distance(CLI_MAX, q, a->has[q], a, run, k, k + 1) : NAN;
  }
  return c;
}

void cli_error_curve_free(cli_error_curve *c)
{
  if (!c) return;
  for (int q = 0; q < CLI_QUANTITIES; q++) free(c->error[q]);
  free(c->time);
  free(c);
}
