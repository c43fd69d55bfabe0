/* articulated.c - reduced coordinates: the joints of a spanning tree have explicit kinematics, loops have
 * multipliers.
 *
 *   H(q) du/dt + C(q, u) = tau + G' lambda,   dq/dt = N(q) u          q, u: coordinates and rates of the tree
 *   K lambda = -(G a + gamma) - 2 alpha dg/dt - beta^2 g,             K = G H^-1 G'
 *
 * The tree has the joints with most rows (spanning_tree.c); the rows of the others, G, are equations. H^-1
 * is applied in O(n) by the articulated-body algorithm (articulated_inertia.c), and K is assembled from its
 * innovations (tree_loops.c). The forces are those of all solvers. Prescribed motions, types without
 * explicit kinematics (distance, gear, rows of a scene) and rows of velocities are such equations too: a
 * driven hinge of the tree has one row in K, and its multiplier is the force of the drive. They hold in the
 * form of accelerations and drift as in lagrange.c. stabilisation = baumgarte bounds the drift, projection
 * removes it after each step: K mu = -g, dq = H^-1 G' mu, repeated; then K p = -(G u + bias), du = H^-1 G'
 * p.
 *
 * Joints of the tree are satisfied to rounding at all times, and so are systems without loops. Coordinates
 * are kept from step to step. If the state is not the end of the last step, they are those of the nearest
 * state that the tree permits.
 *
 * lambda of a joint of the tree follows from the wrench that its edge transmits (tree_multipliers.c). Where
 * rows are redundant, the accelerations are unique and the joint forces are not: the latter are then those
 * of the policy for the matrix of all joints, computed once a step.
 *
 * semi-implicit: u += h du/dt, then q moves along the group with the new u: order 1, one evaluation a step,
 * which also serves the joint forces; symplectic only where H is constant, as u are no momenta. The other
 * steppers integrate y = (q, u) with unit quaternions in the evaluations. Cost of an evaluation: O(n), with
 * loops also O(m^2 depth + m^3) for m rows. [featherstone2008, chapters 7 and 8] */
#include "base/vec.h"
#include "impulse/correction.h"
#include "multiplier/integrator.h"
#include "multiplier/multipliers.h"
#include "registry/solver_arrays.h"
#include "tree/tree_loops.h"

#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };
enum { SEMI_IMPLICIT = 0 }; /* before the steppers of integrator.h */

typedef struct articulated {
  int stepper, stabilisation;
  double alpha, beta; /* 1/s */
  double tolerance;   /* m, rad */
  int iterations;
  hn_linear_options linear;
  hn_tree *tree;
  hn_tree_loops loops;
  hn_integrator ode;      /* all steppers but semi-implicit */
  size_t positions, size; /* coordinates; coordinates, then rates */
  double *memory;         /* memory of the solver: y, last, valid, and the dropped rows */
  size_t memory_size;     /* numbers in `memory` */
  double *y;              /* [size] coordinates and rates at the end of the last step */
  double *last;           /* [13 nbody] poses and twists of the state there */
  double *valid;          /* 1: both are set */
  hn_state *stage;        /* state of the last evaluation */
  double *evaluated;      /* [size] y there: a cache of the derivatives */
  double time;            /* s: there */
  bool is_current, has_forces, needs_stage;
  double *rate;           /* [size] the derivatives there */
  double *lambda;         /* [nrow] solver->multipliers */
  double *right, *change; /* [nrow] residuals of the loops; [nfree] a correction */
  hn_twist *acceleration; /* [nbody] */
  double begin;           /* s: start of the step in progress */
} articulated;

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(articulated, stepper), "rk4", 0, 0, "", "semi-implicit," HN_STEPPERS,
    "integrator of coordinates and rates: explicit, or from rk1imp on implicit" },
  { "stabilisation", HN_CHOICE, offsetof(articulated, stabilisation), "none", 0, 0, "",
    "none,baumgarte,projection", "correction of the drift of loops: joints of the tree have none" },
  { "alpha", HN_REAL, offsetof(articulated, alpha), "20", 0, 1e6, "1/s", NULL, "baumgarte: damping" },
  { "beta", HN_REAL, offsetof(articulated, beta), "20", 0, 1e6, "1/s", NULL, "baumgarte: frequency" },
  { "tolerance", HN_REAL, offsetof(articulated, tolerance), "1e-12", 1e-16, 1, "m, rad", NULL,
    "projection: joint error allowed" },
  { "iterations", HN_INTEGER, offsetof(articulated, iterations), "20", 1, 1e6, "", NULL,
    "projection: limit of iterations" },
  { "adaptive", HN_FLAG, offsetof(articulated, ode.adaptive), "false", 0, 0, "", NULL,
    "divide each step so that its error stays within error_tolerance" },
  { "error_tolerance", HN_REAL, offsetof(articulated, ode.error_tolerance), "1e-10", 1e-15, 1, "", NULL,
    "adaptive, and Newton's method of rk1imp, rk2imp, rk4imp: local error of every coordinate and rate" },
  HN_LINEAR_PARAMS(articulated, linear),
  { .key = NULL },
};

static int order_of(const hn_solver *solver)
{
  const articulated *d = solver->data;
  return d->stepper == SEMI_IMPLICIT ? 1 : hn_integrator_order(&d->ode);
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

static int allocate(hn_solver *solver, hn_error *error)
{
  articulated *d = solver->data;
  const hn_model *model = solver->system->model;
  const size_t state = 13 * (size_t)model->nbody, rows = (size_t)d->loops.nrow + 1;
  d->memory_size = d->size + state + 1 + (rows + 1) / 2;
  if (hn_solver_allocate(solver, error, HN_STATE(d->stage), HN_ARRAY(d->memory, d->memory_size),
                         HN_ARRAY(d->evaluated, d->size), HN_ARRAY(d->rate, d->size),
                         HN_ARRAY(d->right, rows), HN_ARRAY(d->change, d->size),
                         HN_ARRAY(d->acceleration, model->nbody)))
    return -1;
  d->y = d->memory, d->last = d->y + d->size, d->valid = d->last + state;
  d->loops.dropped = (int *)(d->valid + 1);
  return 0;
}

static hn_reason derivatives(hn_solver *solver, double t, const double *y, double *dydt);

static int setup_stepper(hn_solver *solver, hn_error *error)
{
  articulated *d = solver->data;
  if (d->stepper == SEMI_IMPLICIT)
    return d->ode.adaptive ? hn_fail(error, "articulated: stepper=semi-implicit has no error control") : 0;
  if (hn_integrator_check(&d->ode, "articulated", d->stepper - 1, error)) return -1;
  return hn_integrator_setup(solver, &d->ode, error);
}

static int setup(hn_solver *solver, hn_error *error)
{
  articulated *d = solver->data;
  hn_system *system = solver->system;
  d->lambda = solver->multipliers;
  d->tree = hn_tree_create(system, error);
  if (!d->tree || hn_tree_loops_create(&d->loops, d->tree, false, error)) return -1;
  d->positions = (size_t)d->tree->ncoordinate;
  d->size = d->positions + (size_t)d->tree->nfree;
  d->has_forces = hn_model_has_forces(system->model);
  d->needs_stage = d->has_forces || d->loops.nrow > 0 || !hn_tree_is_spherical(d->tree);
  d->loops.drops = d->linear.redundancy != HN_REFUSE;
  d->ode.size = d->size, d->ode.derivatives = derivatives;
  d->ode.time_dependent = hn_depends_on_time(system->model);
  if (allocate(solver, error) || setup_stepper(solver, error)) return -1;
  return hn_system_use_linear(system, &d->linear, error);
}

static void destroy(hn_solver *solver)
{
  articulated *d = solver->data;
  hn_integrator_free(&d->ode);
  hn_tree_loops_free(&d->loops);
  hn_tree_free(d->tree);
}

static void reset(hn_solver *solver)
{
  articulated *d = solver->data;
  *d->valid = 0.0, d->is_current = false;
  memset(d->loops.dropped, 0, sizeof(int) * (size_t)(d->loops.nrow + 1));
}

static void *memory(hn_solver *solver, size_t *size)
{
  const articulated *d = solver->data;
  *size = sizeof *d->memory * d->memory_size;
  return d->memory;
}

/* ---- Derivatives --------------------------------------------------------------------------------------- */

/* Reports a singular matrix of a loop with the names of the joints, which the whole matrix K shows. */
static hn_reason loops_failed(hn_solver *solver, hn_reason reason)
{
  const articulated *d = solver->data;
  if (reason == HN_SINGULAR) {
    hn_system_jacobian(solver->system, d->stage);
    hn_system_factor(solver->system);
  }
  return hn_step_failed(solver, reason,
                        d->stage->time > d->begin ? "factorisation of the loops at a trial stage"
                                                  : "factorisation of the loops",
                        -1, 0.0);
}

/* Computes the derivatives DY of Y at time T; leaves wrenches in the tree and the multipliers of loops. */
static hn_reason evaluate(hn_solver *solver, double t, const double *y, double *dy)
{
  articulated *d = solver->data;
  hn_tree *tree = d->tree;
  const double *u = y + d->positions;
  double *du = dy + d->positions;
  int where = -1;
  d->is_current = false;
  d->stage->time = t;
  if (!all_finite(y, (int)d->size)) return hn_step_failed(solver, HN_NOT_FINITE, "trial stage", -1, 0.0);
  hn_tree_place(tree, y, u, d->stage);
  hn_tree_flow(tree, y, u, dy);
  if (d->needs_stage) hn_tree_store(tree, d->stage);
  if (d->has_forces) hn_system_forces(solver->system, d->stage, tree->wrench);
  hn_reason reason = hn_tree_factor(tree, &where);
  if (reason != HN_CONVERGED)
    return hn_step_failed(solver, reason, "articulated inertia", tree->node[where].block, 0.0);
  const double *wrench = d->has_forces ? tree->wrench : NULL;
  const bool damped = d->stabilisation == BAUMGARTE;
  if (d->loops.nrow == 0) hn_tree_accelerate(tree, wrench, NULL, du);
  else
    reason = hn_tree_loops_accelerate(&d->loops, d->stage, wrench, damped ? d->alpha : 0.0,
                                      damped ? d->beta : 0.0, d->lambda, du);
  return reason == HN_CONVERGED ? reason : loops_failed(solver, reason);
}

/* True if the derivatives in d->rate are those at T and Y, bit for bit. */
static bool is_evaluated(const articulated *d, double t, const double *y)
{
  return d->is_current && (!d->ode.time_dependent || t == d->time) &&
         memcmp(d->evaluated, y, sizeof *y * d->size) == 0;
}

/* Computes derivatives for the stepper; those at the start of a step are known. */
static hn_reason derivatives(hn_solver *solver, double t, const double *y, double *dydt)
{
  const articulated *d = solver->data;
  if (!is_evaluated(d, t, y)) return evaluate(solver, t, y, dydt);
  memcpy(dydt, d->rate, sizeof *dydt * d->size);
  return HN_CONVERGED;
}

/* Computes the joint forces at d->stage, after evaluate. Forces of redundant joints are not unique: the
 * policy chooses them, as in the other solvers, with the matrix of all joints. */
static hn_reason joint_forces(hn_solver *solver)
{
  articulated *d = solver->data;
  int where = -1;
  if (d->loops.nrow > 0 && d->loops.dropped[0] > 0) {
    hn_reason reason = hn_factor_at(solver, d->stage);
    return reason == HN_CONVERGED ? hn_multipliers(solver, d->stage, d->lambda, d->acceleration) : reason;
  }
  hn_reason reason = hn_tree_multipliers(d->tree, d->stage, d->lambda, &where);
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, "joint forces of the tree", where, 0.0);
}

/* Computes joint forces and derivatives at STATE, the end of a step, which serve the next one too. */
static hn_reason evaluate_end(hn_solver *solver, const hn_state *state)
{
  articulated *d = solver->data;
  if (is_evaluated(d, state->time, d->y)) return HN_CONVERGED;
  hn_reason reason = evaluate(solver, state->time, d->y, d->rate);
  if (reason != HN_CONVERGED) return reason;
  reason = joint_forces(solver);
  if (reason != HN_CONVERGED) return reason;
  memcpy(d->evaluated, d->y, sizeof *d->y * d->size);
  d->time = state->time, d->is_current = true;
  return HN_CONVERGED;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Loads STATE: the coordinates of the last step if it is its end, else new ones. */
static void load(hn_solver *solver, const hn_state *state)
{
  articulated *d = solver->data;
  const size_t numbers = sizeof(double) * 13 * (size_t)state->nbody;
  const size_t inputs = sizeof *state->input * (size_t)state->ninput;
  if (memcmp(d->stage->input, state->input, inputs) != 0) d->is_current = false;
  memcpy(d->stage->input, state->input, inputs);
  d->begin = state->time;
  if (*d->valid == 1.0 && memcmp(d->last, state->pose, numbers) == 0) return;
  memcpy(d->stage->pose, state->pose, numbers);
  hn_tree_coordinates_of(d->tree, state, d->y, d->y + d->positions);
  d->is_current = false;
}

/* Stores the nodes, which are at the end of the step, in STATE. */
static void store(hn_solver *solver, hn_state *state)
{
  articulated *d = solver->data;
  hn_tree_store(d->tree, state);
  memcpy(d->last, state->pose, sizeof(double) * 13 * (size_t)state->nbody);
  *d->valid = 1.0;
}

/* Rates first; then the coordinates, with the new rates. */
static void step_semi_implicit(articulated *d, double h)
{
  double *u = d->y + d->positions;
  const double *du = d->rate + d->positions;
  for (size_t i = 0; i < d->size - d->positions; i++) u[i] += h * du[i];
  hn_tree_advance(d->tree, h, u, d->y);
}

/* Integrates the coordinates and rates over h. Nothing but these passes from step to step. */
static hn_reason integrate(hn_solver *solver, double t, double h)
{
  articulated *d = solver->data;
  hn_reason reason = HN_CONVERGED;
  if (d->stepper == SEMI_IMPLICIT) step_semi_implicit(d, h);
  else {
    hn_integrator_reset(&d->ode);
    memcpy(d->ode.y, d->y, sizeof *d->y * d->size);
    reason = hn_integrator_apply(&d->ode, t, h);
    memcpy(d->y, d->ode.y, sizeof *d->y * d->size);
  }
  hn_tree_normalise(d->tree, d->y);
  return reason;
}

/* ---- Projection ---------------------------------------------------------------------------------------- */

/* Computes the residuals of the loops at d->stage; returns the largest norm of a block, in *WORST. */
static double residual_of_loops(hn_solver *solver, int *worst)
{
  articulated *d = solver->data;
  double largest = 0.0;
  *worst = -1;
  for (int i = 0; i < d->loops.npath; i++) {
    const hn_tree_path *path = &d->loops.path[i];
    double norm = hn_system_block_residual(solver->system, path->block, d->stage, d->right + path->row);
    if (exceeds(norm, largest)) largest = norm, *worst = path->block;
  }
  return largest;
}

/* Places the tree at d->y, and factors it and the loops there. */
static hn_reason place(hn_solver *solver, bool factor)
{
  articulated *d = solver->data;
  int where;
  hn_tree_state(d->tree, d->y, d->y + d->positions, d->stage);
  if (!factor) return HN_CONVERGED;
  hn_reason reason = hn_tree_factor(d->tree, &where);
  if (reason == HN_CONVERGED) reason = hn_tree_loops_factor(&d->loops, d->stage);
  return reason == HN_CONVERGED ? reason : loops_failed(solver, reason);
}

/* Moves the coordinates onto the loops: K mu = -g, dq = H^-1 G' mu. */
static hn_reason project_positions(hn_solver *solver)
{
  articulated *d = solver->data;
  for (int iteration = 0;; iteration++) {
    int worst;
    place(solver, false);
    double residual = residual_of_loops(solver, &worst);
    solver->report.residual = residual, solver->report.position_iterations = iteration;
    if (residual <= d->tolerance) return HN_CONVERGED;
    if (iteration == d->iterations || !(residual < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "projection", worst, residual, iteration);
    hn_reason reason = place(solver, true);
    if (reason != HN_CONVERGED) return reason;
    hn_tree_loops_correct(&d->loops, d->right, d->change);
    hn_tree_advance(d->tree, 1.0, d->change, d->y);
  }
}

/* Changes the rates until the loops have no velocity: K p = -(G u + bias), du = H^-1 G' p. */
static hn_reason project_velocities(hn_solver *solver)
{
  articulated *d = solver->data;
  double *u = d->y + d->positions;
  hn_reason reason = place(solver, true);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < d->loops.npath; i++)
    hn_system_block_rates(solver->system, d->loops.path[i].block, d->stage, d->right + d->loops.path[i].row);
  hn_tree_loops_correct(&d->loops, d->right, d->change);
  for (size_t i = 0; i < d->size - d->positions; i++) u[i] += d->change[i];
  return HN_CONVERGED;
}

static hn_reason project(hn_solver *solver, double t)
{
  articulated *d = solver->data;
  d->is_current = false;
  d->stage->time = t;
  hn_reason reason = project_positions(solver);
  return reason == HN_CONVERGED ? project_velocities(solver) : reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  articulated *d = solver->data;
  load(solver, state);
  hn_reason reason = evaluate_end(solver, state);
  if (reason == HN_CONVERGED) reason = integrate(solver, state->time, h);
  if (reason == HN_CONVERGED && d->stabilisation == PROJECTION && d->loops.nrow > 0)
    reason = project(solver, state->time + h);
  if (reason != HN_CONVERGED) return reason;
  state->time += h;
  reason = evaluate_end(solver, state);
  if (reason == HN_CONVERGED) store(solver, state);
  return reason;
}

/* Fixed steps of order 1 need the projection where there are loops, whose drift is of order 1 too. */
static const char *const variants[] = { "",
                                        "stepper=semi-implicit,stabilisation=projection",
                                        "stepper=rk2",
                                        "stepper=rk8pd",
                                        "stepper=rk4imp",
                                        "stabilisation=baumgarte",
                                        "stabilisation=projection",
                                        NULL };

const hn_solver_type hn_solver_articulated = {
  .abi = HN_ABI,
  .name = "articulated",
  .summary = "reduced coordinates: articulated-body algorithm, loops by multipliers",
  .citation = "Featherstone 2008",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_HAS_MULTIPLIERS | HN_CAN_VELOCITY |
                  HN_CAN_EXTRA_FORCES,
  .order = 0,
  .data_size = sizeof(articulated),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
  .order_of = order_of,
  .variants = variants,
};
