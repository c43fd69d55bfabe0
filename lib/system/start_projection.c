/* start_projection.c - projects the start of a model onto its constraints, if the scene asks for it.
 *
 * Positions, until the residual is round-off (a step is halved until the residual decreases):
 *
 *   K mu = -g(x),   x := x + W G' mu           the shortest step in the mass metric |dx|^2 = dx' M dx
 *
 * then velocities, in one step to the nearest point in that metric:
 *
 *   K p = -(G u + bias),   u := u + W G' p
 *
 * With redundant constraints mu and p have least norm. A violated limit is moved to its bound; its velocity
 * is left to the solver, which treats impacts. Points and axes of joints are not changed: they were fixed to
 * the bodies at the poses given by the scene. */
#include "joint/joint_start.h"
#include "redundant/redundant.h"
#include "base/locale.h"
#include "base/quiet.h"
#include "base/rates.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 100, MAX_HALVINGS = 10, MAX_SOLUTIONS = 3, DENSE_ROWS = 100 };

/* Largest residual of the projected start, relative to `extent` or `speed`: some thousand roundings. */
static const double relative_tolerance = 1e-12;

/* ---- The projection ----------------------------------------------------------------------------------- */

typedef struct projector {
  hn_model *model;
  hn_system *system;
  hn_state *state, *trial, *work;
  double *p;     /* [nrow] */
  double extent; /* m: 1 + the largest distance of a body from the origin */
  /* sum of the speeds of all bodies and prescribed motions, m/s and rad/s: scale of the velocity residual */
  double speed;
} projector;

static int fail_inconsistent(const char *details, hn_error *error)
{
  return hn_fail(error, "the start cannot be made consistent%s", details);
}

/* Reports the joint with the largest residual, which the projection could not reduce. */
static int report_residual(const projector *d, int joint, double residual, bool moving, hn_error *error)
{
  char text[256];
  const hn_joint *worst = &d->model->joint[joint < 0 ? 0 : joint];
  hn_print(text, sizeof text, ": joint \"%.100s\" is left violated by %s %s", worst->name,
           hn_exact(residual).text, moving ? hn_joint_rate_unit(worst->type) : worst->type->unit);
  return fail_inconsistent(text, error);
}

/* Solves K p = b at the state; b may be p. */
static int solve(projector *d, const double *b, hn_error *error)
{
  char text[400];
  hn_system_jacobian(d->system, d->state);
  hn_reason reason = hn_system_factor(d->system);
  if (reason == HN_CONVERGED) reason = hn_system_solve(d->system, b, d->p);
  if (reason == HN_CONVERGED) return 0;
  if (reason != HN_SINGULAR) return fail_inconsistent(": positions or velocities are not finite", error);
  hn_linear_explain(d->system, text, sizeof text);
  return fail_inconsistent(text, error);
}

/* Evaluates the residuals at the state, and activates violated limits, which then end on their bounds.
 * Returns the largest residual or violation. */
static double evaluate(projector *d, int *worst)
{
  hn_system *s = d->system;
  double largest = hn_system_residual(s, d->state, worst);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    double violation = -s->g[block->row];
    if (block->joint->set->kind != HN_PUSH || s->parts->held[block->row] || violation <= 0.0) continue;
    hn_system_hold(s, block->row, true);
    if (violation > largest) largest = violation, *worst = k;
  }
  return largest;
}

/* Returns the norm of the last residuals of equations and of violations of limits. */
static double merit(const projector *d)
{
  const hn_system *s = d->system;
  double sum = 0.0;
  for (int i = 0; i < s->nrow; i++)
    if (s->parts->held[i] || s->g[i] < 0.0) sum += s->g[i] * s->g[i];
  return sqrt(sum);
}

/* Tries steps of 1, 1/2, 1/4, ... along -W G' p until the residual decreases; returns the last residual. */
static double descend(projector *d, double residual)
{
  double scale = -1.0, new_residual = HUGE_VAL;
  for (int i = 0; i < MAX_HALVINGS; i++, scale *= 0.5) {
    hn_state_copy(d->trial, d->state);
    hn_system_displace(d->system, d->p, scale, d->work, d->trial);
    hn_system_residual(d->system, d->trial, NULL);
    new_residual = merit(d);
    if (new_residual < residual) break;
  }
  return new_residual;
}

/* Takes one Newton step from the last evaluation; false if the residual does not decrease. */
static bool step(projector *d)
{
  double residual = merit(d);
  if (!(descend(d, residual) < residual)) return false;
  hn_state_copy(d->state, d->trial);
  return true;
}

/* Selects the active rows: for positions the equations with a residual, for velocities all equations. */
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
  const double tolerance = relative_tolerance * d->extent;
  hn_projection *report = &d->model->projection;
  int worst;
  hold_equations(d->system, false);
  double residual = report->position = evaluate(d, &worst);
  while (!(residual <= tolerance)) {
    if (solve(d, d->system->g, error)) return -1;
    if (++report->steps > MAX_STEPS || !step(d)) return report_residual(d, worst, residual, false, error);
    residual = evaluate(d, &worst);
  }
  if (report->steps > 0 && residual > 0 && solve(d, d->system->g, NULL) == 0) step(d); /* to round-off */
  return 0;
}

/* Solves K p = G u + bias, u -= W G' p; repeated while the residual decreases. */
static int project_velocities(projector *d, hn_error *error)
{
  int worst;
  hold_equations(d->system, true);
  hn_system_jacobian(d->system, d->state);
  double residual = hn_system_velocity_residual(d->system, d->state, d->p, &worst);
  d->model->projection.velocity = residual;
  for (int i = 0; i < MAX_SOLUTIONS && residual > 0; i++) {
    if (solve(d, d->p, error)) return -1;
    hn_state_copy(d->trial, d->state);
    hn_system_apply(d->system, d->p, -1.0, d->trial);
    double new_residual = hn_system_velocity_residual(d->system, d->trial, d->p, &worst);
    if (!(new_residual < residual)) break;
    hn_state_copy(d->state, d->trial);
    residual = new_residual;
  }
  return residual <= relative_tolerance * d->speed ? 0 : report_residual(d, worst, residual, true, error);
}

/* Stores the projected state as the start of the model. */
static void store_start(projector *d)
{
  hn_projection *report = &d->model->projection;
  for (int i = 0; i < d->model->nbody; i++) {
    hn_body *body = &d->model->body[i];
    double change[3];
    vec_sub(change, d->state->pose[i].x, body->pose0.x);
    report->moved = fmax(report->moved, vec_norm(change));
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
  if (status == 0) store_start(&d);
  hn_system_free(d.system);
  hn_state_free(d.state), hn_state_free(d.trial), hn_state_free(d.work);
  free(d.p);
  return status;
}
