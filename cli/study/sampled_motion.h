/* sampled_motion.h - a motion at some of its times, and distances between motions. */
#ifndef CLI_SAMPLED_MOTION_H
#define CLI_SAMPLED_MOTION_H

#include "holonom.h"

enum { CLI_POSITION, CLI_ORIENTATION, CLI_VELOCITY, CLI_FORCE, CLI_QUANTITIES };

typedef struct cli_quantity {
  const char *name, *unit;
  const char *key, *error_key; /* keys of its order and of its errors */
} cli_quantity;
extern const cli_quantity cli_quantities[CLI_QUANTITIES];

/* Norms of the error of all bodies, or of all joint forces, over time:
 *
 *   CLI_END  the largest error of any body at the end; for joint forces, of all rows together
 *   CLI_RMS  sqrt(3 / T^3 integral of t^2 e^2), with e of all bodies together. The weight t^2 suppresses
 *            errors at the start, such as a disturbance of joint forces that decays in a few steps.
 *   CLI_MAX  as CLI_END, the largest at any of the times */
typedef enum cli_norm { CLI_END, CLI_RMS, CLI_MAX } cli_norm;

typedef struct cli_norm_text {
  const char *name, *words; /* words: a description */
} cli_norm_text;
extern const cli_norm_text cli_norms[];
int cli_norm_read(const char *name, cli_norm *norm, hn_error *error); /* NAME NULL: end */

enum { CLI_MOTION_TIMES = 256 }; /* a motion has fewer times than this */

typedef struct cli_motion {
  int nbody, nrow;
  long count;                /* number of times */
  long every;                /* steps of the run between two times */
  double *time;              /* [count] s; the last is the end */
  hn_pose *pose;             /* [count * nbody] */
  hn_twist *twist;           /* [count * nbody] */
  double *force;             /* [count * nrow] N, N m: multipliers of the joints */
  bool *has[CLI_QUANTITIES]; /* [nbody] quantity is known; forces: entry 0 stands for all joints */
} cli_motion;

/* Creates a motion with COUNT times, EVERY steps apart, and nothing known. */
cli_motion *cli_motion_create(const hn_model *model, long count, long every);
/* Creates a motion with COUNT evenly spaced times up to DURATION. */
cli_motion *cli_motion_create_even(const hn_model *model, long count, double duration);
void cli_motion_free(cli_motion *motion); /* MOTION may be NULL */
/* Marks in HAS all quantities that a run provides, joint forces if HAS_FORCES. */
void cli_mark_known(bool *const has[CLI_QUANTITIES], const hn_model *model, bool has_forces);
/* Stores the state and joint forces (may be NULL) at time index K. */
void cli_motion_put(cli_motion *motion, long k, const hn_state *state, const double *force);
/* Stores the state after step INDEX of STEPS if it is at one of the times. */
void cli_motion_keep(cli_motion *motion, long index, long steps, const hn_state *state, const double *force);

/* Returns the steps between two stored times, for a run of STEPS steps. */
double cli_motion_stride(double steps);

/* Returns the square of the distance at time K, in quantity Q of body I or in all joint forces. */
double cli_motion_square(int q, int i, const cli_motion *a, const cli_motion *b, long k);
/* Errors of a run over time: the largest of any body; NAN where unknown. */
typedef struct cli_error_curve {
  long count;
  double *time;                  /* [count] s */
  double *error[CLI_QUANTITIES]; /* [count] each */
} cli_error_curve;

/* Computes the errors of RUN against the motion A at its times; those of forces if HAS_FORCES. */
cli_error_curve *cli_error_curve_create(const cli_motion *a, const cli_motion *run, bool has_forces);
void cli_error_curve_free(cli_error_curve *curve); /* CURVE may be NULL */
/* Returns the distance of two motions in quantity Q, over the bodies marked in HAS; NAN if none is. */
double cli_motion_distance(cli_norm norm, int q, const bool *has, const cli_motion *a, const cli_motion *b);

#endif
