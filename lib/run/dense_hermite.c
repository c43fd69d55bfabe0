/* dense_hermite.c - states between the ends of a step by interpolation (dense_hermite.h).
 *
 * With s = (t - t0) / h, accelerations a of the constrained motion at both ends, and unit quaternions q of
 * the same sign as vectors of R^4:
 *
 *   x, q   quintic Hermite polynomial of the values and their first two derivatives    error O(h^6)
 *          q' = w q / 2,  q'' = w' q / 2 - |w|^2 q / 4;  q is normalised
 *   v, w   cubic Hermite polynomial of the values and of a                             error O(h^4)
 *   then   K mu = r - g(x),  x := x + W G' mu;   K p = s - G u,  u := u + W G' p       projection
 *   joint  K lambda = -(G a_free + gamma) at the state, plus s times the difference between the joint forces
 *   forces that the solver reports at the end and the solution of this equation there
 *
 * r and s are the residuals at both ends, interpolated linearly: zero for a solver without drift, and
 * otherwise the interpolation has the drift of the solver. v and w are not the derivative of x and q, which
 * would amplify the tolerance of the solver by 1 / h.
 *
 * If velocities can jump within the step, positions and velocities are interpolated linearly, orientations
 * along the shortest arc, and the joint forces are those of the step. A linear interpolation penetrates a
 * plane no deeper than both ends. [Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I,
 * section II.6, for dense output by Hermite interpolation] */
#include "run/dense_hermite.h"
#include "base/vec.h"
#include "parts/manifold.h"

#include <stdlib.h>
#include <string.h>

/* One end of the step. */
typedef struct end {
  hn_twist *acceleration;      /* [nbody] */
  double *lambda;              /* [nrow] */
  double *position, *velocity; /* [nrow] residuals */
} end;

struct hn_hermite {
  hn_manifold manifold;
  bool jumps;
  end end[2];
  double *target; /* [nrow] */
};

static int allocate_end(end *e, const hn_model *model)
{
  const size_t rows = (size_t)model->nrow + 1;
  e->acceleration = calloc((size_t)model->nbody, sizeof *e->acceleration);
  e->lambda = calloc(rows, sizeof(double)), e->position = calloc(rows, sizeof(double));
  e->velocity = calloc(rows, sizeof(double));
  return e->acceleration && e->lambda && e->position && e->velocity ? 0 : -1;
}

hn_hermite *hn_hermite_create(const hn_model *model, bool jumps, hn_error *error)
{
  hn_hermite *d = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory"), NULL;
  d->jumps = jumps;
  if (hn_manifold_create(&d->manifold, model, error)) return hn_hermite_free(d), NULL;
  d->target = calloc((size_t)model->nrow + 1, sizeof *d->target);
  if (d->target && !allocate_end(&d->end[0], model) && !allocate_end(&d->end[1], model)) return d;
  hn_fail(error, "out of memory");
  return hn_hermite_free(d), NULL;
}

void hn_hermite_free(hn_hermite *d)
{
  if (!d) return;
  for (end *e = d->end; e < d->end + 2; e++)
    free(e->acceleration), free(e->lambda), free(e->position), free(e->velocity);
  hn_manifold_free(&d->manifold);
  free(d->target);
  free(d);
}

/* Evaluates the residuals, accelerations and joint forces at the end E with STATE. */
static hn_reason evaluate_end(hn_hermite *d, const hn_state *state, end *e)
{
  hn_system *s = d->manifold.system;
  hn_manifold_hold(&d->manifold, true);
  hn_system_residual(s, state, NULL);
  memcpy(e->position, s->g, sizeof *e->position * (size_t)s->nrow);
  hn_system_jacobian(s, state);
  hn_system_velocity_residual(s, state, e->velocity, NULL);
  return d->jumps ? HN_CONVERGED : hn_manifold_accelerate(&d->manifold, state, e->acceleration, e->lambda);
}

static void set_target(hn_hermite *d, const double *at_start, const double *at_end, double s)
{
  for (int i = 0; i < d->manifold.system->nrow; i++) d->target[i] = (1.0 - s) * at_start[i] + s * at_end[i];
}

/* ---- Interpolation ------------------------------------------------------------------------------------- */

/* One end of a curve of N components: value, first and second derivative. */
typedef struct knot {
  double at[4], rate[4], second[4];
} knot;

/* Quintic Hermite polynomial at S in [0, 1] of a step of H. */
static void quintic(const knot *a, const knot *b, double s, double h, int n, double *out)
{
  const double s2 = s * s, s3 = s2 * s, r = 1.0 - s, r2 = r * r, r3 = r2 * r;
  const double to = s3 * (10.0 + s * (6.0 * s - 15.0)), rate_a = h * s * r3 * (1.0 + 3.0 * s),
               rate_b = -h * r * s3 * (1.0 + 3.0 * r), second_a = 0.5 * h * h * s2 * r3,
               second_b = 0.5 * h * h * r2 * s3;
  for (int i = 0; i < n; i++)
    out[i] = a->at[i] + to * (b->at[i] - a->at[i]) + rate_a * a->rate[i] + rate_b * b->rate[i] +
             second_a * a->second[i] + second_b * b->second[i];
}

/* Cubic Hermite polynomial of values and rates. */
static void cubic(const double a[3], const double rate_a[3], const double b[3], const double rate_b[3],
                  double s, double h, double out[3])
{
  const double r = 1.0 - s, to = s * s * (3.0 - 2.0 * s);
  for (int i = 0; i < 3; i++)
    out[i] = a[i] + to * (b[i] - a[i]) + h * s * r * (r * rate_a[i] - s * rate_b[i]);
}

/* Stores orientation and its derivatives, with the sign that is nearest to NEAR. */
static void orientation_knot(knot *k, const hn_pose *pose, const hn_twist *u, const hn_twist *a,
                             const double near[4])
{
  double dot = 0.0, w[4] = { 0 }, alpha[4] = { 0 };
  for (int i = 0; i < 4; i++) dot += pose->q[i] * near[i];
  for (int i = 0; i < 4; i++) k->at[i] = dot < 0.0 ? -pose->q[i] : pose->q[i];
  vec_scale(w + 1, 0.5, u->w), vec_scale(alpha + 1, 0.5, a->w);
  quat_mul(k->rate, w, k->at), quat_mul(k->second, alpha, k->at);
  for (int i = 0; i < 4; i++) k->second[i] -= 0.25 * vec_dot(u->w, u->w) * k->at[i];
}

static void position_knot(knot *k, const hn_pose *pose, const hn_twist *u, const hn_twist *a)
{
  vec_copy(k->at, pose->x), vec_copy(k->rate, u->v), vec_copy(k->second, a->v);
}

/* Interpolates body I at S of the step of H. */
static void interpolate_body(const hn_hermite *d, const hn_frame *f, int i, double s, double h, hn_state *out)
{
  const hn_pose *p[] = { &f->before->pose[i], &f->state->pose[i] };
  const hn_twist *u[] = { &f->before->twist[i], &f->state->twist[i] };
  const hn_twist *a[] = { &d->end[0].acceleration[i], &d->end[1].acceleration[i] };
  knot k[2];
  for (int e = 0; e < 2; e++) position_knot(&k[e], p[e], u[e], a[e]);
  quintic(&k[0], &k[1], s, h, 3, out->pose[i].x);
  cubic(u[0]->v, a[0]->v, u[1]->v, a[1]->v, s, h, out->twist[i].v);
  if (d->manifold.system->model->body[i].kind != HN_RIGID) return;
  for (int e = 0; e < 2; e++) orientation_knot(&k[e], p[e], u[e], a[e], p[0]->q);
  quintic(&k[0], &k[1], s, h, 4, out->pose[i].q);
  quat_normalise(out->pose[i].q);
  cubic(u[0]->w, a[0]->w, u[1]->w, a[1]->w, s, h, out->twist[i].w);
}

/* OUT := (1 - s) A + s B for N numbers. */
static void mix(const double *a, const double *b, double s, int n, double *out)
{
  for (int i = 0; i < n; i++) out[i] = (1.0 - s) * a[i] + s * b[i];
}

/* Interpolates body I linearly: its orientation along the arc between the ends. */
static void mix_body(const hn_frame *f, int i, double s, hn_state *out)
{
  const hn_twist none = { { 0 }, { 0 } };
  knot k;
  mix(f->before->pose[i].x, f->state->pose[i].x, s, 3, out->pose[i].x);
  mix(f->before->twist[i].v, f->state->twist[i].v, s, 3, out->twist[i].v);
  mix(f->before->twist[i].w, f->state->twist[i].w, s, 3, out->twist[i].w);
  orientation_knot(&k, &f->state->pose[i], &none, &none, f->before->pose[i].q);
  mix(f->before->pose[i].q, k.at, s, 4, out->pose[i].q);
  quat_normalise(out->pose[i].q);
}

/* Computes the joint forces at OUT, whose K is factored. */
static hn_reason interpolate_forces(hn_hermite *d, const hn_frame *f, const hn_state *out, double s,
                                    double *multipliers)
{
  const int rows = d->manifold.system->nrow;
  hn_reason reason = HN_CONVERGED;
  if (d->jumps) memcpy(multipliers, f->multipliers, sizeof *multipliers * (size_t)rows);
  else {
    reason = hn_manifold_accelerate(&d->manifold, out, d->manifold.work->twist, multipliers);
    for (int i = 0; i < rows; i++) multipliers[i] += s * (f->multipliers[i] - d->end[1].lambda[i]);
  }
  return reason;
}

hn_reason hn_hermite_at(hn_hermite *d, const hn_frame *f, double time, hn_state *out, double *multipliers)
{
  const hn_model *model = d->manifold.system->model;
  const double h = f->state->time - f->before->time, s = (time - f->before->time) / h;
  hn_reason reason = evaluate_end(d, f->before, &d->end[0]);
  if (reason == HN_CONVERGED) reason = evaluate_end(d, f->state, &d->end[1]);
  if (reason != HN_CONVERGED) return reason;
  hn_state_copy(out, f->before);
  out->time = time;
  for (int i = 1; i < model->nbody; i++) {
    if (model->body[i].kind == HN_FIXED) continue;
    if (d->jumps) mix_body(f, i, s, out);
    else interpolate_body(d, f, i, s, h, out);
  }
  if (model->nrow > 0) {
    set_target(d, d->end[0].position, d->end[1].position, s);
    reason = hn_manifold_project_positions(&d->manifold, d->target, out);
    set_target(d, d->end[0].velocity, d->end[1].velocity, s);
    if (reason == HN_CONVERGED) reason = hn_manifold_project_velocities(&d->manifold, d->target, out);
  }
  if (reason == HN_CONVERGED && multipliers) reason = interpolate_forces(d, f, out, s, multipliers);
  return reason == HN_CONVERGED && !hn_state_finite(out) ? HN_NOT_FINITE : reason;
}
