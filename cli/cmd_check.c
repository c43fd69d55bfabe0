/* cmd_check.c - `holonom check`: compares the declared expectations of scenes with measured results. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/study/reference_distance.h"
#include "cli/study/ladder.h"
#include "cli/study/reference.h"
#include "cli/study/study_runs.h"
#include "scene.h"

typedef struct tally {
  const cli_options *options;
  const char *solver; /* --solver: a solver, or a complete spec; NULL: all */
  json_t *array;
  long passed, failed;
} tally;

/* Counts a check, prints its row, and adds it to CHECKS with the numbers VALUE and LIMIT, which it takes
 * over. WORDS explain the verdict; NULL: it needs no explanation. */
static void add_verdict(tally *all, json_t *checks, const char *what, bool good, const char *measured,
                        const char *bound, json_t *value, json_t *limit, const char *words)
{
  all->passed += good;
  all->failed += !good;
  if (!all->options->json && !all->options->quiet)
    printf("  %-15s %14s  %-11s  %s\n", what, measured, bound, good ? "ok" : "FAILED");
  json_array_append_new(checks, json_pack("{s:s, s:o, s:o, s:s*, s:b}", "what", what, "measured", value,
                                          "bound", limit, "verdict", words, "ok", good));
}

static void check_bound(tally *all, json_t *checks, const char *what, double measured, double bound)
{
  if (isnan(bound)) return;
  bool good = isfinite(measured) && measured <= bound;
  char text[32] = "none", limit[32];
  if (isfinite(measured)) snprintf(text, sizeof text, "%.6e", measured);
  snprintf(limit, sizeof limit, "<= %.1e", bound);
  add_verdict(all, checks, what, good, text, limit, cli_json_real(measured), cli_json_real(bound), NULL);
}

/* Fits the order over six steps, each half the one before; a higher order than expected passes. */
static int check_order(tally *all, json_t *checks, const cli_plan *plan, double expected, hn_error *error)
{
  enum { STEPS = 6 };
  cli_ladder ladder = { .plan = *plan };
  if (isnan(expected)) return 0;
  ladder.plan.reference = NULL;
  /* Runs with halved steps against the scene's reference, or their own */
  int status = cli_ladder_steps(&ladder, NULL, STEPS, error);
  if (status == 0) status = cli_ladder_reference(&ladder, NULL, CLI_END, error);
  if (status >= 0) status = cli_ladder_run(&ladder, error);
  if (status == 0) {
    /* A higher order passes, too */
    const cli_verdict found = cli_ladder_judge(&ladder, expected);
    const bool good = found == CLI_AS_EXPECTED || found == CLI_BETTER || found == CLI_EXACT;
    char text[32] = "none", limit[32], *words = cli_ladder_verdict(&ladder, expected);
    if (isfinite(ladder.order)) snprintf(text, sizeof text, "%.4f", ladder.order);
    if (found == CLI_EXACT) snprintf(text, sizeof text, "exact");
    snprintf(limit, sizeof limit, ">= %g", expected);
    add_verdict(all, checks, "order", good, text, limit, cli_json_real(ladder.order), cli_json_real(expected),
                words);
    if (found != CLI_AS_EXPECTED && !all->options->json && !all->options->quiet) printf("    %s\n", words);
    free(words);
  }
  cli_ladder_free(&ladder);
  return status < 0 ? -1 : 0;
}

static void check_reason(tally *all, json_t *checks, hn_reason reason, const char *expected)
{
  const char *word = hn_reason_name(reason);
  if (!expected) expected = "converged";
  add_verdict(all, checks, "reason", strcmp(word, expected) == 0, word, expected, json_string(word),
              cli_json_string(expected), NULL);
}

static json_t *check_outcome(tally *all, const cli_outcome *outcome, const hn_expectation *expected)
{
  const hn_summary *s = &outcome->summary;
  json_t *checks = json_array();
  if (!all->options->json && !all->options->quiet)
    cli_print_wrapped(stdout, "%s:%d: %s, step %s s, duration %s s\n", outcome->plan.scene->name,
                      expected->line, outcome->plan.solver, cli_exact(outcome->plan.step).text,
                      cli_exact(outcome->plan.duration).text);
  check_reason(all, checks, s->reason, expected->reason);
  check_bound(all, checks, "error, m", outcome->error[CLI_POSITION], expected->error);
  check_bound(all, checks, "drift, m", s->position_max, expected->drift);
  check_bound(all, checks, "velocity, m/s", s->velocity_max, expected->velocity_drift);
  check_bound(all, checks, "penetration, m", s->contact.penetration, expected->penetration);
  check_bound(all, checks, "energy, J", s->energy_error_max, expected->energy_error);
  return checks;
}

static int check_one(tally *all, const cli_plan *plan, const hn_expectation *expected, hn_error *error)
{
  cli_reference reference;
  cli_outcome outcome;
  cli_plan own = *plan;
  int status = cli_reference_scene(&reference, plan->scene, CLI_END, plan->duration, error);
  own.reference = &reference;
  if (status >= 0) {
    status = cli_outcome_run(&outcome, &own, error);
    json_t *checks = status == 0 ? check_outcome(all, &outcome, expected) : NULL;
    if (status == 0) status = check_order(all, checks, plan, expected->order, error);
    if (checks)
      json_array_append_new(all->array,
                            json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "scene",
                                      cli_json_string(plan->scene->name), "line", expected->line, "solver",
                                      cli_json_string(plan->solver), "step", cli_json_real(plan->step),
                                      "duration", cli_json_real(plan->duration), "checks", checks));
    cli_outcome_free(&outcome);
  }
  cli_reference_free(&reference);
  return status;
}

/* True if SOLVER, of --solver, is the solver of SPEC or SPEC itself. */
static bool is_selected(const char *solver, const char *spec)
{
  if (!solver || strcmp(solver, spec) == 0) return true;
  size_t length = strcspn(spec, ":");
  return strlen(solver) == length && strncmp(solver, spec, length) == 0;
}

/* Checks that the representations of a joint agree: one row for the largest difference of each pair. */
static int check_contract(tally *all, const hn_scene *scene, int joint, hn_error *error)
{
  const hn_joint *j = &scene->model->joint[joint];
  hn_contract c;
  if (hn_joint_contract(scene->model, joint, &c, error)) return -1;
  /* Pairs of representations, and the largest difference that passes */
  const struct {
    const char *what;
    double difference, bound;
    bool needs_jet;
  } part[] = {
    { "value", c.value, HN_CONTRACT_EXACT, true },
    { "rate", c.rate, HN_CONTRACT_EXACT, true },
    { "acceleration", c.acceleration, HN_CONTRACT_EXACT, true },
    { "jacobian", c.jacobian, HN_CONTRACT_EXACT, true },
    { "difference", c.difference, HN_CONTRACT_DIFFERENCE, false },
    { "slope", c.slope, HN_CONTRACT_DIFFERENCE, true },
  };
  json_t *checks = json_array();
  if (!all->options->json && !all->options->quiet)
    printf("%s: joint %s, %s%s\n", scene->name, j->name, j->type->name,
           c.has_jet ? "" : ", without power series");
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (c.has_jet || !part[i].needs_jet)
      check_bound(all, checks, part[i].what, part[i].difference, part[i].bound);
  json_array_append_new(all->array, json_pack("{s:o, s:o, s:s, s:b, s:o}", "scene",
                                              cli_json_string(scene->name), "joint", cli_json_string(j->name),
                                              "type", j->type->name, "kept", c.kept, "checks", checks));
  return 0;
}

static int check_scene(tally *all, const char *name, hn_error *error)
{
  const cli_options *options = all->options;
  hn_scene *scene = cli_scene_load(name, options, error);
  if (!scene) return -1;
  int status = 0;
  for (int i = 0; i < scene->model->njoint && options->contract && status == 0; i++)
    status = check_contract(all, scene, i, error);
  for (size_t i = 0; !options->contract && i < scene->nexpectation && status == 0; i++) {
    const hn_expectation *expected = &scene->expectation[i];
    cli_plan plan = { .scene = scene,
                      .solver = expected->solver ? expected->solver : scene->solver,
                      .step = expected->step,
                      .duration = expected->duration };
    if (*cli_stop()) break;
    if (!is_selected(all->solver, plan.solver)) continue;
    const char *library = hn_solver_missing_library(plan.solver);
    if (library)
      cli_complain("%s: %s is not checked: Holonom was built without %s", name, plan.solver, library);
    else status = check_one(all, &plan, expected, error);
  }
  hn_scene_free(scene);
  return status;
}

static int check_all(tally *all, hn_error *error)
{
  if (all->options->nword > 0) return check_scene(all, all->options->word[0], error);
  char **names = hn_scene_names(error);
  if (!names) return -1;
  int status = 0;
  const size_t count = cli_strings_count(names);
  for (size_t i = 0; i < count && status == 0 && !*cli_stop(); i++) {
    cli_progress_study(i, count);
    status = check_scene(all, names[i], error);
  }
  cli_progress_study(0, 0);
  hn_scene_names_free(names);
  return status;
}

static void print_tally(tally *all)
{
  if (all->options->json) {
    cli_json_print(json_pack("{s:O, s:I, s:I}", all->options->contract ? "contracts" : "expectations",
                             all->array, "passed", (json_int_t)all->passed, "failed",
                             (json_int_t)all->failed));
    return;
  }
  if (all->passed + all->failed == 0 && !all->options->quiet)
    printf("no %s to check\n", all->options->contract ? "joints" : "expectations");
  printf("%ld passed, %ld failed\n", all->passed, all->failed);
}

static int run_command(const cli_options *options, hn_error *error)
{
  tally all = { .options = options, .solver = options->solver, .array = json_array() };
  int status = options->solver ? cli_spec_check(options->solver, NULL, error) : 0;
  if (status == 0) status = check_all(&all, error);
  if (status == 0) print_tally(&all);
  json_decref(all.array);
  if (status < 0) return -1;
  if (*cli_stop()) cli_complain("interrupted: not every expectation was checked");
  return all.failed > 0 || *cli_stop() ? CLI_OUTCOME : CLI_DONE;
}

const cli_command cli_command_check = {
  .name = "check",
  .arguments = "[SCENE]",
  .summary = "check the declared expectations of a scene, or of all installed ones",
  .details = "--solver NAME selects the expectations of one solver. --contract checks the\n"
             "joints of the scene instead, those written in Lua included: their closed form,\n"
             "their power series and finite differences must agree.\n"
             "Exit status 1 when a check fails.\n",
  .examples = "check\n"
              "check pendulum --solver taylor\n"
              "check chain8 --contract\n",
  .options = { CLI_SCENE_OPTIONS, CLI_CONTRACT },
  .run = run_command,
};
