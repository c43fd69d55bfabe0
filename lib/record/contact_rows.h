/* contact_rows.h - rows of a record for the contacts of a step. Internal. */
#ifndef HN_CONTACT_ROWS_H
#define HN_CONTACT_ROWS_H

#include "run.h"

extern const hn_record_field hn_contact_fields[];
extern const int hn_contact_nfields;
/* Writes a row for each contact of FRAME into CELL. Returns the number of rows: 0 for the initial state. */
int hn_contact_rows(hn_cell *cell, const hn_frame *frame);

#endif
