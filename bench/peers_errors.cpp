// peers_errors.cpp - errors of solvers at equal steps of 1/240 s, on the mechanisms of the comparisons.
//
// The largest distance of a body from its position by REFERENCE at an eighth of the step, at t = 1 s, m. The
// last column is the error of a second formulation at a quarter of the step: the errors to trust are larger.
// No time is measured, so that the figures do not depend on the machine.
#include "peers_bullet.h"
#include "peers_mechanisms.h"

namespace
{

constexpr int STEPS = 240;

void print_errors(const mechanism &of, const std::vector<std::string> &specs)
{
  hn_scene *scene = load(of);
  holonom fine(scene->model, REFERENCE), second(scene->model, "articulated:stepper=rk8pd");
  take_reference(fine, STEPS, 8), take_reference(second, STEPS, 4);
  std::printf("| %s |", of.name);
  for (const std::string &spec : specs) {
    holonom solver(scene->model, spec.c_str());
    take_reference(solver, STEPS, 1);
    std::printf(" %.1e |", solver.error(fine.state));
  }
  std::printf(" %.1e |\n", second.error(fine.state));
  std::fflush(stdout);
  hn_scene_free(scene);
}

} // namespace

void compare_errors(const std::vector<std::string> &given)
{
  std::vector<std::string> specs = given;
  if (specs.empty())
    specs = { "articulated:stepper=semi-implicit", "impulse-sle", "articulated:stepper=rk4",
              "lagrange:stepper=rk4" };
  std::printf("| mechanism |");
  for (const std::string &spec : specs) std::printf(" %s |", spec.c_str());
  std::printf(" reference |\n|---|");
  for (size_t i = 0; i <= specs.size(); i++) std::printf("---|");
  std::printf("\n");
  for (const mechanism &of : MECHANISMS) print_errors(of, specs);
}
