/* start_projection.c - the projection of the start of a model onto its joints, which a scene can ask for.
 *
 * Positions, until the residual is round-off (a step is halved while it does not help):
 *
 *   K mu = -g(x),   x := x + W G' mu           the shortest step in the mass metric |dx|^2 = dx' M dx
 *
 * then velocities, once and exactly the nearest in that metric:
 *
 *   K p = -(G u + bias),   u := u + W G' p
 *
 * Where constraints are redundant, mu and p are those of least norm. A limit that is violated is put on its bound; its
 * velocity is left to the solver, which knows impacts. A joint keeps the points and axes that the scene
 * gave it: they were fixed to the bodies where these stood before. */
#include "joint/joint_start.h"
#include "redundant/redundant.h"
#include "base/locale.h"
#include "base/quiet.h"
#include "base/rates.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100, MOST_HALVINGS = 10, MOST_SOLUTIONS = 3, DENSE_ROWS = 100 };

static const double projected = 1e-12; /* relative, see below */

/* ---- The projection ---------------------------------------------------------------------------------------------- */

typedef struct projector {
  hn_model *model;
  hn_system *system;
  hn_state *state, *trial, *work;
  double *p;     /* [nrow] */
  double extent; /* m, of the places of the bodies, and 1 */
  double speed;  /* of all bodies and prescribed motions, m/s and rad/s: the size of what they may violate */
} projector;

static int cannot(const char *left, hn_error *error)
{
  return hn_fail(error, "the start cannot be made consistent%s", left);
}

/* The joint that is left violated. */
static int refuse(const projector *d, int joint, double left, bool moving, hn_error *error)
{
  char text[256];
  const hn_joint *worst = &d->model->joint[joint < 0 ? 0 : joint];
  hn_print(text, sizeof text, ": joint \"%.100s\" is left violated by %s %s", worst->name,
           hn_exact(left).text, moving ? hn_joint_rate_unit(worst->type) : worst->type->unit);
  return cannot(text, error);
}

/* K p = b at the state; b may be p. */
static int solve(projector *d, const double *b, hn_error *error)
{
  char text[400];
  hn_system_jacobian(d->system, d->state);
  hn_reason reason = hn_system_factor(d->system);
  if (reason == HN_CONVERGED) reason = hn_system_solve(d->system, b, d->p);
  if (reason == HN_CONVERGED) return 0;
  if (reason != HN_SINGULAR) return cannot(": positions or velocities are not finite", error);
  hn_linear_explain(d->system, text, sizeof text);
  return cannot(text, error);
}

/* Residuals at the state; a limit that is violated acts from here on, and ends on its bound. */
static double evaluate(projector *d, int *worst)
{
  hn_system *s = d->system;
  double largest = hn_system_residual(s, d->state, worst);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    double violation = -s->g[block->row];
    if (block->joint->set->kind != HN_PUSH || s->held[block->row] || violation <= 0.0) continue;
    hn_system_hold(s, block->row, true);
    if (violation > largest) largest = violation, *worst = k;
  }
  return largest;
}

/* Of the residuals of the last evaluation, what counts: those of equations, and violations of limits. */
static double merit(const projector *d)
{
  const hn_system *s = d->system;
  double sum = 0.0;
  for (int i = 0; i < s->nrow; i++)
    if (s->held[i] || s->g[i] < 0.0) sum += s->g[i] * s->g[i];
  return sqrt(sum);
}

/* The longest of the steps 1, 1/2, 1/4, ... along W G' p that makes the residual smaller; returns that. */
static double descend(projector *d, double residual)
{
  double scale = -1.0, now = HUGE_VAL;
  for (int i = 0; i < MOST_HALVINGS; i++, scale *= 0.5) {
    hn_state_copy(d->trial, d->state);
    hn_system_displace(d->system, d->p, scale, d->work, d->trial);
    hn_system_residual(d->system, d->trial, NULL);
    now = merit(d);
    if (now < residual) break;
  }
  return now;
}

/* One Newton step from the residual of the last evaluation; false when it does not help. */
static bool step(projector *d)
{
  double residual = merit(d);
  if (!(descend(d, residual) < residual)) return false;
  hn_state_copy(d->state, d->trial);
  return true;
}

/* Which rows are equations: of positions those that have a residual, of velocities all but limits and bounded
 * forces. */
static void hold_equations(hn_system *s, bool velocities)
{
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    bool held = block->joint->set->kind == HN_ANY && (velocities || !block->joint->type->velocity);
    for (int r = 0; r < block->n; r++) hn_system_hold(s, block->row + r, held);
  }
}

static int project_positions(projector *d, hn_error *error)
{
  const double enough = projected * d->extent;
  hn_projection *report = &d->model->projection;
  int worst;
  hold_equations(d->system, false);
  double left = report->position = evaluate(d, &worst);
  while (!(left <= enough)) {
    if (solve(d, d->system->g, error)) return -1;
    if (++report->steps > MOST_STEPS || !step(d)) return refuse(d, worst, left, false, error);
    left = evaluate(d, &worst);
  }
  if (report->steps > 0 && left > 0 && solve(d, d->system->g, NULL) == 0) step(d); /* down to round-off */
  return 0;
}

/* K p = G u + bias, u -= W G' p, again while that helps. */
static int project_velocities(projector *d, hn_error *error)
{
  int worst;
  hold_equations(d->system, true);
  hn_system_jacobian(d->system, d->state);
  double left = hn_system_velocity_residual(d->system, d->state, d->p, &worst);
  d->model->projection.velocity = left;
  for (int i = 0; i < MOST_SOLUTIONS && left > 0; i++) {
    if (solve(d, d->p, error)) return -1;
    hn_state_copy(d->trial, d->state);
    hn_system_apply(d->system, d->p, -1.0, d->trial);
    double now = hn_system_velocity_residual(d->system, d->trial, d->p, &worst);
    if (!(now < left)) break;
    hn_state_copy(d->state, d->trial);
    left = now;
  }
  return left <= projected * d->speed ? 0 : refuse(d, worst, left, true, error);
}

/* The projected state is where the model starts. */
static void keep(projector *d)
{
  hn_projection *report = &d->model->projection;
  for (int i = 0; i < d->model->nbody; i++) {
    hn_body *body = &d->model->body[i];
    double way[3];
    vec_sub(way, d->state->pose[i].x, body->pose0.x);
    report->moved = fmax(report->moved, vec_norm(way));
    body->pose0 = d->state->pose[i];
    body->twist0 = d->state->twist[i];
  }
  report->done = true;
}

static void measure_start(projector *d)
{
  d->extent = 1.0;
  for (int i = 0; i < d->model->nbody; i++) {
    d->extent = fmax(d->extent, 1.0 + vec_norm(d->model->body[i].pose0.x));
    d->speed += hn_body_speed(&d->model->body[i]);
  }
  hn_system_jacobian(d->system, d->state);
  d->speed += norm_of(d->system->bias, d->model->nrow);
}

static int create(projector *d, hn_error *error)
{
  hn_linear_options linear = { .backend = d->model->nrow <= DENSE_ROWS ? "dense" : "ldl",
                               .petsc = "",
                               .redundancy = HN_MIN_NORM };
  d->system = hn_system_create(d->model, error);
  if (!d->system || hn_system_use_linear(d->system, &linear, error)) return -1;
  d->state = hn_state_create(d->model), d->trial = hn_state_create(d->model),
  d->work = hn_state_create(d->model);
  d->p = calloc((size_t)d->model->nrow, sizeof *d->p);
  return d->state && d->trial && d->work && d->p ? 0 : hn_fail(error, "out of memory");
}

int hn_model_project(hn_model *model, hn_error *error)
{
  projector d = { .model = model };
  model->projection = (hn_projection){ .done = model->nrow == 0 };
  if (model->nrow == 0) return 0;
  hn_quiet_gsl();
  int status = create(&d, error);
  if (status == 0) {
    measure_start(&d);
    status = project_positions(&d, error) || project_velocities(&d, error) ? -1 : 0;
  }
  if (status == 0) keep(&d);
  hn_system_free(d.system);
  hn_state_free(d.state), hn_state_free(d.trial), hn_state_free(d.work);
  free(d.p);
  return status;
}
