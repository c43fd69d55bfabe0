/* admm.c - contact solver: the alternating direction method of multipliers (ADMM).
 *
 * Problem (contact.h): find impulses p in C such that, with v = K p + b and w = v + mu |v_t| e_n, C* contains
 * w and w . p = 0. The splitting p = z keeps the linear system and the sets apart: z lies in C, and w is the
 * multiplier of p = z.
 *
 * Iteration (admm_iteration.c), from z = P_C(p) for the p of the start, and w of its velocities:
 *
 *   s := mu |w_t| e_n                          De Saxce's shift
 *   p := (K + R)^-1 (R z + w - b - s)          one solution with the factor of K + R
 *   v := R z + w - s - R p                     equals K p + b, without a product
 *   x := p - R^-1 w,  z := P_C(x),  w := R (z - x)
 *
 * C* contains w from the first iteration on. x alone determines the next iteration: z = P_C(x), w = R (z -
 * x). So an iteration is a map x := T(x). There is no over-relaxation, with which the shift converges more
 * slowly.
 *
 * Penalty (admm_policy.c): R = rho k I on each block, with k the mean of the diagonal of K there, which
 * scales unequal masses. Equations need no splitting: R = 1e-7 k keeps K + R regular where joints are
 * redundant. rho balances the residuals (admm_policy.h); a change costs a factorisation.
 *
 * Phases. r is the error of p and v (contact.h, m/s). It stagnates since the iteration in which it last
 * halved.
 *
 *   phase           when                                        next x             rho       direction
 *   plain           iterations 1 to 90                          T(x)               adapted   ignored
 *   observed        iterations 91 to 100                        T(x)               adapted   observed
 *   accelerated     later                                       Anderson's step    adapted   observed
 *   unaccelerated   later, r stagnates for 200 to 399, 600      T(x)               fixed     observed
 *                   to 799, ... iterations
 *
 * Acceleration (anderson.h): slow convergence is due to a few directions of x, such as contacts along a
 * stack. Anderson's step is T(x) - (dX + dF) c, c = argmin |f - dF c|, f = T(x) - x, from the last ten
 * changes of x and f. It restarts after a step that makes |f| grow to more than twice the smallest one, and
 * with each new rho.
 *
 * Steady direction (steady_direction.h): where redundant contacts contradict each other, f soon stays the
 * same. It is steady for n iterations if n |f - f_before| <= |f| in the last five. N is the number of
 * iterations along f to the next change of a contact mode. L is the number of iterations left if r stagnates
 * for 200 iterations or more. Before that, L is unlimited, since an extrapolation may save any number.
 *
 *   extrapolation   x := T(x) + N f, if N >= 50, f is steady for min(N, L), and r stagnates or N > L
 *   certificate     else, if f is steady for L iterations and N > L: there is no solution
 *
 * Acceleration would hide a steady direction, hence the unaccelerated phases.
 *
 * End of the solution:
 *
 *   converged       r <= tolerance / 2, or r <= tolerance in more than 20 consecutive iterations; and the
 *                   error of P_C(p) is within the tolerance. The result is P_C(p).
 *   stalled         a certificate, or r stagnates for 3000 iterations. The result is P_C of the last p that
 *                   halved r.
 *   budget          the iterations are used up, or with forecast=N r foretells more than N iterations a row
 *                   (forecast.h). The result is P_C of the last p.
 *
 * With tolerance 0 all iterations are made: no unaccelerated phase, no extrapolation for stagnation, no
 * stall. K may be singular and p not unique. Coulomb's law is no convex problem: convergence is not proven
 * for large mu. Cost: one solution an iteration, one factorisation for each rho.
 *
 * [Boyd and others, Found. Trends Mach. Learn. 3 (2011) 1; of contact: Acary, Bremond, Koziara and Perignon
 * 2018; Carpentier, Le Lidec and Montaut, RSS 2024; Tasora, Mangoni, Benatti and Garziera 2021] */
#include "base/array.h"
#include "contact/admm/admm_iteration.h"
#include "contact/admm/admm_policy.h"
#include "contact/admm/steady_direction.h"
#include "contact/anderson.h"
#include "contact/forecast.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Shortest extrapolation, in iterations: a shorter one saves little, and discards the history. */
static const double min_extrapolation = 50.0;

/* The reason of a solution that may still go on; it is also the reason if iterations run out. */
static const hn_reason unfinished = HN_BUDGET;

typedef struct admm {
  hn_admm iteration;
  double forecast; /* most iterations a row that may be foretold; 0: any number */
  double *best;    /* [most.rows] p when the error last halved */
  double *x, *tx;  /* [most.rows] x before an iteration and after it, T(x) */
  double *weight;  /* [most.rows] k of each row, for norms of x in m/s */
  hn_anderson anderson;
  hn_direction direction;
  hn_arrays arrays;
} admm;

/* State of one solution. */
typedef struct progress {
  int iteration, budget;
  double best_error; /* m/s, when it last halved */
  int stagnation;    /* iterations since the error halved */
  int within;        /* consecutive iterations within the tolerance */
  hn_admm_penalty penalty;
  hn_forecast forecast; /* of the error */
} progress;

/* ---- Life cycle ---------------------------------------------------------------------------------------- */

static int setup(hn_contact_solver *solver, hn_error *error)
{
  admm *s = solver->data;
  hn_admm *it = &s->iteration;
  const size_t rows = (size_t)solver->most.rows + 1;
  HN_ARRAYS(&s->arrays, sizeof(double) * (size_t)solver->most.blocks, &it->scale, &it->R);
  HN_ARRAYS(&s->arrays, sizeof(double) * rows, &it->p, &it->v, &it->z, &it->w, &s->best, &s->x, &s->tx,
            &s->weight, &s->direction.f);
  HN_ARRAYS(&s->arrays, sizeof(double[6]) * (size_t)solver->most.bodies, &it->u);
  if (hn_anderson_create(&s->anderson, rows) && !s->arrays.failed) return 0;
  return hn_fail(error, "no memory for contact problems of %d rows", solver->most.rows);
}

static void destroy(hn_contact_solver *solver)
{
  admm *s = solver->data;
  hn_contact_matrix_free(&s->iteration.K);
  hn_anderson_free(&s->anderson);
  hn_arrays_free(&s->arrays);
}

/* ---- The next x ---------------------------------------------------------------------------------------- */

typedef enum direction_kind { UNSTEADY, EXTRAPOLATED, ENDLESS } direction_kind;

/* Extrapolates along the direction to the next change of a contact mode. False, without a step, if that is
 * endless or fewer than min_extrapolation iterations away, or if f is not steady for so long or for the
 * REMAINING iterations. */
static bool extrapolate(admm *s, const hn_problem *problem, int remaining)
{
  const double change = hn_direction_change(&s->direction);
  if (!(min_extrapolation * change <= 1.0)) return false;
  const double steps = hn_direction_steps_to_mode_change(&s->direction, problem, s->weight, s->tx);
  if (!(steps >= min_extrapolation && fmin(steps, remaining) * change <= 1.0 && isfinite(steps)))
    return false;
  for (int i = 0; i < problem->nrow; i++) s->x[i] = s->tx[i] + steps * s->direction.f[i];
  hn_admm_set_x(&s->iteration, problem, s->x);
  hn_anderson_restart(&s->anderson), hn_direction_restart(&s->direction);
  return true;
}

/* Observes the direction, and extrapolates if r STAGNATES or if no mode changes in the REMAINING iterations.
 * ENDLESS: none changes, and x is not updated. */
static direction_kind follow_direction(admm *s, const hn_problem *problem, bool stagnates, int remaining)
{
  hn_direction_observe(&s->direction, problem->nrow, s->weight, s->tx, s->x);
  const bool steady = hn_direction_is_steady(&s->direction, problem, s->weight, s->tx, remaining);
  if ((stagnates || steady) && extrapolate(s, problem, remaining)) return EXTRAPOLATED;
  return steady ? ENDLESS : UNSTEADY;
}

/* Sets x to T(x), or to Anderson's step. */
static void move_x(admm *s, const hn_problem *problem, bool accelerate)
{
  if (accelerate) {
    hn_anderson_step(&s->anderson, problem->nrow, s->weight, s->tx, s->x);
    hn_admm_set_x(&s->iteration, problem, s->x);
  } else {
    memcpy(s->x, s->tx, sizeof *s->x * (size_t)problem->nrow);
    hn_anderson_restart(&s->anderson);
  }
}

/* Sets x after an iteration with residuals NOW in its phase, and rho. HN_STALLED without a solution. */
static hn_reason advance(hn_contact_solver *solver, const hn_problem *problem, progress *run,
                         hn_admm_residuals now)
{
  admm *s = solver->data;
  const bool may_stall = solver->options.tolerance > 0.0;
  const hn_admm_phase phase = hn_admm_phase_at(run->iteration, may_stall ? run->stagnation : 0);
  const hn_admm_action action = hn_admm_actions[phase];
  const bool stagnates = hn_admm_stagnates(run->stagnation);
  const int remaining = stagnates ? run->budget - run->iteration : INT_MAX;
  if (action.observe_direction) {
    hn_admm_get_x(&s->iteration, problem, s->tx);
    direction_kind kind = follow_direction(s, problem, stagnates && may_stall, remaining);
    if (kind == ENDLESS && may_stall) return HN_STALLED;
    /* endless, with tolerance 0: x stays, while z and w go on */
    if (kind == UNSTEADY) move_x(s, problem, action.accelerate);
  }
  /* A new R is another map T: x is that of z and w, and the history is void. */
  hn_reason reason = HN_CONVERGED;
  const bool changed = action.adapt_rho && hn_admm_penalty_review(&run->penalty, run->iteration, now);
  if (changed) {
    reason = hn_admm_factor(&s->iteration, solver, problem, run->penalty.rho);
    hn_anderson_restart(&s->anderson), hn_direction_restart(&s->direction);
  }
  if (changed || run->iteration == HN_ADMM_PLAIN_END) hn_admm_get_x(&s->iteration, problem, s->x);
  return reason == HN_CONVERGED ? unfinished : reason;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

/* Stores P_C(p) in P and returns its error. */
static double project_result(admm *s, const hn_problem *problem, double *p)
{
  hn_admm *it = &s->iteration;
  memcpy(p, it->p, sizeof *p * (size_t)problem->nrow);
  return hn_rows_project(problem, it->scale, it->u, it->v, p);
}

/* True if the error of p is small enough for long enough and that of its projection, stored in P, is within
 * the tolerance. */
static bool is_solved(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  const double tolerance = solver->options.tolerance, error = solver->error;
  run->within = error <= tolerance ? run->within + 1 : 0;
  return hn_admm_is_accurate(error, tolerance, run->within) &&
         project_result(solver->data, problem, p) <= tolerance;
}

/* Notes the error of the last iteration and keeps p where it has halved. */
static void note_error(hn_contact_solver *solver, const hn_problem *problem, progress *run, double error)
{
  admm *s = solver->data;
  hn_contact_note(solver, error);
  run->stagnation++;
  if (!hn_admm_is_progress(error, run->best_error)) return;
  run->best_error = error, run->stagnation = 0;
  memcpy(s->best, s->iteration.p, sizeof *s->best * (size_t)problem->nrow);
}

/* True if the progress foretells more iterations than there may be. */
static bool is_too_slow(const hn_contact_solver *solver, const hn_problem *problem, progress *run)
{
  const double most = ((const admm *)solver->data)->forecast * problem->nrow;
  return hn_forecast_exceeds(&run->forecast, run->iteration - 1, solver->error, most,
                             solver->options.tolerance);
}

/* One iteration: the reason if it ends the solution, else `unfinished`. */
static hn_reason iterate(hn_contact_solver *solver, const hn_problem *problem, progress *run, double *p)
{
  admm *s = solver->data;
  if (hn_stopped(solver->stop)) return HN_INTERRUPTED;
  hn_admm_solve_p(&s->iteration, problem);
  solver->solves++;
  const double error = hn_rows_error(problem, s->iteration.scale, false, s->iteration.p, s->iteration.v);
  if (!isfinite(error)) return HN_NOT_FINITE;
  note_error(solver, problem, run, error);
  if (is_solved(solver, problem, run, p)) return HN_CONVERGED;
  if (hn_admm_is_hopeless(run->stagnation) && solver->options.tolerance > 0.0) return HN_STALLED;
  return advance(solver, problem, run, hn_admm_project(&s->iteration, problem));
}

/* Prepares the solution from P. */
static hn_reason start(hn_contact_solver *solver, const hn_problem *problem, const double *p)
{
  admm *s = solver->data;
  hn_reason reason = hn_admm_start(&s->iteration, solver, problem, p);
  for (int k = 0; k < problem->nblock; k++)
    for (int r = 0; r < problem->block[k].n; r++)
      s->weight[problem->block[k].row + r] = s->iteration.scale[k];
  hn_anderson_reset(&s->anderson), hn_direction_restart(&s->direction);
  return reason == HN_CONVERGED ? unfinished : reason;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  admm *s = solver->data;
  progress run = { .budget = solver->options.iterations, .best_error = HUGE_VAL };
  run.penalty = hn_admm_penalty_start(s->iteration.initial_rho);
  hn_reason reason = start(solver, problem, p);
  while (reason == unfinished && run.iteration++ < run.budget) {
    reason = iterate(solver, problem, &run, p);
    if (is_too_slow(solver, problem, &run)) break;
  }
  if (reason == HN_STALLED) memcpy(s->iteration.p, s->best, sizeof *p * (size_t)problem->nrow);
  if (reason == HN_STALLED) solver->error = project_result(s, problem, p);
  if (reason == HN_BUDGET) project_result(s, problem, p);
  return reason;
}

static const hn_param params[] = {
  { "rho", HN_REAL, offsetof(admm, iteration.initial_rho), "0.1", 1e-6, 1e4, "", NULL,
    "penalty of the splitting at the start, relative to the mean of the diagonal of K" },
  { "forecast", HN_REAL, offsetof(admm, forecast), "0", 0, 1e7, "", NULL,
    "ends where more iterations a row are foretold; 0: never" },
  { .key = NULL },
};

const hn_contact_type hn_contact_admm = {
  .abi = HN_ABI,
  .name = "admm",
  .summary = "splitting: one factorisation for many iterations; redundant contacts and unequal masses",
  .citation = "Carpentier, Le Lidec and Montaut 2024",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_ROLLING,
  .data_size = sizeof(admm),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
