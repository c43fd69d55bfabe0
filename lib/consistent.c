/* consistent.c - the start of a model against its joints: the check, and the projection that a scene can ask for.
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
 * velocity is left to the method, which knows impacts. A joint keeps the points and axes that the scene
 * gave it: they were fixed to the bodies where these stood before. */
#include "consistent.h"
#include "linear.h"
#include "quiet.h"
#include "rates.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100, MOST_HALVINGS = 10, MOST_SOLUTIONS = 3, DENSE_ROWS = 100 };

static const double start_tolerance = 1e-9, projected = 1e-12; /* relative, see below */

/* ---- The check --------------------------------------------------------------------------------------------------- */

/* What is violated by less, relative to the places of the bodies or to their speeds, is round-off in a scene. */
static double extent_of(const hn_body *a, const hn_body *b)
{
  return 1.0 + vec_norm(a->pose0.x) + vec_norm(b->pose0.x);
}

static double speed_of(const hn_body *body)
{
  return vec_norm(body->twist0.v) + vec_norm(body->twist0.w);
}

/* Violation of JOINT by the velocities at the start, and the speed it is measured against. */
static double rate_at_start(const hn_joint *joint, const hn_body *a, const hn_body *b, double *speed)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS];
  const int n = joint->type->rows;
  joint->type->eval(joint, 0.0, &a->pose0, &a->twist0, &b->pose0, &b->twist0,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  *speed = speed_of(a) + speed_of(b) + norm_of(rate, n);
  hn_add_rates(n, G_a, &a->twist0, G_b, &b->twist0, rate);
  return norm_of(rate, n);
}

static const char *unit_of_rate(const hn_joint_type *type)
{
  if (strcmp(type->unit, "m") == 0) return "m/s";
  return strcmp(type->unit, "rad") == 0 ? "rad/s" : "m/s, rad/s";
}

int hn_joint_check_start(const hn_model *model, const hn_joint *joint, hn_error *error)
{
  static const char remedy[] = "; --consistent, or consistent = true of the system, projects the start";
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  double g[HN_MAX_ROWS], speed;
  if (model->loose || model->consistent) return 0;
  joint->type->eval(joint, 0.0, &a->pose0, &a->twist0, &b->pose0, &b->twist0, &(hn_rows){ .g = g });
  const bool one_sided = joint->type->one_sided; /* its velocity may be that of an impact */
  double apart = one_sided ? fmax(-g[0], 0.0) : norm_of(g, joint->type->rows);
  double rate = one_sided ? 0.0 : rate_at_start(joint, a, b, &speed);
  if (!(apart <= start_tolerance * extent_of(a, b)))
    return hn_fail(error, "joint \"%s\" is violated by %.17g %s at the start%s", joint->name, apart, joint->type->unit,
                   remedy);
  if (!one_sided && !(rate <= start_tolerance * speed))
    return hn_fail(error, "joint \"%s\" is violated by %.17g %s by the velocities at the start%s", joint->name, rate,
                   unit_of_rate(joint->type), remedy);
  return 0;
}

/* ---- The projection ---------------------------------------------------------------------------------------------- */

typedef struct projector {
  hn_model *model;
  hn_system *system;
  hn_state *state, *trial, *work;
  double *p;       /* [nrow] */
  double extent;   /* m, of the places of the bodies, and 1 */
  double speed;    /* of all bodies and prescribed motions, m/s and rad/s: the size of what they may violate */
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
  snprintf(text, sizeof text, ": joint \"%.100s\" is left violated by %.17g %s", worst->name, left,
           moving ? unit_of_rate(worst->type) : worst->type->unit);
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
  for (int j = 0; j < d->model->njoint && s->off; j++) {
    double violation = -s->g[d->model->joint[j].row];
    if (!s->off[j] || violation <= 0.0) continue;
    hn_system_switch(s, j, true);
    if (violation > largest) largest = violation, *worst = j;
  }
  return largest;
}

/* The longest of the steps 1, 1/2, 1/4, ... along W G' p that makes the residual smaller; returns that. */
static double descend(projector *d, double residual)
{
  double scale = -1.0, now = HUGE_VAL;
  for (int i = 0; i < MOST_HALVINGS; i++, scale *= 0.5) {
    hn_state_copy(d->trial, d->state);
    hn_system_displace(d->system, d->p, scale, d->work, d->trial);
    hn_system_residual(d->system, d->trial, NULL);
    now = norm_of(d->system->g, d->model->nrow);
    if (now < residual) break;
  }
  return now;
}

/* One Newton step from the residual of the last evaluation; false when it does not help. */
static bool step(projector *d)
{
  double residual = norm_of(d->system->g, d->model->nrow);
  if (!(descend(d, residual) < residual)) return false;
  hn_state_copy(d->state, d->trial);
  return true;
}

static int project_positions(projector *d, hn_error *error)
{
  const double enough = projected * d->extent;
  hn_projection *report = &d->model->projection;
  int worst;
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
  for (int j = 0; j < d->model->njoint && d->system->off; j++)
    if (d->model->joint[j].type->one_sided) hn_system_switch(d->system, j, false);
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
    d->speed += speed_of(&d->model->body[i]);
  }
  hn_system_jacobian(d->system, d->state);
  d->speed += norm_of(d->system->bias, d->model->nrow);
}

static int create(projector *d, hn_error *error)
{
  hn_linear_options linear = { .backend = d->model->nrow <= DENSE_ROWS ? "dense" : "petsc", .petsc = "",
                               .redundancy = HN_MIN_NORM };
  d->system = hn_system_create(d->model, error);
  if (!d->system || hn_system_use_linear(d->system, &linear, error)) return -1;
  d->state = hn_state_create(d->model), d->trial = hn_state_create(d->model), d->work = hn_state_create(d->model);
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
