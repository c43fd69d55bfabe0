/* figure_title.c - titles of axes: quantities and units of columns.
 *
 * Columns of results and of records have quantities and units of their own. A column named after a parameter
 * of the scene has the unit at the end of the parameter's help: "length of the rod, m". */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/figure/figure_title.h"
#include "scene.h"

typedef struct meaning {
  const char *column, *quantity, *unit; /* "": a number without a unit */
} meaning;

/* Columns of studies and records. */
static const meaning whole[] = {
  { "step", "step size h", "s" },
  { "error", "position error", "m" },
  { "drift", "joint error", "m" },
  { "velocity_drift", "joint velocity error", "m/s" },
  { "energy_error", "energy error", "J" },
  { "energy_gain", "energy gained in contacts", "J" },
  { "operations", "joint operations", "" },
  { "joint_operations", "joint operations", "" },
  { "joint_error", "joint error", "m or rad" },
  { "joint_velocity_error", "joint velocity error", "m/s or rad/s" },
  { "orientation_error", "orientation error", "rad" },
  { "velocity_error", "velocity error", "m/s, rad/s" },
  { "force_error", "joint force error", "N, N m" },
  { "smallest_kept", "smallest singular value kept", "" },
  { "us_per_step", "time a step", "µs" },
  { "wall_s", "time", "s" },
  { "energy", "energy", "J" },
  { "time", "t", "s" },
  { "penetration", "penetration", "m" },
  { "contact_residual", "residual of the law of contact", "m/s" },
  { "balance", "balance of impulses", "N s" },
  { "cone_excess", "impulse outside its cone", "N s" },
  { "uncertainty", "uncertainty of the reference", "m" },
  { "iteration", "iteration", "" },
  { "residual", "residual", "m/s" },
  { "impulses", "impulses a step", "" },
  { "position_iterations", "iterations a step", "" },
  { "velocity_iterations", "iterations a step", "" },
  { "position_error", "joint error", "m or rad" },
  { "contacts", "contacts", "" },
};
enum { WHOLE = sizeof whole / sizeof *whole };

/* Endings of the columns of bodies, joints and forces in a record. */
static const meaning ending[] = {
  { ".x", "position", "m" },
  { ".y", "position", "m" },
  { ".z", "position", "m" },
  { ".qw", "orientation", "" },
  { ".qx", "orientation", "" },
  { ".qy", "orientation", "" },
  { ".qz", "orientation", "" },
  { ".vx", "velocity", "m/s" },
  { ".vy", "velocity", "m/s" },
  { ".vz", "velocity", "m/s" },
  { ".wx", "angular velocity", "rad/s" },
  { ".wy", "angular velocity", "rad/s" },
  { ".wz", "angular velocity", "rad/s" },
  { ".force_x", "force", "N" },
  { ".force_y", "force", "N" },
  { ".force_z", "force", "N" },
  { ".torque_x", "torque", "N m" },
  { ".torque_y", "torque", "N m" },
  { ".torque_z", "torque", "N m" },
};
enum { ENDINGS = sizeof ending / sizeof *ending };

/* ---- Units of parameters ------------------------------------------------------------------------------- */

/* True if TEXT up to END is a product or quotient of known units: "N m", "rad/s", "1/s^2". */
static bool is_unit(const char *text, const char *end)
{
  static const char *const known[] = { "m", "mm", "cm", "km", "kg", "g",  "t",  "s",   "ms",
                                       "N", "kN", "J",  "W",  "Hz", "Pa", "V",  "rad", "deg",
                                       "K", "A",  "1",  "2",  "3",  "4",  "-1", "-2" };
  bool letters = false;
  while (text < end) {
    const size_t size = strcspn(text, " /^*.;:,"), length = text + size > end ? (size_t)(end - text) : size;
    bool found = length == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      found = found || (strlen(known[i]) == length && strncmp(known[i], text, length) == 0);
    if (!found) return false;
    letters = letters || (length > 0 && (*text == '1' || *text > '9'));
    text += length + 1;
  }
  return letters;
}

/* Returns the unit in the HELP of a parameter, to be freed: after a comma, up to the end, a comma, a colon or
 * a semicolon. NULL if there is none. */
static char *unit_in(const char *help)
{
  for (const char *comma = help ? strchr(help, ',') : NULL; comma; comma = strchr(comma + 1, ',')) {
    const char *start = comma + 1 + strspn(comma + 1, " "), *end = start + strcspn(start, ",;:");
    if (is_unit(start, end)) return cli_text("%.*s", (int)(end - start), start);
  }
  return NULL;
}

/* Returns the scene of all rows of DATA, or NULL. */
static const char *scene_of(const figure_data *data)
{
  const int column = figure_column(data, "scene", NULL);
  if (column < 0 || data->nrow == 0) return NULL;
  const char *scene = figure_field(data, 0, column);
  for (size_t row = 1; row < data->nrow; row++)
    if (strcmp(figure_field(data, row, column), scene) != 0) return NULL;
  return scene;
}

/* Returns the unit of the parameter NAME of the scene of DATA, to be freed; NULL if it is not known. */
static char *unit_of_parameter(const figure_data *data, const char *name)
{
  hn_error error;
  const char *path = scene_of(data);
  hn_scene *scene = path ? hn_scene_load(path, NULL, 0, &error) : NULL; /* may not be here: no unit then */
  char *unit = NULL;
  for (size_t i = 0; scene && i < scene->nparam && !unit; i++)
    if (strcmp(scene->param[i].name, name) == 0) unit = unit_in(scene->param[i].help);
  hn_scene_free(scene);
  return unit;
}

/* ---- Titles -------------------------------------------------------------------------------------------- */

static const meaning *find_meaning(const char *column)
{
  for (size_t i = 0; i < WHOLE; i++)
    if (strcmp(whole[i].column, column) == 0) return &whole[i];
  for (size_t i = 0; i < ENDINGS; i++) {
    const size_t size = strlen(ending[i].column), length = strlen(column);
    if (length > size && strcmp(column + length - size, ending[i].column) == 0) return &ending[i];
  }
  return NULL;
}

/* Returns the title of one COLUMN: its quantity, or its name, and the unit. */
static char *title_of_one(const figure_data *data, const char *column)
{
  const meaning *m = find_meaning(column);
  char *unit = m ? NULL : unit_of_parameter(data, column), *title;
  if (m && m->column[0] == '.' && *m->unit) title = cli_text("%s, %s", column, m->unit);
  else if (m && m->column[0] == '.') title = cli_text("%s", column);
  else if (m) title = cli_text("%s%s%s", m->quantity, *m->unit ? ", " : "", m->unit);
  else title = cli_text("%s%s%s", column, unit ? ", " : "", unit ? unit : "");
  free(unit);
  return title;
}

/* True if the quantity of column I occurs in the columns before it. */
static bool occurs_before(const figure_data *data, const int *column, size_t i)
{
  const char *quantity = find_meaning(data->column[column[i]])->quantity;
  for (size_t k = 0; k < i; k++)
    if (strcmp(find_meaning(data->column[column[k]])->quantity, quantity) == 0) return true;
  return false;
}

char *figure_title(const figure_data *data, const int *column, size_t count)
{
  if (count == 1) return title_of_one(data, data->column[column[0]]);
  const meaning *first = find_meaning(data->column[column[0]]);
  for (size_t i = 0; i < count; i++) {
    const meaning *m = find_meaning(data->column[column[i]]);
    if (!m || strcmp(m->unit, first->unit) != 0) return cli_text("%s", ""); /* names stand at the curves */
  }
  char *title = cli_text("%s", first->quantity);
  for (size_t i = 1; i < count; i++)
    if (!occurs_before(data, column, i))
      cli_append(&title, ", %s", find_meaning(data->column[column[i]])->quantity);
  if (*first->unit) cli_append(&title, ", %s", first->unit);
  return title;
}
