/* articulated_inertia.c - H^-1 in O(n): the articulated-body algorithm.
 *
 *   inwards   I = body's inertia + sum over the children        p = bias wrench + sum over the children
 *             U = I S,  D = S' U,  I_a = I - U D^-1 U'           y = tau - S' p
 *             to the parent:  I_a,  p_a = p + I_a c + U D^-1 y
 *   outwards  a' = a_parent + c,  du = D^-1 (y - U' a'),  a = a' + S du
 *
 * I and p of a node are taken at its joint point, so that S has no levers: an edge with three angular
 * freedoms has S = (0; R), and I_a has the part A - B C^-1 B' only, a matrix of effective masses. The wrench
 * that an edge transmits is I_a a_parent + p_a. [featherstone2008, section 7.3] The bias wrench of a body is
 *
 *   f = -m gravity - F,    torque = w x (J w) - T          F, T: forces on it, about the centre of mass
 *
 * With y_r the innovations y for the wrench -G_r' of a row r, G_r H^-1 G_s' = sum y_r' D^-1 y_s over the
 * nodes that move both rows. */
#include "tree/tree_parts.h"
#include "base/small.h"
#include "tree/spatial.h"

/* ---- Inertias ------------------------------------------------------------------------------------------ */

/* Inverts the symmetric 3 x 3 matrix C; false if it is not positive definite to rounding. */
static inline bool invert3(const double C[9], double out[9])
{
  double a = C[4] * C[8] - C[5] * C[5], b = C[2] * C[5] - C[1] * C[8], c = C[1] * C[5] - C[2] * C[4];
  double det = C[0] * a + C[1] * b + C[2] * c, inverse = 1.0 / det;
  out[0] = a * inverse, out[1] = out[3] = b * inverse, out[2] = out[6] = c * inverse;
  out[4] = (C[0] * C[8] - C[2] * C[2]) * inverse;
  out[5] = out[7] = (C[1] * C[2] - C[0] * C[5]) * inverse;
  out[8] = (C[0] * C[4] - C[1] * C[1]) * inverse;
  return det > ldl_rounding * C[0] * C[4] * C[8] && C[0] > 0.0;
}

/* Removes three angular freedoms: D = C^-1, A -= B C^-1 B'. B and C become 0. U keeps B C^-1 in its first
 * numbers. */
static bool reduce_sphere(hn_tree_node *node)
{
  hn_tree_inertia *inertia = &node->inertia;
  double *W = node->U, *A = inertia->A;
  const double *B = inertia->B, *D = node->D;
  if (!invert3(inertia->C, node->D)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      W[3 * i + j] = B[3 * i] * D[j] + B[3 * i + 1] * D[3 + j] + B[3 * i + 2] * D[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      A[3 * i + j] -= W[3 * i] * B[3 * j] + W[3 * i + 1] * B[3 * j + 1] + W[3 * i + 2] * B[3 * j + 2];
      A[3 * j + i] = A[3 * i + j];
    }
  return true;
}

/* Inverts the positive definite D[n n] into itself. */
static bool invert(int n, double *D)
{
  double L[HN_MAX_FREEDOMS * HN_MAX_FREEDOMS];
  memcpy(L, D, sizeof *D * (size_t)(n * n));
  if (!ldl_factor(n, L)) return false;
  for (int j = 0; j < n; j++) {
    double x[HN_MAX_FREEDOMS] = { 0 };
    x[j] = 1.0;
    ldl_solve(n, L, x);
    for (int i = 0; i <= j; i++) D[i * n + j] = D[j * n + i] = x[i];
  }
  return true;
}

/* inertia -= scale u v' + its transpose's other half, for symmetric sums. */
static inline void subtract(hn_tree_inertia *inertia, const double u[6], const double v[6])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      inertia->A[3 * i + j] -= u[i] * v[j];
      inertia->B[3 * i + j] -= u[i] * v[3 + j];
      inertia->C[3 * i + j] -= u[3 + i] * v[3 + j];
    }
}

/* Removes the freedoms of a general edge. */
static bool reduce(const hn_tree_joint *edge, hn_tree_node *node)
{
  const int n = edge->nfree;
  for (int k = 0; k < n; k++) spatial_multiply(&node->inertia, node->motion.S[k], node->U + 6 * k);
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      node->D[i * n + j] = node->D[j * n + i] = long_dot(node->motion.S[i], node->U + 6 * j, 6);
  if (!invert(n, node->D)) return false;
  for (int i = 0; i < n; i++) {
    double w[6] = { 0 };
    for (int j = 0; j < n; j++)
      for (int c = 0; c < 6; c++) w[c] += node->D[i * n + j] * node->U[6 * j + c];
    subtract(&node->inertia, w, node->U + 6 * i);
  }
  return true;
}

/* Adds the effective masses A at LEVER from the centre of the parent. */
static void add_mass(hn_tree_inertia *to, const double A[9], const double lever[3])
{
  double B[9], turn[3];
  for (int i = 0; i < 3; i++) {
    vec_cross(turn, lever, A + 3 * i); /* -A [lever] */
    vec_copy(B + 3 * i, turn);
  }
  for (int i = 0; i < 9; i++) to->A[i] += A[i], to->B[i] += B[i];
  for (int i = 0; i < 3; i++) { /* [lever] B */
    const double column[3] = { B[i], B[3 + i], B[6 + i] };
    vec_cross(turn, lever, column);
    for (int j = 0; j < 3; j++) to->C[3 * j + i] += turn[j];
  }
}

hn_reason hn_tree_factor(hn_tree *tree, int *where)
{
  for (int k = 0; k < tree->nnode; k++) spatial_body(&tree->node[k], &tree->node[k].inertia);
  for (int k = tree->nnode - 1; k >= 0; k--) {
    hn_tree_node *node = &tree->node[k];
    spatial_shift(&node->inertia, node->motion.lever_child);
    if (!(node->sphere ? reduce_sphere(node) : reduce(&tree->edge[k], node))) {
      *where = k;
      return all_finite(node->D, tree->edge[k].nfree) ? HN_SINGULAR : HN_NOT_FINITE;
    }
    if (node->parent < 0) continue;
    hn_tree_inertia *to = &tree->node[node->parent].inertia;
    if (node->sphere) add_mass(to, node->inertia.A, node->motion.lever_parent);
    else spatial_add(to, &node->inertia, node->motion.lever_parent);
  }
  tree->system->work.eliminated += (uint64_t)tree->nnode;
  return HN_CONVERGED;
}

/* ---- Forces and accelerations -------------------------------------------------------------------------- */

/* Computes y, and adds U D^-1 y to p: at an edge with three angular freedoms, the torque vanishes. */
static inline void pass_sphere(hn_tree_node *node, const double *torque)
{
  double force[3];
  for (int i = 0; i < 3; i++) node->y[i] = (torque ? torque[i] : 0.0) - node->p[3 + i];
  mat_vec(force, node->U, node->y);
  vec_add(node->p, node->p, force);
  for (int i = 0; i < 3; i++) node->p[3 + i] = torque ? torque[i] : 0.0;
}

static inline void pass_general(const hn_tree_joint *edge, hn_tree_node *node, const double *tau)
{
  const int n = edge->nfree;
  for (int i = 0; i < n; i++) node->y[i] = (tau ? tau[i] : 0.0) - long_dot(node->motion.S[i], node->p, 6);
  for (int i = 0; i < n; i++) {
    const double z = long_dot(node->D + i * n, node->y, n);
    for (int c = 0; c < 6; c++) node->p[c] += node->U[6 * i + c] * z;
  }
}

void hn_tree_pass_wrench(const hn_tree *tree, int k, double p[6], double *y)
{
  const hn_tree_node *node = &tree->node[k];
  const int n = tree->edge[k].nfree;
  double turn[3];
  spatial_shift_wrench(p, node->motion.lever_child);
  if (node->sphere) {
    double force[3];
    for (int i = 0; i < 3; i++) y[i] = -p[3 + i], p[3 + i] = 0.0;
    mat_vec(force, node->U, y);
    vec_add(p, p, force);
  } else {
    for (int i = 0; i < n; i++) y[i] = -long_dot(node->motion.S[i], p, 6);
    for (int i = 0; i < n; i++) {
      const double z = long_dot(node->D + i * n, y, n);
      for (int c = 0; c < 6; c++) p[c] += node->U[6 * i + c] * z;
    }
  }
  vec_cross(turn, node->motion.lever_parent, p);
  vec_add(p + 3, p + 3, turn);
}

/* Returns the generalised forces of node K as a torque in world axes, for an edge with three angles. */
static const double *torque_of(const hn_tree_node *node, const double *tau, double torque[3])
{
  if (!tau) return NULL;
  vec_set(torque, 0, 0, 0);
  for (int i = 0; i < 3; i++) vec_add_scaled(torque, tau[node->free + i], node->motion.S[i] + 3);
  return torque;
}

/* Passes p inwards. MOVING: with the accelerations c. */
static void pass_inwards(hn_tree *tree, const double *tau, bool moving)
{
  for (int k = tree->nnode - 1; k >= 0; k--) {
    hn_tree_node *node = &tree->node[k];
    double torque[3];
    spatial_shift_wrench(node->p, node->motion.lever_child);
    if (node->sphere) pass_sphere(node, torque_of(node, tau, torque));
    else pass_general(&tree->edge[k], node, tau ? tau + node->free : NULL);
    if (moving && node->sphere) {
      double force[3];
      mat_vec(force, node->inertia.A, node->bias.v);
      vec_add(node->p, node->p, force);
    } else if (moving) {
      double more[6];
      spatial_multiply(&node->inertia, (const double *)&node->bias, more);
      for (int c = 0; c < 6; c++) node->p[c] += more[c];
    }
    if (node->parent < 0) continue;
    double moved[6], turn[3], *to = tree->node[node->parent].p;
    memcpy(moved, node->p, sizeof moved);
    vec_cross(turn, node->motion.lever_parent, moved);
    vec_add(moved + 3, moved + 3, turn);
    for (int c = 0; c < 6; c++) to[c] += moved[c];
  }
}

/* Computes the acceleration of the joint point of node K as a point of its parent, and of its turning. */
static inline void base_acceleration(const hn_tree *tree, const hn_tree_node *node, double a[6])
{
  static const hn_twist none = { { 0 }, { 0 } };
  const hn_twist *parent = node->parent >= 0 ? &tree->node[node->parent].acceleration : &none;
  double turn[3];
  vec_cross(turn, parent->w, node->motion.lever_parent);
  vec_add(a, parent->v, turn);
  vec_copy(a + 3, parent->w);
}

/* Computes the derivatives of the rates of an edge with three angles, and adds their accelerations to A. */
static inline void turn_sphere(const hn_tree_node *node, double a[6], double *du)
{
  double z[3], rest[3], change[3];
  mat_vec(z, node->D, node->y);
  for (int i = 0; i < 3; i++) /* (B C^-1)' a, the first numbers of U */
    rest[i] = node->U[i] * a[0] + node->U[3 + i] * a[1] + node->U[6 + i] * a[2];
  for (int i = 0; i < 3; i++) change[i] = z[i] - rest[i] - a[3 + i];
  for (int i = 0; i < 3; i++) du[i] = vec_dot(node->motion.S[i] + 3, change);
  vec_add(a + 3, a + 3, change);
}

static inline void turn_general(const hn_tree_joint *edge, const hn_tree_node *node, double a[6], double *du)
{
  const int n = edge->nfree;
  double rest[HN_MAX_FREEDOMS];
  for (int i = 0; i < n; i++) rest[i] = node->y[i] - long_dot(node->U + 6 * i, a, 6);
  for (int i = 0; i < n; i++) du[i] = long_dot(node->D + i * n, rest, n);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 6; c++) a[c] += du[i] * node->motion.S[i][c];
}

/* Passes accelerations outwards. */
static void pass_outwards(hn_tree *tree, double *du, bool moving)
{
  for (int k = 0; k < tree->nnode; k++) {
    hn_tree_node *node = &tree->node[k];
    double a[6], turn[3];
    base_acceleration(tree, node, a);
    if (moving) vec_add(a, a, node->bias.v), vec_add(a + 3, a + 3, node->bias.w);
    if (node->sphere) turn_sphere(node, a, du + node->free);
    else turn_general(&tree->edge[k], node, a, du + node->free);
    vec_cross(turn, a + 3, node->motion.lever_child);
    vec_sub(node->acceleration.v, a, turn);
    vec_copy(node->acceleration.w, a + 3);
  }
}

void hn_tree_accelerate(hn_tree *tree, const double *wrench, const double *tau, double *du)
{
  for (int k = 0; k < tree->nnode; k++) spatial_bias(&tree->node[k], wrench, tree->node[k].p);
  pass_inwards(tree, tau, true);
  pass_outwards(tree, du, true);
  tree->system->work.accelerations += (uint64_t)tree->nnode;
}

void hn_tree_respond(hn_tree *tree, const double *wrench, const double *tau, double *du)
{
  for (int k = 0; k < tree->nnode; k++)
    for (int c = 0; c < 6; c++) tree->node[k].p[c] = wrench ? -wrench[6 * tree->node[k].body + c] : 0.0;
  pass_inwards(tree, tau, false);
  pass_outwards(tree, du, false);
}

void hn_tree_edge_wrench(const hn_tree *tree, int k, double wrench[6])
{
  const hn_tree_node *node = &tree->node[k];
  double a[6], turn[3];
  base_acceleration(tree, node, a);
  if (node->sphere) {
    mat_vec(wrench, node->inertia.A, a);
    vec_set(wrench + 3, 0, 0, 0);
  } else spatial_multiply(&node->inertia, a, wrench);
  for (int c = 0; c < 6; c++) wrench[c] += node->p[c];
  vec_cross(turn, node->motion.lever_child, wrench);
  vec_add(wrench + 3, wrench + 3, turn);
}
