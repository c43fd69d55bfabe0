/* viewpoint.c - the direction from which a mechanism is drawn. */
#include <math.h>
#include <string.h>
#include "cli/picture/items.h"
#include "elementary.h"
#include "base/vec.h"

static const double turned = 0.6, tilted = 0.42; /* angles of an oblique view, rad */
static const double slim = 0.15; /* width over size of a mechanism that hangs or stands straight */
static const double flat = 1e-9; /* distance from a plane, over the size, of a mechanism that lies in it */

static const struct {
  const char *name;
  double right[3], up[3];
} sides[] = {
  { "xy", { 1, 0, 0 }, { 0, 1, 0 } },
  { "xz", { 1, 0, 0 }, { 0, 0, 1 } },
  { "yz", { 0, 1, 0 }, { 0, 0, 1 } },
};
enum { SIDES = sizeof sides / sizeof *sides };

static void look(picture_view *view, const double right[3], const double up[3])
{
  vec_copy(view->right, right);
  vec_copy(view->up, up);
  vec_cross(view->eye, right, up);
}

/* Finds the axis closest to gravity and sets ABOVE against gravity; y without gravity. Returns the axis. */
static int find_above(const hn_model *model, double above[3])
{
  int axis = 1;
  const double *g = model->nbody > 1 ? model->body[1].gravity : above;
  vec_set(above, 0.0, 0.0, 0.0);
  for (int i = 0; i < 3 && vec_norm(g) > 0.0; i++)
    if (fabs(g[i]) > fabs(g[axis])) axis = i;
  above[axis] = g[axis] > 0.0 ? -1.0 : 1.0;
  return axis;
}

/* Looks from the front, the right and above. */
static void look_obliquely(picture_view *view, int axis)
{
  static const double front[3][3] = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, -1, 0 } };
  double side[3], eye[3] = { 0.0, 0.0, 0.0 }, right[3], up[3];
  vec_cross(side, view->above, front[axis]);
  vec_add_scaled(eye, hn_cos(tilted) * hn_sin(turned), side);
  vec_add_scaled(eye, hn_cos(tilted) * hn_cos(turned), front[axis]);
  vec_add_scaled(eye, hn_sin(tilted), view->above);
  vec_cross(right, view->above, eye);
  vec_scale(right, 1.0 / vec_norm(right), right);
  vec_cross(up, eye, right);
  look(view, right, up);
}

/* True if the mechanism lies and moves in a plane z = constant, and extends across gravity, along AXIS. */
static bool is_flat(const hn_model *model, const hn_state *state, int axis)
{
  const double size = hn_model_size(model, state);
  double z = NAN, off = 0.0, wide = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    if (model->body[i].kind == HN_FIXED) continue;
    if (isnan(z)) z = state->pose[i].x[2];
    off = fmax(off, fabs(state->pose[i].x[2] - z) + fabs(state->twist[i].v[2]));
    if (model->body[i].kind == HN_RIGID)
      off = fmax(off, hn_hypot(state->twist[i].w[0], state->twist[i].w[1]));
    off = fmax(off, fabs(model->body[i].gravity[2]));
  }
  for (int k = 0; k < model->njoint; k++) {
    double point[3];
    const hn_joint *joint = &model->joint[k];
    quat_rotate(point, state->pose[joint->b].q, joint->point_b);
    off = fmax(off, fabs(point[2] + state->pose[joint->b].x[2] - z));
  }
  for (int i = 1; i < model->nbody && axis < 2; i++) /* a straight chain is seen better obliquely */
    wide = fmax(wide, fabs(state->pose[i].x[1 - axis]));
  return model->planar || (off <= flat * size && wide > slim * size);
}

int picture_view_read(picture_view *view, const char *name, const hn_model *model, const hn_state *state,
                      hn_error *error)
{
  const int axis = find_above(model, view->above);
  if (!name) name = is_flat(model, state, axis) ? "xy" : "iso";
  for (int i = 0; i < SIDES; i++)
    if (strcmp(name, sides[i].name) == 0) return look(view, sides[i].right, sides[i].up), 0;
  if (strcmp(name, "iso") != 0) return hn_fail(error, "--view %s: a view is xy, xz, yz or iso", name);
  look_obliquely(view, axis);
  return 0;
}
