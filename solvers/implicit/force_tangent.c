/* force_tangent.c - derivatives of the forces on the bodies (force_tangent.h).
 *
 *   alpha = J^-1 N,  N = tau + (J w) x w                    angular acceleration of a body, J = R J_b R'
 *   dalpha = J^-1 (dN - d x N) + d x alpha                  by a rotation d and a change dw of w; tau fixed
 *   dN = (d x J w - J (d x w) + J dw) x w + (J w) x dw */
#include "implicit/force_tangent.h"
#include "base/rates.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

/* Difference in units of the scale of a component: the square root of the rounding unit. */
static const double increment = 0x1p-26;

/* A joint, or a force with the rows that measure it. */
typedef struct hn_tangent_element {
  const hn_joint *rows;
  const hn_force *force; /* NULL: a joint */
  int pair[2][2];        /* by the sides of the wrench and of the change; -1: none */
} element;

/* ---- Setup --------------------------------------------------------------------------------------------- */

static bool is_moving(const hn_model *model, int body)
{
  return model->body[body].kind != HN_FIXED;
}

static void list_freedoms(hn_tangent *t)
{
  const hn_model *model = t->model;
  for (int i = 0; i < model->nbody; i++)
    for (int c = 0; c < 6; c++) {
      const bool exists = is_moving(model, i) && (c < 3 || model->body[i].kind == HN_RIGID);
      t->freedom[6 * i + c] = exists && (!model->planar || c < 2 || c == 5);
    }
}

static int compare_pairs(const void *x, const void *y)
{
  const int *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Appends the pair (i, k) to PAIR, or only counts it if PAIR is NULL. */
static void add_pair(int (*pair)[2], int *count, int i, int k)
{
  if (pair) pair[*count][0] = i, pair[*count][1] = k;
  ++*count;
}

/* Writes the pairs of moving bodies into PAIR, with repetitions, and returns their number. */
static int write_pairs(const hn_tangent *t, int (*pair)[2])
{
  const hn_model *model = t->model;
  int count = 0;
  for (int i = 0; i < model->nbody; i++)
    for (int k = t->couples_all ? 0 : i; k < (t->couples_all ? model->nbody : i + 1); k++)
      if (is_moving(model, i) && is_moving(model, k)) add_pair(pair, &count, i, k);
  for (int e = 0; e < t->nelement && !t->couples_all; e++) {
    const int a = t->element[e].rows->a, b = t->element[e].rows->b;
    if (!is_moving(model, a) || !is_moving(model, b)) continue;
    add_pair(pair, &count, a, b);
    add_pair(pair, &count, b, a);
  }
  return count;
}

static int find_pair(const hn_tangent *t, int i, int k)
{
  if (!is_moving(t->model, i) || !is_moving(t->model, k)) return -1;
  for (int p = t->first[i]; p < t->first[i + 1]; p++)
    if (t->other[p] == k) return p;
  return -1;
}

/* Lists the pairs, each once, from the COUNT sorted ones. */
static void store_pairs(hn_tangent *t, int (*pair)[2], int count)
{
  t->npair = 0;
  for (int i = 0, p = 0; i < t->model->nbody; i++) {
    t->first[i] = t->npair;
    for (; p < count && pair[p][0] == i; p++)
      if (t->npair == t->first[i] || t->other[t->npair - 1] != pair[p][1]) t->other[t->npair++] = pair[p][1];
  }
  t->first[t->model->nbody] = t->npair;
  for (int e = 0; e < t->nelement; e++) {
    const int body[2] = { t->element[e].rows->a, t->element[e].rows->b };
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < 2; k++) t->element[e].pair[i][k] = find_pair(t, body[i], body[k]);
  }
}

static void list_elements(hn_tangent *t)
{
  const hn_model *model = t->model;
  t->nelement = 0;
  for (int j = 0; j < model->njoint; j++) t->element[t->nelement++] = (element){ .rows = &model->joint[j] };
  for (int f = 0; f < model->nforce && !t->couples_all; f++)
    t->element[t->nelement++] = (element){ .rows = &model->force[f].rows, .force = &model->force[f] };
}

int hn_tangent_setup(hn_solver *solver, hn_tangent *t, hn_error *error)
{
  const hn_model *model = t->model = solver->system->model;
  const size_t bodies = (size_t)model->nbody;
  t->couples_all = model->compliant || model->more;
  if (hn_solver_allocate(solver, error, HN_ARRAY(t->freedom, 6 * bodies), HN_ARRAY(t->first, bodies + 1),
                         HN_ARRAY(t->Aq, 9 * bodies), HN_ARRAY(t->Au, 9 * bodies),
                         HN_ARRAY(t->V, 12 * (size_t)model->nrow), HN_ARRAY(t->wrench[0], 6 * bodies),
                         HN_ARRAY(t->wrench[1], 6 * bodies), HN_STATE(t->moved),
                         HN_ARRAY(t->element, model->njoint + model->nforce)))
    return -1;
  t->length = hn_model_size(model, t->moved);
  if (!(t->length > 0.0)) t->length = 1.0;
  list_freedoms(t);
  list_elements(t);
  const int count = write_pairs(t, NULL);
  if (hn_solver_allocate(solver, error, HN_ARRAY(t->other, count), HN_ARRAY(t->Dq, 36 * (size_t)count),
                         HN_ARRAY(t->Du, 36 * (size_t)count)))
    return -1;
  int(*pair)[2] = malloc(sizeof *pair * ((size_t)count + 1));
  if (!pair) return hn_fail(error, "out of memory");
  write_pairs(t, pair);
  qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
  store_pairs(t, pair, count);
  free(pair);
  return 0;
}

/* ---- Differences --------------------------------------------------------------------------------------- */

/* Moves component C of POSE, or of TWIST if c >= 6, by a small amount, which is returned. */
static double perturb(const hn_tangent *t, int c, hn_pose *pose, hn_twist *twist)
{
  if (c < 3) {
    const double before = pose->x[c];
    pose->x[c] += increment * t->length;
    return pose->x[c] - before;
  }
  if (c < 6) {
    double turn[4] = { 1.0, 0.0, 0.0, 0.0 };
    turn[c - 2] = 0.5 * increment;
    quat_mul(pose->q, turn, pose->q);
    quat_normalise(pose->q);
    return increment;
  }
  double *u = c < 9 ? &twist->v[c - 6] : &twist->w[c - 9];
  const double before = *u;
  *u += increment * fmax(c < 9 ? t->length : 1.0, fabs(before));
  return *u - before;
}

/* Wrenches of an element on its bodies a and b, and the rates of its rows. */
typedef struct values {
  double wrench[12], rate[HN_MAX_ROWS];
} values;

/* Evaluates E with the given poses and twists of a and b at the time and inputs of STATE. */
static void evaluate(const element *e, const hn_state *state, const double *lambda, const hn_pose pose[2],
                     const hn_twist twist[2], values *out)
{
  const hn_joint *j = e->rows;
  const int n = j->type->rows;
  double g[HN_MAX_ROWS], G[2][6 * HN_MAX_ROWS], law[HN_MAX_ROWS];
  const double *Q = law;
  j->type->eval(j, state->time, &pose[0], &twist[0], &pose[1], &twist[1],
                &(hn_rows){ .g = e->force ? g : NULL, .G_a = G[0], .G_b = G[1], .bias = out->rate });
  hn_add_rates(n, G[0], &twist[0], G[1], &twist[1], out->rate);
  if (e->force) hn_force_law(e->force, state->time, state->input + e->force->input, g, out->rate, law);
  else Q = lambda + j->row;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++) {
      double sum = 0.0;
      for (int r = 0; r < n; r++) sum += G[side][c * n + r] * Q[r];
      out->wrench[6 * side + c] = sum;
    }
}

/* Adds the difference quotient of E by component C of its body SIDE, changed by D, to the derivatives. */
static void add_difference(hn_tangent *t, const element *e, int side, int c, double d, const values *at,
                           const values *moved)
{
  const int n = e->rows->type->rows;
  for (int to = 0; to < 2; to++) {
    const int pair = e->pair[to][side];
    double *D = (c < 6 ? t->Dq : t->Du) + 36 * pair + c % 6;
    for (int i = 0; i < 6 && pair >= 0; i++)
      D[6 * i] += (moved->wrench[6 * to + i] - at->wrench[6 * to + i]) / d;
  }
  if (e->force || c >= 6) return;
  for (int r = 0; r < n; r++)
    t->V[12 * e->rows->row + (6 * side + c) * n + r] = (moved->rate[r] - at->rate[r]) / d;
}

/* Computes the derivatives of one element. */
static void differentiate(hn_tangent *t, const element *e, const hn_state *state, const double *lambda)
{
  const int body[2] = { e->rows->a, e->rows->b }, components = e->force ? 12 : 6;
  hn_pose pose[2] = { state->pose[body[0]], state->pose[body[1]] };
  hn_twist twist[2] = { state->twist[body[0]], state->twist[body[1]] };
  values at, moved;
  evaluate(e, state, lambda, pose, twist, &at);
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < components; c++) {
      if (!t->freedom[6 * body[side] + c % 6]) continue;
      const double d = perturb(t, c, &pose[side], &twist[side]);
      evaluate(e, state, lambda, pose, twist, &moved);
      add_difference(t, e, side, c, d, &at, &moved);
      pose[side] = state->pose[body[side]], twist[side] = state->twist[body[side]];
    }
}

/* Computes the derivatives of the sum of all forces, body by body. */
static void differentiate_sum(hn_system *s, hn_tangent *t, const hn_state *state)
{
  hn_state_copy(t->moved, state);
  hn_system_forces(s, state, t->wrench[0]);
  for (int k = 1; k < state->nbody; k++)
    for (int c = 0; c < 12; c++) {
      if (!t->freedom[6 * k + c % 6]) continue;
      const double d = perturb(t, c, &t->moved->pose[k], &t->moved->twist[k]);
      hn_system_forces(s, t->moved, t->wrench[1]);
      t->moved->pose[k] = state->pose[k], t->moved->twist[k] = state->twist[k];
      for (int i = 1; i < state->nbody; i++) {
        const int pair = find_pair(t, i, k);
        double *D = (c < 6 ? t->Dq : t->Du) + 36 * pair + c % 6;
        for (int r = 0; r < 6 && pair >= 0; r++)
          D[6 * r] += (t->wrench[1][6 * i + r] - t->wrench[0][6 * i + r]) / d;
      }
    }
}

/* ---- Rotation of one body ------------------------------------------------------------------------------ */

/* Computes out = R diag(d) R' v; out may be v. */
static void scale_in_body(double out[3], const double q[4], const double d[3], const double v[3])
{
  double b[3];
  quat_unrotate(b, q, v);
  for (int i = 0; i < 3; i++) b[i] *= d[i];
  quat_rotate(out, q, b);
}

/* Computes dalpha by the rotation D, or if it is NULL by the change DW of w; N and ALPHA as above. */
static void angular_derivative(const hn_body *body, const double q[4], const double w[3], const double N[3],
                               const double alpha[3], const double *d, const double *dw, double out[3])
{
  double L[3], dL[3], sum[3], term[3];
  scale_in_body(L, q, body->J, w);
  if (d) {
    vec_cross(term, d, w);
    scale_in_body(term, q, body->J, term);
    vec_cross(dL, d, L);
    vec_sub(dL, dL, term);
  } else scale_in_body(dL, q, body->J, dw);
  vec_cross(sum, dL, w);
  if (d) vec_cross(term, d, N), vec_scale(term, -1.0, term);
  else vec_cross(term, L, dw);
  vec_add(sum, sum, term);
  scale_in_body(out, q, body->inv_J, sum);
  if (!d) return;
  vec_cross(term, d, alpha);
  vec_add(out, out, term);
}

/* Computes Aq and Au of body I, whose torque is TAU. */
static void differentiate_rotation(hn_tangent *t, const hn_state *state, int i, const double tau[3])
{
  const hn_body *body = &t->model->body[i];
  const double *q = state->pose[i].q, *w = state->twist[i].w;
  double L[3], N[3], alpha[3];
  scale_in_body(L, q, body->J, w);
  vec_cross(N, L, w);
  vec_add(N, N, tau);
  scale_in_body(alpha, q, body->inv_J, N);
  for (int c = 0; c < 3; c++) {
    double unit[3] = { 0 }, column[3];
    unit[c] = 1.0;
    angular_derivative(body, q, w, N, alpha, unit, NULL, column);
    for (int r = 0; r < 3; r++) t->Aq[9 * i + 3 * r + c] = column[r];
    angular_derivative(body, q, w, N, alpha, NULL, unit, column);
    for (int r = 0; r < 3; r++) t->Au[9 * i + 3 * r + c] = column[r];
  }
}

/* Computes the wrenches P in t->wrench[0]. */
static void sum_wrenches(hn_system *s, hn_tangent *t, const hn_state *state, const double *lambda)
{
  memset(t->wrench[0], 0, sizeof *t->wrench[0] * 6 * (size_t)state->nbody);
  if (hn_model_has_forces(s->model)) hn_system_forces(s, state, t->wrench[0]);
  for (int e = 0; e < t->nelement && !t->element[e].force; e++) {
    const hn_joint *j = t->element[e].rows;
    values at;
    evaluate(&t->element[e], state, lambda, (hn_pose[2]){ state->pose[j->a], state->pose[j->b] },
             (hn_twist[2]){ state->twist[j->a], state->twist[j->b] }, &at);
    for (int c = 0; c < 6; c++)
      t->wrench[0][6 * j->a + c] += at.wrench[c], t->wrench[0][6 * j->b + c] += at.wrench[6 + c];
  }
}

static void count_work(hn_system *s, const hn_tangent *t)
{
  for (int e = 0; e < t->nelement; e++) {
    const bool is_force = t->element[e].force;
    const int moving = is_moving(t->model, t->element[e].rows->a) +
                       is_moving(t->model, t->element[e].rows->b);
    if (is_force) s->work.forces += (uint64_t)(1 + 12 * moving);
    else s->work.jacobians += (uint64_t)(2 + 6 * moving);
  }
}

void hn_tangent_compute(hn_system *s, hn_tangent *t, const hn_state *state, const double *lambda)
{
  memset(t->Dq, 0, sizeof *t->Dq * 36 * (size_t)t->npair);
  memset(t->Du, 0, sizeof *t->Du * 36 * (size_t)t->npair);
  for (int e = 0; e < t->nelement; e++) differentiate(t, &t->element[e], state, lambda);
  if (t->couples_all) differentiate_sum(s, t, state);
  sum_wrenches(s, t, state, lambda);
  for (int k = 0; k < s->nrotating; k++)
    differentiate_rotation(t, state, s->rotating[k], t->wrench[0] + 6 * s->rotating[k] + 3);
  count_work(s, t);
}
