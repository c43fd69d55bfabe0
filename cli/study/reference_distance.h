/* reference_distance.h - the reference of errors, and distances from it. */
#ifndef CLI_REFERENCE_DISTANCE_H
#define CLI_REFERENCE_DISTANCE_H

#include "cli/study/sampled_motion.h"
#include "cli/study/track.h"

/* The reference: its motion at the final time and, if the norm needs them, at the times of runs. */
typedef struct cli_reference {
  char *name;         /* for messages; NULL without a reference */
  char *key;          /* for JSON */
  char *solver;       /* spec of a reference by runs; else NULL */
  double step;        /* step of a reference by runs, s; else 0 */
  double uncertainty; /* of positions at the end, m; NAN: not estimated */
  const char *ground; /* the basis of the uncertainty, in words; NULL: not estimated */
  bool too_few_runs;  /* too few other runs reached the end to judge a reference by runs */
  int runs;           /* number of runs made for it, their joint operations and their time, s */
  double operations, wall_s;
  bool is_same;      /* runs with twice the step come to the same place, to 1e-9 of the size */
  bool is_settled;   /* the error of a reference by runs is at rounding, or falls with the step */
  char *why_missing; /* explanation why there is no reference; NULL: unknown */
  double size;       /* size of the mechanism or its distance from the origin, m; 0: not a run */
  cli_norm norm;
  cli_motion *end;     /* motion at the final time alone */
  cli_motion **motion; /* [nmotion] motions at the times of runs, made by cli_reference_prepare */
  size_t nmotion;
  cli_track *track; /* motion for display; NULL: not kept */
  /* [track->nbody] known parts of each pose: '-' none, 'x' position, 'q' also orientation; NULL: all */
  char *known;
} cli_reference;

/* The times at which errors of a run are taken. */
typedef struct cli_times {
  long count, every; /* number of times, and steps of the run between two of them */
  double apart;      /* time between two of them, s; the last interval may be shorter */
} cli_times;
cli_times cli_times_of(cli_norm norm, double step, double duration);

/* Returns the motion of REFERENCE that a run with that step is compared with; NULL: none. */
const cli_motion *cli_reference_motion(const cli_reference *reference, double step, double duration);
/* Computes the errors of RUN against a motion at the same times, forces if HAS_FORCES; NAN: unknown. */
void cli_reference_errors(const cli_reference *reference, const cli_motion *against, const cli_motion *run,
                          bool has_forces, double error[CLI_QUANTITIES]);
/* True if an error of positions is known, and at most the uncertainty of the reference. */
bool cli_reference_hides(const cli_reference *reference, double error);
/* Returns the largest distance of the bodies known to REFERENCE in two sets of poses, m. */
double cli_pose_distance(const cli_reference *reference, const hn_pose *a, const hn_pose *b);
void cli_reference_free(cli_reference *reference);

#endif
