/* mouse_spring.c - mouse spring: a spring with a damper from a point of a body to a target that moves
 *
 *   Q = -stiffness (x - target) - damping dx/dt      x: the point, from the point of a, in axes of a; N, on b
 *
 * The target is the input, three numbers; initially it is the point itself and the force is zero. A moving
 * target does work, so there is no conserved energy. */
#include "forces.h"
#include "joint/joint_rows.h"

#include <math.h>
#include <string.h>

typedef struct mouse_spring {
  double stiffness, damping;
} mouse_spring;

enum { AXES = 3 };

static const hn_param params[] = {
  { "stiffness", HN_REAL, offsetof(mouse_spring, stiffness), "0", 0, HUGE_VAL, "N/m", NULL,
    "force per distance" },
  { "damping", HN_REAL, offsetof(mouse_spring, damping), "0", 0, HUGE_VAL, "N s/m", NULL, "force per speed" },
  { .key = NULL },
};

static int setup(hn_force *force, const double *g, hn_error *error)
{
  const mouse_spring *d = force->data;
  (void)g;
  return d->stiffness > 0
           ? 0
           : hn_fail(error, "force \"%s\": a mouse spring needs a stiffness above zero", force->name);
}

static void start(const hn_force *force, const double *g, double *input)
{
  (void)force;
  memcpy(input, g, AXES * sizeof *input);
}

static void jet(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                size_t stride, size_t k, double *work, double *Q)
{
  const mouse_spring *d = force->data;
  (void)t, (void)work;
  for (size_t i = 0; i < AXES; i++) {
    const double x = k == 0 ? g[i * stride] - input[i] : g[i * stride + k];
    Q[i * stride + k] = -d->stiffness * x - d->damping * rate[i * stride + k];
  }
}

const hn_force_type hn_force_mouse_spring = {
  .name = "mouse_spring",
  .summary = "spring and damper from a point of a body to a target that control moves",
  .rows = &hn_joint_point_on_point,
  .keys = HN_KEY_AT | HN_KEY_DEFAULT_POINTS,
  .uses_rates = true,
  .inputs = AXES,
  .data_size = sizeof(mouse_spring),
  .params = params,
  .setup = setup,
  .start = start,
  .jet = jet,
};
