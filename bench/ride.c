/* ride.c - a solver on a scene: opened once, run as often as the stopwatch asks. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* NAME is a scene, or "scene:parameter=value". */
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

bench_ride bench_ride_open(const char *scene, int n, const char *spec, double duration, int parts)
{
  hn_error error;
  bench_ride ride = { .scene = bench_scene(scene, n), .duration = duration };
  ride.solver = hn_solver_create(spec, ride.scene->model, &error);
  if (!ride.solver) bench_fail("%s", error.text);
  ride.start = hn_state_create(ride.scene->model);
  ride.state = hn_state_create(ride.scene->model);
  if (!ride.start || !ride.state) bench_fail("out of memory");
  ride.step = ride.scene->step;
  ride.steps = (int)(hn_step_count(ride.step, duration) / parts);
  if (ride.steps < 1) bench_fail("%s: %g s are fewer than %d steps", scene, duration, parts);
  return ride;
}

/* A fresh start, with a control function that knows nothing of earlier runs. */
static void restart(void *data)
{
  bench_ride *ride = data;
  hn_error error;
  hn_control_free(ride->control);
  ride->control = ride->scene->has_control ? hn_control_create(ride->scene, &error) : NULL;
  if (ride->scene->has_control && !ride->control) bench_fail("%s", error.text);
  hn_state_copy(ride->state, ride->start);
  hn_solver_reset(ride->solver);
  ride->index = 0;
}

void bench_ride_close(bench_ride *ride)
{
  hn_control_free(ride->control);
  hn_state_free(ride->start);
  hn_state_free(ride->state);
  hn_solver_free(ride->solver);
  hn_scene_free(ride->scene);
}

hn_summary bench_ride_summary(bench_ride *ride)
{
  hn_summary summary;
  restart(ride);
  const hn_run_options options = { .step = ride->step,
                                   .duration = ride->duration,
                                   .control = ride->control ? hn_control_step : NULL,
                                   .controller = ride->control };
  hn_run(ride->solver, ride->state, &options, &summary);
  return summary;
}

/* As `run` does it: step k ends at k h exactly. */
static void run(void *data)
{
  bench_ride *ride = data;
  hn_error error;
  for (int k = 0; k < ride->steps; k++) {
    hn_moment moment = { .state = ride->state, .model = ride->scene->model };
    if (ride->control && hn_control_step(ride->control, &moment, &error) != 0) bench_fail("%s", error.text);
    hn_reason reason = hn_solver_step(ride->solver, ride->state, ride->step);
    ride->state->time = ride->start->time + (double)++ride->index * ride->step;
    if (reason == HN_CONVERGED) continue;
    char text[256];
    hn_solver_explain(ride->solver, reason, ride->step, text, sizeof text);
    bench_fail("%s: %s", ride->scene->name, text);
  }
}

bench_job bench_ride_job(bench_ride *ride)
{
  int parts = (int)(hn_step_count(ride->step, ride->duration) / ride->steps);
  return (bench_job){ .run = run, .restart = restart, .data = ride, .parts = parts, .units = ride->steps };
}

double bench_per_step(const hn_summary *summary, uint64_t count)
{
  return summary->steps > 0 ? (double)count / (double)summary->steps : 0.0;
}
