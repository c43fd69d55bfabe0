/* command_values.c - checked keys and values: commands come from a file or over the network. */
#include <math.h>
#include <string.h>
#include "cli/session/command_values.h"

static bool among(const char *keys, const char *key)
{
  const size_t length = strlen(key);
  for (const char *k = keys; *k; k += strcspn(k, " "), k += strspn(k, " "))
    if (strcspn(k, " ") == length && strncmp(k, key, length) == 0) return true;
  return false;
}

int cli_command_keys(const json_t *command, const char *keys, hn_error *error)
{
  const char *key;
  json_t *value;
  json_object_foreach(
    (json_t *)(uintptr_t)command, key,
    value) if (strcmp(key, "do") != 0 && strcmp(key, "at_step") != 0 &&
               !among(keys, key)) return hn_fail(error, "%.40s: no key \"%.40s\"; the keys are: %s",
                                                 json_string_value(json_object_get(command, "do")), key,
                                                 *keys ? keys : "none");
  return 0;
}

const char *cli_command_text(const json_t *command, const char *key, size_t most, hn_error *error)
{
  const char *text = json_string_value(json_object_get(command, key));
  if (text && *text && strlen(text) <= most) return text;
  hn_fail(error, "\"%s\" must be a text of at most %zu bytes", key, most);
  return NULL;
}

static bool is_finite(const json_t *value, double *number)
{
  *number = json_number_value(value);
  return json_is_number(value) && isfinite(*number);
}

int cli_command_number(const json_t *command, const char *key, double *number, hn_error *error)
{
  return is_finite(json_object_get(command, key), number)
           ? 0
           : hn_fail(error, "\"%s\" must be a finite number", key);
}

int cli_command_vector(const json_t *command, const char *key, double vector[3], hn_error *error)
{
  const json_t *value = json_object_get(command, key);
  bool good = json_is_array(value) && json_array_size(value) == 3;
  for (size_t i = 0; good && i < 3; i++) good = is_finite(json_array_get(value, i), &vector[i]);
  return good ? 0 : hn_fail(error, "\"%s\" must be three finite numbers", key);
}

int cli_command_optional(const json_t *command, const char *key, int count, double *numbers, hn_error *error)
{
  if (!json_object_get(command, key)) return 0;
  return count == 1 ? cli_command_number(command, key, numbers, error)
                    : cli_command_vector(command, key, numbers, error);
}

int cli_command_body(const json_t *command, const hn_model *model, hn_error *error)
{
  const char *name = cli_command_text(command, "body", 256, error);
  const int body = name ? hn_model_find_body(model, name, error) : -1;
  if (body < 0) return -1;
  if (model->body[body].gone) return hn_fail(error, "body \"%.100s\" is gone", name);
  if (model->body[body].kind == HN_FIXED) return hn_fail(error, "body \"%.100s\" is fixed", name);
  return body;
}
