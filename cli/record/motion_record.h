/* motion_record.h - reads the motion of a model back from a record in CSV or HDF5. */
#ifndef CLI_MOTION_RECORD_H
#define CLI_MOTION_RECORD_H

#include "holonom.h"

typedef struct cli_recorded {
  int nbody;
  long count, room; /* frames; room for frames */
  double *time;     /* [count] s */
  hn_pose *pose;    /* [count nbody] own axes of the bodies, as in a state */
  hn_twist *twist;  /* [count nbody] */
} cli_recorded;

/* Reads the columns time and NAME.x to NAME.wz of all moving bodies of MODEL from the file PATH: CSV, or HDF5
 * if it ends in .h5, with /steps/time and /bodies. Times must increase. -1 on error; call cli_recorded_free
 * either way. */
int cli_recorded_read(cli_recorded *motion, const hn_model *model, const char *path, hn_error *error);
void cli_recorded_free(cli_recorded *motion);
/* Sets time, poses and twists of STATE to those of frame K. */
void cli_recorded_state(const cli_recorded *motion, long k, hn_state *state);

#endif
