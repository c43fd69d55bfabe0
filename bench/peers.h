// peers.h - common parts of the comparisons with other engines: clock, statistics, Holonom as an engine that
// takes steps.
#ifndef HN_PEERS_H
#define HN_PEERS_H

#include "holonom.h"
#include "scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

[[noreturn]] inline void end_with(const char *text)
{
  std::fprintf(stderr, "holonom-peers: %s\n", text);
  std::exit(2);
}

inline double clock_now()
{
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct holonom {
  const hn_model *model;
  hn_solver *solver;
  hn_state *start, *state;

  holonom(const hn_model *of, const char *spec) : model(of)
  {
    hn_error error;
    solver = hn_solver_create(spec, model, &error);
    if (!solver) end_with(error.text);
    start = hn_state_create(model), state = hn_state_create(model);
    if (!start || !state) end_with("out of memory");
  }

  ~holonom()
  {
    hn_state_free(start), hn_state_free(state), hn_solver_free(solver);
  }

  void back_to_start()
  {
    hn_state_copy(state, start);
    hn_solver_reset(solver);
  }

  // Takes COUNT steps after the first TAKEN; each ends at its multiple of h, as in hn_run.
  void take_steps(double h, int taken, int count)
  {
    for (int k = taken + 1; k <= taken + count; k++) {
      if (hn_solver_step(solver, state, h) != HN_CONVERGED) end_with("a step fails");
      state->time = k * h;
    }
  }

  double error(const hn_state *reference) const
  {
    double largest = 0.0;
    for (int i = 1; i < model->nbody; i++) {
      const double *x = state->pose[i].x, *y = reference->pose[i].x;
      largest = std::max(largest, std::hypot(std::hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
    return largest;
  }
};

inline double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline double least(std::vector<double> values)
{
  return *std::min_element(values.begin(), values.end());
}

#endif
