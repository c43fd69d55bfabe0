/* nearest_points.h - where two cores are nearest, and how that moves, as power series (see moving_contact.h). Internal. */
#ifndef HN_NEAREST_POINTS_H
#define HN_NEAREST_POINTS_H

#include "collide/cores.h"
#include "joints.h"

typedef struct hn_moving {
  hn_core core[2];   /* of a and of b */
  double near[2][3]; /* of circles: the direction from their centres to where it was, world axes; */
  double normal[3];  /* and the normal there */
  double tangent[3]; /* that t_1 is made of, axes of a */
  double sign;       /* of n beside tau_a x tau_b */
} hn_moving;

/* Two bodies on their way, their cores, and work memory of HN_MEET_SERIES series. */
typedef struct hn_meet {
  const hn_moving *moving;
  const hn_body_jet *body[2];
  size_t n; /* stride of series */
  double *work;
} hn_meet;

/* Series of one side, whose places are from the centre of mass of a: */
enum {
  HN_MEET_PLACE = 0,
  HN_MEET_AXIS = 3, /* the core's `at`; its axis; */
  HN_MEET_FIRST = 6,
  HN_MEET_SECOND = 9, /* of a circle axes in its plane, */
  HN_MEET_OWN = 12,   /* the first of which is fixed to the body as in coefficient 0 */
  HN_MEET_ALPHA = 15,
  HN_MEET_COSINE,
  HN_MEET_SINE,
  HN_MEET_POINT,
  HN_MEET_TAU = 21,
  HN_MEET_SIDE = 24
};
/* and of both: n, behind it t_1 and t_2; where they touch from the centres of a and
 * of b; the rest is scratch. */
enum {
  HN_MEET_NORMAL = 2 * HN_MEET_SIDE,
  HN_MEET_REACH = HN_MEET_NORMAL + 9,
  HN_MEET_ARM = HN_MEET_REACH + 3,
  HN_MEET_SCRATCH = HN_MEET_ARM + 3,
  HN_MEET_SERIES = HN_MEET_SCRATCH + 21
};

/* Coefficient k of all series, given those below; that of the gap. */
double hn_meet_set(const hn_meet *meet, size_t k);
/* Coefficient k of the direction from the centre of the circle of SIDE to its point. */
void hn_meet_direction(const hn_meet *meet, int side, size_t k, double out[3]);
/* Are the equations of coefficient 0 regular, and does the normal have a direction? */
bool hn_meet_is_smooth(const hn_meet *meet);
/* Coefficient k of three series. */
static inline void hn_meet_vector(const hn_meet *meet, int series, size_t k, double out[3])
{
  for (size_t c = 0; c < 3; c++) out[c] = meet->work[((size_t)series + c) * meet->n + k];
}

#endif
