/* orders_print.c - results of `converge --all` as a table, JSON and CSV. */
#include <math.h>
#include "cli/base/json.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/orders/orders.h"
#include "cli/orders/order_reference.h"

static const char *const verdicts[] = { [ORDERS_NONE] = "-",
                                        [ORDERS_FITTED] = "",
                                        [ORDERS_ROUND_OFF] = "round-off",
                                        [ORDERS_UNSETTLED] = "unsettled",
                                        [ORDERS_CUT] = "cut",
                                        [ORDERS_FAILED] = "failed" };

/* Returns the first quantity with a window, whose steps and errors are printed; -1: none. */
static int shown_quantity(const orders_solver *m)
{
  for (int q = 0; q < CLI_QUANTITIES; q++)
    if (m->verdict[q] == ORDERS_FITTED) return q;
  return -1;
}

static void order_cell(cli_table *table, const orders_solver *m, int q)
{
  const char *mark = m->wrong[q] ? " !" : m->stiff[q] ? " ~" : m->better[q] ? " +" : "";
  if (m->verdict[q] == ORDERS_FITTED)
    cli_cell(table, "%.2f (%zu)%s", m->window[q].order, m->window[q].count, mark);
  else cli_cell(table, "%s%s", verdicts[m->verdict[q]], mark);
}

static void window_cells(cli_table *table, const orders_solver *m)
{
  int q = shown_quantity(m);
  if (q < 0) {
    const char *reason = m->tried > 0 ? hn_reason_name(m->reason[m->tried - 1]) : "-";
    cli_cell(table, "%s", m->verdict[CLI_POSITION] == ORDERS_FAILED ? reason : "-");
    cli_cell(table, "-");
    return;
  }
  size_t first = m->window[q].first, last = first + m->window[q].count - 1;
  cli_cell(table, "%s%.3g to %.3g", m->by_tolerance ? "tolerance " : "", m->x[first], m->x[last]);
  cli_cell(table, "%.1e to %.1e", m->error[q][first], m->error[q][last]);
}

static void print_reference(const orders_study *study)
{
  const orders_reference *r = &study->reference;
  if (r->plan.step > 0.0)
    cli_print_wrapped(stdout,
                      "reference: %s with steps of %s s, and the scene's own answer where it has one\n",
                      r->plan.solver, cli_exact(r->plan.step).text);
  else puts("reference: the scene's own answer");
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    const cli_quantity *name = &cli_quantities[q];
    if (!r->applies[q]) continue;
    printf("  %-11s  up to %.3g %s; errors count from %.1e", name->name, r->scale[q], name->unit,
           orders_floor(r, q));
    if (r->uncertainty[q] > 0.0) printf("; uncertain by %.1e", r->uncertainty[q]);
    if (isfinite(r->scene_distance[q]))
      printf("; the scene's answer and the run differ by %.1e", r->scene_distance[q]);
    putchar('\n');
  }
}

static void print_failures(const orders_study *study)
{
  bool any = false;
  for (size_t i = 0; i < study->count; i++) {
    const orders_solver *m = &study->solver[i];
    if (m->tried == 0 || m->reason[m->tried - 1] == HN_CONVERGED) continue;
    cli_print_wrapped(stdout, "%s- %s: %s\n", any ? "" : "\n", m->label, m->explanation);
    any = true;
  }
}

static void print_head(const orders_study *study)
{
  printf("%s, orders over t = 0 to %s s\n", study->plan.scene->name, cli_exact(study->plan.duration).text);
  print_reference(study);
  if (!study->judged)
    cli_print_wrapped(stdout,
                      "orders are not judged: control acts once a step, and therefore depends on the step\n");
  putchar('\n');
}

/* True if an order is low only with steps longer than the fastest motion. */
static bool has_stiff(const orders_study *study)
{
  bool any = false;
  for (size_t i = 0; i < study->count; i++)
    for (int q = 0; q < CLI_QUANTITIES; q++) any = any || study->solver[i].stiff[q];
  return any;
}

void orders_print(const orders_study *study, bool quiet)
{
  if (!quiet) print_head(study);
  cli_table *table = cli_table_create(
    "<solver|declared|position|orientation~4|velocity~5|joint force~3|<steps, s~2|<errors~1");
  for (size_t i = 0; i < study->count; i++) {
    const orders_solver *m = &study->solver[i];
    cli_cell(table, "%s", m->label);
    if (m->declared > 0) cli_cell(table, "%d", m->declared);
    else cli_cell(table, "-");
    for (int q = 0; q < CLI_QUANTITIES; q++) order_cell(table, m, q);
    window_cells(table, m);
  }
  cli_table_print(table, stdout);
  if (quiet) return;
  print_failures(study);
  printf("\nErrors are root mean squares over the whole motion. In parentheses: number of\n"
         "steps in the window of the fit. Steps and errors belong to the first order of\n"
         "the row. round-off: exact, or at round-off before six steps could show an\n"
         "order. unsettled: no six steps in a row follow one order down to round-off.\n"
         "cut: no six such steps up to the end of the ladder, at 200000 steps or %.3g\n"
         "joint operations a run. !: lower than declared; +: higher. Failed runs are\n"
         "left out. Tolerances are 1e-14 for positions and 1e-13 for velocities, times\n"
         "the size of the scene, %.3g m, if that is above 1 m, and 1e-13 for local\n"
         "errors, unless the variant sets them.\n",
         orders_max_operations(study), study->size);
  if (has_stiff(study))
    printf("~: lower than declared, but all steps that show it are longer than the fastest\n"
           "motion at the start, %.3g s: stiff problems cost methods order there.\n",
           study->fastest);
}

static json_t *window_json(const orders_solver *m, int q)
{
  static const char *const words[] = { "none", "fitted", "round-off", "unsettled", "cut", "failed" };
  const hn_window *w = &m->window[q];
  json_t *root = json_pack("{s:s, s:b, s:b, s:b}", "outcome", words[m->verdict[q]], "as_declared",
                           !m->wrong[q], "better", m->better[q], "stiff", m->stiff[q]);
  if (m->verdict[q] == ORDERS_FITTED)
    cli_json_merge(root, json_pack("{s:I, s:o, s:o, s:o, s:o}", "count", (json_int_t)w->count, "low",
                                   cli_json_real(w->low), "high", cli_json_real(w->high), "from",
                                   cli_json_real(m->x[w->first]), "to",
                                   cli_json_real(m->x[w->first + w->count - 1])));
  return root;
}

static json_t *runs_json(const orders_solver *m)
{
  json_t *runs = json_array();
  for (size_t i = 0; i < m->tried; i++) {
    json_t *run = json_pack("{s:o}", m->by_tolerance ? "tolerance" : "step", cli_json_real(m->x_tried[i]));
    for (int q = 0; q < CLI_QUANTITIES; q++)
      json_object_set_new(run, cli_quantities[q].error_key, cli_json_real(m->error_tried[q][i]));
    cli_json_merge(run, json_pack("{s:o, s:o, s:s}", "joint_operations", cli_json_real(m->operations[i]),
                                  "us_per_step", cli_json_real(m->us_per_step[i]), "reason",
                                  hn_reason_name(m->reason[i])));
    json_array_append_new(runs, run);
  }
  return runs;
}

static json_t *solver_json(const orders_solver *m)
{
  json_t *root = json_pack("{s:o, s:o, s:o}", "solver", cli_json_string(m->label), "spec",
                           cli_json_string(m->spec), "declared_order",
                           m->declared > 0 ? json_integer(m->declared) : json_null());
  json_t *windows = json_object();
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    json_object_set_new(root, cli_quantities[q].key,
                        cli_json_real(m->verdict[q] == ORDERS_FITTED ? m->window[q].order : NAN));
    json_object_set_new(windows, cli_quantities[q].key, window_json(m, q));
  }
  cli_json_merge(root, json_pack("{s:b, s:o, s:o}", "as_declared", !orders_solver_wrong(m), "windows",
                                 windows, "runs", runs_json(m)));
  return root;
}

static json_t *reference_json(const orders_reference *r)
{
  const bool ran = r->plan.step > 0.0;
  json_t *uncertainty = json_object(), *difference = json_object();
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    if (!r->applies[q]) continue;
    json_object_set_new(uncertainty, cli_quantities[q].error_key, cli_json_real(r->uncertainty[q]));
    json_object_set_new(difference, cli_quantities[q].error_key, cli_json_real(r->scene_distance[q]));
  }
  return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", ran ? r->plan.solver : "scene", "step",
                   cli_json_real(ran ? r->plan.step : NAN), "joint_operations", cli_json_real(r->operations),
                   "uncertainty", uncertainty, "from_scene", difference);
}

json_t *orders_json(const orders_study *study)
{
  json_t *solvers = json_array();
  for (size_t i = 0; i < study->count; i++) json_array_append_new(solvers, solver_json(&study->solver[i]));
  return json_pack("{s:o, s:o, s:b, s:o, s:o}", "scene", cli_json_string(study->plan.scene->name), "duration",
                   cli_json_real(study->plan.duration), "judged", study->judged, "reference",
                   reference_json(&study->reference), "solvers", solvers);
}

/* Writes the table as CSV; specs are quoted because they contain commas. */
int orders_write_csv(const orders_study *study, cli_file *file, hn_error *error)
{
  fputs("solver,declared_order,step_or_tolerance,error,orientation_error,velocity_error,force_error,reason\n",
        file->stream);
  for (size_t i = 0; i < study->count; i++)
    for (size_t k = 0; k < study->solver[i].tried; k++) {
      const orders_solver *m = &study->solver[i];
      fprintf(file->stream, "\"%s\",%d,%s", m->label, m->declared, cli_exact(m->x_tried[k]).text);
      for (int q = 0; q < CLI_QUANTITIES; q++)
        if (isfinite(m->error_tried[q][k]))
          fprintf(file->stream, ",%s", cli_exact(m->error_tried[q][k]).text);
        else fputs(",nan", file->stream);
      fprintf(file->stream, ",%s\n", hn_reason_name(m->reason[k]));
    }
  return cli_file_close(file, error);
}
