/* two_runs.c - two runs in two threads, stepped explicitly: two solvers on one scene, side by side.
 *
 *   cc two_runs.c -o two_runs -pthread $(pkg-config --cflags --libs holonom)
 *   ./two_runs ragdoll impulse-gs xpbd
 *
 * Each thread loads the scene for itself and owns all that it creates. PETSc and SUNDIALS support one thread
 * at a time: at most one of the two solvers may need them (impulse-newton, ida, any with linear=petsc). */
#include <scene.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct job {
  const char *scene, *solver;
  hn_error error; /* set if the run could not start */
  hn_summary summary;
  double lowest; /* m: lowest centre of a body at any time, found between steps */
  int status;
} job;

static void update_lowest(const hn_state *state, double *lowest)
{
  for (int i = 1; i < state->nbody; i++)
    if (state->pose[i].x[1] < *lowest) *lowest = state->pose[i].x[1];
}

/* Runs to the end. A viewer would draw between two steps, or wait, or execute commands. */
static int step_to_the_end(job *j, const hn_scene *scene, hn_solver *solver, hn_state *state)
{
  const hn_run_options options = { .step = scene->step, .duration = scene->duration };
  hn_runner *runner = hn_runner_create(solver, state, &options, &j->error);
  if (!runner) return -1;
  j->lowest = INFINITY;
  update_lowest(state, &j->lowest);
  while (!hn_runner_ended(runner))
    if (hn_runner_step(runner) == HN_CONVERGED) update_lowest(state, &j->lowest);
  hn_runner_finish(runner, &j->summary);
  return 0;
}

static void *work(void *argument)
{
  job *j = argument;
  hn_scene *scene = hn_scene_load(j->scene, NULL, 0, &j->error);
  hn_solver *solver = scene ? hn_solver_create(j->solver, scene->model, &j->error) : NULL;
  hn_state *state = solver ? hn_state_create(scene->model) : NULL;
  if (solver && !state) hn_fail(&j->error, "out of memory");
  j->status = state ? step_to_the_end(j, scene, solver, state) : -1;
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return NULL;
}

static int report(const job *j)
{
  const hn_summary *s = &j->summary;
  if (j->status) {
    fprintf(stderr, "two_runs: %s: %s\n", j->solver, j->error.text);
    return 2;
  }
  printf("%-24s %s after %ld steps, lowest point of a centre %.9g m, hash %016llx\n", j->solver,
         hn_reason_name(s->reason), s->steps, j->lowest, (unsigned long long)s->hash);
  return s->reason == HN_CONVERGED ? 0 : 1;
}

int main(int argc, char **argv)
{
  pthread_t thread[2];
  job jobs[2];
  if (argc != 4) {
    fputs("usage: two_runs SCENE SOLVER SOLVER\n", stderr);
    return 2;
  }
  for (int i = 0; i < 2; i++) {
    jobs[i] = (job){ .scene = argv[1], .solver = argv[2 + i] };
    if (pthread_create(&thread[i], NULL, work, &jobs[i])) {
      fputs("two_runs: no thread\n", stderr);
      return 2;
    }
  }
  int status = 0;
  for (int i = 0; i < 2; i++) {
    pthread_join(thread[i], NULL);
    int own = report(&jobs[i]);
    status = own > status ? own : status;
  }
  return status;
}
