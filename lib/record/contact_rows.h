/* contact_rows.h - the contacts of a step as rows of a record. Internal. */
#ifndef HN_CONTACT_ROWS_H
#define HN_CONTACT_ROWS_H

#include "run.h"

extern const hn_record_field hn_contact_fields[];
extern const int hn_contact_nfields;
/* One row for each contact of the step of FRAME into CELL; how many: none for the initial state. */
int hn_contact_rows(hn_cell *cell, const hn_frame *frame);

#endif
