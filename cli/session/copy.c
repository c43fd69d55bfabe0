/* copy.c - another session that goes on from where one is.
 *
 * The control of a scene is code with variables of its own, which cannot be read: another one comes to have
 * the same by being called as often and at the same states. So what has been done since it began anew, by the
 * start, a reset, a load or another parameter of the scene, is done again, from the state that there was.
 * Without control the state of now is all there is, and the impulses that wait. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/session/course.h"

static int repeat_line(cli_session *s, json_t *line, hn_error *error)
{
  const char *what = json_string_value(json_object_get(line, "do"));
  cli_session_step_to(s, (long)json_integer_value(json_object_get(line, "at_step")));
  return strcmp(what, "fail") == 0 ? cli_session_fail(s, line, error) : cli_session_do(s, line, error);
}

/* What was done in FROM since O. The hash tells whether it has come to the same. */
static int repeat(cli_session *s, const cli_session *from, const cli_origin *o, hn_error *error)
{
  size_t i;
  json_t *line;
  json_array_foreach(o->since, i, line) if (repeat_line(s, line, error) < 0) return -1;
  cli_session_step_to(s, cli_session_steps(from));
  const bool there = cli_session_steps(s) == cli_session_steps(from);
  if (there && cli_session_hash(s) == cli_session_hash(from)) return 0;
  return hn_fail(error, "what has been done until now does not come to the same again: %s",
                 there ? "the hash is another" : cli_session_explanation(s));
}

static int begin_from(cli_session *s, const cli_session *from, const cli_origin *o, hn_error *error)
{
  cli_make make;
  if (cli_session_steps(from) - o->steps > CLI_MOST_REPEATED)
    return hn_fail(error,
                   "what the scene's control remembers is of more than %d steps, which would be taken "
                   "again: reset before",
                   CLI_MOST_REPEATED);
  s->path = cli_text("%s", from->path);
  s->base = o->steps, s->chained = o->hash;
  s->shown = true;
  cli_make_copy(&make, &o->start.make);
  if (cli_session_change(s, &make, &o->start, error) < 0) return -1;
  if (s->anew && cli_origin_begin(&s->origin, s, error) < 0) return -1;
  s->anew = false;
  if (repeat(s, from, o, error) < 0) return -1;
  int status = 0;
  for (const cli_world *slot = from->slot; status == 0 && slot < from->slot + CLI_SLOTS; slot++)
    if (slot->state) status = cli_slot_fill(&s->slot[slot - from->slot], &slot->make, slot->state, error);
  return status;
}

/* Nobody sees what is done again. */
static cli_session *copy(const cli_session *from, const cli_session_plan *plan, const cli_origin *o,
                         hn_error *error)
{
  cli_session *s = cli_alloc(1, sizeof *s);
  s->plan = (cli_session_plan){ .scene = plan->scene, .options = plan->options };
  s->pending = json_array();
  if (begin_from(s, from, o, error) == 0) {
    s->plan = *plan;
    return s;
  }
  cli_session_free(s);
  return NULL;
}

cli_session *cli_session_copy(const cli_session *from, const cli_session_plan *plan, hn_error *error)
{
  cli_session *s = NULL;
  cli_origin here = { .steps = 0 };
  if (from->world.control && from->origin.start.state) return copy(from, plan, &from->origin, error);
  if (from->world.control) hn_fail(error, "out of memory");
  else if (cli_session_check_unchanged(from, error) == 0 && cli_origin_begin(&here, from, error) == 0)
    s = copy(from, plan, &here, error);
  cli_origin_free(&here);
  return s;
}
