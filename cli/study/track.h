/* track.h - the motion of a run for display: poses, joint forces and contacts of some frames. */
#ifndef HN_CLI_TRACK_H
#define HN_CLI_TRACK_H

#include "holonom.h"

/* limit of the bodies kept, and of the joints; the first ones are kept */
enum { CLI_TRACK_BODIES = 10000 };
enum { CLI_POSE = 7, CLI_TOUCH = 6 }; /* numbers per pose, and per contact */

/* Frame k has the state after step k * stride; the last frame that after the last step. */
typedef struct cli_track {
  const hn_model *model;
  long stride; /* steps between frames; doubled, and every other frame dropped, when the track is full */
  size_t max_numbers;     /* capacity */
  size_t count, capacity; /* frames */
  bool has_extra;         /* one more frame behind the others, which may be the last one */
  int nbody, njoint;      /* number of bodies and joints kept */
  int *body;              /* [nbody] indices of moving bodies in the model */
  bool forces;            /* the solver computes joint forces */
  double *time;           /* [capacity] s */
  double *pose;           /* [capacity * nbody * CLI_POSE] position x, y, z, m, and quaternion w, x, y, z */
  float *force;           /* [capacity * njoint * 3] on body b, N, world axes */
  size_t *touch_end;      /* [capacity] number of contacts up to the end of each frame */
  float *touch;           /* [CLI_TOUCH ntouch] point, m, and impulse on body b, N s, world axes */
  size_t touch_room;
} cli_track;

/* Creates a track for MAX_NUMBERS numbers, with a frame every STRIDE steps at first. */
cli_track *cli_track_create(const hn_model *model, long stride, size_t max_numbers);
void cli_track_free(cli_track *track); /* TRACK may be NULL */
/* Adds a frame of the run. */
void cli_track_add(cli_track *track, const hn_frame *frame);
/* Adds a frame with poses only, at TIME. */
void cli_track_add_poses(cli_track *track, long index, double time, const hn_pose *pose);
/* Completes the track after the last frame. */
void cli_track_end(cli_track *track);
/* Returns the number of moving bodies of MODEL. */
int cli_count_moving_bodies(const hn_model *model);

#endif
