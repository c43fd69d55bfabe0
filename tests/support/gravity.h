/* gravity.h - the gravity of the scenes. */
#ifndef HN_TEST_GRAVITY_H
#define HN_TEST_GRAVITY_H

static const double g = 9.81; /* m/s^2 */

#endif
