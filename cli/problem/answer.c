/* answer.c - solves a contact problem with a contact solver, and computes the residuals of the solution. */
#include <math.h>
#include <time.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/problem/answer.h"

const double cli_problem_tolerance = 1e-9;

/* True if no contact has two directions of friction. */
static bool is_planar(const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++)
    if (problem->block[k].set.kind == HN_CONE && problem->block[k].n > 2) return false;
  return true;
}

/* Returns the processor time of this process, s. */
static double processor_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes the residuals of the solution. V[nrow], WORK[6 nbody] are overwritten. */
static int judge(cli_answer *a, const hn_problem *problem, double *work, double *v, hn_error *error)
{
  hn_problem_velocities(problem, a->p, work, v);
  a->error = hn_problem_error(problem, false, a->p, v, NULL);
  a->relaxed = hn_problem_error(problem, true, a->p, v, NULL);
  a->own = hn_contact_law_error(&a->other, problem, a->p, v, NULL);
  if (!a->symmetrised) return 0;
  hn_problem symmetric = *problem;
  symmetric.K = hn_problem_symmetric_part(problem);
  if (!symmetric.K) return hn_fail(error, "out of memory");
  hn_problem_velocities(&symmetric, a->p, work, v);
  a->symmetric = hn_problem_error(&symmetric, false, a->p, v, NULL);
  hn_problem_matrix_free(symmetric.K);
  return 0;
}

int cli_answer_solve(cli_answer *a, const hn_problem *problem, hn_system *system, const char *spec,
                     double tolerance, hn_error *error)
{
  const hn_contact_options options = { spec, tolerance, CLI_PROBLEM_ITERATIONS };
  const hn_problem_size most = { problem->nblock, problem->nrow, problem->nbody };
  const size_t rows = (size_t)problem->nrow + 1;
  *a = (cli_answer){ .spec = spec, .symmetric = NAN };
  hn_contact_solver *solver = system ? hn_contact_solver_for(system, &options, error)
                                     : hn_contact_solver_create(&options, &most, error);
  if (!solver) return -1;
  double *v = cli_alloc(rows, sizeof *v), *work = cli_alloc(6 * (size_t)problem->nbody + 1, sizeof *work);
  a->p = cli_alloc(rows, sizeof *a->p);
  hn_stop stop = { .flag = cli_stop() };
  for (hn_contact_solver *each = solver; each; each = each->next) each->stop = &stop;
  const double start = processor_time();
  a->reason = hn_contact_solve(solver, problem, a->p);
  a->seconds = processor_time() - start;
  a->iterations = solver->iterations, a->factorisations = solver->factorisations;
  a->symmetrised = solver->symmetrised;
  if (solver->message) a->message = cli_text("%s", solver->message);
  hn_contact_solver_law(solver, is_planar(problem), a->law, sizeof a->law);
  a->other = hn_contact_solver_law_of(solver, is_planar(problem));
  const int status = judge(a, problem, work, v, error);
  hn_contact_solver_free(solver);
  free(v), free(work);
  return status;
}

void cli_answer_free(cli_answer *a)
{
  free(a->p), free(a->message);
  *a = (cli_answer){ .p = NULL };
}

int cli_problem_contacts(const hn_problem *problem)
{
  int count = 0;
  for (int k = 0; k < problem->nblock; k++) count += problem->block[k].set.kind == HN_CONE;
  return count;
}
