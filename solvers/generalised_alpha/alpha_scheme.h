/* alpha_scheme.h - coefficients of the generalised-alpha family. */
#ifndef HN_ALPHA_SCHEME_H
#define HN_ALPHA_SCHEME_H

#include "base.h"

enum { HN_CHUNG_HULBERT, HN_HHT, HN_NEWMARK, HN_WBZ };
#define HN_ALPHA_SCHEMES "chung-hulbert,hht,newmark,wbz"

/* A scheme: the parameters that choose it, then its coefficients. */
typedef struct hn_alpha_scheme {
  int kind;
  double rho_inf;                 /* spectral radius at infinity */
  double given_gamma, given_beta; /* newmark: 0: by rho_inf, by gamma */
  double alpha_m, alpha_f, beta, gamma;
  double ratio; /* (1 - alpha_f) / (1 - alpha_m): da_1 / du'_1 */
  double shift; /* a_0 approximates the acceleration at t + shift h */
} hn_alpha_scheme;

/* Computes the coefficients. Fails if the scheme does not converge with constraints of positions alone
 * (index 3), or, if OF_VELOCITIES, of velocities as well. */
int hn_alpha_scheme_setup(hn_alpha_scheme *scheme, bool of_velocities, hn_error *error);
/* Returns the order. */
int hn_alpha_scheme_order(const hn_alpha_scheme *scheme);

#endif
