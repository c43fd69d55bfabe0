/* record_rows.h - rows of a record for the contacts and the events of a step. Internal. */
#ifndef HN_RECORD_ROWS_H
#define HN_RECORD_ROWS_H

#include "run.h"

extern const hn_record_field hn_contact_fields[], hn_event_fields[];
extern const int hn_contact_nfields, hn_event_nfields;
/* Writes a row for each contact of FRAME into CELL. Returns the number of rows: 0 for the initial state. */
int hn_contact_rows(hn_cell *cell, const hn_frame *frame);
/* Writes a row for each event of FRAME into CELL. Returns their number. Joints that the initial MODEL
 * lacks have no number. */
int hn_event_rows(hn_cell *cell, const hn_model *model, const hn_frame *frame);
/* Lists the words for whole numbers in rows of events in WORDS[2]: kinds of events, then joints and forces of
 * MODEL. Returns 2, or -1 without memory. Free with hn_event_words_free. */
int hn_event_words_make(hn_record_words *words, const hn_model *model);
void hn_event_words_free(hn_record_words *words, int count);

#endif
