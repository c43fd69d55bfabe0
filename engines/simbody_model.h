// simbody_model.h - a model as Simbody knows it: a tree of mobilizers, and constraints that close its loops.
#ifndef ENGINES_SIMBODY_MODEL_H
#define ENGINES_SIMBODY_MODEL_H

#include "engines/engine.hpp"
#include "engines/engine_tree.hpp"

#include <Simbody.h>
#include <vector>

// A moving body: its mobilizer moves frame M of the body against frame F of its parent.
struct simbody_member {
  int body, parent;             // numbers in the model; parent 0: the ground, or a fixed body
  const engine_joint *joint;    // the joint that is its mobilizer; nullptr: it moves freely
  double sign;                  // 1 or -1: rate of the mobilizer over that of the joint
  SimTK::Transform X_PF, X_BM;  // frames in those of both bodies
  SimTK::MobilizedBodyIndex at; // number in Simbody
};

// The system, created from SCENE. Its rates of motors are those of engine_motor_rate with *INPUT.
class simbody_model
{
public:
  simbody_model(const engine_scene &scene, const double *const *input);

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  std::vector<simbody_member> member; // parents first

  bool has_constraints() const
  {
    return matter.getNumConstraints() > 0;
  }
  // Sets positions and velocities of STATE from those of the model; velocities that the mobilizers do not
  // permit are projected in the metric of the masses.
  void set(const hn_state &from, SimTK::State &state) const;
  void get(const SimTK::State &state, hn_state &to) const;

private:
  const engine_scene &scene;
  const double *const *input;
  std::vector<SimTK::MobilizedBodyIndex> at; // [nbody]

  SimTK::Transform start_in(int body, const SimTK::Transform &frame) const;
  SimTK::Body::Rigid mass_of(int body) const;
  void add_member(const engine_link &link);
  void mobilize(simbody_member &m);
  void add_motor(const simbody_member &m);
  void close_loop(const engine_joint &joint);
};

#endif
