/* mass.c - mass properties of homogeneous shapes, in their principal axes about the centre of mass. */
#include "system.h"

#include <math.h>

static void box_mass(const double l[3], double density, double *mass, double J[3])
{
  *mass = density * l[0] * l[1] * l[2];
  for (int i = 0; i < 3; i++) {
    double a = l[(i + 1) % 3], b = l[(i + 2) % 3];
    J[i] = *mass * (a * a + b * b) / 12.0;
  }
}

static void sphere_mass(double r, double density, double *mass, double J[3])
{
  *mass = density * 4.0 / 3.0 * M_PI * r * r * r;
  J[0] = J[1] = J[2] = 0.4 * *mass * r * r;
}

static void cylinder_mass(double r, double height, double density, double *mass, double J[3])
{
  *mass = density * M_PI * r * r * height;
  J[1] = 0.5 * *mass * r * r;
  J[0] = J[2] = *mass * (3.0 * r * r + height * height) / 12.0;
}

/* A cylinder and two half spheres; the centre of a half sphere lies 3r/8 from its flat face, and its moment about a
 * transverse axis through its own centre is (2/5 - 9/64) m r^2. */
static void capsule_mass(double r, double height, double density, double *mass, double J[3])
{
  double side, caps, Jside[3], Jcaps[3];
  cylinder_mass(r, height, density, &side, Jside);
  sphere_mass(r, density, &caps, Jcaps);
  double away = 0.5 * height + 0.375 * r;
  *mass = side + caps;
  J[1] = Jside[1] + Jcaps[1];
  J[0] = J[2] = Jside[0] + caps * ((0.4 - 9.0 / 64.0) * r * r + away * away);
}

int hn_shape_mass(const hn_shape *shape, double density, double *mass, double inertia[3], hn_error *error)
{
  static const char *const names[] = { "no shape", "box", "sphere", "cylinder", "capsule" };
  static const int sizes[] = { 0, 3, 1, 2, 2 };
  if (!(isfinite(density) && density > 0)) return hn_fail(error, "density must be positive, not %g", density);
  for (int i = 0; i < sizes[shape->kind]; i++)
    if (!(isfinite(shape->size[i]) && shape->size[i] > 0))
      return hn_fail(error, "sizes of a %s must be positive, not %g", names[shape->kind], shape->size[i]);
  switch (shape->kind) {
  case HN_BOX: box_mass(shape->size, density, mass, inertia); return 0;
  case HN_SPHERE: sphere_mass(shape->size[0], density, mass, inertia); return 0;
  case HN_CYLINDER: cylinder_mass(shape->size[0], shape->size[1], density, mass, inertia); return 0;
  case HN_CAPSULE: capsule_mass(shape->size[0], shape->size[1], density, mass, inertia); return 0;
  default: break;
  }
  return hn_fail(error, "a density needs a shape");
}
