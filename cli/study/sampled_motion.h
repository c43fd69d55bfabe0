/* sampled_motion.h - a motion at some of its times, and how far two of them are apart. */
#ifndef CLI_SAMPLED_MOTION_H
#define CLI_SAMPLED_MOTION_H

#include "holonom.h"

enum { CLI_POSITION, CLI_ORIENTATION, CLI_VELOCITY, CLI_FORCE, CLI_QUANTITIES };

typedef struct cli_quantity {
  const char *name, *unit;
  const char *key, *error_key; /* of its order and of its errors */
} cli_quantity;
extern const cli_quantity cli_quantities[CLI_QUANTITIES];

/* Of the error of all bodies, or joints, over time:
 *
 *   CLI_END  the largest of any body at the end; of joint forces that of all rows together
 *   CLI_RMS  sqrt(3 / T^3 integral of t^2 e^2), e that of all bodies together; the weight lets an error at the start,
 *            such as a disturbance of the joint forces that dies out in a few steps, hardly count
 *   CLI_MAX  as CLI_END, the largest at any of the times */
typedef enum cli_norm { CLI_END, CLI_RMS, CLI_MAX } cli_norm;

const char *cli_norm_name(cli_norm norm);                             /* "end", "rms", "max" */
const char *cli_norm_words(cli_norm norm);                            /* what it is, for people */
int cli_norm_read(const char *name, cli_norm *norm, hn_error *error); /* NULL: end */

enum { CLI_MOTION_TIMES = 256 }; /* a motion is kept at less than so many times */

typedef struct cli_motion {
  int nbody, nrow;
  long count;                /* of times */
  long every;                /* steps from one to the next, of the run that it is taken from */
  double *time;              /* [count] s; the last is the end */
  hn_pose *pose;             /* [count * nbody] */
  hn_twist *twist;           /* [count * nbody] */
  double *force;             /* [count * nrow] N, N m: multipliers of the joints */
  bool *has[CLI_QUANTITIES]; /* [nbody] what is known of it; of forces all or nothing: the ground's entry */
} cli_motion;

/* Room for COUNT times, EVERY so many steps, with nothing known. */
cli_motion *cli_motion_create(const hn_model *model, long count, long every);
void cli_motion_free(cli_motion *motion); /* which may be NULL */
/* All that a run gives is known from now on; of forces when TOLD. */
void cli_motion_claim(cli_motion *motion, const hn_model *model, bool told);
/* Time K from 0. */
void cli_motion_put(cli_motion *motion, long k, const hn_state *state, const double *force);
/* After step INDEX of STEPS: kept when it is one of the times, of which the last interval may be shorter. */
void cli_motion_keep(cli_motion *motion, long index, long steps, const hn_state *state, const double *force);

/* Steps from one time that is kept to the next, of a run of about so many. */
double cli_motion_stride(double steps);

/* The square of the distance at time K: of quantity Q of body I, or of all joint forces. */
double cli_motion_square(int q, int i, const cli_motion *a, const cli_motion *b, long k);
/* Errors of a run at each of its times: the largest of any body; NAN where they are not known. */
typedef struct cli_course {
  long count;
  double *time;                  /* [count] s */
  double *error[CLI_QUANTITIES]; /* [count] each */
} cli_course;

/* Of RUN against the motion A, which says what is known; forces only where they were TOLD. */
cli_course *cli_course_create(const cli_motion *a, const cli_motion *run, bool told);
void cli_course_free(cli_course *course); /* which may be NULL */
/* The distance of two motions at the same times in quantity Q, of the bodies that HAS says; NAN when it says none. */
double cli_motion_apart(cli_norm norm, int q, const bool *has, const cli_motion *a, const cli_motion *b);

#endif
