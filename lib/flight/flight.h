/* flight.h - free flight of rigid bodies, METHODS, section 2. Internal.
 *
 *   x(h) = x + h v + h^2/2 a,  v(h) = v + h a          exact under constant force
 *   J dW/dt = (J W) x W,  dq/dt = q (0, W) / 2
 *
 * Each integrator advances COUNT bodies, given by index, from POSE and TWIST (world angular velocity) into
 * POSE_OUT and TWIST_OUT, which must not overlap the input. Only q and w are written; q_out is a unit
 * quaternion. All listed bodies must have kind HN_RIGID. */
#ifndef HN_FLIGHT_H
#define HN_FLIGHT_H

#include "system.h"

typedef struct hn_flight hn_flight;

typedef void hn_rotate(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                       const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out);

struct hn_flight {
  hn_flight_options options;
  hn_rotate *rotate;
};

hn_rotate hn_rotate_rk4;    /* classical Runge-Kutta, one step: order 4 */
hn_rotate hn_rotate_taylor; /* power series of options.order, one step or subdivided to options.tolerance */
/* Estimates the error of a Taylor flight of H: the largest |q[n+1] h^(n+1)| of COUNT bodies, n =
 * options.order. */
double hn_taylor_error(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                       const hn_pose *pose, const hn_twist *twist);
/* Returns the factor for the next step of a method of order n - 1, given RATIO = tolerance / error: 0.9
 * ratio^(1/n), limited to 0.2 .. 5. */
double hn_flight_step_factor(double ratio, int n);
hn_rotate hn_rotate_exact; /* closed form in Jacobi elliptic functions */
/* Discrete Euler-Lagrange equations, order 2; NaN if they have no solution for a step as long as H. */
hn_rotate hn_rotate_moser_veselov, hn_rotate_exponential;

#endif
