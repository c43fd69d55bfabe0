/* written.h - scenes that a test writes to a file of its own, and checks of loading them. */
#ifndef HN_WRITTEN_H
#define HN_WRITTEN_H

#include "check.h"
#include "scene.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "./written-XXXXXX";
static char path[64]; /* of the written scene */

static inline int make_directory(void **state)
{
  (void)state;
  if (!mkdtemp(directory)) return -1;
  snprintf(path, sizeof path, "%s/s.lua", directory);
  return 0;
}

static inline int remove_directory(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(directory);
}

/* Writes a scene of LENGTH bytes. */
static inline void write_bytes(const char *text, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

/* Writes a scene: a line that sets up `scene` and `sys`, then BODY, which starts at line 2. */
static inline void write_scene(const char *body)
{
  static const char first[] = "local scene = require 'holonom.scene' local sys = scene.system {};";
  char text[4096];
  int length = snprintf(text, sizeof text, "%s\n%s\n", first, body);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

/* Checks that the written scene is refused with a message `path:LINE: ...` that contains FRAGMENT; line 0: a
 * message without line. */
static inline void expect_refusal(int line, const char *fragment)
{
  char start[96];
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(path, NULL, 0, &error);
  snprintf(start, sizeof start, line ? "%s:%d: " : "%s: ", path, line);
  bool good = !scene && strstr(error.text, fragment) && strncmp(error.text, start, strlen(start)) == 0 &&
              !strchr(error.text, '\n');
  printf("  %s%s\n", scene ? "(accepted)" : error.text, good ? "" : "  FAILED");
  if (!good) printf("    expected %s...%s\n", start, fragment);
  hn_scene_free(scene);
  assert_true(good);
}

static inline void expect_failing_body(const char *body, int line, const char *fragment)
{
  write_scene(body);
  expect_refusal(line, fragment);
}

static inline hn_scene *load_written(const hn_setting *settings, size_t count)
{
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(path, settings, count, &error);
  if (!scene) printf("  %s\n", error.text);
  assert_non_null(scene);
  return scene;
}

/* Checks that BODY, followed by `return sys`, loads; its own checks use assert. */
static inline void expect_good_body(const char *body)
{
  char text[3000];
  int length = snprintf(text, sizeof text,
                        "%s\nsys:particle { position = { 0, 0, 0 }, mass = 1 }\nreturn sys", body);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_scene(text);
  hn_scene_free(load_written(NULL, 0));
}

static inline hn_scene *load_installed(const char *name)
{
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(name, NULL, 0, &error);
  if (!scene) printf("  %s\n", error.text);
  assert_non_null(scene);
  return scene;
}

#endif
