/* warnings.c - what a run measures that says that its figures mean little (doc/manual.md, "Warnings").
 *
 * A tenth is where a figure has no digit left: of the energies in play, of the size of the mechanism, or of the way
 * that its bodies have gone; of these two together where the rates of joints are off. And a run whose energy changes in
 * one step more than ten times as much as in all others together has met something there, a singular position as a
 * rule, after which it may follow another motion, however well joints and all other steps keep. */
#include <inttypes.h>
#include <math.h>
#include "cli/base/memory.h"
#include "cli/study/warnings.h"
#include "base/vec.h"

static const double tenth = 0.1;
static const double whole = 10.0;      /* a jump over all other changes */
static const double noticeable = 1e-9; /* a jump over the energies in play: not rounding */
enum { MOST = 7, ENOUGH_STEPS = 10 };

typedef struct list {
  char *text[MOST + 1];
  size_t count;
} list;

static void warn(list *l, char *text)
{
  l->text[l->count++] = text;
}

/* The longest way of a body from its start to its end. */
static double longest_way(const cli_outcome *o)
{
  double longest = 0.0;
  for (int i = 1; i < o->plan.scene->model->nbody; i++) {
    double way[3];
    vec_sub(way, o->state->pose[i].x, o->plan.scene->model->body[i].pose0.x);
    longest = fmax(longest, vec_norm(way));
  }
  return longest;
}

static void check_energy(list *l, const hn_summary *s)
{
  double in_play = s->energy_in_play;
  if (!(in_play > 0.0)) return; /* not conserved, or nothing moves */
  if (s->energy_error_max > tenth * in_play)
    warn(l, cli_text("the energy error is %.0f %% of the energies in play, %.3g J",
                     100.0 * s->energy_error_max / in_play, in_play));
  if (s->steps >= ENOUGH_STEPS && s->energy_jump > whole * s->energy_changes &&
      s->energy_jump > noticeable * in_play)
    warn(
      l,
      cli_text(
        "the energy jumps by %.2g J in the step to t = %.6g s and changes by %.2g J in all others together: "
        "what follows it may be another motion",
        s->energy_jump, s->energy_jump_time, s->energy_changes));
}

/* Deeper than shapes look ahead. */
static void check_overlap(list *l, const hn_model *model)
{
  const hn_overlap *overlap = &model->overlap;
  if (overlap->depth > model->margin)
    warn(l, cli_text("bodies \"%s\" and \"%s\" overlap by %.3g m at the start", model->body[overlap->a].name,
                     model->body[overlap->b].name, overlap->depth));
}

char **cli_warnings(const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  list l = { .count = 0 };
  if (o->solver && s->reason == HN_CONVERGED) {
    double way = fmax(s->size, longest_way(o));
    check_energy(&l, s);
    if (s->position_max > tenth * s->size)
      warn(&l, cli_text("joints are off by up to %.0f %% of the size of the mechanism, %.3g m",
                        100.0 * s->position_max / s->size, s->size));
    if (s->slip > tenth)
      warn(&l, cli_text("the rates of joints are off by %.0f %% of what the mechanism has moved and its size",
                        100.0 * s->slip));
    check_overlap(&l, o->plan.scene->model);
    if (s->contradictions > 0)
      warn(&l, cli_text("the law of contact was met no better than gaps are known, or rounding allows, "
                        "%" PRIu64 " times: contacts contradict each other, or masses are far apart",
                        s->contradictions));
    if (s->capped > 0)
      warn(&l, cli_text("speeds were cut to max_speed %" PRIu64 " times: momentum and energy were lost there",
                        s->capped));
    if (o->error[CLI_POSITION] > tenth * way)
      warn(&l,
           cli_text("the error is %.0f %% of the size of the mechanism, or of the way of its bodies, %.3g m",
                    100.0 * o->error[CLI_POSITION] / way, way));
  }
  char **texts = cli_alloc(l.count + 1, sizeof *texts);
  for (size_t i = 0; i < l.count; i++) texts[i] = l.text[i];
  return texts;
}

char *cli_warning_of_reference(const cli_reference *reference, double size)
{
  if (!(reference->uncertainty > tenth * size)) return NULL;
  return cli_text(
    "the reference is uncertain by %.2g m, and the mechanism is %.3g m large: errors mean nothing",
    reference->uncertainty, size);
}
