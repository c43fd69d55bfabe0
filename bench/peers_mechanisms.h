// peers_mechanisms.h - Holonom beside another engine on trees and chains of boxes on ball joints, in one run.
//
// Both have the same masses, inertias, joints and initial state. A round is the simulated time from the
// start, in parts, each taken by one engine and then by the other. Minimum and median of each part over all
// rounds are averaged, and the median of the ratios. The clock counts processor time of this thread. The
// states at the end are compared with REFERENCE at a fraction of the step: another formulation of another
// order.
#ifndef HN_PEERS_MECHANISMS_H
#define HN_PEERS_MECHANISMS_H

#include "peers.h"

constexpr double PEER_STEP = 1.0 / 240.0;
constexpr char REFERENCE[] = "lagrange:stepper=rk8pd,stabilisation=projection";

struct mechanism {
  const char *name, *scene;
  int n;
  int rounds, parts, steps; // repetitions; parts of a round; steps of a part
};

// Trees and chains: a second of simulated time each.
constexpr mechanism MECHANISMS[] = {
  { "T31", "peer_tree", 31, 101, 10, 24 },    { "T127", "peer_tree", 127, 31, 10, 24 },
  { "T1023", "peer_tree", 1023, 11, 10, 24 }, { "C64", "chain", 64, 51, 10, 24 },
  { "C1024", "chain", 1024, 11, 10, 24 },
};

inline hn_scene *load(const mechanism &of)
{
  const std::string count = std::to_string(of.n);
  const hn_setting setting = { "n", count.c_str() };
  hn_error error;
  hn_scene *scene = hn_scene_load(of.scene, &setting, 1, &error);
  if (!scene) end_with(error.text);
  for (int i = 0; i < scene->model->njoint; i++) {
    const hn_joint &joint = scene->model->joint[i];
    if (joint.b != i + 1 || joint.a > i) end_with("bodies and joints are not in the order of a tree");
  }
  return scene;
}

// Takes STEPS steps of PEER_STEP by REFERENCE, each divided by FINER.
inline void take_reference(holonom &reference, int steps, int finer)
{
  reference.back_to_start();
  reference.take_steps(PEER_STEP / finer, 0, finer * steps);
}

// Times of every part in every round, us a step
struct record {
  std::vector<std::vector<double>> part;

  explicit record(int parts) : part(size_t(parts))
  {
  }

  double of(double (*pick)(std::vector<double>)) const
  {
    double sum = 0.0;
    for (const auto &values : part) sum += pick(values) / double(part.size());
    return sum;
  }
};

template <class engine> double time_of(engine &of, int part, int count)
{
  double clock = clock_now();
  of.take_steps(PEER_STEP, part * count, count);
  return 1e6 * (clock_now() - clock) / count;
}

// An engine is made from a model, takes steps, and has the error of its bodies against a state.
template <class engine> void compare_mechanism(const mechanism &of, const char *spec)
{
  hn_scene *scene = load(of);
  holonom ours(scene->model, spec), fine(scene->model, REFERENCE);
  take_reference(fine, of.parts * of.steps, 4);
  record us(of.parts), theirs(of.parts), ratio(of.parts);
  double error = 0.0;
  for (int round = 0; round < of.rounds; round++) {
    engine peer(scene->model);
    ours.back_to_start();
    for (int k = 0; k < of.parts; k++) {
      size_t at = size_t(k);
      theirs.part[at].push_back(time_of(peer, k, of.steps));
      us.part[at].push_back(time_of(ours, k, of.steps));
      ratio.part[at].push_back(us.part[at].back() / theirs.part[at].back());
    }
    error = peer.error(fine.state);
  }
  hn_measure measure;
  hn_measure_state(scene->model, ours.state, &measure);
  std::printf("| %s | %.2f, %.2f | %.2f, %.2f | **%.4f**, %.4f | %.1e, %.1e | %.1e |\n", of.name,
              us.of(least), us.of(median), theirs.of(least), theirs.of(median),
              us.of(least) / theirs.of(least), ratio.of(median), ours.error(fine.state), error,
              measure.position_error);
  std::fflush(stdout);
  hn_scene_free(scene);
}

inline void print_head(const char *spec, const char *peer)
{
  std::printf("\n## %s\n\nA step of 1/240 s; errors at the end.\n\n| mechanism | us a step: least, median | "
              "%s | ratio of the least, median ratio | errors, m: ours, theirs | drift, m |\n"
              "|---|---|---|---|---|---|\n",
              spec, peer);
}

#endif
