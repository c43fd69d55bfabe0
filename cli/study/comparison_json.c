/* comparison_json.c - JSON of a comparison. Keys and their order are part of the interface. */
#include "cli/base/json.h"
#include "cli/study/comparison_json.h"
#include "cli/study/outcome_json.h"
#include "cli/study/reference.h"

static json_t *reference_json(const cli_reference *reference)
{
  if (!reference->key) return json_null();
  json_t *root = json_pack("{s:o}", "name", cli_json_string(reference->key));
  if (reference->step > 0.0) {
    json_object_set_new(root, "step", cli_json_real(reference->step));
    json_object_set_new(root, "uncertainty", cli_json_real(reference->uncertainty));
  }
  return root;
}

static json_t *study_json(const cli_outcome *o)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "spec", cli_json_string(o->plan.solver), "step",
                   cli_json_real(o->plan.step), "error", cli_json_real(o->error[CLI_POSITION]), "errors",
                   cli_json_errors(o), "joint_operations", cli_json_real(cli_outcome_operations(o)), "reason",
                   hn_reason_name(o->summary.reason), "cost", cli_json_cost(o));
}

/* Returns the JSON of `run` for each solver, and a row for each run of the study of error against work. */
json_t *cli_comparison_json(const cli_comparison *c)
{
  json_t *runs = json_array(), *study = json_array();
  for (size_t i = 0; i < c->count; i++) {
    json_t *run = cli_json_outcome(&c->outcome[i]);
    json_object_set_new(run, "spec", cli_json_string(c->outcome[i].plan.solver));
    json_object_set_new(run, "joint_operations", cli_json_real(cli_outcome_operations(&c->outcome[i])));
    if (c->outcome[i].history)
      json_object_set_new(run, "residual_history", cli_history_json(c->outcome[i].history));
    json_array_append_new(runs, run);
  }
  for (size_t i = 0; i < c->studied; i++) json_array_append_new(study, study_json(&c->study[i]));
  return json_pack("{s:o, s:o, s:o*, s:o, s:o, s:o*, s:s, s:o, s:o}", "scene",
                   cli_json_string(c->scene->name), "step", c->budget ? json_null() : cli_json_real(c->step),
                   "budget", c->budget ? json_integer((json_int_t)c->budget) : NULL, "duration",
                   cli_json_real(c->duration), "reference", reference_json(&c->reference), "no_reference",
                   c->reference.why_missing ? cli_json_string(c->reference.why_missing) : NULL, "norm",
                   cli_norm_name(c->reference.norm), "runs", runs, "work_precision", study);
}
