/* track.h - the motion of a run, kept to be shown: poses, joint forces and contacts of as many frames as there is room
 * for. */
#ifndef HN_CLI_TRACK_H
#define HN_CLI_TRACK_H

#include "holonom.h"

enum { CLI_TRACK_BODIES = 10000 };    /* that are kept at most: the first ones, and as many joints */
enum { CLI_POSE = 7, CLI_TOUCH = 6 }; /* numbers of a pose, and of a contact */

/* Frame k has the state after step k * stride; the last one that of the last step, wherever it falls. */
typedef struct cli_track {
  const hn_model *model;
  long stride; /* steps from frame to frame; doubled, and every other frame given up, when it is full */
  size_t most; /* numbers there is room for */
  size_t count, room; /* frames */
  bool late;          /* a frame more, behind those, was kept as it may be the last */
  int nbody, njoint;  /* that are kept; body is the model's index of each, */
  int *body;          /* [nbody] moving ones alone */
  bool forces;        /* the solver tells those of joints */
  double *time;       /* [room] s */
  double *pose;       /* [room * nbody * CLI_POSE] x, y, z, m, and w, x, y, z */
  float *force;       /* [room * njoint * 3] on body b, N, world axes */
  size_t *touch_end;  /* [room] contacts up to the end of the frame */
  float *touch;       /* [CLI_TOUCH ntouch] place, m, and impulse on body b, N s, world axes */
  size_t touch_room;
} cli_track;

/* For MOST numbers, a frame every STRIDE steps at first. */
cli_track *cli_track_create(const hn_model *model, long stride, size_t most);
void cli_track_free(cli_track *track); /* which may be NULL */
/* A frame of the run. */
void cli_track_add(cli_track *track, const hn_frame *frame);
/* What may be known of bodies without a run: their poses alone, at TIME. */
void cli_track_add_poses(cli_track *track, long index, double time, const hn_pose *pose);
/* There are no more frames. */
void cli_track_end(cli_track *track);
/* Moving bodies of MODEL. */
int cli_moving(const hn_model *model);

#endif
