/* event_log.h - events of a step, and what is known of touches from step to step (solver.h, events). Internal. */
#ifndef HN_EVENT_LOG_H
#define HN_EVENT_LOG_H

#include "solver.h"

typedef struct hn_log hn_log;

/* For SOLVER, whose system is there: with no room where nothing can let go. -1 on error. */
int hn_log_create(hn_solver *solver, hn_error *error);
void hn_log_free(hn_log *log);
/* No events, and nothing known. */
void hn_log_reset(hn_log *log);
/* A step begins: no events. */
void hn_log_begin(hn_log *log);
/* It has ended with STATE: tells what its solver does not tell, and makes room for as many events again. */
void hn_log_end(hn_solver *solver, const hn_state *state);
/* What FROM knew of touches TO knows, whose model is a change of FROM's. */
void hn_log_carry(const hn_solver *from, hn_solver *to);
/* What is known as plain memory of so many bytes, and back. */
size_t hn_log_memory(const hn_log *log);
void hn_log_save(const hn_log *log, void *memory);
void hn_log_restore(hn_log *log, const void *memory);

#endif
