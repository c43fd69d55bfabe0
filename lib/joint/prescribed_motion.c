/* prescribed_motion.c - prescribed functions of time: a polynomial plus a sine, with derivatives of any
 * order */
#include "elementary.h"
#include "joints.h"

/* The polynomial's coefficient k about t comes from repeated synthetic division; the sine's is A w^k sin(w t
 * + phi + k pi/2) / k!. */
double hn_motion_coefficient(const hn_motion *motion, double t, size_t k)
{
  double c[HN_MOTION_TERMS], scale = motion->amplitude, phase = motion->frequency * t + motion->phase;
  for (size_t i = 0; i < HN_MOTION_TERMS; i++) c[i] = motion->polynomial[i];
  for (size_t pass = 0; pass <= k && pass < HN_MOTION_TERMS; pass++)
    for (size_t i = HN_MOTION_TERMS - 1; i-- > pass;) c[i] += t * c[i + 1];
  for (size_t i = 1; i <= k; i++) scale *= motion->frequency / (double)i;
  double wave = k % 2 == 0 ? hn_sin(phase) : hn_cos(phase);
  return (k < HN_MOTION_TERMS ? c[k] : 0.0) + (k % 4 < 2 ? scale : -scale) * wave;
}
