/* session_copy.c - creates a session that continues from the present state of another.
 *
 * The control of a scene is code whose variables cannot be read. A second control reaches the same state only
 * if it is called as often and at the same states. So the commands and steps since the control was created
 * are repeated from the state saved then. Without control, present state and pending impulses suffice. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/session/session_struct.h"

static int repeat_line(cli_session *s, json_t *line, hn_error *error)
{
  const char *what = json_string_value(json_object_get(line, "do"));
  cli_session_step_to(s, (long)json_integer_value(json_object_get(line, "at_step")));
  return strcmp(what, "fail") == 0 ? cli_session_fail(s, line, error) : cli_session_do(s, line, error);
}

/* Repeats the commands of FROM since O; the hash shows whether the result is the same. */
static int repeat(cli_session *s, const cli_session *from, const cli_origin *o, hn_error *error)
{
  size_t i;
  json_t *line;
  json_array_foreach(o->commands, i, line) if (repeat_line(s, line, error) < 0) return -1;
  cli_session_step_to(s, cli_session_steps(from));
  const bool there = cli_session_steps(s) == cli_session_steps(from);
  if (there && cli_session_hash(s) == cli_session_hash(from)) return 0;
  return hn_fail(error, "repeating the session does not give the same result: %s",
                 there ? "its hash differs" : cli_session_explanation(s));
}

static int begin_from(cli_session *s, const cli_session *from, const cli_origin *o, hn_error *error)
{
  cli_world_setup setup;
  if (cli_session_steps(from) - o->steps > CLI_MAX_REPEATED_STEPS)
    return hn_fail(
      error, "the scene's control has run for more than %d steps, which are too many to repeat: reset first",
      CLI_MAX_REPEATED_STEPS);
  s->path = cli_text("%s", from->path);
  s->previous_steps = o->steps, s->previous_hash = o->hash;
  s->start_observed = true;
  cli_world_setup_copy(&setup, &o->saved.setup);
  if (cli_session_replace_world(s, &setup, &o->saved, error) < 0) return -1;
  if (s->control_restarted && cli_origin_set(&s->origin, s, error) < 0) return -1;
  s->control_restarted = false;
  if (repeat(s, from, o, error) < 0) return -1;
  int status = 0;
  for (const cli_world *slot = from->slot; status == 0 && slot < from->slot + CLI_SLOTS; slot++)
    if (slot->state) status = cli_world_save(&s->slot[slot - from->slot], &slot->setup, slot->state, error);
  return status;
}

/* Creates the copy from O; the repeated part is neither observed nor written. */
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
  if (from->world.control && from->origin.saved.state) return copy(from, plan, &from->origin, error);
  if (from->world.control) hn_fail(error, "out of memory");
  else if (cli_session_check_unchanged(from, error) == 0 && cli_origin_set(&here, from, error) == 0)
    s = copy(from, plan, &here, error);
  cli_origin_free(&here);
  return s;
}
