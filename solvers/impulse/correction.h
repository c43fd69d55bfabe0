/* correction.h - shared parts of the impulse methods: pose caches, step halving, blocks of one joint. */
#ifndef HN_CORRECTION_H
#define HN_CORRECTION_H

#include "holonom.h"
#include "registry/solver_arrays.h"

/* Residual (m, rad) beyond which an iteration counts as diverged: far above any residual of a useful step. */
#define HUGE_RESIDUAL 1e6

/* True if the poses of STATE equal POSES bit for bit. */
bool hn_same_poses(const hn_state *state, const hn_pose *poses);

/* The poses at which Jacobians and factors were computed last. It is a cache: recomputing at the same poses
 * gives the same bits, so it is no part of the memory of a solver. Time and motor inputs affect only the
 * biases. */
typedef struct hn_pose_cache {
  hn_pose *pose; /* [nbody] */
  double *input; /* [ninput] motor inputs of the stored biases */
  double time;   /* s: time of the stored biases */
  bool driven;   /* some joint has a prescribed motion or a motor input */
  hn_system *system;
  uint64_t listing; /* hn_system_contact_version when stored */
  bool valid;
} hn_pose_cache;

int hn_pose_cache_setup(hn_solver *solver, hn_pose_cache *cache, hn_error *error);
void hn_pose_cache_store(hn_pose_cache *cache, const hn_state *state);
/* True if the cached quantities are valid at STATE; then the biases of the system are updated to STATE. */
bool hn_pose_cache_is_valid_at(hn_pose_cache *cache, const hn_state *state);

/* Returns the CAPABILITIES of an impulse method with these parameters. Without the velocity correction it
 * cannot handle constraints on velocities, impacts or bounds. It conserves momentum only with the exact
 * flight and with corrections iterated TO_TOLERANCE. */
unsigned hn_impulse_capabilities(unsigned capabilities, bool velocity_correction, bool to_tolerance,
                                 const hn_flight_options *flight);

/* Leaves the velocities of STATE; takes the place of a velocity correction that is switched off. */
hn_reason hn_skip_velocity_correction(hn_solver *solver, void *user, hn_state *state);

#define HN_VELOCITY_CORRECTION_PARAM(data, field)                                                   \
  {                                                                                                 \
    "velocity_correction", HN_FLAG, offsetof(data, field), "true", 0, 0, "", NULL,                  \
      "correct the velocities at the end of a step; false: leave that to the next joint correction" \
  }

/* ---- Step halving: a step that stalls is restored and repeated as two halves, recursively -------------- */

enum { HN_MAX_HALVINGS = 20 };

typedef struct hn_halving {
  int limit;                        /* a step may be divided into 2^limit parts; 0: never */
  hn_state *start[HN_MAX_HALVINGS]; /* [limit] states at the start of the steps being divided */
} hn_halving;

#define HN_HALVING_PARAM(data, field)                                                                     \
  {                                                                                                       \
    "halvings", HN_INTEGER, offsetof(data, field) + offsetof(hn_halving, limit), "0", 0, HN_MAX_HALVINGS, \
      "", NULL, "halve a step that stalls, up to this often in a row; recorded"                           \
  }

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error);
/* Advances STATE by STEP over h, or over halves of h where STEP stalls. */
hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*step)(hn_solver *solver, hn_state *state, double h));

/* ---- Blocks of one joint or contact -------------------------------------------------------------------- */

/* Allocates K_ii of every block for the data of SOLVER: *BLOCK becomes an array [max_blocks]. */
int hn_blocks_create(hn_solver *solver, double ***block, hn_error *error);

/* Adds p[n] to the accumulated impulse TOTAL[n] of a block and projects the sum onto the set of the block. On
 * return p is the change of TOTAL. H scales the bounds: the step for impulses, its square for impulses times
 * time. */
void hn_block_add_projected(hn_system *s, const hn_block *block, double h, double *p, double *total);
/* Solves Coulomb's law for one contact with friction, all other impulses fixed, from the velocities V[n] at
 * TOTAL[n] and the diagonal block K. TOTAL becomes the solution and P[n] its change. A projection of K^-1 v
 * onto the cone would not do: the contact could slide sideways or separate. */
void hn_block_solve_friction(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                             double *total);

#endif
