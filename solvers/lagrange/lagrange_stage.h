/* lagrange_stage.h - data of solver lagrange, and the evaluation of its differential equation. */
#ifndef HN_LAGRANGE_STAGE_H
#define HN_LAGRANGE_STAGE_H

#include "impulse/rattle.h"
#include "lagrange/components.h"
#include "lagrange/group_methods.h"
#include "multiplier/integrator.h"

enum { HN_NO_STABILISATION, HN_BAUMGARTE, HN_PROJECTION };
enum { HN_INDEX_1, HN_GGL }; /* formulation */

/* Data of steps with quaternions as four numbers. */
typedef struct hn_gsl_steps {
  hn_components components; /* the vector that is integrated */
  hn_pose *flow;            /* [nbody] derivatives of poses */
} hn_gsl_steps;

/* Data of steppers on the group. */
typedef struct hn_group_steps {
  const hn_group_method *method;
  hn_state *start;                                                   /* state at the start of the step */
  hn_twist *motion[HN_MAX_GROUP_STAGES], *rate[HN_MAX_GROUP_STAGES]; /* [nbody] derivatives of the stages */
  hn_twist *displacement;                                            /* [nbody] */
} hn_group_steps;

typedef struct hn_lagrange {
  int stepper, stabilisation, group, formulation;
  double alpha, beta; /* 1/s */
  hn_integrator ode;  /* parameters of steps */
  hn_rattle rattle;   /* parameters and memory of the projection */
  hn_gsl_steps gsl;
  hn_group_steps on_group;
  hn_state *stage;        /* state with unit quaternions where the derivatives are evaluated */
  hn_twist *velocity;     /* [nbody] rates of the poses there, where they are not those of the state */
  hn_twist *acceleration; /* [nbody] */
  double *right;          /* [nrow] */
  double *mu;             /* [nrow] multipliers of the velocities of formulation = ggl */
  double *lambda;         /* [nrow] solver->multipliers, also used by stages */
  double begin;           /* s: start of the step in progress */
  bool time_dependent;    /* the derivatives depend on time explicitly */
  bool is_current;        /* acceleration and lambda belong to the stage: a cache */
} hn_lagrange;

/* Computes d->lambda, d->acceleration, and for formulation = ggl d->mu and d->velocity, at d->stage. */
hn_reason hn_lagrange_evaluate(hn_solver *solver);
/* Returns the rates of the poses at d->stage, after an evaluation. */
const hn_twist *hn_lagrange_velocity(const hn_lagrange *d);

#endif
