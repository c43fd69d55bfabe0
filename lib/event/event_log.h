/* event_log.h - events of a step, and the history of contacts from step to step (solver.h, events).
 * Internal. */
#ifndef HN_EVENT_LOG_H
#define HN_EVENT_LOG_H

#include "solver.h"

typedef struct hn_event_log hn_event_log;

/* Creates solver->log; without room if the model can have no events. -1 on error. */
int hn_log_create(hn_solver *solver, hn_error *error);
void hn_log_free(hn_event_log *log);
/* Forgets events and history. */
void hn_log_reset(hn_event_log *log);
/* Begins a step: no events. */
void hn_log_begin(hn_event_log *log);
/* Ends a step at STATE: derives the events that its solver does not report, and provides room for the next
 * one. */
void hn_log_end(hn_solver *solver, const hn_state *state);
/* Ends a part of a step, of length H, at STATE: derives its events. Not called: the step is one part. */
void hn_log_end_part(hn_solver *solver, const hn_state *state, double h);
/* Copies the history of contacts to a solver whose model is a change of FROM's. */
void hn_log_carry(const hn_solver *from, hn_solver *to);
/* The history as plain memory of so many bytes, and back. */
size_t hn_log_memory(const hn_event_log *log);
void hn_log_save(const hn_event_log *log, void *memory);
void hn_log_restore(hn_event_log *log, const void *memory);
/* True if MEMORY can be restored for MODEL: its counts and indices are in range. */
bool hn_log_accepts(const hn_event_log *log, const hn_model *model, const void *memory);

#endif
