/* contact_monitor.h - limits and contacts across a part of a step, and their event functions. Internal.
 *
 * The blocks at the start of a part are kept in one table in the order of the system: joints, then
 * contacts by ascending key. Wherever the part leads, blocks are found in the table by their keys. */
#ifndef HN_CONTACT_MONITOR_H
#define HN_CONTACT_MONITOR_H

#include "event/event_function.h"
#include "solver.h"

/* A block at the start of the part. */
typedef struct hn_monitored {
  uint64_t key;
  hn_contact_mode mode;
  int a;            /* body that the frame of a contact is fixed to */
  double gap, rate; /* m, m/s (rad, rad/s) */
  double slip;      /* m/s: its speed of sliding; 0: it is not monitored, */
  double along[3];  /* and its direction, in the axes of a */
} hn_monitored;

typedef struct hn_contact_monitor {
  double touching;     /* m, rad: gaps up to this are closed; set before use */
  double moving;       /* m/s, rad/s: slower is at rest; set before use */
  hn_monitored *start; /* [count] of max_blocks */
  int count, njoint;
  double *rate; /* [max_rows] velocities of rows, at the last evaluation that needed them */
} hn_contact_monitor;

int hn_monitor_setup(hn_contact_monitor *monitor, const hn_system *system, hn_error *error);
void hn_monitor_free(hn_contact_monitor *monitor);
/* Notes the blocks of SYSTEM at STATE, where it is linearised, with MODE[nblock]. The slip of contacts
 * whose mode is sliding is monitored. The solver `events` passes open and sticking alone, as its modes of
 * motion have slip functions of their own; `impulse-contact` passes all modes. */
void hn_monitor_start(hn_contact_monitor *monitor, hn_system *system, const hn_contact_mode *mode,
                      const hn_state *state);
/* Returns the place in monitor->start of the block with KEY, which is its number in the system at the
 * start; -1: it was not there. */
int hn_monitor_find(const hn_contact_monitor *monitor, uint64_t key);
/* Returns the block of SYSTEM with KEY, or -1. */
int hn_monitor_block(const hn_system *system, uint64_t key);
/* True if a contact of one of the two shapes of KEY was closed at the start. */
bool hn_monitor_shape_closed(const hn_contact_monitor *monitor, uint64_t key);
/* Appends the event functions of gaps and slips at STATE, S > 0 after the start, where SYSTEM is
 * linearised. */
void hn_monitor_list(hn_contact_monitor *monitor, hn_system *system, const hn_state *state, double s,
                     bool rates, hn_event_list *list);

#endif
