/* contact_measure.h - measures of contacts, from the states before and after a step alone. Internal. */
#ifndef HN_CONTACT_MEASURE_H
#define HN_CONTACT_MEASURE_H

#include "run.h"

/* A meter has its own system and collision detection: the solver's memory has no influence. */
typedef struct hn_contact_meter hn_contact_meter;

/* Creates a meter; LAW is the one of the solver's own residual. NULL on error. */
hn_contact_meter *hn_contact_meter_create(const hn_model *model, const struct hn_contact_law *law,
                                          hn_error *error);
void hn_contact_meter_free(hn_contact_meter *meter);
/* Measures the step of H from BEFORE to AFTER, which has the contacts of the step and their impulses.
 * MULTIPLIERS are those of joints; if NULL, the balance is NAN. */
void hn_contact_meter_read(hn_contact_meter *meter, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers, hn_contact_measure *out);

#endif
