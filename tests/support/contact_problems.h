/* contact_problems.h - contact problems for tests, assembled block by block from bodies, in body or matrix
 * form. */
#ifndef TESTS_CONTACT_PROBLEMS_H
#define TESTS_CONTACT_PROBLEMS_H

#include "check.h"
#include "base/random.h"
#include "contact.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BODIES = 128, MAX_BLOCKS = 512, MAX_ROWS = 1024 };

typedef struct trial_problem {
  hn_problem p;
  hn_problem_block block[MAX_BLOCKS];
  double b[MAX_ROWS], G[12 * MAX_ROWS], T[12 * MAX_ROWS];
  double W[36 * MAX_BODIES]; /* 6 x 6 for each body */
  double u[6 * MAX_BODIES];  /* velocities before the impulses */
  hn_problem_matrix K;
} trial_problem;

static const hn_set all = { .kind = HN_ANY }, push = { .kind = HN_PUSH };

static inline hn_set cone(double mu)
{
  return (hn_set){ .kind = HN_CONE, .mu = mu };
}

/* Returns a problem of NBODY bodies: body 0 is the ground, the others have mass 1 and inertia 1. */
static inline trial_problem *problem_of(int nbody)
{
  trial_problem *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->p = (hn_problem){ .h = 1, .nbody = nbody, .block = t->block, .b = t->b, .G = t->G, .T = t->T };
  for (int i = 1; i < nbody; i++)
    for (int c = 0; c < 6; c++) t->W[36 * i + 7 * c] = 1;
  return t;
}

static inline void free_problem(trial_problem *t)
{
  free(t->K.start), free(t->K.column), free(t->K.value);
  free(t);
}

/* Sets mass and principal moments of inertia along the world axes. */
static inline void set_body(trial_problem *t, int body, double mass, double Jx, double Jy, double Jz)
{
  const double inverse[6] = { 1 / mass, 1 / mass, 1 / mass, 1 / Jx, 1 / Jy, 1 / Jz };
  for (int c = 0; c < 6; c++) t->W[36 * body + 7 * c] = inverse[c];
}

/* Adds a block of N rows with Jacobians ROWS[n][12], row by row; b = G u. Bodies must be set before. */
static inline hn_problem_block *add_rows(trial_problem *t, int a, int b, int n, hn_set set, double rows[][12])
{
  hn_problem_block *block = &t->block[t->p.nblock++];
  const int row = t->p.nrow;
  assert_true(t->p.nblock <= MAX_BLOCKS && row + n <= MAX_ROWS);
  *block = (hn_problem_block){ .a = a, .b = b, .row = row, .n = n, .set = set };
  for (int side = 0; side < 2; side++) {
    const int body = side ? b : a;
    double *G = t->G + 12 * row + 6 * n * side, *T = t->T + 12 * row + 6 * n * side;
    for (int r = 0; r < n; r++)
      for (int c = 0; c < 6; c++) {
        G[c * n + r] = rows[r][6 * side + c];
        for (int i = 0; i < 6; i++) T[6 * r + c] += t->W[36 * body + 6 * c + i] * rows[r][6 * side + i];
        t->b[row + r] += rows[r][6 * side + c] * t->u[6 * body + c];
      }
  }
  t->p.nrow += n;
  return block;
}

static inline void cross(double out[3], const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Adds a contact with the first N directions of FRAME (3 x 3, normal first), at ARM_A from body a and ARM_B
 * from body b. The normal points from a to b. */
static inline hn_problem_block *add_contact(trial_problem *t, int a, int b, const double *arm_a,
                                            const double *arm_b, const double *frame, int n, hn_set set)
{
  double rows[3][12];
  for (int r = 0; r < n; r++) {
    const double *e = frame + 3 * r;
    double turn_a[3], turn_b[3];
    cross(turn_a, arm_a, e), cross(turn_b, arm_b, e);
    for (int i = 0; i < 3; i++) rows[r][i] = -e[i], rows[r][6 + i] = e[i];
    for (int i = 0; i < 3; i++) rows[r][3 + i] = -turn_a[i], rows[r][9 + i] = turn_b[i];
  }
  return add_rows(t, a, b, n, set, rows);
}

/* Adds a contact of N = 4 to 6 rows, with moments of rolling and torsional friction (hn_set_discs). */
static inline void add_moment_contact(trial_problem *t, int a, int b, const double *arm_a,
                                      const double *arm_b, const double *frame, int n, hn_set set)
{
  double rows[6][12] = { { 0 } };
  for (int r = 0; r < 3; r++) {
    const double *e = frame + 3 * r;
    double turn_a[3], turn_b[3];
    cross(turn_a, arm_a, e), cross(turn_b, arm_b, e);
    for (int i = 0; i < 3; i++) rows[r][i] = -e[i], rows[r][6 + i] = e[i];
    for (int i = 0; i < 3; i++) rows[r][3 + i] = -turn_a[i], rows[r][9 + i] = turn_b[i];
  }
  for (int r = 3; r < n; r++) {
    const double *e = frame + (r == n - 1 && n % 2 == 0 ? 0 : 3 * (r - 2));
    for (int i = 0; i < 3; i++) rows[r][3 + i] = -e[i], rows[r][9 + i] = e[i];
  }
  add_rows(t, a, b, n, set, rows);
}

/* Stores inverse masses and inertias, with which a problem may be solved by bodies. */
static inline void use_inertias(trial_problem *t, double *W, double *inv_mass)
{
  for (int i = 0; i < t->p.nbody; i++) {
    inv_mass[i] = t->W[36 * i];
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) W[9 * i + 3 * r + c] = t->W[36 * i + 6 * (3 + r) + 3 + c];
  }
  t->p.W = W, t->p.inv_mass = inv_mass;
}

/* Replaces the bodies of the problem by its matrix K. */
static inline void use_matrix(trial_problem *t)
{
  const int n = t->p.nrow;
  double *work = calloc(6 * (size_t)t->p.nbody, sizeof *work), *e = calloc((size_t)n, sizeof *e);
  double *b = calloc((size_t)n, sizeof *b), *column = calloc((size_t)n, sizeof *column);
  t->K.start = calloc((size_t)n + 1, sizeof *t->K.start);
  t->K.column = calloc((size_t)(n * n), sizeof *t->K.column),
  t->K.value = calloc((size_t)(n * n), sizeof(double));
  hn_problem without = t->p;
  without.b = b;
  for (int i = 0, at = 0; i < n; i++) {
    e[i] = 1, hn_problem_velocities(&without, e, work, column), e[i] = 0;
    for (int j = 0; j < n; j++)
      if (column[j] != 0 || i == j) t->K.column[at] = j, t->K.value[at++] = column[j];
    t->K.start[i + 1] = at;
  }
  t->p.K = &t->K;
  t->p.G = t->p.T = NULL;
  free(work), free(e), free(b), free(column);
}

static inline double error_of(const trial_problem *t, bool relaxed, const double *p)
{
  double v[MAX_ROWS], work[6 * MAX_BODIES];
  hn_problem_velocities(&t->p, p, work, v);
  return hn_problem_error(&t->p, relaxed, p, v, NULL);
}

/* Computes the change of the bodies' velocities due to P, u[6 nbody]. */
static inline void motion_of(const trial_problem *t, const double *p, double *u)
{
  memset(u, 0, sizeof *u * 6 * (size_t)t->p.nbody);
  for (int k = 0; k < t->p.nblock; k++) {
    const hn_problem_block *block = &t->block[k];
    const double *T = t->T + 12 * block->row;
    for (int r = 0; r < block->n; r++)
      for (int c = 0; c < 6; c++) {
        u[6 * block->a + c] += T[6 * r + c] * p[block->row + r];
        u[6 * block->b + c] += T[6 * block->n + 6 * r + c] * p[block->row + r];
      }
  }
}

static inline hn_contact_solver *solver_of(const char *spec, double tolerance, int iterations)
{
  hn_error error;
  const hn_problem_size most = { MAX_BLOCKS, MAX_ROWS, MAX_BODIES };
  hn_contact_solver *solver = hn_contact_solver_create(&(hn_contact_options){ spec, tolerance, iterations },
                                                       &most, &error);
  if (!solver) fail_msg("%s", error.text);
  return solver;
}

/* Solves T from the first guess P, which becomes the solution; prints the errors. */
static inline hn_reason solved(const char *spec, double tolerance, int iterations, const trial_problem *t,
                               double *p)
{
  hn_contact_solver *solver = solver_of(spec, tolerance, iterations);
  hn_reason reason = hn_contact_solve(solver, &t->p, p);
  printf("  %-28s %-10s %6d iterations, reported %9.2e, law %9.2e, relaxed %9.2e\n", spec,
         hn_reason_name(reason), solver->iterations, solver->error, error_of(t, false, p),
         error_of(t, true, p));
  hn_contact_solver_free(solver);
  return reason;
}

/* ---- Pseudo-random problems ---------------------------------------------------------------------------- */

static uint32_t seed = 12345;

static inline double random_in(double low, double high)
{
  return random_between(&seed, low, high);
}

static inline void random_frame(double *frame)
{
  double a[3], size;
  for (int i = 0; i < 3; i++) frame[i] = random_in(-1, 1), a[i] = random_in(-1, 1);
  for (int r = 0; r < 2; r++) {
    double *e = frame + 3 * r;
    if (r == 1) cross(e, frame, a);
    size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int i = 0; i < 3; i++) e[i] /= size;
  }
  cross(frame + 6, frame, frame + 3);
}

/* Returns a problem of bodies with masses between 1 and RATIO and COUNT contacts at random places: more rows
 * than velocities. */
static inline trial_problem *random_problem(int nbody, int count, double ratio, double max_friction)
{
  trial_problem *t = problem_of(nbody);
  for (int i = 1; i < nbody; i++) {
    const double m = pow(ratio, random_in(0, 1));
    set_body(t, i, m, m * random_in(0.1, 1), m * random_in(0.1, 1), m * random_in(0.1, 1));
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1);
  }
  for (int k = 0; k < count; k++) {
    double arm_a[3], arm_b[3], frame[9];
    const int a = k % nbody, b = (a + 1 + (int)random_in(0, nbody - 1.001)) % nbody;
    for (int i = 0; i < 3; i++) arm_a[i] = random_in(-1, 1), arm_b[i] = random_in(-1, 1);
    random_frame(frame);
    add_contact(t, a, b, arm_a, arm_b, frame, 3, cone(random_in(0, max_friction)));
  }
  return t;
}

/* ---- Solvers and axes ---------------------------------------------------------------------------------- */

static const double upright[9] = { 0, 1, 0, 1, 0, 0, 0, 0, 1 }; /* normal y, tangents x and z */
static const double origin[3] = { 0, 0, 0 };

/* Solvers of the exact Coulomb law, with enough iterations for random problems. */
static const struct {
  const char *spec;
  int iterations;
} exact[] = {
  { "pgs", 200000 },
  { "admm", 20000 },
  { "newton", 200 },
  { "lemke", 20 },
};
enum { EXACT = sizeof exact / sizeof *exact, IN_SPACE = EXACT - 1 }; /* lemke solves planar problems only */

static const char *const every[] = { "pgs",    "apgd", "admm",          "newton", "lemke",
                                     "jacobi", "nncg", "extragradient", "ipm",    "sap" };
/* the last one regularises its problem */
enum { EVERY = sizeof every / sizeof *every, RIGID = EVERY - 1 };

#endif
