/* independent_basis.c - scaled coordinates and their division (independent_basis.h). */
#include "independent/independent_basis.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* Remainder of a row of unit length that counts as round-off: the row repeats others. */
static const double rank_tolerance = 1e-9;

static double mass_of(const hn_body *body, int axis)
{
  return axis < 3 ? body->mass : body->inv_J[axis - 3] > 0.0 ? body->J[axis - 3] : 0.0;
}

/* Lists the coordinates; only counts them while basis->coordinate is NULL. */
static void list_coordinates(hn_basis *b, const hn_model *model)
{
  b->n = 0;
  for (int i = 0; i < model->nbody; i++) {
    if (b->first) b->first[i] = b->n;
    for (int axis = 0; axis < 6 && model->body[i].kind != HN_FIXED; axis++) {
      const double mass = mass_of(&model->body[i], axis);
      if (!(mass > 0.0) || (model->planar && axis == 2)) continue;
      if (b->coordinate) b->coordinate[b->n] = (hn_coordinate){ i, axis, sqrt(mass) };
      b->n++;
    }
  }
  if (b->first) b->first[model->nbody] = b->n;
}

int hn_basis_setup(hn_solver *solver, hn_basis *b, bool orthogonal, hn_error *error)
{
  const hn_model *model = solver->system->model;
  b->orthogonal = orthogonal;
  b->m = model->nrow;
  list_coordinates(b, model);
  const size_t n = (size_t)b->n, m = (size_t)b->m, square = orthogonal ? n * n : 0;
  b->memory_size = 5 + m + n + square;
  if (hn_solver_allocate(solver, error, HN_ARRAY(b->coordinate, n), HN_ARRAY(b->first, model->nbody + 1),
                         HN_ARRAY(b->A, 12 * m), HN_ARRAY(b->memory, b->memory_size), HN_ARRAY(b->C, n * m),
                         HN_ARRAY(b->v, n), HN_ARRAY(b->group, m), HN_ARRAY(b->taken, m),
                         HN_ARRAY(b->chosen, m), HN_ARRAY(b->places, n)))
    return -1;
  b->counts = b->memory, b->dependence = b->counts + 3, b->at_choice = b->counts + 4;
  b->row = b->counts + 5, b->order = b->row + m;
  b->E = orthogonal ? b->order + n : NULL;
  list_coordinates(b, model);
  return 0;
}

int hn_basis_position_dependents(const hn_basis *b)
{
  return (int)b->counts[0];
}

int hn_basis_dependents(const hn_basis *b)
{
  return (int)b->counts[1];
}

/* ---- Rows of A ----------------------------------------------------------------------------------------- */

/* Computes the entries of one body in row R of N, whose Jacobian is G. */
static void side(const hn_basis *b, const hn_state *state, int body, const double *G, int r, int n, double *A)
{
  double world[3] = { G[3 * n + r], G[4 * n + r], G[5 * n + r] }, turn[3];
  quat_unrotate(turn, state->pose[body].q, world);
  for (int i = b->first[body], k = 0; i < b->first[body + 1]; i++, k++) {
    const hn_coordinate *c = &b->coordinate[i];
    A[k] = (c->axis < 3 ? G[c->axis * n + r] : turn[c->axis - 3]) / c->scale;
  }
}

void hn_basis_rows(hn_basis *b, const hn_system *s, const hn_state *state)
{
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    for (int r = 0; r < block->n; r++) {
      const double *G = s->G + 12 * block->row;
      double *A = b->A + 12 * (block->row + r);
      side(b, state, block->a, G, r, block->n, A);
      side(b, state, block->b, G + 6 * block->n, r, block->n, A + 6);
    }
}

/* Returns the joint of row R. */
static const hn_joint *joint_of(const hn_system *s, int r)
{
  int low = 0, high = s->nblock - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (s->block[middle].row <= r) low = middle;
    else high = middle - 1;
  }
  return s->block[low].joint;
}

double hn_basis_row_product(const hn_basis *b, const hn_system *s, int r, const double *x)
{
  const hn_joint *joint = joint_of(s, r);
  const double *A = b->A + 12 * r;
  double sum = 0.0;
  for (int i = b->first[joint->a], k = 0; i < b->first[joint->a + 1]; i++, k++) sum += A[k] * x[i];
  for (int i = b->first[joint->b], k = 6; i < b->first[joint->b + 1]; i++, k++) sum += A[k] * x[i];
  return sum;
}

void hn_basis_add_row(const hn_basis *b, const hn_system *s, int r, double lambda, double *x)
{
  const hn_joint *joint = joint_of(s, r);
  const double *A = b->A + 12 * r;
  for (int i = b->first[joint->a], k = 0; i < b->first[joint->a + 1]; i++, k++) x[i] += lambda * A[k];
  for (int i = b->first[joint->b], k = 6; i < b->first[joint->b + 1]; i++, k++) x[i] += lambda * A[k];
}

void hn_basis_row(const hn_basis *b, const hn_system *s, int r, double *out)
{
  memset(b->v, 0, sizeof *b->v * (size_t)b->n);
  hn_basis_add_row(b, s, r, 1.0, b->v);
  memset(out, 0, sizeof *out * (size_t)b->n);
  for (int i = 0; i < b->n; i++) {
    if (b->orthogonal)
      for (int k = 0; k < b->n && b->v[i] != 0.0; k++) out[k] += b->v[i] * b->E[i * b->n + k];
    else out[i] = b->v[(int)b->order[i]];
  }
}

/* ---- Choice -------------------------------------------------------------------------------------------- */

/* Fills C with the rows of A at unit length, and marks the rows of joints with a residual. For a permutation
 * the columns are those of G, rotations times SIZE, m, which is longer than any lever: positions then depend
 * on rotations. Joints that turn thus need no other choice, as rotations about axes of a body do not change.
 * */
static void prepare(hn_basis *b, const hn_system *s, double size)
{
  memset(b->C, 0, sizeof *b->C * (size_t)b->n * (size_t)b->m);
  for (int r = 0; r < b->m; r++) {
    double *C = b->C + r * b->n;
    hn_basis_add_row(b, s, r, 1.0, C);
    for (int i = 0; i < b->n && !b->orthogonal; i++)
      C[i] *= b->coordinate[i].scale / (b->coordinate[i].axis < 3 ? 1.0 : size);
    const double length = norm_of(C, b->n);
    for (int i = 0; i < b->n && length > 0.0; i++) C[i] /= length;
    b->taken[r] = false;
    b->group[r] = !joint_of(s, r)->type->velocity;
  }
  for (int i = 0; i < b->n; i++) {
    b->places[i] = i;
    for (int k = 0; k < b->n && b->orthogonal; k++) b->E[i * b->n + k] = i == k;
  }
}

static void choose_rows(hn_basis *b, hn_row_choice *choice)
{
  if (b->orthogonal) hn_choose_basis(choice, b->E, b->v);
  else hn_choose_columns(choice, b->places);
}

void hn_basis_choose(hn_basis *b, const hn_system *s, double size)
{
  hn_row_choice choice = { .m = b->m,
                           .n = b->n,
                           .C = b->C,
                           .tolerance = rank_tolerance,
                           .group = b->group,
                           .taken = b->taken,
                           .row = b->chosen };
  prepare(b, s, size);
  choose_rows(b, &choice);
  b->counts[0] = choice.count;
  for (int r = 0; r < b->m; r++) b->group[r] = !b->group[r];
  choose_rows(b, &choice);
  b->counts[1] = choice.count, b->counts[2] = 1.0;
  for (int k = 0; k < choice.count; k++) b->row[k] = b->chosen[k];
  for (int i = 0; i < b->n; i++) b->order[i] = b->places[i];
}

/* ---- Coordinates --------------------------------------------------------------------------------------- */

void hn_basis_join(const hn_basis *b, const double *y, double *x)
{
  for (int i = 0; i < b->n; i++) {
    if (!b->orthogonal) x[(int)b->order[i]] = y[i];
    else {
      x[i] = 0.0;
      for (int k = 0; k < b->n; k++) x[i] += b->E[i * b->n + k] * y[k];
    }
  }
}

void hn_basis_divide(const hn_basis *b, const double *x, double *y)
{
  if (b->orthogonal) memset(y, 0, sizeof *y * (size_t)b->n);
  for (int i = 0; i < b->n; i++) {
    if (!b->orthogonal) y[i] = x[(int)b->order[i]];
    else
      for (int k = 0; k < b->n; k++) y[k] += b->E[i * b->n + k] * x[i];
  }
}

void hn_basis_gather(const hn_basis *b, const hn_state *state, const hn_twist *twist, double *x)
{
  double turn[3] = { 0 };
  for (int i = 0, body = -1; i < b->n; i++) {
    const hn_coordinate *c = &b->coordinate[i];
    if (c->body != body) quat_unrotate(turn, state->pose[c->body].q, twist[c->body].w);
    body = c->body;
    x[i] = c->scale * (c->axis < 3 ? twist[body].v[c->axis] : turn[c->axis - 3]);
  }
}

/* Returns the unscaled coordinates of BODY from x, in the order of a twist. */
static hn_twist body_twist(const hn_basis *b, int body, const double *x)
{
  hn_twist u = { { 0 }, { 0 } };
  for (int i = b->first[body]; i < b->first[body + 1]; i++) {
    const hn_coordinate *c = &b->coordinate[i];
    *(c->axis < 3 ? &u.v[c->axis] : &u.w[c->axis - 3]) = x[i] / c->scale;
  }
  return u;
}

void hn_basis_scatter(const hn_basis *b, const hn_state *state, const double *x, hn_twist *twist)
{
  for (int i = 0; i < state->nbody; i++) {
    if (b->first[i] == b->first[i + 1]) continue;
    const hn_twist u = body_twist(b, i, x);
    vec_copy(twist[i].v, u.v);
    quat_rotate(twist[i].w, state->pose[i].q, u.w);
  }
}

void hn_basis_turn_forces(const hn_basis *b, const hn_state *from, const hn_state *to, const double *x,
                          double *out)
{
  double turned[3] = { 0 };
  for (int i = 0, body = -1; i < b->n; i++) {
    const hn_coordinate *c = &b->coordinate[i];
    out[i] = x[i];
    if (c->axis < 3) continue;
    if (c->body != body) {
      double force[3] = { 0 };
      for (int k = i; k < b->first[c->body + 1]; k++)
        force[b->coordinate[k].axis - 3] = x[k] * b->coordinate[k].scale;
      quat_rotate(force, from->pose[c->body].q, force);
      quat_unrotate(turned, to->pose[c->body].q, force);
    }
    body = c->body;
    out[i] = turned[c->axis - 3] / c->scale;
  }
}

void hn_basis_move(const hn_basis *b, const hn_state *from, const double *D, hn_state *to)
{
  for (int i = 0; i < from->nbody; i++) {
    if (b->first[i] == b->first[i + 1]) continue;
    const hn_twist u = body_twist(b, i, D);
    const double turn[4] = { 1.0, 0.5 * u.w[0], 0.5 * u.w[1], 0.5 * u.w[2] };
    vec_add(to->pose[i].x, from->pose[i].x, u.v);
    if (b->coordinate[b->first[i + 1] - 1].axis < 3) continue;
    quat_mul(to->pose[i].q, from->pose[i].q, turn);
    quat_normalise(to->pose[i].q);
  }
}

void hn_basis_flow(const hn_basis *b, const double *D, const double *u, double *rate)
{
  hn_twist moved = { { 0 }, { 0 } }, velocity = moved;
  double turn[3] = { 0 }, along = 0.0;
  for (int i = 0, body = -1; i < b->n; i++) {
    const hn_coordinate *c = &b->coordinate[i];
    rate[i] = u[i];
    if (c->axis < 3) continue;
    if (c->body != body) {
      moved = body_twist(b, c->body, D), velocity = body_twist(b, c->body, u);
      vec_cross(turn, moved.w, velocity.w);
      along = vec_dot(moved.w, velocity.w);
    }
    body = c->body;
    rate[i] += c->scale * (0.25 * along * moved.w[c->axis - 3] - 0.5 * turn[c->axis - 3]);
  }
}
