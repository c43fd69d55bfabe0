/* contact_measure.h - what is measured of contacts, from the states before and after a step alone. Internal. */
#ifndef HN_CONTACT_MEASURE_H
#define HN_CONTACT_MEASURE_H

#include "run.h"

/* Memory of its own, a system and its collision detection: what the solver's has kept plays no part. */
typedef struct hn_contact_meter hn_contact_meter;

/* NULL on error. */
hn_contact_meter *hn_contact_meter_create(const hn_model *model, hn_error *error);
void hn_contact_meter_free(hn_contact_meter *meter);
/* Of the step of H from BEFORE to AFTER, which has the contacts of the step and their impulses; MULTIPLIERS of joints,
 * or NULL: then there is no balance (NAN). */
void hn_contact_meter_read(hn_contact_meter *meter, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers, hn_contact_measure *out);

#endif
