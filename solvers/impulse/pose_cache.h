/* pose_cache.h - the poses at which Jacobians and factors were computed last. */
#ifndef HN_POSE_CACHE_H
#define HN_POSE_CACHE_H

#include "solver.h"

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

#endif
