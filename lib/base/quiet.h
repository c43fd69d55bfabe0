/* quiet.h - disables the error handler of GSL. Internal. */
#ifndef HN_QUIET_H
#define HN_QUIET_H

/* Disables the error handler, which aborts, of the GSL inside the library: functions return their errors
 * instead. Every possible first user of GSL calls it. Only the first call of the process acts, so that
 * threads do not write to GSL's variable while others read it. */
void hn_quiet_gsl(void);

#endif
