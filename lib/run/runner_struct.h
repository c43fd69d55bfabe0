/* runner_struct.h - the state of a run between two steps. Internal. */
#ifndef HN_RUNNER_STRUCT_H
#define HN_RUNNER_STRUCT_H

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
  hn_contact_meter *meter;    /* NULL: the model has no contacts */
  hn_contact_measure contact; /* of the last measured step */
  double start;               /* s */
  hn_run_control control;
  double *multipliers; /* [nrow] joint forces before the step */
  bool *broken;        /* [njoint] joints that broke in the step */
  hn_model *next;      /* model of the next step, without the broken joints; NULL: none broke */
  long count;          /* steps planned */
  double last;         /* size of the last planned step, s */
  long stride;         /* interval of measures in steps */
  long index;          /* number of the last step, or of the one in progress */
  hn_reason reason;
  uint64_t iterations[2];        /* totals: position, velocity */
  uint64_t impulses, operations; /* of the last step */
  double seconds;                /* wall time of the last step */
  struct hn_pilot *pilot;        /* for pilot runs (error_control.h), or NULL */
  hn_happened happened;          /* events of the last step */
};

/* Creates a runner as hn_runner_create, but does not measure or observe the initial state. */
hn_runner *hn_runner_make(hn_solver *solver, hn_state *state, const hn_run_options *options, hn_error *error);
/* Returns the size of step INDEX in s. */
double hn_runner_step_of(const hn_runner *r, long index);
/* True if step INDEX is measured. */
bool hn_runner_measures(const hn_runner *r, long index);
/* Measures the state after step INDEX, if due, and calls the observer. Any reason but HN_CONVERGED ends
 * the run. */
hn_reason hn_runner_record(hn_runner *r, long index);
/* Adds the solver's report on the last step to the summary. */
void hn_runner_count(hn_runner *r);

#endif
