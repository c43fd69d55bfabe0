/* tableau.h - Radau IIA methods in the form needed by simplified Newton iterations. Internal.
 *
 * The matrix A of a method with s stages is nonsingular. With T and the eigenvalues of A^-1,
 *
 *   TI A^-1 T = diag(real, [alpha -beta; beta alpha], ...)        TI = T^-1
 *
 * A system with A^-1 falls into a real one, if s is odd, and a complex one, alpha + i beta, for each pair of
 * further rows. The last row of A is b: the last stage is the end of the step.
 *
 * The error estimate of order s is err = (real/h - J)^-1 (f_0 + sum of e_i Z_i / h), with the displacements
 * Z_i of the stages. [hairer1996, sections IV.5 and IV.8] */
#ifndef HN_RADAU_TABLEAU_H
#define HN_RADAU_TABLEAU_H

enum { HN_RADAU_MAX = 7, HN_RADAU_PAIRS = 3 };

typedef struct hn_radau_tableau {
  int stages;
  double real; /* the real eigenvalue of A^-1; with an even number of stages 0, there is none */
  double alpha[HN_RADAU_PAIRS], beta[HN_RADAU_PAIRS]; /* [stages / 2] */
  double c[HN_RADAU_MAX];
  /* [stages * stages], row by row */
  double inverse[HN_RADAU_MAX * HN_RADAU_MAX], T[HN_RADAU_MAX * HN_RADAU_MAX],
    TI[HN_RADAU_MAX * HN_RADAU_MAX];
  double e[HN_RADAU_MAX];
} hn_radau_tableau;

/* Returns the method with STAGES 1, 2, 3, 5 or 7; NULL for other numbers. Its order is 2 STAGES - 1. */
const hn_radau_tableau *hn_radau_find(int stages);
/* Returns the modulus of the first complex eigenvalue. */
double hn_radau_modulus(const hn_radau_tableau *method);

#endif
