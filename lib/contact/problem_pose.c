/* problem_pose.c - the contact problem of a system's blocks at the velocities of a state. */
#include "contact.h"
#include "linear/system_parts.h"

#include <stdlib.h>
#include <string.h>

hn_problem *hn_problem_create(const hn_system *system, hn_error *error)
{
  hn_problem *problem = calloc(1, sizeof *problem);
  if (problem) {
    problem->block = malloc(sizeof *problem->block * ((size_t)system->max_blocks + 1));
    problem->b = malloc(sizeof *problem->b * ((size_t)system->max_rows + 1));
    problem->inv_mass = malloc(sizeof *problem->inv_mass * (size_t)system->model->nbody);
  }
  for (int i = 0; problem && problem->inv_mass && i < system->model->nbody; i++)
    problem->inv_mass[i] = system->model->body[i].inv_mass;
  if (problem && problem->block && problem->b && problem->inv_mass) return problem;
  hn_problem_free(problem);
  hn_fail(error, "out of memory");
  return NULL;
}

void hn_problem_assemble(hn_problem *problem, hn_system *system, const hn_state *state, double h)
{
  problem->h = h;
  problem->nbody = system->model->nbody, problem->nblock = system->nblock, problem->nrow = system->nrow;
  problem->G = system->G, problem->T = system->T, problem->W = system->parts->inv_inertia, problem->K = NULL;
  for (int k = 0; k < system->nblock; k++) {
    const hn_block *block = &system->block[k];
    problem->block[k] = (hn_problem_block){
      .a = block->a, .b = block->b, .row = block->row, .n = block->n, .set = *block->joint->set
    };
  }
  hn_system_velocity_residual(system, state, problem->b, NULL);
}
