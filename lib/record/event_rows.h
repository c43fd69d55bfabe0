/* event_rows.h - rows of a record for the events of a step. Internal. */
#ifndef HN_EVENT_ROWS_H
#define HN_EVENT_ROWS_H

#include "run.h"

extern const hn_record_field hn_event_fields[];
extern const int hn_event_nfields;
/* Lists the words for whole numbers in rows in WORDS[2]: kinds of events, then joints and forces of MODEL.
 * Returns 2, or -1 without memory. Free with hn_event_words_free. */
int hn_event_words_make(hn_record_words *words, const hn_model *model);
void hn_event_words_free(hn_record_words *words, int count);
/* Writes a row for each event of FRAME into CELL. Returns their number. Joints that the initial MODEL
 * lacks have no number. */
int hn_event_rows(hn_cell *cell, const hn_model *model, const hn_frame *frame);

#endif
