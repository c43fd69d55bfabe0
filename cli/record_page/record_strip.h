/* record_strip.h - the three errors of a row, drawn on an axis. */
#ifndef CLI_RECORD_STRIP_H
#define CLI_RECORD_STRIP_H

#include <stdio.h>

/* Writes the strip of a row: its three errors on a logarithmic axis, as SVG. A NaN is left out; UNCERTAINTY
 * is that of the model error. */
void record_strip_write(double solver, double time, double model, double uncertainty, FILE *out);
void record_axis_write(FILE *out); /* the axis of the strips */

#endif
