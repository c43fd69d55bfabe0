/* mode_picture.c - a mode of linearised motion as a drawing or an animation (mode_picture.h). */
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/picture/items.h"
#include "cli/picture/mode_picture.h"

enum { PHASES = 64, MAX_PATHS = 16 };
static const double share = 0.1; /* largest displacement relative to the size of the mechanism */
static const double pi = 3.14159265358979323846;

/* Returns the factor of the shape for which the largest displacement, or rotation times the size, is a tenth
 * of the size of the mechanism. */
static double amplitude(const hn_model *model, const hn_state *state, const hn_eigenmode *mode)
{
  const double size = hn_model_size(model, state);
  double largest = 0.0;
  for (int i = 0; i < model->nbody; i++) {
    const hn_twist *u = &mode->shape[i];
    largest = fmax(largest, fmax(vec_norm(u->v), size * vec_norm(u->w)));
  }
  return largest > 0.0 ? share * size / largest : 0.0;
}

/* Sets OUT to the state at phase K of PHASES. */
static int displace(const hn_model *model, const hn_state *state, const hn_eigenmode *mode, int k,
                    hn_state *out, hn_error *error)
{
  hn_state_copy(out, state);
  return hn_eigenmode_displace(model, mode, amplitude(model, state, mode), 2.0 * pi * k / PHASES, out, error);
}

/* Adds the paths of the first moving bodies. OUT: scratch. */
static int add_paths(picture *p, const hn_model *model, const hn_state *state, const hn_eigenmode *mode,
                     hn_state *out, hn_error *error)
{
  double(*path)[3] = cli_alloc((size_t)MAX_PATHS * (PHASES + 1), sizeof *path);
  int status = 0;
  for (int k = 0; k <= PHASES && status == 0; k++) {
    status = displace(model, state, mode, k, out, error);
    for (int i = 1, n = 0; i < model->nbody && n < MAX_PATHS && status == 0; i++)
      if (model->body[i].kind != HN_FIXED) vec_copy(path[n++ * (PHASES + 1) + k], out->pose[i].x);
  }
  for (int i = 1, n = 0; i < model->nbody && n < MAX_PATHS && status == 0; i++)
    if (model->body[i].kind != HN_FIXED)
      picture_add_path(p, i, (const double(*)[3])path + n++ * (PHASES + 1), PHASES + 1);
  free(path);
  return status;
}

int mode_draw(const hn_model *model, const hn_state *state, const hn_eigenmode *mode, const char *path,
              const char *view, double width, double height, hn_error *error)
{
  picture p;
  picture_view axes;
  hn_state *out = hn_state_duplicate(state);
  if (!out) return hn_fail(error, "out of memory");
  int status = picture_view_read(&axes, view, model, state, error);
  if (status == 0) status = displace(model, state, mode, 0, out, error);
  if (status == 0) {
    picture_make(&p, model, out, &axes);
    status = add_paths(&p, model, state, mode, out, error);
    if (status == 0) status = picture_draw(&p, path, width, height, error);
    picture_free(&p);
  }
  hn_state_free(out);
  return status;
}

int mode_animate(const hn_model *model, const hn_state *state, const hn_eigenmode *mode, const char *path,
                 const hn_record_type *type, hn_error *error)
{
  const double period = mode->frequency > 0.0 ? 1.0 / mode->frequency : 1.0;
  const hn_record_options options = { .type = type, .every = 1, .frames = PHASES + 1 };
  hn_state *out = hn_state_duplicate(state);
  hn_record *record = out ? hn_record_create(path, model, &options, error) : NULL;
  int status = record ? 0 : out ? -1 : hn_fail(error, "out of memory");
  for (int k = 0; k <= PHASES && status == 0; k++) {
    hn_frame frame = { .index = k, .state = out, .model = model, .between = true, .last = k == PHASES };
    status = displace(model, state, mode, k, out, error);
    out->time = period * k / PHASES;
    if (status == 0 && !hn_record_frame(record, &frame)) break; /* its close explains */
  }
  hn_error ignored;
  if (record && hn_record_close(record, status == 0 ? error : &ignored)) status = -1;
  hn_state_free(out);
  return status;
}
