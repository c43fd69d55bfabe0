/* correction.h - what the impulse methods share: halving, and the small blocks of single joints. */
#ifndef HN_CORRECTION_H
#define HN_CORRECTION_H

#include "holonom.h"

/* A joint correction whose residual exceeds this has run away: it is not iterated further (m, rad). */
#define HUGE_RESIDUAL 1e6

/* Has STATE these poses, to the bit? */
bool hn_same_poses(const hn_state *state, const hn_pose *poses);

/* Where Jacobians and what was made of them belong to: poses, which they are a function of. Time and inputs are in the
 * biases alone. A cache, not a memory: what is made there again has the same bits. */
typedef struct hn_prepared {
  hn_pose *pose; /* [nbody] */
  double *input; /* [ninput] of motors, and */
  double time;   /* s: of prescribed motions, where the biases were made */
  bool driven;   /* are there any? */
  hn_system *system;
  uint64_t listing; /* of its contacts */
  bool valid;
} hn_prepared;

int hn_prepared_setup(hn_prepared *kept, hn_system *system, hn_error *error);
void hn_prepared_free(hn_prepared *kept);
void hn_prepared_keep(hn_prepared *kept, const hn_state *state);
/* Is what was made at other times good at STATE? Then the system's biases are those of STATE. */
bool hn_prepared_at(hn_prepared *kept, const hn_state *state);

/* What of CAPABILITIES is left to an impulse method: without the velocity correction no constraints of velocities, no
 * impacts and nothing that holds at one end of a step; and it keeps momentum where it does not stop short of its
 * tolerance and its flight does. */
unsigned hn_capabilities_left(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                              const hn_flight_options *flight);

#define HN_VELOCITY_CORRECTION_PARAM(data, field)                                                   \
  {                                                                                                 \
    "velocity_correction", HN_FLAG, offsetof(data, field), "true", 0, 0, "", NULL,                  \
      "correct the velocities at the end of a step; false: leave that to the next joint correction" \
  }

/* ---- Step halving: a step whose correction stalls is given back and taken as two halves, and so on -------------- */

enum { HN_MAX_HALVINGS = 20 };

typedef struct hn_halving {
  int limit;                        /* a step may be divided into 2^limit parts; 0: never */
  hn_state *given[HN_MAX_HALVINGS]; /* [limit] states at the start of the steps being divided */
} hn_halving;

#define HN_HALVING_PARAM(data, field)                                                                     \
  {                                                                                                       \
    "halvings", HN_INTEGER, offsetof(data, field) + offsetof(hn_halving, limit), "0", 0, HN_MAX_HALVINGS, \
      "", NULL, "halve a step that stalls, up to this often in a row; recorded"                           \
  }

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error);
void hn_halving_free(hn_halving *halving);
/* WHOLE over h, or over halves of h where it stalls. */
hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*whole)(hn_solver *solver, hn_state *state, double h));

/* ---- Small blocks ------------------------------------------------------------------------------------------------ */

/* Room for K_ii of every joint. */
double **hn_blocks_create(const hn_system *s); /* [njoint] into one store; NULL when memory is out */
void hn_blocks_free(double **block);

/* The impulse that a block has gathered, TOTAL[n], takes in p[n] and is confined to its set, for a time of h (or what p
 * is in units of: h^2 for impulses times time); p becomes what was added. */
void hn_block_confine(hn_system *s, const hn_block *block, double h, double *p, double *total);
/* The impulse TOTAL[n] of a contact with friction becomes what meets Coulomb's law exactly, all other impulses held:
 * from its velocities V[n] at TOTAL and its diagonal block K. P[n]: what was added. Not by a projection onto the cone:
 * with K^-1 that would slide aside, and lift off. */
void hn_block_touch(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                    double *total);

#endif
