/* quiet.h - GSL reports errors by what its functions return. Internal. */
#ifndef HN_QUIET_H
#define HN_QUIET_H

/* Takes away the handler, which aborts, of the GSL that is part of the library. Called by whatever may be the
 * first to use GSL; the first call of the process does it, so that threads do not write to GSL's variable again while
 * others read it. */
void hn_quiet_gsl(void);

#endif
