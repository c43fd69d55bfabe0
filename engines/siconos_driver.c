/* siconos_driver.c - one call of a method of Siconos: options, errors, and iterations.
 *
 * Siconos has global variables (its verbosity, and those of local solvers), so calls exclude each other. Its
 * errors return by longjmp, as does a request to stop; memory that the method holds by then is lost. */
#include "engines/siconos_parts.h"

#include <pthread.h>
#include <stdio.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/sn_error_handling.h>

static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;

/* Data of the callback. */
typedef struct watched {
  const siconos_caller *caller;
  siconos_call *call;
} watched;

static bool drive(siconos_problem *s, SolverOptions *options)
{
  if (s->dimension == 5) {
    RollingFrictionContactProblem rolling = {
      .dimension = 5, .numberOfContacts = s->count, .M = s->K, .q = s->q, .mu = s->mu, .mu_r = s->mu_rolling
    };
    return rolling_fc3d_driver(&rolling, s->p, s->v, options) == 0;
  }
  FrictionContactProblem plain = {
    .dimension = s->dimension, .numberOfContacts = s->count, .M = s->K, .q = s->q, .mu = s->mu
  };
  return s->dimension == 3 ? fc3d_driver(&plain, s->p, s->v, options) == 0
                           : fc2d_driver(&plain, s->p, s->v, options) == 0;
}

static void drive_guarded(siconos_problem *s, SolverOptions *options, siconos_call *call)
{
  if (setjmp(*sn_get_jmp_buf())) {
    const char *text = call->stopped ? "" : sn_fatal_error_msg();
    snprintf(call->text, sizeof call->text, "%s", text ? text : "an error without a message");
    return;
  }
  call->done = drive(s, options);
  sn_release_jmp_buf();
}

/* Called by methods at the end of an iteration. */
static void watch(void *env, int size, double *reaction, double *velocity, double error, void *extra)
{
  const watched *w = env;
  siconos_call *call = w->call;
  (void)size, (void)velocity, (void)error, (void)extra;
  if (call->kept < call->room)
    w->caller->history[call->kept++] = w->caller->measure(w->caller->data, reaction);
  if (!hn_stopped(w->caller->stop)) return;
  call->stopped = true;
  longjmp(*sn_get_jmp_buf(), 1);
}

/* Methods hand the callback to the solvers inside them, and solver_options_delete would free it. */
static void forget_callback(SolverOptions *options)
{
  options->callback = NULL;
  for (size_t i = 0; i < options->numberOfInternalSolvers; i++)
    if (options->internalSolvers[i]) forget_callback(options->internalSolvers[i]);
}

/* Sets what has no default that works. */
static void set_options(const siconos_problem *s, SolverOptions *options)
{
  if (s->dimension == 3 && options->solverId == SICONOS_FRICTION_3D_DSFP)
    options->dparam[SICONOS_FRICTION_3D_NSN_RHO] = 1.0 / NM_norm_inf(s->K);
}

void siconos_solve(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                   siconos_call *call)
{
  watched w = { caller, call };
  Callback callback = { .env = &w, .collectStatsIteration = watch };
  pthread_mutex_lock(&calling);
  numerics_set_verbose(0);
  SolverOptions *options = solver_options_create(method->id);
  options->dparam[SICONOS_DPARAM_TOL] = call->tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = call->iterations;
  set_options(s, options);
  options->callback = &callback;
  drive_guarded(s, options, call);
  call->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  forget_callback(options);
  solver_options_delete(options);
  pthread_mutex_unlock(&calling);
}
