/* smooth_friction.h - Coulomb's friction as a smooth function of the slip. Internal. */
#ifndef HN_SMOOTH_FRICTION_H
#define HN_SMOOTH_FRICTION_H

#include "base.h"

#include <math.h>

/* Parameters of friction: the first member of the data of every contact law. */
typedef struct hn_smooth_friction {
  int kind;          /* index of the choices of parameter `smoothing` */
  double transition; /* m/s: slip speed at which friction is fully developed */
} hn_smooth_friction;

/* clang-format off */
#define HN_SMOOTH_FRICTION_PARAMS \
  { "smoothing", HN_CHOICE, offsetof(hn_smooth_friction, kind), "brown-mcphee", 0, 0, "", \
    "brown-mcphee,threlfall", "friction as a smooth function of the slip" }, \
  { "transition", HN_REAL, offsetof(hn_smooth_friction, transition), "0.01", 1e-12, HUGE_VAL, "m/s", NULL, \
    "slip speed at which friction is fully developed" }
/* clang-format on */

/* Returns the friction force divided by the normal force and the slip speed, s/m, at a slip of SPEED. KINETIC
 * and STILL are the coefficients of kinetic and static friction. */
double hn_smooth_friction_factor(const hn_smooth_friction *friction, double kinetic, double still,
                                 double speed);
/* True if the kind distinguishes static from kinetic friction. */
bool hn_smooth_friction_has_static(const hn_smooth_friction *friction);

#endif
