/* system_matrix.c - K = G W G' of a system: back end, policy for a singular K, factorisation and solution. */
#include "redundant/redundant.h"

int hn_system_use_linear(hn_system *s, const hn_linear_options *options, hn_error *error)
{
  hn_linear_free(s->parts->linear);
  hn_redundant_free(s->parts->redundant);
  s->parts->redundant = NULL;
  s->parts->linear = hn_linear_create(s, options, error);
  if (!s->parts->linear || options->redundancy == HN_REFUSE || s->max_rows == 0)
    return s->parts->linear ? 0 : -1;
  s->parts->redundant = hn_redundant_create(s, options->redundancy, error);
  return s->parts->redundant ? 0 : -1;
}

/* Analyses the pattern of K after blocks have appeared or disappeared. */
static hn_reason analyse(hn_system *s)
{
  hn_error error;
  if (hn_linear_analyse(s->parts->linear, s, &error)) return HN_UNSUPPORTED;
  s->work.analyses++;
  return s->parts->redundant && hn_redundant_analyse(s->parts->redundant, s, &error) ? HN_UNSUPPORTED
                                                                                     : HN_CONVERGED;
}

static hn_reason factor_all(hn_system *s)
{
  hn_linear_fill(s, NULL);
  return hn_linear_factor(s);
}

hn_reason hn_system_factor(hn_system *s)
{
  if (hn_stopped(&s->stop)) return HN_INTERRUPTED;
  hn_reason reason = s->parts->linear->pattern == s->pattern ? HN_CONVERGED : analyse(s);
  /* a shifted K is regular: drop no rows */
  if (s->parts->shift > 0.0 && s->parts->redundant) hn_redundant_analyse(s->parts->redundant, s, NULL);
  const bool by_policy = s->parts->redundant && !s->parts->compliance;
  if (reason == HN_CONVERGED) reason = by_policy ? hn_redundant_factor(s) : factor_all(s);
  s->parts->is_singular = reason == HN_SINGULAR;
  s->parts->factored = reason == HN_CONVERGED;
  return reason;
}

bool hn_system_is_factored(const hn_system *s)
{
  return s->parts->factored;
}

void hn_system_set_shift(hn_system *s, double shift)
{
  s->parts->shift = shift;
}

double hn_system_shift(const hn_system *s)
{
  return s->parts->shift;
}

void hn_system_set_compliance(hn_system *s, const double *sigma)
{
  s->parts->compliance = sigma;
  s->parts->factored = false;
}

hn_reason hn_system_solve(hn_system *s, const double *b, double *p)
{
  if (hn_stopped(&s->stop)) return HN_INTERRUPTED;
  s->work.solves++;
  if (!s->parts->redundant || s->parts->compliance) return hn_linear_solve(s, b, p);
  hn_reason reason = hn_redundant_solve(s, b, p);
  s->parts->is_singular = reason == HN_SINGULAR;
  return reason;
}

size_t hn_system_memory(const hn_system *s)
{
  size_t rows = (size_t)s->max_rows,
         bytes = sizeof *s + sizeof *s->parts + (sizeof(bool) + sizeof(double) * (4 + 2 * 12)) * rows;
  bytes += sizeof *s->block * (size_t)s->max_blocks +
           (sizeof(int) + 9 * sizeof(double)) * (size_t)s->model->nbody;
  return s->parts->linear ? bytes + hn_linear_memory(s->parts->linear, s) : bytes;
}
