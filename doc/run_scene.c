/* run_scene.c - loads a scene from C, sets its parameters, runs it, and compares it with its reference.
 *
 *   cc run_scene.c -o run_scene $(pkg-config --cflags --libs holonom)
 *   ./run_scene chain n=16 */
#include <scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report_error(const hn_error *error)
{
  fprintf(stderr, "run_scene: %s\n", error->text);
  return 2;
}

/* Prints the height of the last body; called for the initial state and after every step. */
static bool print_height(void *user, const hn_frame *frame)
{
  const hn_model *model = user;
  printf("%.6f %.17g\n", frame->state->time, frame->state->pose[model->nbody - 1].x[1]);
  return true;
}

/* Prints the final positions, and those of the reference where the scene has one. */
static void print_end(hn_scene *scene, const hn_state *state)
{
  int n = scene->model->nbody;
  bool *known = calloc((size_t)n, sizeof *known);
  double *x = calloc(3 * (size_t)n, sizeof *x);
  int has_reference = known && x ? hn_scene_reference(scene, state->time, known, x, NULL) : 0;
  for (int b = 1; b < n; b++) {
    const double *at = state->pose[b].x;
    printf("# %s: %.9g %.9g %.9g m", scene->model->body[b].name, at[0], at[1], at[2]);
    if (has_reference == 1 && known[b])
      printf(", reference %.9g %.9g %.9g m", x[3 * b], x[3 * b + 1], x[3 * b + 2]);
    putchar('\n');
  }
  free(known);
  free(x);
}

/* Runs SCENE once with its own solver, step size and duration. */
static int run(hn_scene *scene, hn_error *error)
{
  hn_summary summary;
  hn_run_options options = {
    .step = scene->step, .duration = scene->duration, .observe = print_height, .user = scene->model
  };
  hn_solver *solver = hn_solver_create(scene->solver, scene->model, error);
  hn_state *state = hn_state_create(scene->model);
  hn_control *control = solver && scene->has_control ? hn_control_create(scene, error) : NULL;
  int status = solver && state && (control || !scene->has_control) ? 0 : -1;
  if (control) options.control = hn_control_step, options.controller = control;
  if (solver && !state) hn_fail(error, "out of memory");
  if (status == 0 && hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    status = hn_fail(error, "%s", summary.explanation);
  if (status == 0) {
    print_end(scene, state);
    printf("# %ld steps of %s, hash %016llx\n", summary.steps, scene->solver,
           (unsigned long long)summary.hash);
  }
  hn_control_free(control);
  hn_state_free(state);
  hn_solver_free(solver);
  return status;
}

int main(int argc, char **argv)
{
  enum { MAX_SETTINGS = 32 };
  hn_error error;
  hn_setting setting[MAX_SETTINGS];
  size_t count = 0;
  for (int i = 2; i < argc && count < MAX_SETTINGS; i++) { /* NAME=VALUE */
    char *equals = strchr(argv[i], '=');
    if (!equals) break;
    *equals = '\0';
    setting[count++] = (hn_setting){ argv[i], equals + 1 };
  }
  if (argc != (int)count + 2) {
    fputs("usage: run_scene SCENE [NAME=VALUE ...]\n", stderr);
    return 2;
  }
  hn_scene *scene = hn_scene_load(argv[1], setting, count, &error);
  if (!scene) return report_error(&error);
  int status = run(scene, &error);
  hn_scene_free(scene);
  return status ? report_error(&error) : 0;
}
