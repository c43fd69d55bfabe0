/* runner.h - what a run is between two steps. Internal. */
#ifndef HN_RUN_RUNNER_H
#define HN_RUN_RUNNER_H

#include "run.h"
#include "measure/divergence.h"
#include "measure/contact_measure.h"
#include "event/step_events.h"
#include "run/run_control.h"

struct hn_runner {
  hn_solver *solver;
  hn_state *state;
  hn_run_options options;
  hn_summary summary;
  hn_measure measure;
  hn_bounds bounds;
  hn_contact_meter *meter;    /* NULL: there are no contacts */
  hn_contact_measure contact; /* of the last step that was measured */
  double start;               /* s */
  hn_steer steer;             /* control */
  double *told;               /* [nrow] joint forces before it */
  bool *broken;               /* [njoint] joints that have broken in the step, */
  hn_model *next;             /* and the model without them, from its end on; NULL: none has */
  long count;                 /* steps planned */
  double last;                /* size of the last of them, s */
  long stride;                /* steps from one measure to the next */
  long index;                 /* steps taken, or under way */
  hn_reason reason;
  uint64_t iterations[2];        /* totals: position, velocity */
  uint64_t impulses, operations; /* of the last step, */
  double seconds;                /* its time, */
  hn_happened happened;          /* and its events */
};

/* As hn_runner_create, but nothing is measured yet, nor observed. */
hn_runner *hn_runner_make(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_error *error);
/* s: of step INDEX. */
double hn_runner_step_of(const hn_runner *r, long index);
/* Is it one that is measured? */
bool hn_runner_measures(const hn_runner *r, long index);
/* Measures the state after it where that is due, and shows it to the observer; any reason but converged
 * ends the run. */
hn_reason hn_runner_record(hn_runner *r, long index);
/* Iterations and the like of the step that was taken. */
void hn_runner_count(hn_runner *r);

#endif
