/* test_scene_errors.c - errors of scenes with file and line; and the sandbox: limits, absent functions,
 * reproducibility. */
#include "written.h"

/* ---- Bad input ----------------------------------------------------------------------------------------- */

#define P "position = { 0, 0, 0 }"
#define M "mass = 1, inertia = { 1, 1, 1 }"
#define A "local a = sys:body { name = 'a', position = { 0, 0, 0 }, " M " } "
#define B "local b = sys:body { name = 'b', position = { 1, 0, 0 }, " M " }\n"
#define TWO A B

typedef struct bad_input {
  const char *body;
  int line;
  const char *fragment;
} bad_input;

static const bad_input bad_inputs[] = {
  /* keys */
  { "\nsys:body { name = 'a', postion = { 0, 0, 0 }, " M " }", 3,
    "body \"a\": unknown key \"postion\"; did you mean \"position\"?" },
  { "sys:body { name = 'a', " M " }", 2, "body \"a\": key \"position\" is missing" },
  { "sys:body { name = 'a', " P ", mass = 1 }", 2, "key \"inertia\" is missing" },
  { "sys:body { name = 'a', " P ", inertia = { 1, 1, 1 } }", 2, "key \"mass\" is missing" },
  { "sys:body { name = 'a', " P " }", 2, "mass is missing" },
  { "sys:body { name = 'a', " P ", density = 1 }", 2, "key \"shape\" is missing" },
  { "sys:body { name = 'a', " P ", shape = scene.box { 1, 1, 1 } }", 2, "key \"density\" is missing" },
  { "sys:body { name = 'a', " P ", " M ", shape = scene.box { 1, 1, 1 }, density = 3 }", 2, "not both" },
  { "sys:particle { name = 'p', " P " }", 2, "particle \"p\": key \"mass\" is missing" },
  { "sys:particle { name = 'p', " P ", mass = 1, inertia = { 1, 1, 1 } }", 2, "unknown key \"inertia\"" },
  { "scene.system { gravty = { 0, 0, 0 } }", 2, "did you mean \"gravity\"?" },
  { "sys:defaults { solvr = 'impulse-sle' }", 2, "did you mean \"solver\"?" },
  { "sys:defaults { solver = 'impulse-sle:tolerence=1e-6' }", 2, "did you mean \"tolerance\"?" },
  { "sys:defaults { solver = 'impulse-sle', tolerance = 5 }", 2, "tolerance = 5 is outside" },
  { "sys:expect { solver = 'impulse-sle:tolerance=small' }", 2, "tolerance must be a number" },
  { "sys:body { name = 'a', " P ", fixed = true, mass = 1, inertia = { 1, -1, 1 } }", 2,
    "inertia[2] must be positive" },
  { "sys:defaults { reason = 'stalled' }", 2, "unknown key \"reason\"" },
  { "sys:expect { drif = 1 }", 2, "did you mean \"drift\"?" },
  { "scene.sphere { radis = 1 }", 2, "did you mean \"radius\"?" },
  { "scene.cylinder { radius = 1 }", 2, "key \"height\" is missing" },
  { "scene.box { 1, 2 }", 2, "three edge lengths" },
  { "scene.ellipsoid { 1, 2 }", 2, "three half axes" },
  { "scene.height_field { heights = { { 0, 0 }, { 0, 0 } } }", 2, "key \"size\" is missing" },
  { "scene.height_field { size = { 1, 1 } }", 2, "key \"heights\" is missing" },
  { "scene.height_field { size = { 1, 1 }, heights = { { 0, 0, 0 }, { 0, 0 } } }", 2,
    "heights[2] has 2 numbers and heights[1] has 3: give every row as many" },
  { "scene.height_field { size = { 1, 1 }, heights = { { 0, 0 }, 5 } }", 2, "heights[2] must be a row" },
  { "scene.height_field { size = { 1, 1 }, heights = { { 0, 0 }, { 0, 'high' } } }", 2, "heights[2][2]" },
  { "scene.height_field { size = { 1, 1 }, heights = { { 0, 0 }, { 0 / 0, 0 } } }", 2,
    "heights[2][1] must be finite" },
  { "scene.height_field { size = { 1, 1 }, heights = { { 0, 0 } } }", 2, "at least 2 x 2 points, not 2 x 1" },
  { "scene.height_field { size = { 1, 1 }, heights = {} }", 2, "at least 2 x 2 points, not 0 x 0" },
  { "scene.height_field { size = { 1, 0 }, heights = { { 0, 0 }, { 0, 0 } } }", 2,
    "size of a height field along z" },
  { "scene.height_field { size = { 1, 1 }, heights = 'flat' }", 2, "rows of numbers or a function(x, z)" },
  { "scene.height_field { size = { 1, 1 }, heights = function() return 0 end }", 2,
    "needs points = { nx, nz }" },
  { "scene.height_field { size = { 1, 1 }, points = { 3, 1.5 }, heights = function() return 0 end }", 2,
    "points must be whole numbers" },
  { "scene.height_field { size = { 1, 1 }, points = { 3, 1 }, heights = function() return 0 end }", 2,
    "at least 2 x 2 points, not 3 x 1" },
  { "scene.height_field { size = { 1, 1 }, points = { 2, 2 }, heights = { { 0, 0 }, { 0, 0 } } }", 2,
    "remove them" },
  { "scene.height_field { size = { 1, 1 }, points = { 2, 2 }, heights = function(x) return x / 0 end }", 2,
    "heights(-0.5, -0.5) must be finite" },
  { "sys:body { name = 'a', " P ", density = 1, shape = scene.height_field { size = { 1, 1 }, "
    "heights = { { 0, 0 }, { 0, 0 } } } }",
    2, "a height field has no mass" },
  { "sys:body { name = 'a', " P ", " M ", shape = scene.height_field { size = { 1, 1 }, "
    "heights = { { 0, 0 }, { 0, 0 } } } }",
    2, "belongs on the ground or on a fixed body: set fixed = true" },
  { "scene.ellipsoid { 1, 2, -3 }", 2, "sizes of an ellipsoid must be positive" },
  { "scene.box { 1, 2, 3, 4 }", 2, "entry 4 has no meaning" },
  { TWO "sys:ball { a, b }", 3, "ball: key \"at\" is missing" },
  { TWO "sys:ball { a, b, name = 'j', att = { 0, 0, 0 } }", 3,
    "ball \"j\": unknown key \"att\"; did you mean \"at\"?" },
  { TWO "sys:ball { a, at = { 0, 0, 0 } }", 3, "body 2 is missing" },
  { TWO "sys:ball { a, b, at = { 0, 0, 0 }, length = 1 }", 3, "unknown key \"length\"" },
  { TWO "sys:ball { a, b, at = { 0, 0, 0 }, at_a = { 0, 0, 0 } }", 3, "not both" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 } }", 3, "key \"at_b\" is missing" },
  /* types and sizes */
  { "sys:body { name = 'a', position = { 0, 0 }, " M " }", 2,
    "position must be a table of 3 numbers, not of 2" },
  { "sys:body { name = 'a', position = { 0, 0, 0, 0 }, " M " }", 2,
    "position must be a table of 3 numbers, not of 4" },
  { "sys:body { name = 'a', position = { x = 0, y = 0, z = 0 }, " M " }", 2, "with gaps or names" },
  { "sys:body { name = 'a', position = 3, " M " }", 2, "position must be a table of 3 numbers, not 3" },
  { "sys:body { name = 'a', position = { 0, '1', 0 }, " M " }", 2,
    "position[2] must be a number, not \"1\"" },
  { "sys:body { name = 7, " P ", " M " }", 2, "name must be a string, not 7" },
  { "sys:body { name = 'a\\nb', " P ", " M " }", 2, "printable" },
  { "sys:body { name = '\\xff', " P ", " M " }", 2, "printable" },
  { "sys:body { name = 'a', " P ", " M ", fixed = 1 }", 2, "fixed must be true or false, not 1" },
  { "sys:body { name = 'a', " P ", shape = { 1, 1, 1 }, density = 1 }", 2,
    "shape must be a shape such as scene.box" },
  { "sys:body(3)", 2, "body takes one table" },
  { "sys.body { name = 'a' }", 2, "with a colon" },
  { "sys:reference { 1 }", 2, "reference takes one function" },
  { TWO "sys:ball { a, {}, at = { 0, 0, 0 } }", 3, "must be a body or its name, not a table" },
  /* numbers */
  { "sys:body { name = 'a', position = { 0, 0 / 0, 0 }, " M " }", 2, "position[2] must be finite, not nan" },
  { "sys:body { name = 'a', " P ", velocity = { math.huge, 0, 0 }, " M " }", 2,
    "velocity[1] must be finite, not inf" },
  { "sys:body { name = 'a', " P ", mass = 0 / 0, inertia = { 1, 1, 1 } }", 2,
    "mass must be finite, not nan" },
  { "scene.system { gravity = { 0, -1 / 0, 0 } }", 2, "gravity[2] must be finite" },
  { "sys:body { name = 'a', " P ", mass = 0, inertia = { 1, 1, 1 } }", 2,
    "body \"a\": mass must be positive, not 0" },
  { "sys:body { name = 'a', " P ", mass = -1, inertia = { 1, 1, 1 } }", 2,
    "body \"a\": mass must be positive, not -1" },
  { "sys:particle { name = 'a', " P ", mass = -1 }", 2, "mass must be positive, not -1" },
  { "sys:body { name = 'a', " P ", mass = 1, inertia = { 1, 0, 1 } }", 2, "inertia" },
  { "sys:body { name = 'a', " P ", mass = 1, inertia = { 1, 1, 2.5 } }", 2, "triangle inequality" },
  { "sys:body { name = 'a', " P ", shape = scene.box { 1, 1, 1 }, density = 0 }", 2, "body \"a\": " },
  { "scene.box { 1, -1, 1 }", 2, "positive, not -1" },
  { "sys:body { name = 'a', " P ", orientation = { 0, 0, 0, 0 }, " M " }", 2, "zero length" },
  { "sys:body { name = 'a', " P ", axis_angle = { 0, 0, 0, 1 }, " M " }", 2, "zero length" },
  { "sys:body { name = 'a', " P ", orientation = { 1, 0, 0, 0 }, axis_angle = { 0, 0, 1, 1 }, " M " }", 2,
    "not both" },
  { "sys:body { name = 'a', " P ", fixed = true, velocity = { 1, 0, 0 } }", 2,
    "fixed and cannot have a velocity" },
  { "sys:body { name = 'a', " P ", fixed = true, mass = -1, inertia = { 1, 1, 1 } }", 2,
    "mass must be positive" },
  { "sys:defaults { tolerence = 1e-6 }", 2, "did you mean \"tolerance\"?" },
  { "sys:defaults { tolerance = {} }", 2, "tolerance must be a number" },
  { "sys:defaults { step = -0.1 }", 2, "step must be positive, not -0.1" },
  { "sys:defaults { duration = 0 }", 2, "duration must be positive, not 0" },
  { "sys:expect { step = 0 }", 2, "step must be positive" },
  { "sys:expect { drift = -1 }", 2, "cannot be negative" },
  /* names */
  { TWO "sys:ball { a, 'c1', at = { 0, 0, 0 } }", 3, "no body \"c1\"" },
  { TWO "sys:ball { 'a', 'grond', at = { 0, 0, 0 } }", 3, "did you mean \"ground\"?" },
  { TWO "sys:body { name = 'a', " P ", " M " }", 3, "there is a body \"a\" already" },
  { "sys:body { name = 'ground', " P ", " M " }", 2, "there is a body \"ground\" already" },
  { "sys:defaults { solver = 'impulse-sla' }", 2, "did you mean \"impulse-sle\"?" },
  { "sys:expect { solver = 'lagrang:stepper=rk4' }", 2, "did you mean \"lagrange\"?" },
  { "sys:expect { reason = 'stalld' }", 2, "did you mean \"stalled\"?" },
  { TWO "sys:bal { a, b, at = { 0, 0, 0 } }", 3,
    "unknown function, joint or force \"bal\"; did you mean \"ball\"?" },
  { TWO "sys:zzzzzzzzzzzz { a, b, at = { 0, 0, 0 } }", 3, "there are: ground, body, particle" },
  { TWO "sys:hinge { a, b, at = { 0, 0, 0 } }", 3, "key \"axis\" is missing" },
  { "scene.bx { 1, 1, 1 }", 2, "did you mean \"box\"?" },
  { "scene.special.jacbi(1, 1)", 2, "did you mean \"jacobi\"?" },
  { "local m = require 'holonom.scenes'", 2, "no module \"holonom.scenes\"" },
  { "scene.x = 1", 2, "cannot set x" },
  { "scene.system = 1", 2, "cannot set system" },
  { "scene.special.jacobi = 1", 2, "cannot set jacobi" },
  { "scene.special = 1", 2, "cannot set special" },
  { "sys.x = 1", 2, "no fields to set" },
  { TWO "local x = a.mass", 3, "has no \"mass\"" },
  { "scene.param('n', 1, 'x') scene.param('n', 2, 'y')", 2, "declared twice" },
  { "scene.param('n', {}, 'x')", 2, "default must be a number" },
  { "scene.param('n', 0 / 0, 'x')", 2, "must be finite" },
  { "scene.system {}", 2, "one system" },
  /* joints */
  { TWO "sys:ball { a, a, at = { 0, 0, 0 } }", 3, "with itself" },
  { "local a = sys:body { name = 'a', " P ", fixed = true }\nsys:ball { sys.ground, a, at = { 0, 0, 0 } }", 3,
    "two fixed bodies" },
  { TWO "sys:ball { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 } }", 3, "joint \"ball1\"" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }, length = 2 }", 3, "violated by 1 m" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 }, at_b = { 0, 0, 0 } }", 3, "coincide" },
  { TWO "sys:ball { a, b, name = 'j', at = { 0, 0, 0 } } sys:ball { a, b, name = 'j', at = { 0, 0, 0 } }", 3,
    "joint \"j\" already" },
  /* programs */
  { "local x =", 3, "unexpected symbol near" },
  { "local x = nothing.at_all", 2, "attempt to index a nil value (global 'nothing')" },
  { "error('my own words')", 2, "my own words" },
  { "error({})", 2, "error raised with a table" },
  { "error(12.5)", 2, "error 12.5" },
  { "local function f() return f() + 1 end f()", 2, "stack overflow" },
  { "", 0, "returns nothing" },
  { "return 7", 0, "returns a number" },
  { "return {}", 0, "returns a table" },
  { "return sys", 0, "has no bodies" },
  { "pcall(sys.body, sys, { name = 'a', " P ", mass = -1, inertia = { 1, 1, 1 } })\nreturn sys", 0,
    "has no bodies" },
  { "local function add() sys:body { name = 'a', " P ", mass = -1, inertia = { 1, 1, 1 } } end\n\nadd()", 2,
    "mass must be positive" },
  /* references */
  { TWO "sys:reference(function(t)\n return { c = { " P " } } end)\nreturn sys", 3,
    "reference at t = 0: no body \"c\"" },
  { TWO "sys:reference(function(t) return { a = { 0, 0, 0 } } end)\nreturn sys", 3, "has no meaning" },
  { TWO "sys:reference(function(t) return { a = { position = { 0, 0, t / 0 } } } end)\nreturn sys", 3,
    "position[3] must be finite" },
  { TWO "sys:reference(function(t) return {} end)\nreturn sys", 3, "names no body" },
  { TWO "sys:reference(function(t) return 5 end)\nreturn sys", 3, "must be a table or nil" },
  { TWO "sys:reference(function(t)\n return nope.x end)\nreturn sys", 4, "attempt to index a nil value" },
  { TWO "sys:reference(function(t)\n scene.param('late', 1) end)\nreturn sys", 4,
    "param: the scene is complete" },
  { TWO "sys:reference(print) sys:reference(print)", 3, "has one already" },
  { TWO "sys:expect { error = 1 }\nreturn sys", 3, "needs a reference" },
  { TWO "sys:expect { penetration = 1 }\nreturn sys", 3, "needs sys:contact" },
};

static void test_bad_input(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_inputs / sizeof bad_inputs[0]; i++)
    expect_failing_body(bad_inputs[i].body, bad_inputs[i].line, bad_inputs[i].fragment);
}

static void test_files_that_are_no_scenes(void **state)
{
  (void)state;
  static const char compiled[] = "\033Lua\x54\0\x19\x93";
  hn_error error;
  write_bytes(compiled, sizeof compiled);
  expect_refusal(0, "binary chunk");
  write_bytes("\x89PNG\r\n\x1a\n\0\0", 10);
  expect_refusal(1, "unexpected symbol");
  write_bytes("", 0);
  expect_refusal(0, "returns nothing");
  unlink(path);
  expect_refusal(0, "No such file");
  assert_null(hn_scene_load(directory, NULL, 0, &error));
  assert_non_null(strstr(error.text, ": cannot read the scene: Is a directory"));
  assert_null(hn_scene_load("pendulm", NULL, 0, &error));
  assert_non_null(strstr(error.text, "did you mean \"pendulum\"?"));
  assert_null(hn_scene_load("something_else", NULL, 0, &error));
  assert_non_null(strstr(error.text, "no scene \"something_else\""));
  assert_null(hn_scene_load("", NULL, 0, &error));
}

/* Lua truncates chunk names to 60 characters, error messages do not. A byte order mark and a #! line are
 * skipped. */
static void test_long_paths_and_preambles(void **state)
{
  (void)state;
  char start[256];
  hn_error error = { "" };
  write_scene("error('here')");
  snprintf(start, sizeof start, "%s/./././././././././././././././././././././././././././././././s.lua",
           directory);
  assert_null(hn_scene_load(start, NULL, 0, &error));
  printf("  %s\n", error.text);
  strncat(start, ":2: here", sizeof start - strlen(start) - 1);
  assert_string_equal(error.text, start);
  static const char text[] = "\xEF\xBB\xBF#!/usr/bin/holonom\nerror('there')";
  write_bytes(text, sizeof text - 1);
  expect_refusal(2, "there");
}

/* ---- The sandbox --------------------------------------------------------------------------------------- */

/* Checks that `limits` end the loading of `body` at `line` with a message that contains `words`. */
static void expect_limit(const char *body, const hn_scene_limits *limits, int line, const char *words)
{
  char start[300];
  hn_error error = { "" };
  write_scene(body);
  hn_scene *scene = hn_scene_load_with(path, &(hn_scene_options){ .limits = *limits }, &error);
  printf("  %s\n", scene ? "(loaded)" : error.text);
  assert_null(scene);
  snprintf(start, sizeof start, "%s:%d: ", path, line);
  assert_memory_equal(error.text, start, strlen(start));
  assert_non_null(strstr(error.text, words));
}

static void test_instructions(void **state)
{
  (void)state;
  static const hn_scene_limits few_instructions = { .instructions = 1000000 };
  static const char *const endless[] = {
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do pcall(error, 'x') end",
    "xpcall(function() while true do end end, function() while true do end end)",
    "local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end",
    "table.sort({ 3, 2, 1 }, function() while true do end end)",
    "local x = ('x'):gsub('x', function() while true do end end)",
    "return (setmetatable({}, { __index = function() while true do end end })).x",
    "table.concat(setmetatable({}, { __len = function() while true do end end }))",
    "for i = 1, math.huge do scene.box { 1, 1, 1 } end",
  };
  for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++)
    expect_limit(endless[i], &few_instructions, 2, "stopped after 1000000 instructions");
  expect_failing_body("while true do end", 2, "stopped after 500000000 instructions");
}

/* Single instructions may take long, which only the clock detects; this ends the call, not the process. */
static void test_time(void **state)
{
  (void)state;
  static const hn_scene_limits short_time = { .seconds = 0.05 };
  static const char *const slow[] = {
    "while true do ('x'):rep(1000000):find('y', 1, true) end",
    "local t = {} for i = 1, 100000 do t[i] = i end while true do next(t) end",
    "local a = ('a'):rep(1000000) local b = a .. 'b' a = a .. 'a' while true do local x = a < b end",
    ("local t = {} for i = 1, 1900 do t = setmetatable({}, { __index = t }) end "
     "while true do local x = t.y end"),
    "local s = ('1'):rep(100000) while true do local x = s + 0 end",
    "local t = {} for i = 1, 10000 do t[i] = '' end while true do table.concat(t) end",
    "while true do string.format('%s', ('x'):rep(100000)) end",
    "while true do ('a'):rep(1000):find('[' .. ('b'):rep(1000) .. ']') end",
    "while true do tostring(1.5) end",
    "while true do pcall(string.rep, 'x', 100000) end",
    "for i = 1, math.huge do scene.param('p' .. i, 1) end",
  };
  for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
    expect_limit(slow[i], &short_time, 2, "stopped after 0.05 s of processor time");
}

/* Memory is counted for Lua and for data of the scene outside Lua. */
static void test_memory_limit(void **state)
{
  (void)state;
  static const hn_scene_limits little_memory = { .memory = 16 << 20 };
  static const char *const greedy[] = {
    "local t = {}\nfor i = 1, math.huge do t[i] = { i } end",
    "local s = 'x'\nwhile true do s = s .. s end",
    "local s =\nstring.rep('x', 1 << 30)",
    "local t = {} local s = ('x'):rep(1000000)\nwhile true do pcall(function() t[#t + 1] = s .. #t end) end",
    "local s = ('x'):rep(100000)\nfor i = 1, math.huge do scene.param('p' .. i, s) end",
    "local s = ('x'):rep(100000)\nfor i = 1, math.huge do scene.param('p' .. i, 1, s) end",
    "local s = 'p' .. ('x'):rep(100000)\nfor i = 1, math.huge do scene.param(s .. i, 1) end",
    "local s = 'impulse-sle:petsc=' .. ('x'):rep(100000)\nwhile true do sys:expect { solver = s } end",
    "local s = ('x'):rep(100000)\nfor i = 1, math.huge do sys:particle { name = s .. i, mass = 1, " P
    " } end",
    ("local s, p = ('x'):rep(100000), sys:particle { mass = 1, position = { 1, 0, 0 } }\n"
     "for i = 1, math.huge do sys:distance { sys.ground, p, name = s .. i } end"),
    "while true do\nsys:expect { drift = 1 } end",
  };
  for (size_t i = 0; i < sizeof greedy / sizeof greedy[0]; i++)
    expect_limit(greedy[i], &little_memory, 3, "stopped at the memory limit of 16 MiB");
  expect_failing_body("local s =\nstring.rep('x', 1 << 30)", 3, "stopped at the memory limit of 512 MiB");
  write_scene("for i = 1, 1000 do sys:defaults { solver = 'impulse-sle:petsc=' .. (' '):rep(100000) } end\n"
              "sys:particle { mass = 1, " P " } return sys"); /* replaced settings are freed */
  hn_error error;
  hn_scene *scene = hn_scene_load_with(path, &(hn_scene_options){ .limits = little_memory }, &error);
  if (!scene) fail_msg("%s", error.text);
  hn_scene_free(scene);
}

/* An interrupted program does not wait for a scene. */
static void test_interruption(void **state)
{
  (void)state;
  static volatile sig_atomic_t stop = 1;
  hn_error error = { "" };
  write_scene("while true do pcall(function() while true do end end) end");
  assert_null(hn_scene_load_with(path, &(hn_scene_options){ .stop = &stop }, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, ":2: interrupted"));
}

/* Errors raised by Lua without a line get a line of the scene. */
static void test_lines(void **state)
{
  (void)state;
  expect_failing_body("\nerror {}", 3, "error raised with a table instead of a message");
  expect_failing_body("\nerror(5)", 3, "error 5");
  expect_failing_body("\nerror('mine', 0)", 3, "mine");
  expect_failing_body("\nlocal function f() return 1 + f() end f()", 3, "stack overflow");
  expect_failing_body("\ntable.sort { 1, {} }", 3, "attempt to compare");
  expect_failing_body("\nscene.rotate(nil, nil)", 3, "holonom.scene:");
  expect_failing_body("local t = setmetatable({}, {})\ngetmetatable(t).__mode = 'k'\n"
                      "sys:particle { mass = 1, " P " } return sys",
                      2, "cannot use __mode");
}

/* The limits apply to each call of the reference separately: two calls that each use most of a limit
 * succeed. */
static void test_limits_of_the_reference(void **state)
{
  (void)state;
  bool has[2];
  double position[6];
  hn_error error = { "" };
  write_scene("sys:particle { name = 'p', " P ", mass = 1 }\n"
              "sys:reference(function(t) if t == 1 then\n"
              "while true do pcall(error) end end\n"
              "for i = 1, 600000 do end return { p = { position = { t, 0, 0 } } } end)\nreturn sys");
  hn_scene *scene = hn_scene_load_with(path, &(hn_scene_options){ .limits = { .instructions = 1000000 } },
                                       &error);
  if (!scene) fail_msg("%s", error.text);
  assert_int_equal(hn_scene_reference(scene, 1.0, has, position, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, ":4: stopped after 1000000 instructions"));
  for (int k = 2; k < 4; k++) {
    assert_int_equal(hn_scene_reference(scene, k, has, position, &error), 1);
    check_near("the next answer", position[3], k, 0);
  }
  hn_scene_free(scene);
}

static void test_absent_functions(void **state)
{
  (void)state;
  expect_good_body(
    "for _, name in ipairs { 'os', 'io', 'debug', 'package', 'coroutine', 'dofile', 'loadfile',\n"
    "    'warn', 'collectgarbage' } do assert(_G[name] == nil, name) end\n"
    "assert(string.dump == nil)\n"
    "for _, name in ipairs { 'table', 'string', 'math', 'utf8' } do assert(type(_G[name]) == 'table') "
    "end\n"
    "assert(load('return 1 + 1')() == 2)\n"
    "assert(load('x = 1 return x', 'c', 't', {})() == 1 and x == nil)\n"
    "local done local function piece() if not done then done = true return 'return 5' end end\n"
    "local f = load(piece)\n"
    "assert(f() == 5)\n"
    "assert(select(2, load('\\27Lua', 'c', 'b')):find('attempt to load a binary chunk', 1, true))\n"
    "assert(not load('x ='))\n"
    "assert(require 'holonom.scene' == scene)\n"
    "local names = {} for name in pairs(scene) do names[name] = true end\n"
    "assert(names.system and names.box and getmetatable(scene) == false)\n"
    "assert(getmetatable(sys) == false and getmetatable(sys.ground) == false)\n"
    "assert(not pcall(setmetatable, sys.ground, {}))\n");
  expect_failing_body("setmetatable({}, { __gc = function() while true do end end })", 2, "cannot use __gc");
  expect_failing_body("setmetatable({}, { __mode = 'k' })", 2, "cannot use __mode");
  expect_failing_body("math.randomseed()", 2, "randomseed needs a number");
  expect_failing_body("string.format('%p', {})", 2, "scenes see no addresses");
  expect_failing_body("local t = { [{}] = 1 } for k in pairs(t) do end", 2,
                      "a key that is a table has no order");
}

static void test_addresses_are_hidden(void **state)
{
  (void)state;
  expect_good_body(
    "assert(tostring({}) == 'table')\n"
    "assert(tostring(print) == 'function')\n"
    "assert(tostring(sys) == 'system' and tostring(sys.ground) == 'body \"ground\"')\n"
    "assert(tostring(scene.box { 1, 1, 1 }) == 'shape')\n"
    "assert(string.format('%s|%5.1f|%-4s|%%|%d', {}, 1.25, 'ab', 7) == 'table|  1.2|ab  |%|7')\n"
    "assert(('%s'):format(setmetatable({}, { __tostring = function() return 'mine' end })) == 'mine')\n"
    "assert(tostring(1.5) == '1.5' and tostring(nil) == 'nil' and tostring(true) == 'true')\n"
    "assert(select(2, pcall(string.format, '%d', 'x')):find('number expected'))\n"
    "assert(string.format('\\0%s', {}) == '\\0table' and not pcall(string.format, '\\0%p', {}))\n"
    "assert(not tostring(print):find('0x') and not pcall(string.format, '%q', {}))\n"
    "assert(not select(2, pcall(function() return {} < {} end)):find('0x'))\n"
    "assert(not select(2, pcall(function() return #print end)):find('0x'))\n");
}

/* Keys are ordered regardless of insertion; sort is stable. */
static void test_orders(void **state)
{
  (void)state;
  expect_good_body(
    "local t = { z = 1, a = 2, [3] = 3, [-1] = 4, [2.5] = 5, [true] = 6, [false] = 7, [1] = 8, B = 9, [''] "
    "= 10 }\n"
    "local seen = {} for k in pairs(t) do seen[#seen + 1] = tostring(k) end\n"
    "assert(table.concat(seen, ',') == '-1,1,3,2.5,,B,a,z,false,true', table.concat(seen, ','))\n"
    "local again, k = {}, next(t) while k ~= nil do again[#again + 1] = tostring(k) k = next(t, k) end\n"
    "assert(table.concat(again, ',') == table.concat(seen, ','))\n"
    "assert(next({}) == nil)\n"
    "for key in pairs(t) do t[key] = nil end assert(next(t) == nil)\n"
    "local u = { 1, 2, 3 } for i, v in pairs(u) do u[2] = nil if i == 2 then error('gone') end end\n"
    "local p = setmetatable({}, { __pairs = function() return function(_, i) if not i then return 7 end end "
    "end })\n"
    "for i in pairs(p) do assert(i == 7) end\n"
    "local list = {} for i = 1, 1000 do list[i] = { key = (i * 7919) % 10, i = i } end\n"
    "table.sort(list, function(a, b) return a.key < b.key end)\n"
    "for i = 2, 1000 do local a, b = list[i - 1], list[i] assert(a.key < b.key or a.key == b.key and a.i < "
    "b.i) end\n"
    "local words = { 'pear', 'fig', 'apple' } table.sort(words) assert(table.concat(words, ' ') == 'apple "
    "fig pear')\n"
    "assert(not pcall(table.sort, { 1, 'x' }))\n");
}

/* pcall, xpcall and the other replacements behave as in Lua. */
static void test_replacements(void **state)
{
  (void)state;
  expect_good_body("assert(select('#', pcall(function() return 1, nil, nil end)) == 4)\n"
                   "local ok, e = pcall(error, { code = 5 }) assert(not ok and e.code == 5)\n"
                   "local good, a, b = xpcall(function(x, y) return y, x end, print, 1, 2)\n"
                   "assert(good and a == 2 and b == 1)\n"
                   "local bad, text = xpcall(error, function(m) return m .. '!' end, 'no')\n"
                   "assert(not bad and text == 'no!')\n"
                   "local t = { 1, 2, 3 } table.insert(t, 1, 0) table.insert(t, 4)\n"
                   "assert(#t == 5 and table.remove(t, 1) == 0)\n"
                   "assert(table.concat(table.move(t, 1, 4, 2, {}), ',', 2, 5) == '1,2,3,4')\n"
                   "assert(select('#', table.unpack(t)) == 4 and select('#', table.unpack(t, 2, 3)) == 2)\n"
                   "assert(table.concat(t, '-') == '1-2-3-4')\n"
                   "assert(('ab'):rep(2, ' ') == 'ab ab' and ('x'):rep(-1) == '')\n"
                   "assert(('a-b'):find('-', 1, true) == 2 and ('key = 5'):match('^(%w+)%s*=') == 'key')\n"
                   "assert(('abc'):gsub('%w', '%0%0') == 'aabbcc' and utf8.len('\\u{e9}') == 1)\n"
                   "for w in ('one two'):gmatch('%a+') do assert(#w == 3) end\n");
}

/* Positions from math.random are equal in every run. */
static void test_random_is_seeded(void **state)
{
  (void)state;
  double first[3] = { 0, 0, 0 };
  for (int run = 0; run < 2; run++) {
    write_scene("local r = math.random\n"
                "sys:particle { name = 'p', mass = 1, position = { r(), r(1000), r(0) } }\nreturn sys");
    hn_scene *scene = load_written(NULL, 0);
    const double *x = scene->model->body[1].pose0.x;
    for (int c = 0; run == 0 && c < 3; c++) first[c] = x[c];
    for (int c = 0; c < 3; c++) check_near("random", x[c], first[c], 0);
    hn_scene_free(scene);
  }
  expect_good_body("math.randomseed(5) local a = math.random(1 << 40)\n"
                   "math.randomseed(5) assert(a == math.random(1 << 40))");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bad_input),
    cmocka_unit_test(test_files_that_are_no_scenes),
    cmocka_unit_test(test_long_paths_and_preambles),
    cmocka_unit_test(test_instructions),
    cmocka_unit_test(test_time),
    cmocka_unit_test(test_memory_limit),
    cmocka_unit_test(test_interruption),
    cmocka_unit_test(test_lines),
    cmocka_unit_test(test_limits_of_the_reference),
    cmocka_unit_test(test_absent_functions),
    cmocka_unit_test(test_addresses_are_hidden),
    cmocka_unit_test(test_orders),
    cmocka_unit_test(test_replacements),
    cmocka_unit_test(test_random_is_seeded),
  };
  return cmocka_run_group_tests_name("scene errors", tests, make_directory, remove_directory);
}
