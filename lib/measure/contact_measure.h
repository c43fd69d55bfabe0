/* contact_measure.h - measures of contacts, from the states before and after a step alone. Internal. */
#ifndef HN_CONTACT_MEASURE_H
#define HN_CONTACT_MEASURE_H

#include "collide/contact_list.h"
#include "run.h"

/* A meter has its own system: the solver's memory has no influence. */
typedef struct hn_contact_meter hn_contact_meter;

/* Creates a meter; LAW is the one of the solver's own residual. NULL on error. */
hn_contact_meter *hn_contact_meter_create(const hn_model *model, const struct hn_contact_law *law,
                                          hn_error *error);
/* Equivalent for the collision detection COLLISION of another system of the model, which must outlive the
 * meter; NULL: the model has none. Its result depends on the poses alone, and it reuses that of the last
 * detection at the same poses. */
hn_contact_meter *hn_contact_meter_create_with(const hn_model *model, hn_collision *collision,
                                               const struct hn_contact_law *law, hn_error *error);
void hn_contact_meter_free(hn_contact_meter *meter);
/* Measures the step of H from BEFORE to AFTER, which has the contacts of the step and their impulses.
 * MULTIPLIERS are those of joints; if NULL, the balance is NAN. */
void hn_contact_meter_read(hn_contact_meter *meter, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers, hn_contact_measure *out);

#endif
