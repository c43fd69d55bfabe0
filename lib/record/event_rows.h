/* event_rows.h - the events of a step as rows of a record. Internal. */
#ifndef HN_EVENT_ROWS_H
#define HN_EVENT_ROWS_H

#include "run.h"

extern const hn_record_field hn_event_fields[];
extern const int hn_event_nfields;
/* Whole numbers in rows stand for these: kinds of events, and joints and forces of MODEL, in this order. Into
 * WORDS, which has room for two; how many there are, or -1 without memory. Free with hn_event_words_free. */
int hn_event_words_make(hn_record_words *words, const hn_model *model);
void hn_event_words_free(hn_record_words *words, int count);
/* The events of FRAME, row by row, into CELL; how many. Joints that MODEL, that of the start, has not have no
 * number. */
int hn_event_rows(hn_cell *cell, const hn_model *model, const hn_frame *frame);

#endif
