/* record_layout.c - the groups of data in the frames of a record: the step itself and bodies; optionally
 * coordinates and forces of joints, force elements, contacts and events. */
#include "record/record_layout.h"
#include "record/record_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fields ---------------------------------------------------------------------------------------- */

typedef enum condition { ALWAYS, COLLIDING, TIMES, RANK } condition;

/* Fields of the step; order and names are part of the interface. */
static const struct {
  hn_record_field field;
  condition when;
} of_step[] = {
  { { "step", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "time", "s", HN_CELL_REAL, 1, NULL }, ALWAYS },
  { { "energy", "J", HN_CELL_REAL, 1, NULL }, ALWAYS },
  { { "position_error", "m or rad", HN_CELL_REAL, 1, NULL }, ALWAYS },
  { { "velocity_error", "m/s or rad/s", HN_CELL_REAL, 1, NULL }, ALWAYS },
  { { "position_iterations", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "velocity_iterations", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "hash", "1", HN_CELL_BITS, 1, NULL }, ALWAYS },
  { { "impulses", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "operations", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "halvings", "1", HN_CELL_WHOLE, 1, NULL }, ALWAYS },
  { { "residual", "m or rad", HN_CELL_REAL, 1, NULL }, ALWAYS },
  { { "asleep", "1", HN_CELL_WHOLE, 1, NULL }, COLLIDING },
  { { "speeds_cut", "1", HN_CELL_WHOLE, 1, NULL }, COLLIDING },
  { { "contacts", "1", HN_CELL_WHOLE, 1, NULL }, COLLIDING },
  { { "penetration", "m", HN_CELL_REAL, 1, NULL }, COLLIDING },
  { { "contact_residual", "m/s", HN_CELL_REAL, 1, NULL }, COLLIDING },
  { { "balance", "N s", HN_CELL_REAL, 1, NULL }, COLLIDING },
  { { "us_per_step", "us", HN_CELL_REAL, 1, NULL }, TIMES },
  { { "rank", "1", HN_CELL_WHOLE, 1, NULL }, RANK },
  { { "smallest_kept", "1", HN_CELL_REAL, 1, NULL }, RANK },
  { { "largest_dropped", "1", HN_CELL_REAL, 1, NULL }, RANK },
};
enum { OF_STEP = sizeof of_step / sizeof *of_step };

static const char *const xyz[] = { ".x", ".y", ".z" }, *const q[] = { ".qw", ".qx", ".qy", ".qz" };
static const char *const v[] = { ".vx", ".vy", ".vz" }, *const w[] = { ".wx", ".wy", ".wz" };
static const char *const itself[] = { "" }, *const rate[] = { "_rate" };
static const char *const force[] = { ".force_x", ".force_y", ".force_z" };
static const char *const torque[] = { ".torque_x", ".torque_y", ".torque_z" };
static const char *const law_value[] = { ".value" }, *const law_rate[] = { ".rate" },
                         *const law_force[] = { ".force" };

static const hn_record_field of_bodies[] = {
  { "position", "m", HN_CELL_REAL, 3, xyz },
  { "orientation", "1", HN_CELL_REAL, 4, q },
  { "velocity", "m/s", HN_CELL_REAL, 3, v },
  { "angular_velocity", "rad/s", HN_CELL_REAL, 3, w },
};
static const hn_record_field of_coordinates[] = {
  { "value", "m or rad", HN_CELL_REAL, 1, itself },
  { "rate", "m/s or rad/s", HN_CELL_REAL, 1, rate },
};
static const hn_record_field of_joints[] = {
  { "force", "N", HN_CELL_REAL, 3, force },
  { "torque", "N m", HN_CELL_REAL, 3, torque },
};
static const hn_record_field of_laws[] = {
  { "value", "m or rad", HN_CELL_REAL, 1, law_value },
  { "rate", "m/s or rad/s", HN_CELL_REAL, 1, law_rate },
  { "force", "N or N m", HN_CELL_REAL, 1, law_force },
};
static const hn_record_field of_wrenches[] = { { "force", "N or N m", HN_CELL_REAL, 3, force } };

/* ---- Owners: number and names -------------------------------------------------------------------------- */

/* True if F acts along one coordinate; other forces are recorded as wrenches. */
static bool is_law(const hn_force *f)
{
  return f->type->rows->rows == 1;
}

char *hn_concatenate(const char *a, const char *between, const char *b)
{
  char *text = malloc(strlen(a) + strlen(between) + strlen(b) + 1);
  return text ? strcat(strcat(strcpy(text, a), between), b) : NULL;
}

static char *copy_of(const char *name)
{
  return hn_concatenate(name, "", "");
}

/* The functions of this type store copies of the names of all owners, unless OWNER is NULL, and return the
 * number of owners. */
typedef int name_owners(const hn_model *model, char **owner);

static int name_bodies(const hn_model *model, char **owner)
{
  for (int i = 1; owner && i < model->nbody; i++) *owner++ = copy_of(model->body[i].name);
  return model->nbody - 1;
}

static int name_coordinates(const hn_model *model, char **owner)
{
  int count = 0;
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++)
    for (int i = 0; i < hn_joint_coordinates(joint); i++, count++)
      if (owner) owner[count] = hn_concatenate(joint->name, ".", joint->type->coordinates[i]->name);
  return count;
}

static int name_joints(const hn_model *model, char **owner)
{
  for (int j = 0; owner && j < model->njoint; j++) *owner++ = copy_of(model->joint[j].name);
  return model->njoint;
}

static int name_forces(const hn_model *model, bool law, char **owner)
{
  int count = 0;
  for (const hn_force *f = model->force; f < model->force + model->nforce; f++) {
    if (is_law(f) != law) continue;
    if (owner) owner[count] = copy_of(f->name);
    count++;
  }
  return count;
}

static int name_laws(const hn_model *model, char **owner)
{
  return name_forces(model, true, owner);
}

static int name_wrenches(const hn_model *model, char **owner)
{
  return name_forces(model, false, owner);
}

/* ---- Making ---------------------------------------------------------------------------------------- */

#define FIELDS(of) of, sizeof of / sizeof *of

/* Adds a group of COUNT owners with names from NAMES. Without names, the first group is that of the step, and
 * others are lists with room for COUNT rows. */
static int add_group(hn_record_layout *layout, const char *name, const hn_record_field *field, size_t nfield,
                     int count, name_owners *names, hn_error *error)
{
  hn_record_group *group = &layout->group[layout->ngroup];
  *group = (hn_record_group){ .name = name,
                              .field = field,
                              .nfield = (int)nfield,
                              .count = count,
                              .room = count,
                              .listed = !names && layout->ngroup > 0 };
  for (int i = 0; i < group->nfield; i++) group->width += field[i].width;
  layout->ngroup++;
  group->cell = calloc((size_t)count * (size_t)group->width + 1, sizeof *group->cell);
  if (names) group->owner = calloc((size_t)count + 1, sizeof *group->owner);
  if (names && group->owner) names(layout->model, group->owner);
  bool named = !names || group->owner;
  for (int i = 0; names && named && i < count; i++) named = group->owner[i];
  return group->cell && named ? 0 : hn_fail(error, "out of memory");
}

static bool is_wanted(const hn_record_options *o, const hn_model *model, condition when)
{
  return when == ALWAYS || (when == COLLIDING && model->max_contacts > 0) || (when == TIMES && o->times) ||
         (when == RANK && o->rank);
}

static int add_step(hn_record_layout *layout, const hn_record_options *o, hn_error *error)
{
  hn_record_field *field = calloc(OF_STEP, sizeof *field);
  size_t count = 0;
  for (int i = 0; field && i < OF_STEP; i++)
    if (is_wanted(o, layout->model, of_step[i].when)) field[count++] = of_step[i].field;
  return field ? add_group(layout, "steps", field, count, 1, NULL, error) : hn_fail(error, "out of memory");
}

enum { MAX_GROUPS = 8, EVENTS = 64 /* initial room for events of a step */ };

static int add_events(hn_record_layout *layout, hn_error *error)
{
  if (add_group(layout, "events", hn_event_fields, (size_t)hn_event_nfields, EVENTS, NULL, error)) return -1;
  hn_record_group *group = &layout->group[layout->ngroup - 1];
  hn_record_words *words = calloc(2, sizeof *words);
  group->words = words;
  group->nwords = words ? hn_event_words_make(words, layout->model) : -1;
  return group->nwords >= 0 ? 0 : hn_fail(error, "out of memory");
}

int hn_layout_make(hn_record_layout *layout, const hn_record_options *o, bool whole, hn_error *error)
{
  const hn_model *model = layout->model;
  const bool joints = o->joints || whole, forces = o->forces || whole,
             contacts = o->contacts || (whole && model->max_contacts > 0);
  const struct {
    bool wanted;
    const char *name;
    const hn_record_field *field;
    size_t nfield;
    name_owners *names;
  } groups[] = {
    { true, "bodies", FIELDS(of_bodies), name_bodies },
    { joints, "coordinates", FIELDS(of_coordinates), name_coordinates },
    { joints && o->reactions, "joints", FIELDS(of_joints), name_joints },
    { forces, "forces", FIELDS(of_laws), name_laws },
    { forces, "wrenches", FIELDS(of_wrenches), name_wrenches },
  };
  if (contacts && model->max_contacts == 0)
    return hn_fail(error, "contacts cannot be recorded: nothing collides");
  layout->group = calloc(MAX_GROUPS, sizeof *layout->group);
  int status = layout->group ? add_step(layout, o, error) : hn_fail(error, "out of memory");
  for (size_t i = 0; i < sizeof groups / sizeof *groups && status == 0; i++) {
    const int count = groups[i].names(model, NULL);
    if (groups[i].wanted && (count > 0 || i == 0))
      status = add_group(layout, groups[i].name, groups[i].field, groups[i].nfield, count, groups[i].names,
                         error);
  }
  if (status == 0 && contacts)
    status = add_group(layout, "contacts", hn_contact_fields, (size_t)hn_contact_nfields, model->max_contacts,
                       NULL, error);
  if (status == 0 && whole && (o->events || hn_model_has_events(model))) status = add_events(layout, error);
  return status;
}

void hn_layout_free(hn_record_layout *layout)
{
  for (hn_record_group *group = layout->group; group && group < layout->group + layout->ngroup; group++) {
    for (int i = 0; group->owner && i < group->count; i++) free(group->owner[i]);
    free(group->owner), free(group->cell);
    if (group->words) hn_event_words_free((hn_record_words *)(uintptr_t)group->words, 2);
    free((void *)(uintptr_t)group->words);
    if (group == layout->group) free((void *)(uintptr_t)group->field);
  }
  free(layout->group);
}

/* ---- Filling --------------------------------------------------------------------------------------- */

static hn_cell *put(hn_cell *cell, const double *value, int count)
{
  for (int i = 0; i < count; i++) cell[i].real = value[i];
  return cell + count;
}

typedef struct step_rank {
  int rank;
  double kept, dropped;
} step_rank;

static int find_rank(step_rank *out, hn_system *system, const hn_state *state, hn_error *error)
{
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, error);
  if (!rank) return -1;
  *out = (step_rank){ rank->rank, rank->kept, rank->dropped };
  hn_rank_free(rank);
  return 0;
}

/* Fills the group of the step. Values that are not measured after this step, or undefined at the start and
 * between steps, are missing. */
static void fill_step(const hn_record_layout *layout, const hn_frame *frame, const step_rank *rank)
{
  static const hn_report none = { -1, -1, .halvings = -1, .residual = NAN, .asleep = -1, .capped = -1 };
  const bool start = frame->index == 0 || frame->between; /* without a report */
  const hn_report *report = start ? &none : frame->report;
  const hn_contact_measure *contact = frame->contact;
  hn_measure own;
  const hn_measure *m = frame->measure;
  if (!m) hn_measure_state(layout->now, frame->state, &own), m = &own;
  const hn_cell all[OF_STEP] = {
    { .whole = frame->between ? -1 : frame->index },
    { .real = frame->state->time },
    { .real = m->kinetic + m->potential },
    { .real = m->position_error },
    { .real = m->velocity_error },
    { .whole = report->position_iterations },
    { .whole = report->velocity_iterations },
    { .bits = frame->hash },
    { .whole = start ? -1 : (int64_t)frame->impulses },
    { .whole = start ? -1 : (int64_t)frame->operations },
    { .whole = report->halvings },
    { .real = report->residual },
    { .whole = report->asleep },
    { .whole = report->capped },
    { .whole = start ? -1 : frame->state->ncontact },
    { .real = contact ? contact->penetration : NAN },
    { .real = contact ? contact->residual : NAN },
    { .real = contact ? contact->balance : NAN },
    { .real = start ? NAN : 1e6 * frame->seconds },
    { .whole = rank->rank },
    { .real = rank->kept },
    { .real = rank->dropped },
  };
  const hn_record_group *group = &layout->group[0];
  for (int i = 0, k = 0; i < OF_STEP && k < group->nfield; i++)
    if (group->field[k].name == of_step[i].field.name) group->cell[k++] = all[i];
}

/* Fills COUNT cells with missing values, for removed elements. */
static hn_cell *put_missing(hn_cell *cell, int count)
{
  for (int i = 0; i < count; i++) cell[i].real = NAN;
  return cell + count;
}

static void fill_bodies(const hn_record_layout *layout, hn_cell *cell, const hn_frame *frame)
{
  enum { CELLS = 3 + 4 + 3 + 3 };
  for (int i = 1; i < layout->model->nbody; i++) {
    if (layout->now->body[i].gone) {
      cell = put_missing(cell, CELLS);
      continue;
    }
    const hn_pose *pose = &frame->state->pose[i];
    const hn_twist *twist = &frame->state->twist[i];
    cell = put(put(put(put(cell, pose->x, 3), pose->q, 4), twist->v, 3), twist->w, 3);
  }
}

/* Returns joint J of the initial model in the current one and advances *AT, or NULL if it was removed.
 * Remaining joints keep their order and names. */
static const hn_joint *joint_now(const hn_record_layout *layout, int j, int *at)
{
  const hn_model *now = layout->now;
  const bool there = *at < now->njoint && strcmp(now->joint[*at].name, layout->model->joint[j].name) == 0;
  return there ? &now->joint[(*at)++] : NULL;
}

static const hn_force *force_now(const hn_record_layout *layout, int f, int *at)
{
  const hn_model *now = layout->now;
  const bool there = *at < now->nforce && strcmp(now->force[*at].name, layout->model->force[f].name) == 0;
  return there ? &now->force[(*at)++] : NULL;
}

static void fill_coordinates(const hn_record_layout *layout, hn_cell *cell, const hn_frame *frame)
{
  const hn_model *model = layout->model;
  for (int j = 0, at = 0; j < model->njoint; j++) {
    const hn_joint *joint = joint_now(layout, j, &at);
    const int count = hn_joint_coordinates(&model->joint[j]);
    if (!joint) cell = put_missing(cell, 2 * count);
    for (int i = 0; joint && i < count; i++, cell += 2)
      hn_joint_coordinate(joint, i, frame->state, &cell[0].real, &cell[1].real);
  }
}

/* Fills the reactions; those of the initial state are missing. */
static void fill_joints(const hn_record_layout *layout, hn_cell *cell, const hn_frame *frame)
{
  const hn_model *model = layout->model;
  for (int j = 0, at = 0; j < model->njoint; j++) {
    const hn_joint *joint = joint_now(layout, j, &at);
    double reaction[6] = { NAN, NAN, NAN, NAN, NAN, NAN };
    if (frame->multipliers && joint)
      hn_joint_reaction(joint, frame->state, frame->multipliers + joint->row, reaction, reaction + 3);
    cell = put(cell, reaction, 6);
  }
}

static void fill_forces(const hn_record_layout *layout, hn_cell *cell, const hn_frame *frame, bool law)
{
  const hn_model *model = layout->model;
  for (int i = 0, at = 0; i < model->nforce; i++) {
    const hn_force *f = force_now(layout, i, &at);
    double value[HN_MAX_ROWS], along[HN_MAX_ROWS], pull[HN_MAX_ROWS];
    if (is_law(&model->force[i]) != law) continue;
    if (!f) {
      cell = put_missing(cell, law ? 3 : model->force[i].type->rows->rows);
      continue;
    }
    hn_force_evaluate(f, frame->state, value, along, pull);
    if (law) cell = put(put(cell, value, 1), along, 1);
    cell = put(cell, pull, f->type->rows->rows);
  }
}

int hn_layout_room(hn_record_group *group, int rows, hn_error *error)
{
  if (!group->listed || rows <= group->room) return 0;
  hn_cell *grown = realloc(group->cell, sizeof *grown * (size_t)rows * (size_t)group->width);
  if (!grown) return hn_fail(error, "out of memory");
  group->cell = grown, group->room = rows;
  return 0;
}

/* Fills a list: contacts of written frames, events of all frames. */
static int fill_list(const hn_record_layout *layout, hn_record_group *group, const hn_frame *frame,
                     hn_error *error)
{
  const bool events = group->field == hn_event_fields;
  if (!events && frame->before && !frame->impulse)
    return hn_fail(
      error,
      "contacts cannot be recorded: the solver does not keep their impulses: call hn_solver_keep_impulses");
  const int rows = events ? frame->nevent : layout->skipped ? 0 : frame->nimpulse;
  if (hn_layout_room(group, rows, error)) return -1;
  if (events) group->count = hn_event_rows(group->cell, layout->model, frame);
  else group->count = layout->skipped ? 0 : hn_contact_rows(group->cell, frame);
  return 0;
}

bool hn_layout_skips(hn_record_layout *layout, const hn_frame *frame)
{
  bool events = false;
  for (int g = 0; g < layout->ngroup; g++) events |= layout->group[g].field == hn_event_fields;
  layout->skipped = true;
  return !events || frame->nevent == 0;
}

int hn_layout_fill(hn_record_layout *layout, const hn_frame *frame, hn_system *system, hn_error *error)
{
  step_rank rank = { 0, NAN, NAN };
  layout->now = frame->model;
  for (hn_record_group *group = layout->group; group < layout->group + layout->ngroup; group++)
    if (group->listed && fill_list(layout, group, frame, error)) return -1;
  if (layout->skipped) return 0;
  if (system && find_rank(&rank, system, frame->state, error)) return -1;
  fill_step(layout, frame, &rank);
  for (hn_record_group *group = layout->group + 1; group < layout->group + layout->ngroup; group++)
    if (group->field == of_bodies) fill_bodies(layout, group->cell, frame);
    else if (group->field == of_coordinates) fill_coordinates(layout, group->cell, frame);
    else if (group->field == of_joints) fill_joints(layout, group->cell, frame);
    else if (!group->listed) fill_forces(layout, group->cell, frame, group->field == of_laws);
  return 0;
}
