/* sensitivity.c - derivatives of the end of a run by a parameter of its scene (sensitivity.h).
 *
 *   D_0(h) = (y(p + h) - y(p - h)) / 2h,   h = w, w/2, w/4, ...
 *   D_j(h) = D_(j-1)(h) + (D_(j-1)(h) - D_(j-1)(2h)) / (4^j - 1)
 *
 * y(p) is the end of a run with the same steps, so that the limit is the derivative of the discrete motion:
 * the tangent of the solver's own steps. For each component, the entry of this table with the least
 * difference from its neighbours is taken, and that difference is its error: truncation falls and rounding
 * grows along the table. Rotations are those from the end of the run at p. [ridders1982] */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/sensitivity.h"
#include "elementary.h"

enum { LEVELS = 6 };
static const double width = 0.02; /* w relative to the parameter; of a parameter 0: itself */

void cli_sensitivity_free(cli_sensitivity *s)
{
  free(s->derivative), free(s->error);
  *s = (cli_sensitivity){ .name = NULL };
}

/* OUT := the rotation vector from FROM to TO. */
static void rotation_between(const double from[4], const double to[4], double out[3])
{
  double inverse[4], turn[4];
  quat_conj(inverse, from);
  quat_mul(turn, to, inverse);
  const double sign = turn[0] < 0.0 ? -1.0 : 1.0, sine = vec_norm(turn + 1);
  const double angle = 2.0 * hn_asin(fmin(1.0, sine));
  vec_scale(out, sine > 0.0 ? sign * angle / sine : 0.0, turn + 1);
}

/* Stores the end of RUN, relative to the orientations of BASE, in Y. */
static void store_end(const cli_sensitivity *s, const cli_outcome *base, const cli_outcome *run, double *y)
{
  const hn_model *model = cli_outcome_model(run);
  *y++ = run->summary.energy_final;
  for (int i = 1; i < s->nbody; i++, y += CLI_OF_BODY) {
    vec_copy(y, run->state->pose[i].x);
    rotation_between(base->state->pose[i].q, run->state->pose[i].q, y + 3);
    vec_copy(y + 6, run->state->twist[i].v), vec_copy(y + 9, run->state->twist[i].w);
  }
  for (int j = 0; j < s->njoint; j++, y += CLI_OF_JOINT)
    hn_joint_reaction(&model->joint[j], run->state, run->solver->multipliers + model->joint[j].row, y, y + 3);
}

/* Runs the scene with the parameter VALUE, and stores its end in Y. */
static int run_with(const cli_sensitivity *s, const cli_outcome *base, double value,
                    const cli_options *options, double *y, hn_error *error)
{
  cli_options changed = *options;
  cli_outcome run = { .state = NULL };
  cli_plan plan = base->plan;
  const hn_digits text = cli_exact(value);
  changed.setting = cli_alloc(options->nsetting + 1, sizeof *changed.setting);
  if (options->nsetting > 0)
    memcpy(changed.setting, options->setting, options->nsetting * sizeof *changed.setting);
  size_t at = 0;
  while (at < options->nsetting && strcmp(options->setting[at].name, s->name) != 0) at++;
  changed.setting[at] = (hn_setting){ s->name, text.text };
  if (at == options->nsetting) changed.nsetting++;
  plan.scene = cli_scene_load(options->word[0], &changed, error);
  int status = plan.scene ? cli_outcome_run(&run, &plan, error) : -1;
  if (status == 0 && run.summary.reason != HN_CONVERGED)
    status = hn_fail(error, "with %s = %s: %.300s", s->name, text.text, run.summary.explanation);
  if (status == 0 && (cli_outcome_model(&run)->nbody != s->nbody ||
                      cli_outcome_model(&run)->njoint != cli_outcome_model(base)->njoint))
    status = hn_fail(error, "the bodies or joints at the end depend on the value of %s", s->name);
  if (status == 0) store_end(s, base, &run, y);
  cli_outcome_free(&run);
  hn_scene_free(plan.scene);
  free(changed.setting);
  return status;
}

/* Chooses the best entry of the table for component C, of SIZE, from the differences D[LEVELS][count]. The
 * error includes the rounding of one operation. */
static void extrapolate(cli_sensitivity *s, const double *d, size_t c, double size)
{
  double table[LEVELS][LEVELS];
  s->error[c] = INFINITY;
  for (int k = 0; k < LEVELS; k++) {
    double factor = 1.0;
    table[k][0] = d[(size_t)k * s->count + c];
    for (int j = 1; j <= k; j++) {
      factor *= 4.0;
      table[k][j] = table[k][j - 1] + (table[k][j - 1] - table[k - 1][j - 1]) / (factor - 1.0);
      const double rounding = DBL_EPSILON * size / ldexp(s->width, -k);
      const double away = rounding +
                          fmax(fabs(table[k][j] - table[k][j - 1]), fabs(table[k][j] - table[k - 1][j - 1]));
      if (away < s->error[c]) s->error[c] = away, s->derivative[c] = table[k][j];
    }
  }
}

/* Finds the value of the parameter. */
static int find_value(cli_sensitivity *s, const hn_scene *scene, hn_error *error)
{
  for (size_t i = 0; i < scene->nparam; i++) {
    if (strcmp(scene->param[i].name, s->name) != 0) continue;
    if (cli_parse_number(scene->param[i].value, &s->value)) return 0;
    return hn_fail(error, "sensitivity: parameter %s is not a number", s->name);
  }
  return hn_fail(error, "sensitivity: the scene has no parameter %s (holonom list parameters SCENE)",
                 s->name);
}

int cli_sensitivity_make(cli_sensitivity *s, const cli_outcome *base, const char *name,
                         const cli_options *options, hn_error *error)
{
  const hn_model *model = cli_outcome_model(base);
  *s = (cli_sensitivity){ .name = name,
                          .nbody = model->nbody,
                          .njoint = cli_outcome_has_forces(base) ? model->njoint : 0 };
  if (find_value(s, base->plan.scene, error)) return -1;
  s->width = s->value != 0.0 ? width * fabs(s->value) : width;
  s->count = 1 + CLI_OF_BODY * (size_t)(s->nbody - 1) + CLI_OF_JOINT * (size_t)s->njoint;
  s->derivative = cli_alloc(s->count, sizeof *s->derivative),
  s->error = cli_alloc(s->count, sizeof *s->error);
  double *d = cli_alloc(LEVELS * s->count, sizeof *d), *y = cli_alloc(2 * s->count, sizeof *y);
  int status = 0;
  for (int k = 0; k < LEVELS && status == 0; k++) {
    const double low = s->value - ldexp(s->width, -k), high = s->value + ldexp(s->width, -k);
    status = run_with(s, base, low, options, y, error);
    if (status == 0) status = run_with(s, base, high, options, y + s->count, error);
    for (size_t c = 0; c < s->count && status == 0; c++)
      d[(size_t)k * s->count + c] = (y[s->count + c] - y[c]) / (high - low);
  }
  for (size_t c = 0; c < s->count && status == 0; c++)
    extrapolate(s, d, c, fmax(fabs(y[c]), fabs(y[s->count + c])));
  free(d), free(y);
  return status;
}
