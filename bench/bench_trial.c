/* bench_trial.c - trials: a solver on a scene, timed repeatedly. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* Accepts "scene" or "scene:parameter=value". */
hn_scene *bench_scene(const char *name, int n)
{
  char count[16], text[64];
  snprintf(count, sizeof count, "%d", n);
  snprintf(text, sizeof text, "%s", name);
  char *parameter = strchr(text, ':'), *value = strchr(text, '=');
  if (parameter && value) *parameter++ = '\0', *value++ = '\0';
  const hn_setting both[] = { { parameter, value }, { "n", count } };
  const hn_setting *settings = parameter ? both : both + 1;
  hn_error error;
  hn_scene *scene = hn_scene_load(text, settings, (size_t)(parameter != NULL) + (size_t)(n > 0), &error);
  if (!scene) bench_fail("%s", error.text);
  return scene;
}

bench_trial bench_trial_open(const char *scene, int n, const char *spec, double duration, int parts)
{
  hn_error error;
  bench_trial trial = { .scene = bench_scene(scene, n), .duration = duration };
  trial.solver = hn_solver_create(spec, trial.scene->model, &error);
  if (!trial.solver) bench_fail("%s", error.text);
  trial.start = hn_state_create(trial.scene->model);
  trial.state = hn_state_create(trial.scene->model);
  if (!trial.start || !trial.state) bench_fail("out of memory");
  trial.step = trial.scene->step;
  trial.steps = (int)(hn_step_count(trial.step, duration) / parts);
  if (trial.steps < 1) bench_fail("%s: %g s are fewer than %d steps", scene, duration, parts);
  return trial;
}

/* Resets state and solver and creates a new control function. */
static void restart(void *data)
{
  bench_trial *trial = data;
  hn_error error;
  hn_control_free(trial->control);
  trial->control = trial->scene->has_control ? hn_control_create(trial->scene, &error) : NULL;
  if (trial->scene->has_control && !trial->control) bench_fail("%s", error.text);
  hn_state_copy(trial->state, trial->start);
  hn_solver_reset(trial->solver);
  trial->index = 0;
}

void bench_trial_close(bench_trial *trial)
{
  hn_control_free(trial->control);
  hn_state_free(trial->start);
  hn_state_free(trial->state);
  hn_solver_free(trial->solver);
  hn_scene_free(trial->scene);
}

hn_summary bench_trial_summary(bench_trial *trial)
{
  hn_summary summary;
  restart(trial);
  const hn_run_options options = { .step = trial->step,
                                   .duration = trial->duration,
                                   .control = trial->control ? hn_control_step : NULL,
                                   .controller = trial->control };
  hn_run(trial->solver, trial->state, &options, &summary);
  return summary;
}

/* Takes the steps of a part; step k ends exactly at k h, as in hn_run. */
static void run(void *data)
{
  bench_trial *trial = data;
  hn_error error;
  for (int k = 0; k < trial->steps; k++) {
    hn_control_context moment = { .state = trial->state, .model = trial->scene->model };
    if (trial->control && hn_control_step(trial->control, &moment, &error) != 0) bench_fail("%s", error.text);
    hn_reason reason = hn_solver_step(trial->solver, trial->state, trial->step);
    trial->state->time = trial->start->time + (double)++trial->index * trial->step;
    if (reason == HN_CONVERGED) continue;
    char text[256];
    hn_solver_explain(trial->solver, reason, trial->step, text, sizeof text);
    bench_fail("%s: %s", trial->scene->name, text);
  }
}

bench_job bench_trial_job(bench_trial *trial)
{
  int parts = (int)(hn_step_count(trial->step, trial->duration) / trial->steps);
  return (bench_job){ .run = run, .restart = restart, .data = trial, .parts = parts, .units = trial->steps };
}

double bench_per_step(const hn_summary *summary, uint64_t count)
{
  return summary->steps > 0 ? (double)count / (double)summary->steps : 0.0;
}
