/* inverse_loops.c - the forces that a motion of a mechanism with loops needs
 *
 *   tau = H du + C - S' F - S' G' lambda           G: rows of the cut joints that prescribe no motion
 *
 * For a motion by the equations of the model, lambda is known, and tau is that of the drives: tau = S' G_d'
 * lambda_d. For a given motion, lambda is chosen so that tau' H^-1 tau is least:
 *
 *   K lambda = G H^-1 (H du + C - S' F) */
#include "base/vec.h"
#include "tree/tree_loops.h"

#include <stdlib.h>
#include <string.h>

struct hn_inverse {
  hn_tree *tree;
  hn_tree_loops all, passive;
  hn_state *state;
  double *q, *u, *du, *tau; /* coordinates, rates, their derivatives, forces */
  double *lambda;           /* [rows of the system] */
  hn_arrays arrays;
};

static int allocate(hn_inverse *d, hn_system *system, hn_error *error)
{
  const size_t n = (size_t)d->tree->nfree;
  d->all.drops = d->passive.drops = true;
  if (hn_tree_loops_create(&d->all, d->tree, false, error) ||
      hn_tree_loops_create(&d->passive, d->tree, true, error))
    return -1;
  d->state = hn_state_create(system->model);
  if (!d->state) return hn_fail(error, "out of memory");
  return hn_arrays_allocate(&d->arrays, error, HN_ARRAY(d->q, d->tree->ncoordinate), HN_ARRAY(d->u, n),
                            HN_ARRAY(d->du, n), HN_ARRAY(d->tau, n), HN_ARRAY(d->lambda, system->max_rows));
}

hn_inverse *hn_inverse_create(hn_system *system, hn_error *error)
{
  hn_inverse *d = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory"), NULL;
  d->tree = hn_tree_create(system, error);
  if (d->tree && allocate(d, system, error) == 0) return d;
  hn_inverse_free(d);
  return NULL;
}

void hn_inverse_free(hn_inverse *d)
{
  if (!d) return;
  hn_tree_loops_free(&d->all), hn_tree_loops_free(&d->passive);
  hn_state_free(d->state);
  hn_arrays_free(&d->arrays);
  hn_tree_free(d->tree);
  free(d);
}

const hn_tree *hn_inverse_tree(const hn_inverse *d)
{
  return d->tree;
}

/* Copies STATE, and computes its coordinates and rates. */
static void load(hn_inverse *d, const hn_state *state)
{
  hn_state_copy(d->state, state);
  hn_tree_coordinates_of(d->tree, d->state, d->q, d->u);
  hn_tree_state(d->tree, d->q, d->u, d->state);
}

void hn_inverse_rates(hn_inverse *d, const hn_state *state, double *u)
{
  load(d, state);
  memcpy(u, d->u, sizeof *u * (size_t)d->tree->nfree);
}

/* Stores the generalised forces of the cut rows LOOPS with multipliers LAMBDA in TAU. */
static void project_rows(hn_inverse *d, hn_tree_loops *loops, const double *lambda, double *tau)
{
  memset(loops->wrench, 0, sizeof *loops->wrench * 6 * (size_t)d->state->nbody);
  hn_tree_loops_add(loops, lambda, loops->wrench);
  hn_tree_project(d->tree, loops->wrench, tau);
}

hn_reason hn_inverse_driven(hn_inverse *d, const hn_state *state, double *tau)
{
  hn_tree *tree = d->tree;
  int where;
  const double *wrench = NULL;
  load(d, state);
  if (hn_model_has_forces(tree->system->model))
    hn_system_forces(tree->system, d->state, tree->wrench), wrench = tree->wrench;
  hn_reason reason = hn_tree_factor(tree, &where);
  if (reason == HN_CONVERGED)
    reason = hn_tree_loops_accelerate(&d->all, d->state, wrench, 0.0, 0.0, d->lambda, d->du);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < d->all.npath; i++) { /* the drives alone */
    const hn_tree_path *path = &d->all.path[i];
    if (tree->system->block[path->block].joint->type->keys & HN_KEY_MOTION) continue;
    memset(d->all.right + path->row, 0, sizeof *d->all.right * (size_t)path->n);
  }
  project_rows(d, &d->all, d->all.right, tau);
  return reason;
}

hn_reason hn_inverse_required(hn_inverse *d, const hn_state *state, const double *du, double *tau)
{
  hn_tree *tree = d->tree;
  int where;
  load(d, state);
  hn_inverse_dynamics(tree, d->state, d->q, d->u, du, tau);
  if (d->passive.nrow == 0) return HN_CONVERGED;
  hn_reason reason = hn_tree_factor(tree, &where);
  if (reason == HN_CONVERGED) reason = hn_tree_loops_factor(&d->passive, d->state);
  if (reason != HN_CONVERGED) return reason;
  hn_tree_respond(tree, NULL, tau, d->du);
  hn_tree_loops_rates(&d->passive, d->passive.right);
  hn_tree_loops_solve(&d->passive, d->passive.right);
  project_rows(d, &d->passive, d->passive.right, d->tau);
  for (int i = 0; i < tree->nfree; i++) tau[i] -= d->tau[i];
  return reason;
}
