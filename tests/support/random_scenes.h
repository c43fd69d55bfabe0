/* random_scenes.h - the random scenes of tests/support, by number. */
#ifndef HN_RANDOM_SCENES_H
#define HN_RANDOM_SCENES_H

#include "models.h"
#include "scene.h"

#include <stdlib.h>

enum { MOST_SETTINGS = 4 };

/* A family of scenes: a file of tests/support without its ending, settings "name=value" ended by NULL; and
 * the steps of its runs. */
typedef struct family {
  const char *file, *setting[MOST_SETTINGS];
  double h;
  int steps;
} family;

/* The end of a run: at most six bodies that move. */
typedef struct ending {
  hn_summary summary;
  hn_pose pose[6];
  hn_twist twist[6];
} ending;

/* Loads scene SEED of F; 0: the only one. */
static inline hn_scene *load_random(const family *f, int seed)
{
  char file[4096], number[16], text[MOST_SETTINGS][64];
  hn_error error;
  const char *sources = getenv("srcdir");
  hn_setting setting[MOST_SETTINGS + 1];
  size_t count = 0;
  snprintf(file, sizeof file, "%s/tests/support/%s.lua", sources ? sources : ".", f->file);
  snprintf(number, sizeof number, "%d", seed);
  if (seed > 0) setting[count++] = (hn_setting){ "seed", number };
  for (int i = 0; i < MOST_SETTINGS && f->setting[i]; i++) {
    snprintf(text[i], sizeof text[i], "%s", f->setting[i]);
    char *equals = strchr(text[i], '=');
    *equals = '\0';
    setting[count++] = (hn_setting){ text[i], equals + 1 };
  }
  hn_scene *scene = hn_scene_load(file, setting, count, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

/* Runs SPEC on scene SEED of F; prints the explanation of a failure if LOUD. */
static inline ending run_random(const family *f, int seed, const char *spec, bool loud)
{
  ending end = { .pose[0].x[0] = 0.0 };
  hn_scene *scene = load_random(f, seed);
  hn_solver *solver = new_solver(spec, scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_run_options options = { .step = f->h, .duration = f->steps * f->h };
  hn_run(solver, at, &options, &end.summary);
  if (loud && end.summary.reason != HN_CONVERGED) printf("  scene %d: %s\n", seed, end.summary.explanation);
  for (int i = 1, moving = 0; i < at->nbody && moving < 6; i++) {
    if (scene->model->body[i].kind == HN_FIXED) continue;
    end.pose[moving] = at->pose[i], end.twist[moving++] = at->twist[i];
  }
  hn_state_free(at);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return end;
}

/* Runs SPEC on scenes FIRST to LAST of F; returns the number of runs that converge. */
static inline unsigned count_converged(const family *f, int first, int last, const char *spec)
{
  unsigned count = 0;
  for (int seed = first; seed <= last; seed++)
    count += run_random(f, seed, spec, true).summary.reason == HN_CONVERGED;
  return count;
}

#endif
